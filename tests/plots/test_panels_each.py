"""The panels one by one: buckets, delta, parallelism, work, timeline."""

from dataclasses import replace

import numpy as np
import pytest
from panel_stage import END_NS, Bench, make_samples, make_trace
from PyQt6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot
from screen import grabbed

from gpu.record.events import EventKind
from gpu.record.trace import EVENT
from viewer.common.theme import THEMES
from viewer.plots.buckets import BucketPanel, RingNow, RingState
from viewer.plots.delta import DeltaPanel
from viewer.plots.parallelism import ParallelismPanel
from viewer.plots.timeline import Timeline
from viewer.plots.work import WorkPanel


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


@pytest.mark.parametrize("name", THEMES)
def test_a_ring_has_the_colour_of_its_run_and_of_no_other(qtbot: QtBot, name: str) -> None:
    theme, counts = THEMES[name], np.full(6, 50, np.int32)
    for place in (0, 1):
        ring = RingNow(place)
        qtbot.addWidget(ring)
        ring.resize(120, 200)
        ring.apply_theme(theme)
        ring.set_rows(0, 150)
        ring.show_state(RingState(counts, open_rows=2, peak=100))
        image = grabbed(ring)
        seen = {image.pixelColor(x, y).name() for x in range(2, 60) for y in range(0, 150, 3)}
        assert theme.runs[place] in seen
        assert theme.runs[1 - place] not in seen
        assert image.pixelColor(1, 140).name() == theme.text  # the head is open
        assert image.pixelColor(1, 10).name() == theme.plot


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
        panel.hand_line.setValue(np.log10(24.04))
        panel.hand_line.sigDragged.emit(panel.hand_line)
    assert asked.args == [24.0], "two digits"
    assert panel.value.text() == "Δ 24", "said before any sample has it"
    with bench.qtbot.waitSignal(panel.delta_requested) as asked:
        panel.double_button.click()
    assert asked.args == [48.0]
    with bench.qtbot.waitSignal(panel.delta_requested) as asked:
        panel.double_button.click()
    assert asked.args == [96.0], "of the Δ that was asked for, though no sample has it yet"
    with bench.qtbot.waitSignal(panel.delta_requested) as asked:
        panel.halve_button.click()
    assert asked.args == [48.0]
    panel.hand_line.setValue(np.log10(16 * 25))  # beyond every Δ so far
    assert panel.hand_line.value() == pytest.approx(np.log10(16 * 25))
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


def test_near_far_cannot_be_steered_and_dijkstra_has_no_delta(bench: Bench) -> None:
    panel = bench.show(DeltaPanel)
    bench.run("near_far", finished=False)
    panel.flush()
    assert not panel.hand_row.isVisible()
    assert panel.view.isVisible()
    bench.run("dijkstra")
    panel.flush()
    assert not panel.view.isVisible()
    assert "no Δ" in panel.hint.text()
    assert panel.summary_text() == panel.hint.text()


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


def test_work_says_rates_efficiency_and_totals(bench: Bench) -> None:
    panel = bench.show(WorkPanel)
    record = bench.run(finished=False)
    bench.playback.set_cursor(END_NS / 2)
    panel.flush()
    assert panel.summary_text().startswith("So far: 2,000 processed, 6,000 relaxed")
    assert panel.legend._values == ["2M", "6M", "3M"]
    _, rate = panel._curves[0, "relaxed"].getData()
    assert rate == pytest.approx(np.full(len(rate), 6e6))
    bench.session.finish_run(record.run_id, make_trace(make_samples(), record))
    panel.flush()
    assert panel.caption.text() == "Work per second; efficiency 0.50"
    assert panel.summary_text().startswith("Work efficiency 0.50: 1,000 settled")
    late = np.array([(END_NS // 4, EventKind.POP, 0, 7, 0, 3.0)], EVENT)  # the source waits at 0
    exact = replace(make_trace(make_samples(), record), events=late)
    bench.session.finish_run(record.run_id, exact)
    panel.disorder_button.click()
    panel.flush()
    assert panel.caption.text().endswith("mean 3")
    assert panel._curves[0, "processed"].getData()[1].max() == 3.0
    kept, _ = panel._errors[record.run_id, False]
    panel._draw(0.0, END_NS, 600)  # nothing is added twice
    assert panel._errors[record.run_id, False][0] is kept
    assert len(kept) == len(record.samples)


def test_time_label_always_says_the_clock(bench: Bench) -> None:
    panel = bench.show(Timeline, 300)
    for clock in ("modelled", "measured"):
        bench.run(clock=clock)
        bench.playback.set_cursor(END_NS / 4)
        panel.flush()
        assert panel.time_label.text() == f"0.250 / 1.000 ms {clock}"


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
