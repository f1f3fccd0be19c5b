"""`sssp-scope compare`: the table, the sentence, the JSON object, what it refuses."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from gpu.cli.main import main
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
    dist = trace.dist.copy()
    dist[5] += 1
    save_trace(replace(trace, dist=dist), saved)
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
    code, _, err = compared(capsys, "--algorithms", "adds,flying")
    assert code == 2
    assert "--algorithms flying; allowed: all, adds, near_far" in err


def test_what_is_said_of_the_fastest() -> None:
    def ranks(*times: int, clock: str = "measured", **more: str) -> list[Rank]:
        titles = ("ADDS", "Near-Far", "Dijkstra")
        pairs = zip(titles, times, strict=False)
        return [Rank(title, "", time, clock, 1, **more) for title, time in pairs]

    words = fastest_words(ranks(1_000_000, 2_100_000))
    assert words == "Fastest: ADDS, 1 ms (measured), 2.1x faster than the next."
    close = fastest_words(ranks(1_000_000, 1_050_000, 3_000_000, clock="modelled"))
    assert close == "Fastest: ADDS, 1 ms (modelled); Near-Far within the model's error."
    assert fastest_words(ranks(1, 2, not_ranked="hubs")) == "No order: hubs."
    assert fastest_words([Rank("ADDS", "adds", problem="no GPU")]) == "None of them ran."


def test_an_algorithm_that_is_wrong_fails_the_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rank, "certificate", lambda *_: "7 is too far")
    code, out, err = compared(capsys, "--algorithms", "adds,near_far")
    assert code == 3
    assert "wrong distances: 7 is too far" in out
    assert "wrong distances: 7 is too far" in err
