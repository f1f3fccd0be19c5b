"""`sssp-scope compare`: the table, the sentence, the JSON object, what it refuses."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gpu.record.tracefile import load_trace, save_trace
from gpu.study import rank

ROADS = "sample:city_roads?n=1000"
Call = Callable[..., tuple[int, str, str]]


def test_verify_checks_a_saved_side_too(call: Call, tmp_path: Path) -> None:
    saved = tmp_path / "run.npz"
    assert call("run", ROADS, "--trace", saved, "--quiet")[0] == 0
    trace = load_trace(saved)
    dist = trace.dist.copy()
    dist[5] += 1
    save_trace(replace(trace, dist=dist), saved)
    code, _, err = call("compare", ROADS, "--a", saved, "--verify")
    assert code == 3
    assert "verification failed" in err


def test_an_algorithm_that_is_wrong_fails_the_command(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rank, "certificate", lambda *_: "7 is too far")
    code, out, err = call("compare", ROADS, "--algorithms", "adds,near_far")
    assert code == 3
    assert "wrong distances: 7 is too far" in out
    assert "wrong distances: 7 is too far" in err
