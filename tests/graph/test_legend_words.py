"""The legend's words explain themselves under the pointer, though the mouse goes through it."""

from __future__ import annotations

import numpy as np
import pytest
from graph_stage import Stage, grid_dist, grid_graph
from PyQt6.QtCore import QPoint, QPointF
from PyQt6.QtGui import QFontMetricsF, QHelpEvent
from PyQt6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from viewer.common.glossary import BY_KEY, TERMS, mentioned
from viewer.graph.colours import STATES, Legend
from viewer.graph.legend import PAD, LegendView

MODES = {  # colour by -> the terms that its title and swatches name
    "distance": {"distance", "weight", "unreached"},
    "state": {"unreached", "tentative", "settled"},
    "processed": {"processed", "wasted"},
    "settled_time": {"improved", "modelled", "unreached"},
    "bucket": {"bucket", "delta", "unreached"},
}


def test_terms_are_found_as_words_in_any_form_and_in_order() -> None:
    assert mentioned("Settled vertices wait in buckets") == ("settled", "vertex", "bucket")
    assert mentioned("head 3, open 2, Δ 16") == ("head", "open", "delta")
    assert mentioned("reserved, ahead, reopened") == ()
    assert mentioned("bucket, BUCKET, buckets") == ("bucket",)
    for term in TERMS:
        for form in (*term.words.split(", "), *term.also):
            assert term.key in mentioned(f"a {form}.") or "," in term.words, term.key


@pytest.mark.font
@pytest.mark.parametrize("mode", MODES)
def test_every_word_of_a_legend_that_means_something_says_it(mode: str, qtbot: QtBot) -> None:
    graph = grid_graph()
    stage = Stage(qtbot, graph)
    stage.view.resize(700, 500)
    stage.run(grid_dist(graph))
    stage.view.set_colour_by(mode)
    stage.view.flush()
    stage.view.repaint()
    legend = stage.view.legend
    said = "".join(
        legend.words_at(QPointF(x, y))
        for x in range(0, legend.width(), 6)
        for y in range(0, legend.height(), 6)
    )
    for key in MODES[mode]:
        assert BY_KEY[key].meaning in said, key
    if mode != "distance":
        return
    middle = legend.geometry().topLeft() + QPoint(20, 10)
    tip = QHelpEvent(QHelpEvent.Type.ToolTip, middle, stage.view.mapToGlobal(middle))
    QApplication.sendEvent(stage.view, tip)
    assert QToolTip.text()
    away = QPoint(stage.view.width() - 5, 5)
    QApplication.sendEvent(
        stage.view, QHelpEvent(QHelpEvent.Type.ToolTip, away, stage.view.mapToGlobal(away))
    )
    qtbot.waitUntil(lambda: not QToolTip.isVisible() or not QToolTip.text())


def test_every_state_has_a_term() -> None:
    assert all(mentioned(words) for _, words in STATES)


@pytest.mark.parametrize("width", [230, 300, 420, 900])
def test_a_note_too_long_for_a_row_goes_on_in_the_next(width: int, qtbot: QtBot) -> None:
    legend = LegendView()
    qtbot.addWidget(legend)
    note = "reached by 1.231 ms (recorded on an NVIDIA H100, measured), final distances"
    legend.fit_into(width, 600)
    legend.show_legend(
        Legend("Distance from 0", ((0.0, "0"),), (), note), np.zeros((256, 3), np.uint8), 255
    )
    chunks = [one for row in legend._rows() for one in row]
    assert " ".join(words for _, _, (kind, _, words) in chunks if kind == "note") == note
    metrics = QFontMetricsF(legend.font())
    for left, right, (_, _, words) in chunks:
        assert metrics.horizontalAdvance(words) <= right - left + 1  # nothing is cut
        assert right + 2 * PAD <= legend.width() + 1
