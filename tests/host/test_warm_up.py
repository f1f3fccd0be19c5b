"""The warm-up of the engine process: what it does, in which order, and what it waits for."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from host_driver import DEADLINE_S, wait_until

from gpu.host import warm_up
from gpu.host.warm_up import Step, Warming
from gpu.host.worker import WatchedRun, Worker


class Slowly:
    """A step of a warm-up that takes until it is let go."""

    def __init__(self) -> None:
        self.begun, self.let_go = threading.Event(), threading.Event()

    def __call__(self) -> None:
        self.begun.set()
        assert self.let_go.wait(DEADLINE_S)


@pytest.fixture
def steps() -> Iterator[list[Slowly]]:
    made = [Slowly() for _ in range(3)]
    yield made
    for step in made:
        step.let_go.set()


def warmed_by(steps: list[Slowly], told: list[str]) -> Warming:
    """A warm-up of these steps, of which the first is needed; it says what it says."""
    made = [Step(step, "compiling", needed=step is steps[0]) for step in steps]
    warming = Warming(
        lambda: made,
        told.append,
        lambda: told.append("ready"),
        lambda error: told.append(f"{error}"),
    )
    warming.start()
    return warming


def measured(ring: Any, warming: Warming, over: threading.Event) -> threading.Thread:
    """A measured run on a thread; `over` ends it."""
    worker = Worker(None, ring, None, None)  # type: ignore[arg-type]
    worker.warming = warming
    watched = WatchedRun(worker, 7, None, lambda: None)  # type: ignore[arg-type]

    def run() -> None:
        watched._hold_warm_up()
        assert over.wait(DEADLINE_S)
        watched.release()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_a_measured_run_waits_for_the_step_under_way_and_no_more(steps: list[Slowly]) -> None:
    told: list[str] = []
    warming = warmed_by(steps, told)
    ring = SimpleNamespace(is_stopped=lambda _: False)
    over = threading.Event()
    assert steps[0].begun.wait(DEADLINE_S)
    run = measured(ring, warming, over)
    assert not steps[1].begun.wait(0.1)
    steps[0].let_go.set()
    wait_until(lambda: "ready" in told)
    assert not steps[1].begun.wait(0.2)  # the run goes on
    over.set()
    run.join(DEADLINE_S)
    assert steps[1].begun.wait(DEADLINE_S)  # and after it the warm-up
    for step in steps:
        step.let_go.set()
    assert warming.done.wait(DEADLINE_S)
    assert told == ["ready"]
    measured(ring, warming, over).join(DEADLINE_S)  # nothing is left to wait for


def test_stop_ends_the_wait_for_a_step(steps: list[Slowly]) -> None:
    warming, stopped, over = warmed_by(steps, []), threading.Event(), threading.Event()
    ring = SimpleNamespace(is_stopped=lambda run_id: run_id == 7 and stopped.is_set())
    assert steps[0].begun.wait(DEADLINE_S)
    over.set()
    run = measured(ring, warming, over)
    run.join(0.1)
    assert run.is_alive()
    stopped.set()
    run.join(DEADLINE_S)
    assert not run.is_alive()
    for step in steps:
        step.let_go.set()
    assert warming.done.wait(DEADLINE_S)  # nobody holds it any more


def test_a_step_that_fails_is_told_and_the_process_is_ready_all_the_same() -> None:
    told: list[str] = []

    def broken() -> None:
        raise ValueError("no compiler")

    Warming(
        lambda: [Step(broken), Step(lambda: told.append("later"))],
        told.append,
        lambda: told.append("ready"),
        lambda error: told.append(str(error)),
    ).run()
    assert told == ["no compiler", "ready"]


def test_what_is_compiled_depends_on_the_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[tuple[str, str, int]] = []
    monkeypatch.setattr(
        warm_up, "run", lambda _graph, s: runs.append((s.engine, s.algorithm, s.probe))
    )
    monkeypatch.setattr(warm_up, "_has_gpu", lambda: False)
    steps = warm_up.warm_up()
    for step in steps:
        step.act()
    assert all(step.needed for step in steps)
    assert runs == [("model", "adds", 2), ("model", "near_far", 2)]
    runs.clear()
    monkeypatch.setattr(warm_up, "_has_gpu", lambda: True)
    steps = warm_up.warm_up()
    for step in steps:
        step.act()
    assert [step.needed for step in steps] == [True] + [False] * 4
    assert runs == [
        ("cuda", "adds", 2), ("cuda", "near_far", 2), ("cuda", "adds", 0), ("cuda", "near_far", 0)
    ]  # fmt: skip
