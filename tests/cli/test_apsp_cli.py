"""The command `apsp` as a user meets it, and Ctrl-C in the middle of it."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import gpu
from gpu.study.apsp import matrix_algorithms
from sample_graphs import open_sample

SAMPLE = "sample:grid?n=100&seed=2"
Call = Callable[..., tuple[int, str, str]]


@pytest.mark.parametrize("key", matrix_algorithms())
def test_it_writes_tells_and_proves(key: str, call: Call, tmp_path: Path) -> None:
    path = tmp_path / "m.npy"
    given = ("--engine", "model", "--algorithm", key)
    code, out, err = call("apsp", SAMPLE, "-o", path, "--verify", *given)
    assert (code, err) == (0, "")
    assert "all 100 rows proved right" in out
    assert "modelled" in out
    expected = gpu.run(open_sample(SAMPLE), key).dist
    np.testing.assert_array_equal(np.load(path), expected)


def test_json_is_one_object(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "m.npy"
    given = ("--engine", "model", "--sources", "3:10", "--delta", "40", "--set", "workers=2")
    code, out, _ = call("apsp", SAMPLE, "-o", path, *given, "--json")
    told = json.loads(out)
    assert code == 0
    assert told["sources"] == {"which": "3:10", "count": 7}
    assert told["verified"] is True
    assert told["verification"] == "1 of 7 rows proved right (a seeded sample)"
    assert told["clock"] == "modelled"
    assert told["bytes"] == 7 * 100 * 4 == path.stat().st_size - 128
    assert np.load(path).shape == (7, 100)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--sources", "90:101"), "0 <= A < B <= 100"),
        (("--sources", "x:y"), "--sources x:y; allowed"),
        (("-o", "no/such/folder/m.npy"), "there is no folder"),
        (("--device", "Voodoo 2"), "no modelled device"),
    ],
)
def test_wrong_requests_are_one_line(
    words: tuple[str, ...], said: str, call: Call, tmp_path: Path
) -> None:
    code, out, err = call("apsp", SAMPLE, "-o", tmp_path / "m.npy", "--engine", "model", *words)
    assert code == 1
    assert out == ""
    assert said in err
    assert err.count("\n") == 1
    assert not (tmp_path / "m.npy").exists()


def test_a_failed_proof_is_code_3_and_leaves_nothing(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gpu.proof.verify._certificate_fault", lambda *_: "an arc can be relaxed")
    path = tmp_path / "m.npy"
    code, _, err = call("apsp", SAMPLE, "-o", path, "--engine", "model", "--verify")
    assert code == 3
    assert "verification failed" in err
    assert not path.exists()


def test_a_table_in_place_of_rows(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "far.csv"
    given = ("--engine", "model", "--sources", "5", "--reduce", "--verify")
    code, out, _ = call("apsp", SAMPLE, "-o", path, *given)
    assert code == 0
    assert "all 5 rows proved right" in out
    lines = path.read_text().splitlines()
    assert lines[0] == "source_id,source,reached,eccentricity,closeness"
    assert len(lines) == 6
    assert [file.name for file in tmp_path.glob("far*")] == ["far.csv"]
