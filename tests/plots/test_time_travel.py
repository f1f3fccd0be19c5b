"""Time travel on the timeline: marks and speed, by mouse and keys."""

import pytest
from panel_stage import END_NS, Bench, make_samples
from PyQt6.QtCore import Qt

from viewer.plots.live import DESCRIBE_MS
from viewer.plots.marks import Marks
from viewer.plots.timeline import Timeline

CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def panel(bench: Bench) -> Timeline:
    panel: Timeline = bench.show(Timeline, 800, 110)
    bench.run()
    panel.flush()
    return panel


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
