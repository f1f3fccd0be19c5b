"""All pairs on the model: rows equal SciPy's, samples, chunks of time, refusals, the door."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

import gpu
from gpu.algorithms import ALGORITHMS
from gpu.errors import (
    CancelledByUserError,
    GpuError,
    MemoryNeededError,
    ParameterError,
    WeightError,
)
from gpu.graph import INT_UNREACHED, CSRGraph
from gpu.proof.verify import certificate, verify, verify_rows
from gpu.record.trace import (
    NEVER,
    Flag,
    reached_mask,
)
from gpu.study.apsp import (
    ProofError,
    all_pairs,
    matrix_algorithms,
    matrix_file,
)

KEYS = matrix_algorithms()
KINDS = [np.int32, np.float32]


def random_graph(seed: int, kind: type, n: int = 60, m: int = 240, least: int = 0) -> CSRGraph:
    """Random arcs: parallel ones, loops, zero weights, some vertices unreachable."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(least, 30, m).astype(kind)
    if kind is np.float32:
        weights = (weights * np.float32(0.37)).astype(np.float32)
    return CSRGraph.from_arcs(rng.integers(0, n, m), rng.integers(0, n, m), weights, n)


def scipy_matrix(graph: CSRGraph) -> np.ndarray:
    """Return SciPy's distances, float64 (n, n), on the lightest of parallel arcs."""
    tails = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    lightest: dict[tuple[int, int], float] = {}
    for u, v, w in zip(tails.tolist(), graph.indices.tolist(), graph.weights.tolist(), strict=True):
        if u != v:
            lightest[u, v] = min(w, lightest.get((u, v), np.inf))
    ends = np.array(list(lightest), np.int32).reshape(-1, 2)
    values = np.array(list(lightest.values()))
    matrix = csr_array((values, (ends[:, 0], ends[:, 1])), shape=(graph.n, graph.n))
    return shortest_path(matrix, method="D", directed=True)


