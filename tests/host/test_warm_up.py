"""The warm-up of the engine process: what it does, in which order, and what it waits for."""

from __future__ import annotations

import threading

import pytest
from host_driver import DEADLINE_S, wait_until

from gpu.cuda import device
from gpu.host import warm_up
from gpu.host.warm_up import Step, Warming


def warming_by(steps: list[Step], messages: list[str]) -> Warming:
    """Return a warm-up of these steps that says what it says."""
    return Warming(
        lambda: steps,
        messages.append,
        lambda: messages.append("ready"),
        lambda error: messages.append(str(error)),
    )


def test_a_measured_run_waits_for_the_step_under_way_and_no_more() -> None:
    begun, let_go = threading.Event(), threading.Event()
    messages: list[str] = []

    def slow() -> None:
        begun.set()
        assert let_go.wait(DEADLINE_S)

    warming = warming_by([("", slow), ("", lambda: messages.append("second"))], messages)
    warming.start()
    assert begun.wait(DEADLINE_S)
    assert not warming.hold(lambda: True)  # Stop ends the wait
    let_go.set()
    assert warming.hold(lambda: False)
    wait_until(lambda: "ready" in messages)
    warming.join(0.2)
    assert messages == ["ready"]  # the run goes on
    warming.release()
    warming.join(DEADLINE_S)
    assert messages == ["ready", "second"]
    assert warming.hold(lambda: False)  # nothing is left to wait for


def test_a_step_that_fails_is_reported_and_the_process_is_ready_all_the_same() -> None:
    messages: list[str] = []

    def broken() -> None:
        raise ValueError("no compiler")

    warming_by([("", broken), ("", lambda: messages.append("later"))], messages).run()
    assert messages == ["no compiler", "ready"]


def test_what_is_compiled_depends_on_the_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[tuple[str, str, int]] = []

    def note(_graph: object, settings: object) -> None:
        runs.append((settings.engine, settings.algorithm, settings.probe))  # type: ignore[attr-defined]

    monkeypatch.setattr(warm_up, "run", note)
    for why, expected in (
        ("no driver", [("model", "adds", 2), ("model", "near_far", 2)]),
        (None, [("cuda", row, level) for level in (2, 0) for row in ("adds", "near_far")]),
    ):
        monkeypatch.setattr(device, "why_not", lambda why=why: why)
        runs.clear()
        for _, act in warm_up.warm_up():
            act()
        assert runs == expected
