"""The cursor at every edge: ranges that repeat, a longer run beside it, replays, steps back."""

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gpu.record.trace import SAMPLE, GraphReference, RunSettings, Trace
from viewer.models.playback import MIN_SPEED, MIN_VIEW_NS, PlaybackModel
from viewer.models.session import RunRecord, SessionModel

REFERENCE = GraphReference("roads", "memory", "0", 3, 2, True, 1)
END_NS = 1000.0


def samples_until(last_ns: int, count: int = 11) -> np.ndarray:
    samples = np.zeros(count, SAMPLE)
    samples["t_ns"] = np.linspace(0, last_ns, count)
    samples["bucket_switches"] = np.arange(count) // 3
    return samples


def record_of(number: int, algorithm: str = "adds", period_ns: int = 0) -> RunRecord:
    settings = RunSettings(algorithm, "model", "H100", 0, sample_period_ns=period_ns)
    return RunRecord(number, settings, REFERENCE, "modelled")


@pytest.fixture
def playback(qapp: object) -> PlaybackModel:
    model = PlaybackModel()
    model.set_samples(samples_until(int(END_NS)))
    return model


def test_the_time_axis_is_as_long_as_the_longer_of_two(qtbot: QtBot) -> None:
    playback = PlaybackModel()
    playback.set_samples(samples_until(1000))
    with qtbot.waitSignal(playback.duration_changed) as told:
        playback.set_least(1500.0)
    assert told.args == [1500.0] == [playback.duration_ns]
    assert playback.view_ns == (0.0, 1500.0)
    playback.set_cursor(1400.0)
    assert playback.cursor_ns == 1400.0
    playback.set_following(True)
    assert playback.cursor_ns == 1000.0  # the newest sample of the run itself
    playback.set_least(0.0)
    assert playback.duration_ns == 1000.0


def test_a_replay_may_rest_before_the_end(playback: PlaybackModel) -> None:
    playback.replay(400.0)
    playback.advance(60.0)
    assert playback.cursor_ns == 400.0
    assert not playback.playing
    playback.play()
    playback.advance(60.0)
    assert playback.cursor_ns == END_NS


def test_a_window_of_time_is_never_narrower_than_can_be_drawn(playback: PlaybackModel) -> None:
    playback.set_view(500.0, 501.0)
    assert playback.view_ns == (500.0, 500.0 + MIN_VIEW_NS)
    playback.set_view(995.0, 1200.0)
    assert playback.view_ns == (795.0, 1000.0)
    playback.set_view(-100.0, 100.0)
    assert playback.view_ns == (0.0, 200.0)
    assert not playback.fitted
    playback.zoom(1e9, 100.0)
    assert playback.fitted
    playback.zoom(0.5, 200.0)  # which stays where it is
    assert playback.view_ns == (100.0, 600.0)


def test_panning_stops_at_both_ends_and_lets_go_of_the_newest(playback: PlaybackModel) -> None:
    playback.set_following(True)
    playback.pan(10.0)
    assert playback.following  # all is shown: nothing to pan
    playback.set_view(100.0, 300.0)
    playback.pan(50.0)
    assert playback.view_ns == (150.0, 350.0)
    assert not playback.following
    playback.pan(-900.0)
    assert playback.view_ns == (0.0, 200.0)
    playback.pan(5000.0)
    assert playback.view_ns == (800.0, 1000.0)


@pytest.mark.parametrize(("cursor", "first"), [(600.0, 580.0), (200.0, 20.0), (300.0, 300.0)])
def test_a_cursor_that_leaves_the_window_takes_it_along(
    playback: PlaybackModel, cursor: float, first: float
) -> None:
    playback.set_view(300.0, 500.0)
    playback.set_cursor(400.0)
    playback.set_cursor(cursor)
    assert playback.view_ns == (pytest.approx(first), pytest.approx(first + 200.0))


def test_a_step_stops_playing_and_following(playback: PlaybackModel) -> None:
    playback.play()
    assert playback.step(1)
    assert (playback.cursor_ns, playback.playing) == (100.0, False)
    playback.set_following(True)
    assert not playback.step(1)  # there is none: it stays
    assert playback.following
    assert playback.step(-1)
    assert (playback.cursor_ns, playback.following) == (900.0, False)


def test_another_run_begins_anew_and_only_the_current_one_is_shown(qapp: object) -> None:
    session, playback = SessionModel(), PlaybackModel()
    playback.watch(session)
    session.add_run(record_of(1))
    session.append_samples(1, samples_until(1000))
    assert playback.following
    assert playback.cursor_ns == 1000.0
    playback.set_view(100.0, 200.0)
    session.add_run(record_of(2))
    assert (playback.duration_ns, playback.fitted) == (0.0, True)
    session.append_samples(1, samples_until(2000))
    assert playback.duration_ns == 0.0
    session.append_samples(2, samples_until(500))
    assert playback.duration_ns == 500.0
    settings = session.current.settings if session.current else None
    dist = np.zeros(3, np.int32)
    trace = Trace(settings, REFERENCE, samples_until(500), dist, "modelled", "finished", {})
    session.finish_run(2, trace)
    assert not playback.following
    assert playback.cursor_ns == 500.0


def test_fit_shows_the_whole_run_at_once(playback: PlaybackModel) -> None:
    playback.set_view(200.0, 400.0)
    assert (playback.view_ns, playback.fitted) == ((200.0, 400.0), False)
    playback.fit()
    assert (playback.view_ns, playback.fitted) == ((0.0, END_NS), True)


def test_toggling_plays_and_pauses_and_a_speed_has_two_ends(playback: PlaybackModel) -> None:
    for playing in (True, False, True):
        playback.toggle()
        assert playback.playing == playing
    for asked, kept in ((0.0, MIN_SPEED), (1e9, 10.0), (2.0, 2.0)):
        playback.set_speed(asked)
        assert playback.speed == kept
    empty = PlaybackModel()
    empty.play()
    assert not empty.playing
