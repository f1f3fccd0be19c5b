"""The panels, both directions: what the models say is shown, what the user does is asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, QPointF, Qt, QTimer
from PyQt6.QtGui import QWheelEvent
from PyQt6.QtWidgets import QApplication, QMenu, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gpu.trace import SAMPLE, Flag, GraphReference, Reason, RunSettings, Trace
from viewer.models.playback import PlaybackModel
from viewer.models.session import RunRecord, SessionModel
from viewer.theme import THEMES
from viewer.widgets.buckets import BucketPanel, heat_table
from viewer.widgets.delta import DeltaPanel
from viewer.widgets.live import SAMPLES_PER_TICK, LivePanel
from viewer.widgets.parallelism import ParallelismPanel
from viewer.widgets.plot_base import PlotPanel, nice_ceiling
from viewer.widgets.timeline import Timeline
from viewer.widgets.work import WorkPanel

PLOTS = (BucketPanel, DeltaPanel, ParallelismPanel, WorkPanel)
PANELS = (*PLOTS, Timeline)
REFERENCE = GraphReference("roads", "memory", "0", 1000, 2800, True, 1)
END_NS = 1_000_000.0


def make_samples(count: int = 101, deltas: tuple[float, ...] = (8, 16, 32, 16)) -> np.ndarray:
    """Return a run of END_NS whose every column says at which sample it is."""
    number = np.arange(count)
    samples = np.zeros(count, SAMPLE)
    samples["t_ns"] = np.linspace(0, END_NS, count).round()
    samples["delta"] = np.array(deltas)[number * len(deltas) // count]
    samples["reason"] = np.where(np.gradient(samples["delta"]) < 0, Reason.FLOODED_LOWER, 3)
    samples["delta_changes"] = number * len(deltas) // count
    samples["bucket_switches"] = number // 10
    samples["head_bucket"] = number // 10
    samples["assigned_edges"] = 100 * number
    samples["band_low"], samples["band_high"] = 2000, 6000
    samples["open_buckets"] = 2
    samples["occupancy"] = number[:, None] + np.arange(32)[None, :]
    samples["clip_share"] = 0.25
    samples["processed_vertices"] = 20 * number
    samples["relaxed_edges"] = 60 * number
    samples["improved"] = 30 * number
    samples["flags"][-1] = Flag.FINISHED
    return samples


def make_record(algorithm: str = "adds", clock: str = "modelled", run_id: int = 1) -> RunRecord:
    return RunRecord(run_id, RunSettings(algorithm, "model", "H100", 0), REFERENCE, clock)


def make_trace(samples: np.ndarray, record: RunRecord) -> Trace:
    dist = np.zeros(1000, np.int32)
    return Trace(record.settings, REFERENCE, samples, dist, record.clock, "finished", {})


class Bench:
    """A session, its playback, and panels of any kind."""

    def __init__(self, qtbot: QtBot) -> None:
        self.qtbot = qtbot
        self.session, self.playback = SessionModel(), PlaybackModel()
        self.playback.watch(self.session)
        self._shown: list[LivePanel] = []  # pytest-qt keeps weak references only

    def show(self, kind: type[LivePanel], width: int = 600, height: int = 240) -> Any:
        panel = kind(self.session, self.playback)
        self._shown.append(panel)
        self.qtbot.addWidget(panel)
        panel.resize(width, height)
        with self.qtbot.waitExposed(panel):
            panel.show()
        return panel

    def run(
        self, algorithm: str = "adds", clock: str = "modelled", finished: bool = True
    ) -> RunRecord:
        record = make_record(algorithm, clock, len(self.session.runs) + 1)
        self.session.add_run(record)
        self.session.append_samples(record.run_id, make_samples())
        if finished:
            self.session.finish_run(record.run_id, make_trace(make_samples(), record))
        return record


@pytest.fixture
def bench(qtbot: QtBot) -> Bench:
    return Bench(qtbot)


def plot_point(panel: PlotPanel, time_ns: float) -> QPoint:
    """Return the pixel, in the plot's viewport, of a time half way up."""
    box = panel.view_box
    (_, _), (low, high) = box.viewRange()
    return panel.view.mapFromScene(box.mapViewToScene(QPointF(time_ns, (low + high) / 2)))


# ---- every panel -----------------------------------------------------------------------


