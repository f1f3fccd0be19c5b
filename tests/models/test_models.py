"""Session and playback: what the window knows, without any widget."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gpu.engine import RunBuffers
from gpu.errors import SourceError
from gpu.graph import CSRGraph
from gpu.record.trace import SAMPLE, GraphReference, RunSettings, Trace, Verification
from viewer.models import session as session_module
from viewer.models.playback import PlaybackModel
from viewer.models.session import Notice, RunRecord, SessionModel

REFERENCE = GraphReference("roads", "memory", "0", 3, 2, True, 1)


def path_graph() -> CSRGraph:
    """0 -> 1 -> 2."""
    arcs = (np.array([0, 1]), np.array([1, 2]), np.array([5, 7], np.int32))
    return CSRGraph.from_arcs(*arcs, 3, positions=np.zeros((3, 2), np.float32))


def samples_of(
    times: list[int], switches: list[int] | None = None, changes: list[int] | None = None
) -> np.ndarray:
    samples = np.zeros(len(times), SAMPLE)
    samples["t_ns"] = times
    samples["bucket_switches"] = switches or 0
    samples["delta_changes"] = changes or 0
    return samples


def make_record(run_id: int = 1, clock: str = "modelled") -> RunRecord:
    return RunRecord(run_id, RunSettings("adds", "model", "H100", 0), REFERENCE, clock)


def trace_of(samples: np.ndarray, outcome: str = "finished") -> Trace:
    settings = RunSettings("adds", "model", "H100", 0)
    dist = np.array([0, 5, 12], np.int32)
    return Trace(settings, REFERENCE, samples, dist, "modelled", outcome, {})


@pytest.fixture
def playback(qapp: object) -> PlaybackModel:
    model = PlaybackModel()
    model.set_samples(samples_of([0, 10, 20, 30, 40], [0, 0, 1, 1, 2], [0, 1, 1, 1, 1]))
    return model


# ---- session ---------------------------------------------------------------------------


def test_graph_brings_positions_and_resets_source_and_run(qtbot: QtBot) -> None:
    session = SessionModel()
    session.set_graph(path_graph())
    session.set_source(2)
    session.add_run(make_record())
    with qtbot.waitSignals(
        [session.graph_changed, session.positions_changed, session.current_changed]
    ):
        session.set_graph(path_graph())
    assert session.source == 0
    assert session.current is None
    assert session.positions is session.graph.positions


def test_source_must_be_a_vertex(qtbot: QtBot) -> None:
    session = SessionModel()
    session.set_graph(path_graph())
    with qtbot.waitSignal(session.source_changed) as moved:
        session.set_source(2)
    assert moved.args == [2]
    with pytest.raises(SourceError, match="indices are 0 to 2"):
        session.set_source(3)
    assert session.source == 2


def test_samples_grow_and_earlier_views_stay_true(qtbot: QtBot) -> None:
    session = SessionModel()
    session.add_run(make_record())
    session.append_samples(1, samples_of([1, 2]))
    early = session.current.samples
    with qtbot.waitSignal(session.samples_appended) as grown:
        session.append_samples(1, samples_of(list(range(3, 1003))))
    assert grown.args[1:] == [2, 1002]
    assert session.current.samples["t_ns"].tolist() == list(range(1, 1003))
    assert early["t_ns"].tolist() == [1, 2]


def test_late_samples_of_an_old_or_ended_run_are_dropped(qtbot: QtBot) -> None:
    session = SessionModel()
    session.add_run(make_record())
    session.finish_run(1, trace_of(samples_of([1, 2])))
    with qtbot.assertNotEmitted(session.samples_appended):
        session.append_samples(1, samples_of([3]))
        session.append_samples(77, samples_of([3]))
    session.finish_run(77, trace_of(samples_of([1])))
    session.set_verification(77, Verification(True, True, ""))
    session.fail_run(77, "gone")
    assert len(session.runs) == 1


def test_a_finished_run_hands_its_arrays_over(qtbot: QtBot) -> None:
    session = SessionModel()
    record = make_record()
    record.buffers = RunBuffers.allocate(path_graph(), 2)
    session.add_run(record)
    session.append_samples(1, samples_of([1, 2]))
    assert record.running
    assert record.dist is record.buffers.dist
    assert record.vertices is record.buffers.vertices
    with qtbot.waitSignals([session.run_changed, session.samples_appended]) as seen:
        session.finish_run(1, trace_of(samples_of([1, 2, 3])))  # one sample was lost on the way
    assert seen.signal_triggered
    assert (record.state, record.buffers) == ("finished", None)
    assert record.dist is record.trace.dist
    assert record.vertices is None
    assert len(record.samples) == 3


def test_verification_failure_and_notices(qtbot: QtBot) -> None:
    session = SessionModel()
    session.add_run(make_record())
    session.set_verification(1, Verification(True, None, "equal"))
    assert session.current.verification.passed
    session.fail_run(1, "the engine was lost")
    assert (session.current.state, session.current.failure) == ("failed", "the engine was lost")
    notice = Notice("error", "no", "try again")
    with qtbot.waitSignal(session.notice_changed) as told:
        session.set_notice(notice)
    assert told.args == [notice]


def test_oldest_runs_are_forgotten_but_not_current_or_running(
    qapp: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_module, "MAX_RUNS", 3)
    session = SessionModel()
    running = make_record(0)
    session.add_run(running)
    for run_id in range(1, 6):
        session.add_run(RunRecord.from_trace(run_id, trace_of(samples_of([1]))))
    assert [run.run_id for run in session.runs] == [0, 4, 5]
    monkeypatch.setattr(session_module, "MAX_SAMPLE_BYTES", 0)
    session.finish_run(0, trace_of(samples_of([1])))
    assert [run.run_id for run in session.runs] == [5]


# ---- playback --------------------------------------------------------------------------


@pytest.mark.parametrize(("direction", "path"), [(+1, [10, 20, 30, 40]), (-1, [30, 20, 10, 0])])
def test_steps(playback: PlaybackModel, direction: int, path: list[int]) -> None:
    playback.set_cursor(0 if direction > 0 else 40)
    seen = []
    while playback.step(direction):
        seen.append(playback.cursor_ns)
    assert seen == path


def test_following_sticks_to_the_newest_until_the_cursor_is_moved(
    qtbot: QtBot, playback: PlaybackModel
) -> None:
    playback.set_following(True)
    playback.set_duration(90)
    assert playback.cursor_ns == 90
    with qtbot.waitSignal(playback.following_changed) as let_go:
        playback.set_cursor(50)
    assert let_go.args == [False]
    playback.set_duration(100)
    assert playback.cursor_ns == 50


def test_a_million_samples_are_stepped_through_and_stored_once(playback: PlaybackModel) -> None:
    count = 1_000_000
    record = make_record()
    batch = np.zeros(10_000, SAMPLE)
    for start in range(0, count, len(batch)):
        numbers = np.arange(start, start + len(batch))
        batch["t_ns"], batch["bucket_switches"] = 100 * numbers, numbers // 1000
        batch["delta_changes"] = numbers // 300_000
        record.append(batch)
    assert record.samples.base.nbytes < 2.1 * record.samples.nbytes  # amortised doubling
    playback.set_samples(record.samples)
    playback.set_cursor(50_000_050)
    assert playback.step(+1)
    assert playback.cursor_ns == 50_000_100
