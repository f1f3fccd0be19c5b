"""Every panel, both directions: what the models say is shown, what the user does is asked."""

import numpy as np
import pytest
from panel_stage import (
    END_NS,
    PANELS,
    PLOTS,
    Bench,
    make_record,
    make_samples,
    make_trace,
    plot_point,
)
from PyQt6.QtCore import QPoint, QPointF, Qt, QTimer
from PyQt6.QtGui import QWheelEvent
from PyQt6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot
from screen import grabbed

from gpu.record.trace import SAMPLE
from viewer.common.theme import THEMES
from viewer.models.playback import PlaybackModel
from viewer.models.session import SessionModel
from viewer.plots.live import SAMPLES_PER_TICK, LivePanel
from viewer.plots.plot_base import PlotPanel

WAITING = "Compiling the model, first run only…"


@pytest.mark.parametrize("kind", PANELS)
def test_a_hidden_panel_rests_and_catches_up_in_blocks(bench: Bench, kind: type[LivePanel]) -> None:
    panel = bench.show(kind, 400, 200)
    bench.qtbot.waitUntil(lambda: not panel.pending)
    panel.hide()
    sizes: list[int] = []
    take = panel._consume
    panel._consume = lambda place, block: (sizes.append(len(block)), take(place, block))
    record = make_record()
    samples = np.zeros(150_000, SAMPLE)
    samples["t_ns"] = np.arange(len(samples)) * 1000
    samples["delta"] = 4.0
    record.adopt(make_trace(samples, record))
    bench.session.add_run(record)
    assert not panel._timer.isActive()
    assert sizes == []
    panel.show()
    bench.qtbot.waitUntil(lambda: not panel.pending and sum(sizes) == len(samples))
    assert max(sizes) <= SAMPLES_PER_TICK


@pytest.mark.font
@pytest.mark.parametrize("kind", PANELS)
@pytest.mark.parametrize("algorithm", ["adds", "dijkstra"])
def test_every_algorithm_is_drawn_in_every_theme_and_width(
    bench: Bench, kind: type[LivePanel], algorithm: str
) -> None:
    panel = bench.show(kind, 300, 200)
    assert panel.minimumSizeHint().width() <= 300
    bench.run(algorithm)
    bench.playback.set_cursor(END_NS / 2)
    for theme, width in zip(THEMES.values(), (300, 1200, 300), strict=True):
        panel.resize(width, 200)
        panel.apply_theme(theme)
        panel.flush()
        picture = grabbed(panel).scaled(120, 60)
        assert len({picture.pixel(x, y) for x in range(120) for y in range(60)}) > 2
    assert panel.summary_text()
    assert panel.accessibleDescription() == panel.summary_text()


@pytest.mark.parametrize("kind", PANELS)
def test_panels_leave_nothing_behind(
    qtbot: QtBot, qapp: QApplication, kind: type[LivePanel]
) -> None:
    session, playback = SessionModel(), PlaybackModel()
    playback.watch(session)
    parent = QWidget()
    qtbot.addWidget(parent)
    panel = kind(session, playback, parent)
    QVBoxLayout(parent).addWidget(panel)
    parent.show()
    record = make_record()
    session.add_run(record)
    with qtbot.waitSignal(panel.destroyed):
        panel.deleteLater()
    session.append_samples(1, make_samples())  # no slot of a dead widget is called
    playback.set_cursor(5.0)
    assert parent.findChildren(QTimer) == []


@pytest.mark.parametrize("kind", PLOTS)
def test_plot_and_playback_share_cursor_and_window(bench: Bench, kind: type[PlotPanel]) -> None:
    panel = bench.show(kind)
    bench.run()
    bench.playback.set_cursor(400_000)
    panel.flush()
    assert panel.cursor_line.value() == 400_000
    assert panel.view_box.viewRange()[0] == [0, END_NS]

    panel.cursor_line.setValue(700_000)
    panel.cursor_line.sigDragged.emit(panel.cursor_line)
    assert bench.playback.cursor_ns == 700_000

    bench.playback.set_view(200_000, 800_000)
    panel.flush()
    assert panel.view_box.viewRange()[0] == [200_000, 800_000]


@pytest.mark.parametrize("kind", PLOTS)
def test_mouse_sets_cursor_zooms_and_fits(bench: Bench, kind: type[PlotPanel]) -> None:
    panel = bench.show(kind)
    bench.run()
    panel.flush()
    viewport, left = panel.view.viewport(), Qt.MouseButton.LeftButton
    bench.qtbot.mouseClick(viewport, left, pos=plot_point(panel, 400_000))
    assert bench.playback.cursor_ns == pytest.approx(400_000, abs=4000)

    place = QPointF(plot_point(panel, 600_000))
    wheel = QWheelEvent(
        place,
        viewport.mapToGlobal(place),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(viewport, wheel)
    first, last = bench.playback.view_ns
    assert last - first == pytest.approx(0.8 * END_NS)
    assert first == pytest.approx(0.2 * 600_000, abs=4000)

    bench.qtbot.mouseDClick(viewport, left, pos=plot_point(panel, 400_000))
    bench.qtbot.mouseRelease(viewport, left, pos=plot_point(panel, 400_000))
    assert bench.playback.fitted


@pytest.mark.parametrize("kind", PLOTS)
def test_a_panel_says_what_a_run_waits_for(bench: Bench, kind: type[LivePanel]) -> None:
    panel = bench.show(kind)
    bench.session.set_waiting(WAITING)
    panel.flush()
    assert panel.hint.text().endswith(WAITING)
    assert panel.HINT in panel.hint.text()
    record = make_record()
    bench.session.add_run(record)
    panel.flush()
    assert panel.hint.text() == WAITING
    assert panel.hint.isVisible()
    bench.session.set_waiting("")
    bench.session.append_samples(record.run_id, make_samples())
    panel.flush()
    assert panel.hint.text() == ""
    assert not panel.hint.isVisible()
