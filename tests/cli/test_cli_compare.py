"""`sssp-scope compare`: the table, the sentence, the JSON object, what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpu.cli.main import main
from gpu.record.trace import RunSettings
from gpu.record.tracefile import load_trace, save_trace
from gpu.study import rank
from gpu.study.rank import Rank, fastest_words

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


def test_words_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = compared(capsys, "--verify")
    lines = out.splitlines()
    assert code == 0
    assert lines[1].startswith("A: ADDS on ")
    assert lines[2].startswith("B: Near-Far on ")
    assert "vertices processed)" in lines[3]
    assert "not checked: " not in out
    assert lines[-1] == "The distances of both are proved."


def test_one_algorithm_with_two_deltas_devices_and_parameters(
    capsys: pytest.CaptureFixture[str],
) -> None:
    sides = ["--b", "adds", "--a-delta", "64", "--b-device", "H100", "--b-set", "buckets=8"]
    _, out, _ = compared(capsys, *sides, "--json", "--points", "5")
    told = json.loads(out)
    assert (told["a"]["delta"], told["b"]["delta"]) == (64, None)
    assert told["b"]["device"] == "H100"
    assert told["b"]["parameters"]["buckets"] == 8
    assert "ADDS (Δ 64)" in told["words"]
    assert any("Different devices" in words for words in told["cautions"])
    assert len(told["aligned"]["b_ns"]) == 5


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


def test_which_algorithm_is_fastest_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = compared(capsys, "--algorithms", "adds,near_far,dijkstra")
    assert code == 0
    *rows, last = out.splitlines()[1:]
    assert len(rows) == 3
    assert last.startswith("Fastest: ")
    code, out, _ = compared(capsys, "--algorithms", "all", "--json")
    result = json.loads(out)
    times = [row["time_ns"] for row in result["rows"]]
    assert code == 0
    assert times == sorted(times)
    assert {"adds", "near_far", "bellman_ford"} <= {row["algorithm"] for row in result["rows"]}
    assert result["words"].startswith(("Fastest: ", "No order: "))


def ranks(*times: int, clock: str = "measured", **more: str) -> list[Rank]:
    keys = ("adds", "near_far", "dijkstra")
    pairs = zip(keys, times, strict=False)
    return [Rank(RunSettings(key), time, clock, 1, **more) for key, time in pairs]


def test_what_is_said_of_the_fastest() -> None:
    said = fastest_words(ranks(1_000_000, 2_100_000))
    assert said == "Fastest: ADDS, 1 ms (measured), 2.1x faster than the next."
    close = fastest_words(ranks(1_000_000, 1_050_000, 3_000_000, clock="modelled"))
    assert close == "Fastest: ADDS, 1 ms (modelled); Near-Far within the model's error."
    assert fastest_words(ranks(1_000_000, 1_050_000)).endswith("1.1x faster than the next.")
    why = "the model is too inaccurate on graphs with hubs to say which is faster"
    assert fastest_words(ranks(1, 2, not_ranked=why)) == f"No order: {why}."
    assert fastest_words([Rank(RunSettings(), problem="no GPU")]) == "None of them ran."


def test_an_algorithm_that_is_wrong_or_cannot_run_comes_last(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rank, "certificate", lambda *_: "7 is too far")
    code, out, err = compared(capsys, "--algorithms", "adds,near_far")
    assert code == 3
    assert "wrong distances: 7 is too far" in out
    assert "wrong distances: 7 is too far" in err


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--a", "nonsense"], 1, "no algorithm 'nonsense'"),
        (["--b-set", "sails=3"], 2, "has no parameter 'sails'"),
        (["--a-delta", "-1"], 2, "a finite number above 0"),
        (["--algorithms", "adds,flying"], 2, "'flying' is none of adds, near_far"),
        (["--points", "1"], 2, "whole numbers from 2 to 100000"),
    ],
)
def test_wrong_use(
    capsys: pytest.CaptureFixture[str], options: list[str], code: int, words: str
) -> None:
    ended, _, err = compared(capsys, *options)
    assert ended == code
    assert words in err