def assert_rows_equal(graph: CSRGraph, dist: np.ndarray, expected: np.ndarray) -> None:
    got = np.where(reached_mask(dist), dist.astype(np.float64), np.inf)
    if graph.integer:
        np.testing.assert_array_equal(got, expected)
    else:
        np.testing.assert_allclose(got, expected, rtol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("key", KEYS)
def test_rows_equal_scipy(key: str, kind: type) -> None:
    for seed in range(12):
        n = (1, 2, 33, 60)[seed % 4]
        graph = random_graph(seed, kind, n, (0, 3, 100, 240)[seed % 4])
        trace = gpu.run(graph, key, probe=2, device=("RTX 2080 Ti", "Classroom GPU")[seed % 2])
        assert trace.dist.shape == (n, n)
        assert_rows_equal(graph, trace.dist, scipy_matrix(graph))
        assert verify(graph, 0, trace.dist).passed
        assert certificate(graph, 0, trace.dist) is None


@pytest.mark.parametrize("key", KEYS)
def test_samples_count_sources(key: str) -> None:
    graph = random_graph(3, np.int32, 400, 1600)
    trace = gpu.run(graph, key, device="Classroom GPU", probe=2, parameters={"sources": 100})
    samples = trace.samples
    assert len(samples) > 10
    assert (samples["occupancy"][:, :3].sum(axis=1) == 100).all()
    assert (np.diff(samples["occupancy"][:, 2]) >= 0).all()
    assert samples["busy_workers"].max() == 4
    assert (samples["busy_workers"] == samples["occupancy"][:, 1]).all()
    assert samples[-1]["flags"] & Flag.FINISHED
    for name in ("t_ns", "processed_vertices", "relaxed_edges", "improved", "bucket_switches"):
        assert (np.diff(samples[name]) >= 0).all(), name
    kept = trace.vertices
    assert (kept.first_reached_ns[:100] >= 0).all()
    assert (kept.last_improved_ns[:100] > kept.first_reached_ns[:100]).all()
    assert (kept.times_processed[:100] > 0).all()
    assert (kept.first_reached_ns[100:] == NEVER).all()
    assert trace.reached == np.count_nonzero(trace.dist != INT_UNREACHED)
    assert trace.distance_summary()["sum"] == trace.dist[trace.dist != INT_UNREACHED].sum()


@pytest.mark.parametrize("key", KEYS)
def test_a_range_of_sources(key: str) -> None:
    graph = random_graph(5, np.int32)
    whole = gpu.run(graph, key).dist
    given = {"first_source": 20, "sources": 7, "workers": 2}
    part = gpu.run(graph, key, source=3, parameters=given)
    np.testing.assert_array_equal(part.dist, whole[20:27])
    assert part.settings.source == 20  # what was given as source is ignored
    assert part.samples["busy_workers"].max() <= 2


@pytest.mark.parametrize("key", KEYS)
def test_stop_leaves_whole_rows_and_unreached_ones(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gpu.loops.driver.ARCS_PER_SLICE", 2000)
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


@pytest.mark.parametrize("delta", [0.01, 1.0, 7.3, 1e9])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("key", KEYS[1:])
def test_any_delta_is_right(key: str, kind: type, delta: float) -> None:
    graph = random_graph(9, kind)
    trace = gpu.run(graph, key, delta=delta)
    assert_rows_equal(graph, trace.dist, scipy_matrix(graph))
    assert trace.last["delta"] == delta


@pytest.mark.parametrize("key", KEYS)
def test_a_distance_past_the_range_counts_only_without_another_way(key: str) -> None:
    heavy = np.array([2**31 - 10, 100], np.int32)
    graph = CSRGraph.from_arcs(np.array([0, 1]), np.array([1, 2]), heavy, 3)
    with pytest.raises(WeightError, match=r"arc 1 -> 2 .*use --numbers"):
        gpu.run(graph, key, numbers="int32")
    assert gpu.run(graph, key).dist[0].tolist() == [0, 2**31 - 10, 2**31 + 90]
    weights = np.r_[heavy, 7].astype(np.int32)
    detour = CSRGraph.from_arcs(np.array([0, 1, 0]), np.array([1, 2, 2]), weights, 3)
    assert gpu.run(detour, key).dist[0].tolist() == [0, 2**31 - 10, 7]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"first_source": 60}, "first_source = 60; allowed: 0 to 59"),
        ({"sources": 61}, "sources = 61 from 0 on; allowed: 1 to 60"),
        ({"first_source": 50, "sources": 11}, "allowed: 1 to 10"),
        ({"sources": 0}, "sources = 0; allowed: a whole number from 1"),
        ({"rows": 3}, "has no parameter 'rows'"),
    ],
)
def test_wrong_sources_are_named(given: dict[str, int], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        gpu.run(random_graph(1, np.int32), "apsp_fast", parameters=given)


def test_a_matrix_that_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpu.files.available_bytes", lambda: 10_000)
    with pytest.raises(MemoryNeededError, match=r"60 sources to 60 vertices .* -o matrix\.npy"):
        gpu.run(random_graph(1, np.int32), "apsp_fast")


def wrong_row(graph: CSRGraph, row: int) -> np.ndarray:
    dist = gpu.run(graph, "apsp_fast").dist
    far = int(np.argmax(np.where(dist[row] == INT_UNREACHED, -1, dist[row])))
    dist[row, far] += 1
    return dist


def test_a_wrong_row_is_found_and_named() -> None:
    graph = random_graph(3, np.int32, least=1)
    outcome = verify_rows(graph, 0, wrong_row(graph, 17))
    assert not outcome.passed
    assert "from source 17" in outcome.detail
    assert "from source 17" in str(certificate(graph, 0, wrong_row(graph, 17)))


def test_a_large_matrix_is_sampled_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpu.proof.verify.ARCS_ALL", 3000)
    graph = random_graph(3, np.int32)
    dist = gpu.run(graph, "apsp_fast").dist
    outcome = verify_rows(graph, 0, dist)
    assert outcome.passed
    assert "10 of 60 rows proved right (a seeded sample)" in outcome.detail
    assert not verify_rows(graph, 0, wrong_row(graph, 59)).passed  # first and last always
    with pytest.raises(CancelledByUserError):
        verify_rows(graph, 0, dist, should_stop=lambda: True)


def test_the_door_writes_a_file_that_is_whole(tmp_path: Path) -> None:
    graph = random_graph(4, np.int32)
    said: list[str] = []
    kept = all_pairs(
        graph,
        tmp_path / "m.npy",
        sources="5:25",
        verify=True,
        progress=lambda _, words: said.append(words),
    )
    assert kept.shape == (20, 60)
    assert_rows_equal(graph, kept, scipy_matrix(graph)[5:25])
    assert "20 of 20 sources" in said
    assert [path.name for path in tmp_path.glob("*.npy")] == ["m.npy"]


def left_in(folder: Path) -> list[str]:
    return [p.name for p in folder.iterdir() if p.suffix in {".npy", ".part"}]


def test_nothing_half_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph, path = random_graph(4, np.int32), tmp_path / "m.npy"
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


def test_rows_of_all_pairs_have_three_states() -> None:
    assert all(ALGORITHMS[key].occupancy == ("waiting", "running", "done") for key in KEYS)
