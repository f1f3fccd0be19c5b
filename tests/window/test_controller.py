"""The controller against a host that says what the test wants: no process, no waiting."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gpu.engine import RunBuffers, graph_reference
from gpu.errors import EngineError, FormatError, GpuError, ParameterError
from gpu.graph import CSRGraph
from gpu.host import Failed, GraphLoaded, LayoutDone, LiveRun, RunFinished, RunStarted, Verified
from gpu.host.messages import GIVEN_UP
from gpu.record.trace import SAMPLE, Flag, RunSettings, Trace, Verification
from viewer.controller import Controller
from viewer.models.playback import PlaybackModel
from viewer.models.session import PROGRESS_DONE, SessionModel


class FakeHost:
    """Records what it is asked, and says what the test puts into `outbox`."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any]] = []
        self.outbox: list[Any] = []
        self.fresh = np.zeros(0, SAMPLE)
        self.live: LiveRun | None = None
        self.graph: CSRGraph | None = None
        self._number = 0

    def _asked(self, what: str, given: Any) -> int:
        self.calls.append((what, given))
        self._number += 1
        return self._number

    def start(self) -> None:
        self.calls.append(("start", None))

    def load(self, request: Any) -> int:
        return self._asked("load", request)

    def layout(self, kind: str = "auto", **_options: Any) -> int:
        return self._asked("layout", kind)

    def run(self, settings: RunSettings, *, verify: bool = True) -> int:
        return self._asked("run", settings)

    def put_graph(self, graph: CSRGraph) -> None:
        self.graph = graph
        self.calls.append(("put_graph", graph))

    def stop(self) -> None:
        self.calls.append(("stop", None))

    def set_delta(self, delta: float | None) -> None:
        self.calls.append(("set_delta", delta))

    def set_pace(self, pace: float | None) -> None:
        self.calls.append(("set_pace", pace))

    def poll(self) -> list[Any]:
        said, self.outbox = self.outbox, []
        return said

    def take_samples(self) -> np.ndarray:
        fresh, self.fresh = self.fresh, np.zeros(0, SAMPLE)
        return fresh

    def close(self) -> None:
        self.calls.append(("close", None))

    def asked(self, what: str) -> list[Any]:
        return [given for name, given in self.calls if name == what]


def path_graph(n: int = 4, positions: bool = True) -> CSRGraph:
    tails = np.arange(n - 1)
    spots = np.stack([np.arange(n), np.zeros(n)], axis=1).astype(np.float32)
    return CSRGraph.from_arcs(
        tails,
        tails + 1,
        np.ones(n - 1, np.int32),
        n,
        positions=spots if positions else None,
        name="path",
    )


def some_samples(count: int, last: bool = False) -> np.ndarray:
    samples = np.zeros(count, SAMPLE)
    samples["t_ns"] = np.arange(count) * 1000
    samples["delta"] = 1.0
    if last:
        samples["flags"][-1] = Flag.FINISHED
    return samples


def trace_of(graph: CSRGraph, settings: RunSettings, outcome: str = "finished") -> Trace:
    buffers = RunBuffers.allocate(graph, settings.probe)
    buffers.dist[:] = np.arange(graph.n)
    return Trace(
        settings,
        graph_reference(graph, settings.source),
        some_samples(5, last=True),
        buffers.dist,
        "modelled",
        outcome,
        {},
        buffers.vertices,
    )


@pytest.fixture
def controller(host: FakeHost, qtbot: QtBot) -> Iterator[Controller]:
    session, playback = SessionModel(), PlaybackModel()
    playback.watch(session)
    controller = Controller(session, playback, host)  # type: ignore[arg-type]
    yield controller
    controller.close()


SETTINGS = RunSettings("adds", "model", "", 0, probe=1)


def say(controller: Controller, host: FakeHost, *messages: Any) -> None:
    host.outbox.extend(messages)
    controller._poll()