@pytest.mark.parametrize("kind", PANELS)
def test_empty_panel_says_what_to_do(bench: Bench, kind: type[LivePanel]) -> None:
    panel = bench.show(kind)
    panel.flush()
    assert panel.summary_text().startswith("Press Run")
    assert panel.accessibleName()
    if isinstance(panel, PlotPanel):
        assert panel.hint.isVisible()
        assert not panel.view.isVisible()
        bench.run()
        assert not panel.hint.isVisible()
        assert panel.view.isVisible()
        bench.session.set_current(None)
        assert panel.hint.isVisible()


@pytest.mark.parametrize("kind", PANELS)
def test_signals_draw_nothing_the_timer_does(bench: Bench, kind: type[LivePanel]) -> None:
    panel = bench.show(kind)
    record = bench.run(finished=False)
    consumed: list[int] = []
    take = panel._consume
    panel._consume = lambda samples: (consumed.append(len(samples)), take(samples))
    for _ in range(5):
        bench.session.append_samples(record.run_id, make_samples()[-1:])
    assert consumed == []
    bench.qtbot.waitUntil(lambda: not panel.pending)
    assert consumed == [106]


@pytest.mark.parametrize("kind", PANELS)
def test_hidden_panel_rests_and_catches_up(bench: Bench, kind: type[LivePanel]) -> None:
    panel = bench.show(kind)
    bench.qtbot.waitUntil(lambda: not panel.pending)
    panel.hide()
    bench.run()
    assert not panel._timer.isActive()
    panel.show()
    bench.qtbot.waitUntil(lambda: not panel.pending and panel._consumed == 101)


@pytest.mark.parametrize("kind", PANELS)
def test_a_million_samples_come_in_blocks(bench: Bench, kind: type[LivePanel]) -> None:
    panel = bench.show(kind, 400, 200)
    record = make_record()
    samples = np.zeros(300_000, SAMPLE)
    samples["t_ns"] = np.arange(len(samples)) * 1000
    samples["delta"] = 4.0
    record.adopt(make_trace(samples, record))
    sizes: list[int] = []
    take = panel._consume
    panel._consume = lambda block: (sizes.append(len(block)), take(block))
    bench.session.add_run(record)
    bench.qtbot.waitUntil(lambda: not panel.pending and panel._consumed == len(samples))
    assert max(sizes) <= SAMPLES_PER_TICK
    assert sum(sizes) == len(samples)


@pytest.mark.parametrize("kind", PANELS)
def test_a_shorter_or_longer_trace_replaces_what_was_streamed(
    bench: Bench, kind: type[LivePanel]
) -> None:
    panel = bench.show(kind)
    record = bench.run(finished=False)
    panel.flush()
    bench.session.finish_run(record.run_id, make_trace(make_samples(51), record))
    panel.flush()
    assert panel._consumed == 51


@pytest.mark.parametrize("kind", PANELS)
@pytest.mark.parametrize("algorithm", ["adds", "near_far", "dijkstra"])
def test_every_algorithm_is_drawn_in_every_theme_and_width(
    bench: Bench, kind: type[LivePanel], algorithm: str
) -> None:
    panel = bench.show(kind, 300, 200)
    assert panel.minimumSizeHint().width() <= 300
    bench.run(algorithm)
    bench.playback.set_cursor(END_NS / 2)
    for theme in THEMES.values():
        for width in (300, 1200):
            panel.resize(width, 200)
            panel.apply_theme(theme)
            panel.flush()
            picture = panel.grab().toImage()
            colours = {picture.pixel(x, y) for x in range(0, width, 3) for y in range(0, 200, 3)}
            assert len(colours) > 2
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


# ---- every plot ------------------------------------------------------------------------


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
@pytest.mark.parametrize("clock", ["modelled", "measured"])
def test_time_axis_says_unit_and_clock(bench: Bench, kind: type[PlotPanel], clock: str) -> None:
    panel = bench.show(kind)
    bench.run(clock=clock)
    panel.flush()
    assert panel.time_axis.labelText == f"time, ms ({clock})"
    bench.playback.set_view(0, 500_000)
    panel.flush()
    assert panel.time_axis.labelText == f"time, µs ({clock})"
    pen = panel._line_pen("#000000")
    assert (pen.style() == Qt.PenStyle.SolidLine) == (clock == "measured")
    assert pen.width() == 1


@pytest.mark.parametrize("kind", PLOTS)
def test_no_menu_leads_to_the_exporter(bench: Bench, kind: type[PlotPanel]) -> None:
    panel = bench.show(kind)
    assert panel.view.scene().contextMenu == []
    bench.run()
    panel.flush()
    assert not any(menu.isVisible() for menu in panel.findChildren(QMenu))
    assert not panel.plot.menuEnabled()
    assert not panel.view_box.menuEnabled()


