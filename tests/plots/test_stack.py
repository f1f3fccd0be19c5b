"""One time axis for a column of plots: who has it, that a moment is at one x, paper, words."""

from collections.abc import Iterator

import pytest
from panel_stage import END_NS, PLOTS, Bench
from PyQt6.QtCore import QPointF
from PyQt6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from viewer.common.glossary import TERMS
from viewer.plots.panels import PANELS
from viewer.plots.plot_base import PlotPanel
from viewer.plots.stack import Stack


@pytest.fixture
def column(qtbot: QtBot, bench: Bench) -> Iterator[list[PlotPanel]]:
    page = QWidget()
    qtbot.addWidget(page)
    layout = QVBoxLayout(page)
    stack = Stack(page)
    panels = []
    for key in ("buckets", "delta", "parallelism", "work"):
        panel = PANELS[key](bench.session, bench.playback)
        layout.addWidget(panel)
        stack.add(panel)
        panels.append(panel)
    bench.run()
    page.resize(500, 800)
    with qtbot.waitExposed(page):
        page.show()
    qtbot.waitUntil(lambda: panels[0].time_axis.bare)
    yield panels
    page.hide()


def x_of(panel: PlotPanel, time_ns: float) -> int:
    """Return where a moment is, in pixels of the page."""
    panel.flush()
    scene = panel.view_box.mapViewToScene(QPointF(time_ns, 0.0))
    inside = panel.view.mapFromScene(scene)
    return panel.view.mapTo(panel.window(), inside).x()


def test_the_lowest_has_the_numbers_and_the_name(qtbot: QtBot, column: list[PlotPanel]) -> None:
    bare = [panel.time_axis.bare for panel in column]
    assert bare == [True, True, True, False]
    assert column[-1].time_axis.label.isVisible()
    assert not any(panel.time_axis.label.isVisible() for panel in column[:-1])
    assert column[0].time_axis.tickStrings([0.0, 1.0], 1.0, 1.0) == ["", ""]
    assert all(panel.time_axis.height() < 20 for panel in column[:-1])
    column[-1].hide()
    qtbot.waitUntil(lambda: not column[2].time_axis.bare)
    column[-1].show()
    qtbot.waitUntil(lambda: column[2].time_axis.bare)
    column[-1].hint.setText("it says why it shows no plot")
    column[-1]._mark_dirty()
    qtbot.waitUntil(lambda: not column[2].time_axis.bare)
    column[-1].hint.setText("")
    column[-1]._mark_dirty()
    qtbot.waitUntil(lambda: column[2].time_axis.bare)


def test_a_moment_is_at_one_x_in_all(qtbot: QtBot, column: list[PlotPanel]) -> None:
    def apart() -> int:
        ends = ([x_of(panel, share * END_NS) for panel in column] for share in (0.0, 0.4, 1.0))
        return max(max(places) - min(places) for places in ends)

    qtbot.waitUntil(lambda: apart() <= 1)
    narrow = column[1].view_box.width()
    column[0].hide()  # and with it its ring
    qtbot.waitUntil(lambda: column[1].view_box.width() > narrow + 40)


@pytest.mark.font
@pytest.mark.parametrize("kind", PLOTS)
def test_a_panel_explains_its_words_where_they_stand(bench: Bench, kind: type) -> None:
    panel = bench.show(kind)
    bench.run()
    panel.flush()
    said = panel.caption.toolTip()
    known = [term for term in TERMS if term.meaning in said]
    assert len(known) >= 2
    assert panel.number_axis.toolTip() == panel.caption.detail
