"""The engine process: stops, replaced requests, errors, crashes and kills."""

import os
import signal
import time
from pathlib import Path

import host_engines as engines
import numpy as np
import pytest
from host_driver import ENTRIES, Driver

from gpu.errors import CancelledByUserError, EngineError, FormatError, SourceError, WeightError
from gpu.host import (
    EngineHost,
    EngineLost,
    Failed,
    LayoutDone,
    LoadRequest,
    Memory,
    Progress,
    Ready,
    RunFinished,
    Verified,
    host,
)
from gpu.host.messages import GIVEN_UP
from gpu.record.trace import NEVER, Flag


def test_stop_is_cooperative_first(warm: Driver) -> None:
    warm.load()
    run_id = warm.start_run("endless")
    warm.until(lambda: len(warm.host.take_samples()) > 0)
    pid = warm.host._child.pid
    warm.host.stop()
    trace = warm.wait_for(RunFinished, run_id).trace
    assert trace.outcome == "stopped"
    assert trace.dist[0] == 0
    assert warm.host._child.pid == pid
    warm.until(lambda: not warm.host.busy)
    assert warm.names(run_id) == ["RunStarted", "RunFinished"]


def test_stop_kills_what_does_not_listen(driver: Driver) -> None:
    driver.load()
    run_id = driver.start_run("deaf")
    driver.until(lambda: len(driver.host.take_samples()) == 10)
    pid = driver.host._child.pid
    driver.host.stop()
    before = time.monotonic()
    trace = driver.wait_for(RunFinished, run_id).trace
    assert time.monotonic() - before > 0.2
    assert trace.outcome == "stopped"
    assert trace.environment["ended"] == "killed: it did not stop within 0.25 s"
    assert len(trace.samples) == 11
    assert trace.last["flags"] == Flag.STOPPED
    assert trace.last["sequence"] == 10
    assert trace.dist[0] == 0
    assert trace.reached == 1
    assert (trace.vertices.first_reached_ns == NEVER).all()
    assert driver.host._child.pid != pid
    assert driver.finish().trace.reached == 20


def test_a_process_that_runs_nothing_any_more_is_ended_with_a_sentence(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host, "SILENCE_S", 3.0)
    driver.load()
    run_id = driver.start_run("frozen")
    lost = driver.wait_for(EngineLost, run_id)
    assert "did not answer for 3 s and was ended" in lost.words
    assert len(lost.trace.samples) == 11
    assert driver.finish().trace.reached == 20


def test_a_gpu_that_says_nothing_costs_its_run_and_says_so(driver: Driver) -> None:
    driver.load()
    lost = driver.wait_for(EngineLost, driver.start_run("silent_gpu"))
    assert "the GPU has not answered for 0.5 s" in lost.words
    assert len(lost.trace.samples) == 11
    assert driver.finish().trace.reached == 20


def test_stop_before_the_child_is_up(driver: Driver) -> None:
    driver.host.put_graph(engines.path_graph(5))
    run_id = driver.host.run(engines.settings("endless"))
    driver.host.stop()
    assert driver.wait_for(RunFinished, run_id).trace.outcome == "stopped"


@pytest.mark.parametrize("what", ["slow", "deaf", "named"])
def test_stop_ends_a_load(driver: Driver, what: str) -> None:
    graph = driver.load().graph
    run_id = driver.host.load(LoadRequest(what))
    if what == "slow":
        driver.wait_for(Progress, run_id)
    time.sleep(0.5 * (what == "named"))  # it is read by then, and we have not heard of it
    driver.host.stop()
    assert driver.finish().trace.reached == 20
    assert isinstance(driver.wait_for(Failed, run_id).error, CancelledByUserError)
    assert driver.host.graph is graph


def test_a_new_run_ends_the_one_before_and_starts_clean(warm: Driver) -> None:
    warm.load()
    first = warm.start_run("endless")
    warm.until(lambda: len(warm.host.take_samples()) > 0)
    waiting = warm.host.run(engines.settings("stream", count=5))
    assert len(warm.host.take_samples()) == 0  # the first one's are no longer asked for
    last = warm.host.run(engines.settings("stream", count=300))
    trace = warm.wait_for(RunFinished, last).trace
    assert trace.samples["sequence"].tolist() == list(range(300))
    assert warm.names(waiting) == ["Failed"]
    assert warm.names(first) == ["RunStarted", "RunFinished"]
    assert warm.wait_for(RunFinished, first).trace.outcome == "stopped"
    assert len(warm.host.take_samples()) == 300