# ---- buckets ---------------------------------------------------------------------------


def test_ring_shows_the_cursor(bench: Bench) -> None:
    panel = bench.show(BucketPanel)
    bench.run()
    bench.playback.set_cursor(500_000)
    panel.flush()
    state = panel.ring.state
    assert state.counts.tolist() == (50 + np.arange(32)).tolist()
    assert (state.open_rows, state.clip_share) == (2, 0.25)
    assert "25 % clipped" in panel.summary_text()
    names = dict(panel.number_axis._names)
    assert (names[0.0], names[31.0]) == ("head", "tail")


@pytest.mark.parametrize(
    ("algorithm", "names"), [("near_far", ["near", "far"]), ("dijkstra", ["heap"])]
)
def test_rows_come_from_the_registry(bench: Bench, algorithm: str, names: list[str]) -> None:
    panel = bench.show(BucketPanel)
    bench.run(algorithm)
    panel.flush()
    assert len(panel.ring.state.counts) == len(names)
    assert [name for _, name in panel.number_axis._names] == names
    assert names[0] in panel.summary_text()
    assert panel.view_box.viewRange()[1] == [-0.5, len(names) - 0.5]


def test_fewer_buckets_are_fewer_rows(bench: Bench) -> None:
    panel = bench.show(BucketPanel)
    record = make_record()
    record.settings.parameters["buckets"] = 6
    bench.session.add_run(record)
    assert len(panel.ring.state.counts) == 6


def test_picture_has_no_more_columns_than_pixels(bench: Bench) -> None:
    panel = bench.show(BucketPanel)
    bench.run()
    panel.flush()
    rows, columns = panel._image.image.shape
    assert rows == 32
    assert columns <= 2 * panel.view_box.width()
    assert panel._image.image[31, -1] > panel._image.image[1, 1] > 0


def test_colour_table_begins_with_the_background() -> None:
    for theme in THEMES.values():
        table = heat_table(theme, 1000)
        assert "#" + bytes(table[0]).hex() == theme.plot
        assert "#" + bytes(table[1]).hex() == theme.heat[0]
        assert "#" + bytes(table[-1]).hex() == theme.heat[-1]


# ---- delta -----------------------------------------------------------------------------


def test_changes_are_marked_by_shape_with_their_reason(bench: Bench) -> None:
    panel = bench.show(DeltaPanel)
    bench.run()
    panel.flush()
    spots = panel._marks.points()
    assert [spot.symbol() for spot in spots] == ["t1", "t1", "t"]
    assert "Δ 8 → 16" in spots[0].data()
    assert "workers starved: Δ doubled" in spots[0].data()
    assert [10 ** spot.pos().y() for spot in spots] == pytest.approx([16, 32, 16])
    bench.playback.set_cursor(0)
    panel.flush()
    assert panel.value.text() == "Δ 8"
    panel._marks.sigClicked.emit(panel._marks, spots[1:2], None)
    assert bench.playback.cursor_ns == 510_000


def test_delta_is_taken_over_and_given_back_only_while_live(bench: Bench) -> None:
    panel = bench.show(DeltaPanel)
    record = bench.run(finished=False)
    panel.flush()
    assert panel.hand_row.isVisible()
    assert panel.hand_line.isVisible()
    assert panel.hand_line.value() == pytest.approx(np.log10(16))
    with bench.qtbot.waitSignal(panel.delta_requested) as asked:
        panel.hand_line.setValue(np.log10(24.0))
        panel.hand_line.sigDragged.emit(panel.hand_line)
    assert asked.args == [pytest.approx(24.0)]
    with bench.qtbot.waitSignal(panel.delta_requested) as asked:
        panel.double_button.click()
    assert asked.args == [32.0]
    with bench.qtbot.waitSignal(panel.delta_requested) as asked:
        panel.halve_button.click()
    assert asked.args == [8.0]
    with bench.qtbot.waitSignal(panel.delta_released):
        panel.release_button.click()

    bench.session.finish_run(record.run_id, make_trace(make_samples(), record))
    assert not panel.hand_row.isVisible()
    with (
        bench.qtbot.assertNotEmitted(panel.delta_requested),
        bench.qtbot.assertNotEmitted(panel.delta_released),
    ):
        panel.hand_line.sigDragged.emit(panel.hand_line)
        panel.double_button.click()
        panel.release_button.click()


