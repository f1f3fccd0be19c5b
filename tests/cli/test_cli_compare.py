"""`sssp-scope compare`: the table, the sentence, the JSON object, what it refuses."""

from dataclasses import replace
from pathlib import Path

import pytest

from gpu.cli.main import main
from gpu.record.tracefile import load_trace, save_trace
from gpu.study import rank

ROADS = "sample:city_roads?n=1000"


def compared(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str, str]:
    code = main(["compare", ROADS, *options])
    told = capsys.readouterr()
    return code, told.out, told.err


def test_verify_checks_a_saved_side_too(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    saved = tmp_path / "run.npz"
    assert main(["run", ROADS, "--trace", str(saved), "--quiet"]) == 0
    trace = load_trace(saved)
    dist = trace.dist.copy()
    dist[5] += 1
    save_trace(replace(trace, dist=dist), saved)
    code, _, err = compared(capsys, "--a", str(saved), "--verify")
    assert code == 3
    assert "verification failed" in err


def test_an_algorithm_that_is_wrong_fails_the_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rank, "certificate", lambda *_: "7 is too far")
    code, out, err = compared(capsys, "--algorithms", "adds,near_far")
    assert code == 3
    assert "wrong distances: 7 is too far" in out
    assert "wrong distances: 7 is too far" in err
