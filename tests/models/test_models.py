"""Session and playback: what the window knows, without any widget."""

import numpy as np
import pytest
from pytestqt.qtbot import QtBot
from test_controller import path_graph

from gpu.engine import RunBuffers
from gpu.record.trace import SAMPLE, GraphReference, RunSettings, Trace
from viewer.models import session as session_module
from viewer.models.run_words import verified_words
from viewer.models.session import RunRecord, SessionModel

REFERENCE = GraphReference("roads", "memory", "0", 3, 2, True, 1)


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


def test_a_finished_run_hands_its_arrays_over(qtbot: QtBot) -> None:
    session = SessionModel()
    record = make_record()
    record.buffers = RunBuffers.allocate(path_graph(3), 2)
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
    assert verified_words(record)[0] == "verifying…"
    assert verified_words(RunRecord.from_trace(2, record.trace))[0] == "not verified"


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
    monkeypatch.setattr(session_module, "MAX_BYTES", 0)
    session.finish_run(0, trace_of(samples_of([1])))
    assert [run.run_id for run in session.runs] == [4, 5], "two can be compared"
