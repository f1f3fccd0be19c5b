"""The command `apsp` as a user meets it, and Ctrl-C in the middle of it."""

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


def test_a_failed_proof_is_code_3_and_leaves_nothing(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gpu.proof.verify._certificate_fault", lambda *_: "an arc can be relaxed")
    path = tmp_path / "m.npy"
    code, _, err = call("apsp", SAMPLE, "-o", path, "--engine", "model", "--verify")
    assert code == 3
    assert "verification failed" in err
    assert not path.exists()