def test_a_layout_gives_way_to_a_run_and_is_done_afterwards(warm: Driver) -> None:
    warm.load()
    layout = warm.host.layout("slow")
    warm.wait_for(Progress, layout)
    replaced = warm.host.run(engines.settings("stream"))
    run_id = warm.host.run(engines.settings("stream"))
    warm.wait_for(LayoutDone, layout)
    assert warm.names(replaced) == ["Failed"]
    ends = [m for m in warm.heard if isinstance(m, RunFinished | LayoutDone)]
    assert [m.run_id for m in ends] == [run_id, layout]


def test_a_layout_that_does_not_give_way_is_killed_and_done_again(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host, "YIELD_S", 0.1)
    driver.load()
    layout = driver.host.layout("deaf", dist=np.arange(20, dtype=np.int32), delta=2.5)
    driver.wait_for(Progress, layout)
    pid = driver.host._child.pid
    run_id = driver.host.run(engines.settings("stream"))
    driver.wait_for(RunFinished, run_id)
    assert driver.host._child.pid != pid
    assert "LayoutDone" not in driver.names(layout)
    assert driver.wait_for(LayoutDone, layout).positions[3].tolist() == [3.0, 2.5]
    assert not any(isinstance(m, EngineLost | Failed) for m in driver.heard)


def test_proofs_give_way_to_a_run(warm: Driver) -> None:
    warm.load("slow proofs")
    first = warm.finish()
    assert not warm.host.busy
    second = warm.finish()
    warm.host.load(LoadRequest("path"))
    third = warm.finish()
    warm.wait_for(Verified, third.run_id)
    for run in (first, second):
        assert warm.wait_for(Verified, run.run_id).verification == GIVEN_UP


def test_errors_keep_their_class_and_words(warm: Driver) -> None:
    failed = warm.wait_for(Failed, warm.host.load(LoadRequest("bad")))
    assert isinstance(failed.error, FormatError)
    assert str(failed.error) == "bad:3: found x, expected y"
    warm.load()
    assert isinstance(_failure(warm, "stream", source=99).error, SourceError)
    assert isinstance(_failure(warm, "overflows").error, WeightError)
    bug = _failure(warm, "has_a_bug")
    assert type(bug.error) is EngineError
    assert str(bug.error) == "ValueError: two lines"
    assert "run_has_a_bug" in bug.details
    memory = _failure(warm, "out_of_memory")
    assert type(memory.error) is EngineError
    assert "Unable to allocate" in str(memory.error)
    assert warm.finish().trace.reached == 20


def _failure(driver: Driver, behaviour: str, **parameters: object) -> Failed:
    return driver.wait_for(Failed, driver.host.run(engines.settings(behaviour, **parameters)))


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [("exits", "exit code 7"), ("segfaults", "signal 11 (a fault in compiled code)")],
)
def test_a_crash_costs_the_run_and_nothing_else(driver: Driver, behaviour: str, words: str) -> None:
    driver.load("named")
    lost = driver.wait_for(EngineLost, driver.host.run(engines.settings(behaviour)))
    if os.name == "posix" or behaviour == "exits":
        assert words in lost.words
    assert "running an algorithm" in lost.words
    assert len(lost.trace.samples) == 11
    assert driver.finish().trace.reached == 20
    assert driver.host.graph.name == "named"


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="signals are a POSIX thing")
@pytest.mark.parametrize("busy", [True, False])
def test_a_killed_child_is_replaced(driver: Driver, busy: bool) -> None:
    driver.load()
    driver.wait_for(Ready, 0)
    run_id = driver.start_run("endless") if busy else 0
    driver.until(lambda: not busy or len(driver.host.take_samples()) > 0)
    os.kill(driver.host._child.pid, signal.SIGKILL)
    lost = driver.wait_for(EngineLost, run_id)
    assert "signal 9 (often: out of memory)" in lost.words
    assert (lost.trace is not None) == busy
    assert driver.finish().trace.reached == 20


def test_a_child_that_never_starts_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host, "main", engines.die_at_start)
    driven = Driver(EngineHost(ENTRIES, Memory(folder=str(tmp_path))))
    driven.host.start()
    try:
        failed = driven.wait_for(Failed, driven.host.load(LoadRequest("path")))
        assert "The engine process does not start" in str(failed.error)
        assert "exit code 5" in str(failed.error)
        assert driven.host._child is None
        monkeypatch.undo()  # asking again is trying again
        assert driven.load().graph.n == 20
        assert sum(isinstance(m, EngineLost) for m in driven.heard) == 1
    finally:
        driven.host.close()
