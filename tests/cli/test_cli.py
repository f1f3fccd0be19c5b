"""The command line as a user meets it: what is printed, what is written, which exit code."""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import gpu
from gpu.cli import main as cli
from gpu.errors import GpuError
from gpu.record.tracefile import load_trace, save_trace
from gpu.study import rank
from gpu.study.apsp import matrix_algorithms
from sample_graphs import open_sample

ROADS = """c five vertices, the last never reached
p sp 5 4
a 1 2 4
a 2 3 3
a 3 4 0
a 1 4 9
"""
CITY = "sample:city_roads?n=1000"
DISTANCES = "id,distance\n1,0\n2,4\n3,7\n4,7\n5,\n"
Outcome = tuple[int, str, str]
Call = Callable[..., Outcome]


@pytest.fixture
def roads(tmp_path: Path) -> Path:
    path = tmp_path / "roads.gr"
    path.write_text(ROADS)
    return path


def one_line_error(outcome: Outcome, code: int, *words: str) -> bool:
    """Whether a command failed with `code` and one line on stderr that holds `words`."""
    assert outcome[0] == code
    assert outcome[1] == ""
    assert outcome[2].startswith("sssp-scope: ")
    assert outcome[2].count("\n") == 1
    assert "Traceback" not in outcome[2]
    return all(word in outcome[2] for word in words)


def test_run_writes_what_was_asked_for(call: Call, roads: Path, tmp_path: Path) -> None:
    out = {name: tmp_path / name for name in ("run.npz", "d.csv", "s.csv")}
    words = ("--trace", out["run.npz"], "--distances", out["d.csv"], "--csv", out["s.csv"])
    code, said, err = call("run", roads, *words, "--json", "--verify")
    assert (code, err) == (0, "")
    told = json.loads(said)
    assert out["d.csv"].read_text() == DISTANCES
    trace = load_trace(out["run.npz"])
    assert trace.time_ns == told["time_ns"]
    assert trace.verification.passed
    assert len(out["s.csv"].read_text("utf-8").splitlines()) == told["samples"] + 1


def test_outputs_are_refused_before_the_run(
    call: Call, roads: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gpu.cli.run.run", lambda *_, **__: pytest.fail("it ran"))
    for flag in ("--trace", "--distances", "--csv"):
        assert one_line_error(call("run", roads, flag, tmp_path / "no" / "x"), 1, "cannot write")
        assert one_line_error(call("run", roads, flag, tmp_path), 1, "it is a folder")
    assert one_line_error(call("convert", roads, tmp_path / "no" / "x.gr"), 1, "cannot write")
    words = ("convert", roads, os.devnull, "--to", "dimacs")
    assert one_line_error(call(*words), 1, "cannot write", os.devnull)


def test_a_full_disk_does_not_cost_the_result(
    call: Call, roads: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def full(*_: object) -> None:
        raise GpuError("cannot write run.npz: No space left on device")

    monkeypatch.setattr("gpu.cli.run.save_trace", full)
    code, out, err = call("run", roads, "--json", "--trace", tmp_path / "run.npz")
    assert code == 1
    assert json.loads(out)["distances"]["sum"] == 18
    assert "No space left" in err


@pytest.mark.parametrize(
    ("fault", "code", "words"),
    [
        (KeyboardInterrupt(), 130, "sssp-scope: interrupted"),
        (MemoryError(), 1, "out of memory"),
        (PermissionError(13, "Permission denied", "roads.gr"), 1, "roads.gr: Permission denied"),
        (ZeroDivisionError("a bug\nof two lines"), 1, "a bug in the program"),
    ],
    ids=["interrupted", "memory", "permission", "bug"],
)
def test_whatever_happens_there_is_no_traceback(
    call: Call, monkeypatch: pytest.MonkeyPatch, fault: BaseException, code: int, words: str
) -> None:
    def fail(*_: object) -> None:
        raise fault

    monkeypatch.delenv(cli.DEBUG, raising=False)
    monkeypatch.setattr("gpu.cli.graphs.open_graph", fail)
    outcome = call("info", "roads.gr")
    assert outcome[0] == code
    assert outcome[1] == ""
    assert words in outcome[2]
    assert outcome[2].count("\n") == (1 if words else 0)


def test_verify_checks_a_saved_side_too(call: Call, tmp_path: Path) -> None:
    saved = tmp_path / "run.npz"
    assert call("run", CITY, "--trace", saved, "--quiet")[0] == 0
    trace = load_trace(saved)
    dist = trace.dist.copy()
    dist[5] += 1
    save_trace(replace(trace, dist=dist), saved)
    code, _, err = call("compare", CITY, "--a", saved, "--verify")
    assert code == 3
    assert "verification failed" in err


def test_an_algorithm_that_is_wrong_fails_the_command(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rank, "certificate", lambda *_: "7 is too far")
    code, out, err = call("compare", CITY, "--algorithms", "adds,near_far")
    assert code == 3
    assert "wrong distances: 7 is too far" in out
    assert "wrong distances: 7 is too far" in err


@pytest.mark.parametrize("key", matrix_algorithms())
def test_apsp_writes_rows_that_are_proved_or_nothing(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    path, sample = tmp_path / "m.npy", "sample:grid?n=100&seed=2"
    words = ("apsp", sample, "-o", path, "--engine", "model", "--algorithm", key, "--verify")
    code, out, err = call(*words)
    assert (code, err) == (0, "")
    assert "all 100 rows proved right" in out
    assert "modelled" in out
    expected = gpu.run(open_sample(sample), key).dist
    np.testing.assert_array_equal(np.load(path), expected)
    path.unlink()
    monkeypatch.setattr("gpu.proof.verify._certificate_fault", lambda *_: "an arc can be relaxed")
    code, _, err = call(*words)
    assert code == 3
    assert "verification failed" in err
    assert not path.exists()
