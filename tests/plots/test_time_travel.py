"""Time travel on the timeline: range, marks, supersteps, speed, by mouse and keys."""

from __future__ import annotations

import numpy as np
import pytest
from panel_stage import END_NS, Bench, make_samples
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtGui import QMouseEvent, QStandardItemModel
from PyQt6.QtWidgets import QApplication, QToolTip, QWidget
from pytestqt.qtbot import QtBot
from screen import hover

from gpu.record.trace import SAMPLE
from viewer.plots.live import DESCRIBE_MS
from viewer.plots.marks import Marks
from viewer.plots.timeline import Timeline
from viewer.plots.timeline_controls import next_speed

LEFT, SHIFT = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier
CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def bench(qtbot: QtBot) -> Bench:
    return Bench(qtbot)


@pytest.fixture
def panel(bench: Bench) -> Timeline:
    panel: Timeline = bench.show(Timeline, 800, 110)
    bench.run()
    panel.flush()
    return panel


def drag(widget: QWidget, start: QPoint, end: QPoint, keys: Qt.KeyboardModifier) -> None:
    """Press, move in steps, release, as a hand does: qtbot's moves carry no buttons."""
    kinds = QMouseEvent.Type
    steps = [start + (end - start) * k / 4 for k in range(1, 5)]
    moves = [(kinds.MouseMove, place, Qt.MouseButton.NoButton, LEFT) for place in steps]
    for kind, place, button, held in (
        (kinds.MouseButtonPress, start, LEFT, LEFT),
        *moves,
        (kinds.MouseButtonRelease, end, LEFT, Qt.MouseButton.NoButton),
    ):
        where = QPointF(place)
        event = QMouseEvent(kind, where, widget.mapToGlobal(where), button, held, keys)
        QApplication.sendEvent(widget, event)


def at(panel: Timeline, time_ns: float) -> QPoint:
    return QPoint(round(panel.overview.x_of(time_ns)), 20)


# ---- the range -------------------------------------------------------------------------


def test_shift_drag_marks_a_range_and_playing_stays_in_it(bench: Bench, panel: Timeline) -> None:
    playback = bench.playback
    before = playback.cursor_ns
    drag(panel.overview, at(panel, 600_000), at(panel, 200_000), SHIFT)
    assert playback.loop_ns == pytest.approx((200_000, 600_000), abs=2000)
    assert playback.looping
    assert panel.buttons["loop"].isChecked()
    assert playback.cursor_ns == before
    bench.qtbot.keyClick(panel, Qt.Key.Key_Space)
    first, last = playback.loop_ns or (0.0, 0.0)
    assert playback.cursor_ns == first
    for _ in range(50):
        playback.advance(0.7)
        assert first <= playback.cursor_ns < last
    assert playback.playing


def test_keys_mark_repeat_and_forget_a_range(bench: Bench, panel: Timeline) -> None:
    playback, press = bench.playback, bench.qtbot.keyClick
    playback.set_cursor(300_000)
    press(panel, Qt.Key.Key_I)
    assert playback.loop_ns == (300_000, END_NS)
    playback.set_cursor(700_000)
    press(panel.overview, Qt.Key.Key_O)
    assert playback.loop_ns == (300_000, 700_000)
    press(panel, Qt.Key.Key_R)
    assert not playback.looping
    assert not panel.buttons["loop"].isChecked()
    panel.buttons["loop"].click()
    assert playback.looping
    playback.set_cursor(800_000)
    press(panel, Qt.Key.Key_I)  # past its end: from here to the end of the run
    assert playback.loop_ns == (800_000, END_NS)
    playback.set_cursor(100_000)
    press(panel, Qt.Key.Key_O)  # before its start: from the start of the run to here
    assert playback.loop_ns == (0, 100_000)
    press(panel, Qt.Key.Key_Escape)
    assert playback.loop_ns is None
    assert not playback.looping


# ---- steps and speed -------------------------------------------------------------------


def test_supersteps_are_offered_where_there_are_any(bench: Bench) -> None:
    panel, playback, press = bench.show(Timeline, 800), bench.playback, bench.qtbot.keyClick
    model = panel.kind_box.model()
    assert isinstance(model, QStandardItemModel)
    bench.run("near_far")
    press(panel, Qt.Key.Key_4)
    assert (panel.step_kind, model.item(3).isEnabled()) == ("superstep", True)
    press(panel, Qt.Key.Key_Home)
    press(panel, Qt.Key.Key_Right)
    assert playback.cursor_ns == 10_000
    bench.run("adds")
    assert (panel.step_kind, panel.wanted_kind) == ("sample", "superstep")
    assert not model.item(3).isEnabled()
    assert not playback.step("superstep", +1)
    bench.run("near_far")
    assert panel.step_kind == "superstep"


@pytest.mark.parametrize(
    ("speed", "up", "down"), [(1, 2, 0.5), (0.3, 0.5, 0.2), (10, 10, 5), (0.0001, 0.0002, 0.0001)]
)
def test_speeds_are_round(speed: float, up: float, down: float) -> None:
    assert next_speed(speed, +1) == pytest.approx(up)
    assert next_speed(speed, -1) == pytest.approx(down)


