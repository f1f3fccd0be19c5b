"""All pairs on the model: rows equal SciPy's, samples, chunks of time, refusals, the door."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_algorithms import assert_equal, oracle

import gpu
from gpu.errors import CancelledByUserError, GpuError
from gpu.graph import INT_UNREACHED, CSRGraph
from gpu.proof.verify import certificate, verify, verify_rows
from gpu.study.apsp import ProofError, all_pairs, matrix_algorithms, matrix_file

KEYS = matrix_algorithms()
KINDS = [np.int32, np.float32]


def random_graph(seed: int, kind: type, n: int = 60, m: int = 240, least: int = 0) -> CSRGraph:
    """Random arcs: parallel ones, loops, zero weights, some vertices unreachable."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(least, 30, m).astype(kind)
    if kind is np.float32:
        weights = (weights * np.float32(0.37)).astype(np.float32)
    return CSRGraph.from_arcs(rng.integers(0, n, m), rng.integers(0, n, m), weights, n)


def every_row(graph: CSRGraph) -> np.ndarray:
    """Return SciPy's distances from each vertex, float64 (n, n)."""
    return np.array([oracle(graph, source) for source in range(graph.n)])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("key", KEYS)
def test_rows_equal_scipy(key: str, kind: type) -> None:
    for seed in range(8):
        n = (1, 2, 33, 60)[seed % 4]
        graph = random_graph(seed, kind, n, (0, 3, 100, 240)[seed % 4])
        trace = gpu.run(graph, key, probe=2, device=("RTX 2080 Ti", "Classroom GPU")[seed % 2])
        assert trace.dist.shape == (n, n)
        assert_equal(graph, trace.dist, every_row(graph), key)
        assert verify(graph, 0, trace.dist).passed
        assert certificate(graph, 0, trace.dist) is None


@pytest.mark.parametrize("key", KEYS)
def test_stop_leaves_whole_rows_and_unreached_ones(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gpu.loops.run.ARCS_PER_SLICE", 2000)
    graph = random_graph(7, np.int32, 200, 900)
    asked: list[int] = []

    def should_stop() -> bool:
        asked.append(1)
        return len(asked) > 20

    trace = gpu.run(graph, key, parameters={"workers": 1}, should_stop=should_stop)
    assert trace.outcome == "stopped"
    done = int(trace.last["occupancy"][2])
    assert 0 < done < 200
    assert verify_rows(graph, 0, trace.dist[:done]).passed
    assert (trace.dist[done + 1 :] == INT_UNREACHED).all()


@pytest.mark.parametrize("delta", [0.01, 7.3, 1e9])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("key", KEYS[1:])
def test_any_delta_is_right(key: str, kind: type, delta: float) -> None:
    graph = random_graph(9, kind)
    trace = gpu.run(graph, key, delta=delta)
    assert_equal(graph, trace.dist, every_row(graph), key)
    assert trace.last["delta"] == delta


def test_a_large_matrix_is_sampled_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpu.proof.verify.ARCS_ALL", 3000)
    graph = random_graph(3, np.int32)
    dist = gpu.run(graph, "apsp_fast").dist
    outcome = verify_rows(graph, 0, dist)
    assert outcome.passed
    assert "10 of 60 rows proved right (a seeded sample)" in outcome.detail
    wrong = dist.copy()
    wrong[59, int(np.argmax(np.where(dist[59] == INT_UNREACHED, -1, dist[59])))] += 1
    assert not verify_rows(graph, 0, wrong).passed  # first and last always
    with pytest.raises(CancelledByUserError):
        verify_rows(graph, 0, dist, should_stop=lambda: True)


def left_in(folder: Path) -> list[str]:
    return [p.name for p in folder.iterdir() if p.suffix in {".npy", ".part"}]


def test_the_door_writes_a_whole_file_or_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph, path = random_graph(4, np.int32), tmp_path / "m.npy"
    rows = all_pairs(graph, tmp_path / "part.npy", sources="5:25", verify=True)
    assert_equal(graph, rows, every_row(graph)[5:25], "rows 5 to 24")
    (tmp_path / "part.npy").unlink()
    with pytest.raises(CancelledByUserError):
        all_pairs(graph, path, should_stop=lambda: True)
    assert left_in(tmp_path) == []

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        all_pairs(graph, path, progress=interrupt)
    assert left_in(tmp_path) == []
    monkeypatch.setattr("gpu.proof.verify._certificate_fault", lambda *_: "an arc can be relaxed")
    with pytest.raises(ProofError, match="nothing was written"):
        all_pairs(graph, path, verify=True)
    assert left_in(tmp_path) == []


def test_space_on_the_disk_is_checked_first(tmp_path: Path) -> None:
    with (
        pytest.raises(GpuError, match=r"10,000,000 rows .* free there: take fewer sources"),
        matrix_file(tmp_path / "m.npy", (10_000_000, 10_000_000), np.dtype(np.int32)),
    ):
        pytest.fail("there cannot be so much space")
    assert left_in(tmp_path) == []
    with (
        pytest.raises(GpuError, match="a file of its own"),
        matrix_file("/dev/null", (2, 2), np.dtype(np.int32)),
    ):
        pytest.fail("a device is no file")