def running(controller: Controller, host: FakeHost) -> int:
    controller.show_graph(path_graph())
    controller.start_run(SETTINGS)
    run_id = controller.session.current.run_id
    say(controller, host, RunStarted(run_id))
    return run_id


def test_a_short_run_is_replayed_and_a_stopped_one_is_not(
    controller: Controller, host: FakeHost
) -> None:
    run_id = running(controller, host)
    settings = controller.session.current.settings
    say(controller, host, RunFinished(run_id, trace_of(path_graph(), settings)))
    assert controller.playback.playing
    assert controller.playback.cursor_ns == 0
    run_id = running(controller, host)
    say(controller, host, RunFinished(run_id, trace_of(path_graph(), settings, "stopped")))
    assert not controller.playback.playing
    assert controller.session.current.state == "stopped"


def test_late_results_are_dropped(controller: Controller, host: FakeHost) -> None:
    run_id = running(controller, host)
    record = controller.session.current
    trace = trace_of(path_graph(), record.settings)
    say(controller, host, RunFinished(run_id + 50, trace), RunStarted(run_id + 50))
    assert record.running
    controller.open("sample:grid")
    old = controller._load_id
    controller.open("sample:figure_1")
    say(controller, host, GraphLoaded(old, path_graph(7), None))
    assert controller.session.graph.n == 4
    say(controller, host, LayoutDone(old, np.zeros((7, 2), np.float32)))
    say(controller, host, GraphLoaded(controller._load_id, path_graph(9), None))
    assert controller.session.graph.n == 9


def test_a_file_that_cannot_be_read_is_a_notice(
    controller: Controller, host: FakeHost, qtbot: QtBot
) -> None:
    controller.open("bad.gr")
    controller.session.set_progress(0.5, "Reading")
    with qtbot.waitSignal(controller.file_failed) as failed:
        error = FormatError("bad.gr", "found 'x', expected a number", 3)
        say(controller, host, Failed(controller._load_id, error))
    assert failed.args == ["bad.gr"]
    notice = controller.session.notice
    assert notice.level == "error"
    assert notice.words == "bad.gr:3: found 'x', expected a number"
    assert controller.session.progress == PROGRESS_DONE


@pytest.mark.parametrize(
    ("engine", "error", "advised"),
    [
        ("cuda", EngineError("the GPU does not answer"), True),
        ("cuda", ParameterError("delta = 0"), False),
        ("cpu", EngineError("the queues ran dry"), False),
    ],
)
def test_where_the_gpu_does_not_answer_another_machine_is_named(
    controller: Controller, host: FakeHost, engine: str, error: GpuError, advised: bool
) -> None:
    controller.show_graph(path_graph())
    controller.start_run(RunSettings("delta_stepping", engine, "", 0))
    say(controller, host, Failed(controller.session.current.run_id, error))
    notice = controller.session.notice
    assert notice.words == str(error)
    assert ("machine" in notice.advice) == advised


def test_no_run_without_a_graph_or_beside_another(controller: Controller, host: FakeHost) -> None:
    controller.start_run(SETTINGS)
    assert host.asked("run") == []
    running(controller, host)
    controller.start_run(SETTINGS)
    assert len(host.asked("run")) == 1
    controller.open("roads.gr")
    controller.start_run(SETTINGS)
    assert len(host.asked("run")) == 1
    assert controller.session.notice.words == "roads.gr is still being opened."


def test_wrong_distances_are_shouted(controller: Controller, host: FakeHost) -> None:
    run_id = running(controller, host)
    say(controller, host, RunFinished(run_id, trace_of(path_graph(), SETTINGS)))
    say(controller, host, Verified(run_id, GIVEN_UP))
    assert controller.session.notice is None  # nothing is known against them
    say(controller, host, Verified(run_id, Verification(False, True, "vertex 3: 4 instead of 3")))
    assert controller.session.notice.level == "error"
    assert "vertex 3" in controller.session.notice.advice