def test_by_hand_has_its_own_mark(bench: Bench) -> None:
    panel = bench.show(DeltaPanel)
    record = make_record()
    samples = make_samples()
    samples["reason"] = Reason.BY_HAND
    bench.session.add_run(record)
    bench.session.append_samples(1, samples)
    panel.flush()
    assert {spot.symbol() for spot in panel._marks.points()} == {"d"}
    assert "set by hand" in panel.summary_text()


def test_near_far_cannot_be_steered_and_dijkstra_has_no_delta(bench: Bench) -> None:
    panel = bench.show(DeltaPanel)
    bench.run("near_far", finished=False)
    assert not panel.hand_row.isVisible()
    assert panel.view.isVisible()
    bench.run("dijkstra")
    assert not panel.view.isVisible()
    assert "no Δ" in panel.hint.text()
    assert panel.summary_text() == panel.hint.text()


# ---- parallelism -----------------------------------------------------------------------


def test_band_and_place_in_it(bench: Bench) -> None:
    panel = bench.show(ParallelismPanel)
    bench.run()
    for share, place in ((0.1, "below"), (0.4, "inside"), (0.9, "above")):
        bench.playback.set_cursor(share * END_NS)
        panel.flush()
        assert f"{place} the band from 2k to 6k" in panel.summary_text()
    assert panel._band.boundingRect().top() == 2000
    assert panel._band.boundingRect().bottom() == 6000
    assert panel.view_box.viewRange()[1][1] >= 10_000


def test_log_scale_shows_powers(bench: Bench) -> None:
    panel = bench.show(ParallelismPanel)
    bench.run()
    panel.flush()
    panel.log_button.click()
    panel.flush()
    assert panel.number_axis.logarithmic
    low, high = panel.view_box.viewRange()[1]
    assert low == 0
    assert high == pytest.approx(np.log10(12_000) + 0.05)
    assert panel.number_axis.tickStrings([3.0], 1, 1) == ["1k"]


@pytest.mark.parametrize(
    ("algorithm", "words"),
    [
        ("adds", "Work assigned, edges"),
        ("near_far", "Work available at the start of the superstep"),
    ],
)
def test_caption_says_what_parallelism_means(bench: Bench, algorithm: str, words: str) -> None:
    panel = bench.show(ParallelismPanel)
    bench.run(algorithm)
    panel.flush()
    assert panel.caption.text().startswith(words)


# ---- work ------------------------------------------------------------------------------


def test_work_says_efficiency_and_totals(bench: Bench) -> None:
    panel = bench.show(WorkPanel)
    record = bench.run(finished=False)
    panel.flush()
    assert panel.sentence.text().startswith("So far: 2\u202f000 processed, 6\u202f000 relaxed")
    bench.session.finish_run(record.run_id, make_trace(make_samples(), record))
    panel.flush()
    assert panel.sentence.text().startswith("Work efficiency 0.50: 1\u202f000 settled")


def test_rates_or_totals(bench: Bench) -> None:
    panel = bench.show(WorkPanel)
    bench.run()
    bench.playback.set_cursor(END_NS / 2)
    panel.flush()
    assert panel.legend._values == ["2M", "6M", "3M"]
    _, rate = panel._curves["relaxed"].getData()
    assert rate == pytest.approx(np.full(len(rate), 6e6))
    assert panel.legend.height() < 25
    panel.resize(300, 240)
    bench.qtbot.waitUntil(lambda: panel.legend.height() > 25)
    panel.totals_button.click()
    panel.flush()
    assert panel.caption.text() == "Totals since the start"
    assert panel.legend._values == ["1k", "3k", "1.5k"]
    assert panel._curves["relaxed"].getData()[1][-1] == 6000


# ---- timeline --------------------------------------------------------------------------


def test_time_label_always_says_the_clock(bench: Bench) -> None:
    panel = bench.show(Timeline, 300)
    for clock in ("modelled", "measured"):
        bench.run(clock=clock)
        bench.playback.set_cursor(END_NS / 4)
        panel.flush()
        assert panel.time_label.text() == f"0.2500 / 1.000 ms {clock}"


def test_buttons_move_the_model(bench: Bench) -> None:
    panel, playback = bench.show(Timeline), bench.playback
    bench.run()
    panel.buttons["start"].click()
    assert playback.cursor_ns == 0
    panel.buttons["forward"].click()
    assert playback.cursor_ns == 10_000
    panel.kind_box.setCurrentIndex(1)
    panel.buttons["forward"].click()
    assert playback.cursor_ns == 100_000
    panel.kind_box.setCurrentIndex(2)
    panel.buttons["forward"].click()
    assert playback.cursor_ns == 260_000
    panel.buttons["back"].click()
    assert playback.cursor_ns == 0
    panel.buttons["end"].click()
    assert playback.cursor_ns == END_NS
    panel.buttons["play"].click()
    assert playback.playing
    panel.buttons["play"].click()
    assert not playback.playing


