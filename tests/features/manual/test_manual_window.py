"""The manual: whole, made of what tooltips say, searched, opened where the focus is."""

from typing import Any

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from test_features import window

from gpu.algorithms import ALGORITHMS
from viewer.common.glossary import TERMS
from viewer.features.manual import parts
from viewer.main_window import MainWindow

__all__ = ["window"]  # the fixture, as it stands there


def test_every_panel_algorithm_and_word_has_its_part(window: MainWindow) -> None:
    bodies = {part.key: part.body for part in parts()}
    for key in (*window.docks.by_key, "graph", "compare", "draw", "start"):
        assert len(bodies[key]) > 200, key
    for key in ALGORITHMS:
        assert "<strong>The idea.</strong>" in bodies[f"algorithm_{key}"], key
    for term in TERMS:
        assert term.seen, term.key
        for key in ("words", *term.seen):
            assert term.words.casefold() in bodies[key].casefold(), (term.key, key)


def test_searching_marks_and_goes_on(window: MainWindow, qtbot: QtBot) -> None:
    window.actions_by_key["manual"].trigger()
    dialog = window.features["manual"].dialog
    qtbot.keyClicks(dialog.search, "starving")
    first = dialog.page.textCursor()
    assert first.selectedText().casefold() == "starving"
    qtbot.keyClicks(dialog.search, " zebra")
    assert "not in the manual" in dialog.nothing.text()
    dialog.search.clear()
    assert dialog.nothing.text() == ""
    qtbot.keyClicks(dialog.search, "bucket")
    before = dialog.page.textCursor().position()
    qtbot.keyClick(dialog.search, Qt.Key.Key_Return)
    assert dialog.page.textCursor().position() > before


def test_f1_opens_at_the_panel_that_has_the_focus(window: MainWindow, qtbot: QtBot) -> None:
    window.activateWindow()
    window.run_panel._graph.setFocus()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is window.run_panel._graph)
    qtbot.keyClick(window.run_panel._graph, Qt.Key.Key_F1)
    part: Any = window.features["manual"]
    qtbot.waitUntil(lambda: part.dialog is not None)
    assert window.features["manual"].dialog.shown == "run"


def test_the_glossary_opens_and_contents_lead_to_parts(window: MainWindow) -> None:
    window.actions_by_key["glossary"].trigger()
    dialog = window.features["manual"].dialog
    assert dialog.shown == "words"
    bar = dialog.page.verticalScrollBar()
    low = bar.value()
    assert low > 0
    dialog.show_part("parallelism")
    assert dialog.shown == "parallelism"
    assert 0 < bar.value() < low