# ---- marks -----------------------------------------------------------------------------


def test_marks_of_a_run_whose_every_change_is_known() -> None:
    marks = Marks()
    samples = make_samples()
    for first in (0, 30, 31, 60):  # the batches do not matter
        last = {0: 30, 30: 31, 31: 60, 60: 101}[first]
        marks.append(samples[first:last])
    assert marks.numbers("raised").tolist() == [26, 51]
    assert marks.numbers("lowered").tolist() == [76]
    assert marks.numbers("switch").tolist() == list(range(10, 101, 10))
    assert marks.numbers("peak").tolist() == [100]
    (stretch,) = marks.stretches  # work is 100 k, the band begins at 2000
    assert (stretch.first_ns, stretch.last_ns) == (0, 200_000)
    assert "below the band's 2k" in marks.stretch_words(stretch)
    assert marks.words_of("raised", samples, 26).startswith("Δ raised at 0.260 ms: 8 to 16, wor")


def test_under_the_band_all_the_time_starvation_is_a_share_of_its_own_peak() -> None:
    samples = np.zeros(1000, SAMPLE)
    samples["t_ns"] = np.arange(1000) * 1000
    samples["assigned_edges"] = 100
    samples["assigned_edges"][300:500] = 20  # under a quarter of the peak
    samples["band_low"], samples["band_high"] = 2_000, 6_000
    marks = Marks()
    marks.append(samples)
    found = [(s.first_ns, s.last_ns) for s in marks.stretches]
    assert found == [(300_000, 500_000)]  # not the whole strip
    words = marks.stretch_words(marks.stretches[0])
    assert "below 25 % of the peak, 25; nearly all of the run lies below the band's 2k" in words
    samples["assigned_edges"][500:] = 4_000  # half of the time it has enough to do
    half = Marks()
    half.append(samples)
    assert [(s.first_ns, s.last_ns) for s in half.stretches] == [(0, 500_000)]


def test_without_a_band_starvation_is_a_share_of_the_peak() -> None:
    samples = np.zeros(1000, SAMPLE)
    samples["t_ns"] = np.arange(1000) * 1000
    samples["assigned_edges"] = 100
    for first, last in ((100, 200), (201, 300), (500, 505), (900, 1000)):
        samples["assigned_edges"][first:last] = 4
    marks = Marks()
    marks.append(samples)
    found = [(s.first_ns, s.last_ns) for s in marks.stretches]
    assert found == [(100_000, 300_000), (900_000, 999_000)]  # bridged; too short; to the end
    assert "below 5.0 % of the peak, 5" in marks.stretch_words(marks.stretches[0])
    still = Marks()
    still.append(np.zeros(10, SAMPLE))
    assert still.stretches == []


def test_keys_and_buttons_jump_from_mark_to_mark(bench: Bench, panel: Timeline) -> None:
    playback, press = bench.playback, bench.qtbot.keyClick
    playback.play()
    playback.set_cursor(0)
    places = []
    for _ in range(5):
        press(panel, Qt.Key.Key_Right, CTRL)
        places.append(playback.cursor_ns)
    assert places == [100_000, 200_000, 260_000, 300_000, 400_000]
    assert not playback.playing
    press(panel, Qt.Key.Key_Left, CTRL)
    panel.buttons["mark_back"].click()
    assert playback.cursor_ns == 260_000
    panel.to_end()
    panel.buttons["mark_forward"].click()
    assert playback.cursor_ns == END_NS


def test_hovering_a_mark_says_what_when_and_how_much(bench: Bench, panel: Timeline) -> None:
    def words_at(time_ns: float) -> str:
        hover(panel.overview, at(panel, time_ns) + QPoint(1, 1))
        hover(panel.overview, at(panel, time_ns))
        return QToolTip.text()

    assert "Δ raised at 0.260 ms: 8 to 16" in words_at(260_000)
    assert "Bucket switch at 0.400 ms" in words_at(400_000)
    assert "Peak of parallelism" in words_at(END_NS)
    assert "Starved from" in words_at(50_000)
    assert panel.overview.words_at(at(panel, 450_000).x()) == ()


# ---- words -----------------------------------------------------------------------------


def test_the_words_for_screen_readers_change_at_most_once_a_second(
    bench: Bench, panel: Timeline
) -> None:
    bench.qtbot.waitUntil(lambda: not panel._words_timer.isActive(), timeout=3 * DESCRIBE_MS)
    bench.playback.set_cursor(100_000)
    bench.qtbot.waitUntil(lambda: "0.100 of 1.000 ms" in panel.accessibleDescription())
    assert panel.accessibleDescription().startswith("ADDS on roads from 1, paused at ")
    for step in range(2, 8):
        bench.playback.set_cursor(100_000 * step)
        bench.qtbot.waitUntil(lambda: not panel.pending)
        assert "0.100 of 1.000 ms" in panel.accessibleDescription()
    bench.qtbot.waitUntil(
        lambda: "0.700 of 1.000 ms" in panel.accessibleDescription(), timeout=3 * DESCRIBE_MS
    )
    assert "Δ = 32" in panel.accessibleDescription()
    assert "vertices processed" in panel.accessibleDescription()