def test_keys_move_the_model(bench: Bench) -> None:
    panel, playback, press = bench.show(Timeline), bench.playback, bench.qtbot.keyClick
    bench.run()
    press(panel, Qt.Key.Key_Home)
    press(panel, Qt.Key.Key_Right)
    assert playback.cursor_ns == 10_000
    press(panel.overview, Qt.Key.Key_Left)  # unused keys climb to the timeline
    assert playback.cursor_ns == 0
    press(panel, Qt.Key.Key_End)
    assert playback.cursor_ns == END_NS
    press(panel, Qt.Key.Key_Space)
    assert playback.playing
    press(panel, Qt.Key.Key_A)
    assert playback.playing


def test_speed_box_and_model_stay_together(bench: Bench) -> None:
    panel, playback = bench.show(Timeline), bench.playback
    with bench.qtbot.waitSignal(playback.speed_changed) as changed:
        panel.speed_box.setValue(0.25)
    assert changed.args == [0.25]
    with bench.qtbot.assertNotEmitted(panel.speed_box.valueChanged):
        playback.set_speed(99)
    assert panel.speed_box.value() == playback.speed == 10.0
    assert panel.speed_box.text() == "10×"


def test_live_button_and_model_stay_together(bench: Bench) -> None:
    panel, playback = bench.show(Timeline), bench.playback
    record = bench.run(finished=False)
    assert panel.live_button.isChecked()
    playback.set_cursor(0)
    assert not panel.live_button.isChecked()
    panel.live_button.click()
    assert playback.following
    bench.qtbot.keyClick(panel, Qt.Key.Key_L)
    assert not playback.following
    bench.session.finish_run(record.run_id, make_trace(make_samples(), record))
    assert not panel.live_button.isEnabled()


def test_overview_scrubs_and_clamps(bench: Bench) -> None:
    panel, playback = bench.show(Timeline), bench.playback
    bench.run()
    panel.flush()
    overview, left = panel.overview, Qt.MouseButton.LeftButton
    place = QPoint(round(overview.x_of(300_000)), 20)
    bench.qtbot.mousePress(overview, left, pos=place)
    assert playback.cursor_ns == pytest.approx(300_000, abs=2000)
    bench.qtbot.mouseMove(overview, QPoint(10_000, 20))
    bench.qtbot.mouseRelease(overview, left, pos=QPoint(10_000, 20))
    assert overview.time_of(10_000) == END_NS
    assert overview.time_of(-50) == 0
    playback.set_view(0, 100_000)
    bench.qtbot.mouseDClick(overview, left, pos=place)
    assert playback.fitted


def test_play_button_shows_what_it_would_do(bench: Bench) -> None:
    panel, playback = bench.show(Timeline), bench.playback
    bench.run()
    before = panel.buttons["play"].icon().pixmap(16).toImage()
    playback.play()
    during = panel.buttons["play"].icon().pixmap(16).toImage()
    playback.pause()
    assert before != during
    assert panel.buttons["play"].icon().pixmap(16).toImage() == before


def test_controls_fold_into_two_rows_where_narrow(bench: Bench) -> None:
    panel = bench.show(Timeline, 1000, 100)
    assert panel.controls.direction() == panel.controls.Direction.LeftToRight
    panel.resize(400, 120)
    assert panel.controls.direction() == panel.controls.Direction.TopToBottom


# ---- small things ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "top"), [(0, 1), (0.9, 1), (1.05, 1.2), (101_000, 120_000), (float("nan"), 1)]
)
def test_axis_tops_are_round(value: float, top: float) -> None:
    assert nice_ceiling(value) == pytest.approx(top)


def test_axes_label_what_fits() -> None:
    from viewer.widgets.axes import decimals_of, even_ticks, log_ticks, round_step

    assert round_step(0.3) == 0.5
    assert [decimals_of(step) for step in (5, 0.5, 0.25, 2.5)] == [0, 1, 2, 1]
    assert even_ticks(0, 9.3e6, 4, 1e-6)[0][1] == [0, 2.5e6, 5e6, 7.5e6]
    assert even_ticks(1, 1, 4) == []
    assert len(log_ticks(0, 12, 5)) <= 5
    assert [10**tick for tick in log_ticks(1.1, 2.4, 9)] == pytest.approx([20, 50, 100, 200])
