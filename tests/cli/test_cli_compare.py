"""`sssp-scope compare`: the table, the sentence, the JSON object, what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpu.cli.main import main
from gpu.record.tracefile import load_trace, save_trace

ROADS = "sample:city_roads?n=1000"


def compared(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str, str]:
    code = main(["compare", ROADS, *options])
    told = capsys.readouterr()
    return code, told.out, told.err


def test_the_line_of_the_issue(capsys: pytest.CaptureFixture[str]) -> None:
    line = "--a adds --b near_far --engine model --source 1 --json"
    code, out, err = compared(capsys, *line.split())
    told = json.loads(out)
    assert (code, err) == (0, "")
    assert (told["a"]["algorithm"], told["b"]["algorithm"]) == ("adds", "near_far")
    assert told["a"]["clock"] == told["b"]["clock"] == "modelled"
    assert told["a"]["source"]["id"] == 1
    ratio = told["b"]["time_ns"] / told["a"]["time_ns"]
    assert told["b_time_over_a"] == pytest.approx(ratio)
    assert "sooner" in told["words"] or "as long as" in told["words"]
    curves = told["aligned"]
    assert len(curves["a_ns"]) == len(curves["delta"]["a"]) == len(curves["delta"]["b"]) == 11
    assert curves["processed_vertices"]["b"][-1] == told["b"]["processed_vertices"]


def test_one_algorithm_with_two_deltas_devices_and_parameters(
    capsys: pytest.CaptureFixture[str],
) -> None:
    sides = ["--b", "adds", "--a-delta", "64", "--b-device", "H100", "--b-set", "buckets=8"]
    _, out, _ = compared(capsys, *sides, "--json")
    told = json.loads(out)
    assert (told["a"]["delta"], told["b"]["delta"]) == (64, None)
    assert told["b"]["device"] == "H100"
    assert told["b"]["parameters"]["buckets"] == 8
    assert "ADDS (Δ 64)" in told["words"]
    assert any("Different devices" in words for words in told["cautions"])
    assert len(told["aligned"]["b_ns"]) == 11


def test_saved_traces_are_sides_too(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    saved = str(tmp_path / "run.npz")
    assert main(["run", ROADS, "--algorithm", "dijkstra", "--trace", saved]) == 0
    capsys.readouterr()
    code, out, _ = compared(capsys, "--b", saved)
    assert code == 0
    assert "B: Dijkstra" in out
    assert main(["compare", "sample:grid?n=100", "--b", saved]) == 1
    error = capsys.readouterr().err
    assert "another graph" in error
    assert error.count("\n") == 1


def test_a_run_that_was_not_checked_says_how(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = compared(capsys)
    assert code == 0
    assert out.endswith("Distances not checked: ADDS and Near-Far. Add --verify to check both.\n")


def test_verify_checks_a_saved_side_too(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    saved = tmp_path / "run.npz"
    assert main(["run", ROADS, "--trace", str(saved), "--quiet"]) == 0
    trace = load_trace(saved)
    trace.dist[5] += 1
    save_trace(trace, saved)
    code, _, err = compared(capsys, "--a", str(saved), "--verify")
    assert code == 3
    assert "verification failed" in err
