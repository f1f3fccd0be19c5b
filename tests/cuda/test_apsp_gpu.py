"""The all-pairs kernels on a real GPU; skipped with the reason where there is none."""

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_cuda_gpu import PROBED, random_graph, run_typed

from gpu.cuda import apsp, apsp_records
from gpu.cuda.device import why_not
from gpu.engine import Observer, RunBuffers, execute
from gpu.errors import MemoryNeededError
from gpu.graph import CSRGraph
from gpu.proof.verify import certificate, oracle_distances, verify_rows
from gpu.record.trace import NEVER, Flag, RunSettings, reached_mask

REASON = why_not()
pytestmark = [pytest.mark.gpu, pytest.mark.skipif(REASON is not None, reason=str(REASON))]
KEYS = ("edge_apsp", "delta_apsp", "apsp_fast")


def hub_graph() -> CSRGraph:
    """A star both ways with a chain at its end: hubs, long paths, parallel arcs, loops."""
    leaves = np.arange(1, 3000)
    chain = np.arange(3000, 3400)
    tails = np.r_[np.zeros(2999, int), leaves, 5, chain, [7, 7, 7]]
    heads = np.r_[leaves, np.zeros(2999, int), 3000, chain + 1, [7, 8, 8]]
    weights = np.random.default_rng(3).integers(0, 50, len(tails)).astype(np.int32)
    return CSRGraph.from_arcs(tails, heads, weights, 3401, name="hub")


def assert_rows_right(graph: CSRGraph, first: int, dist: np.ndarray, rows: Any) -> None:
    for row in rows:
        expected = oracle_distances(graph, first + int(row))
        reached = reached_mask(dist[row])
        assert np.array_equal(reached, np.isfinite(expected))
        if graph.integer:
            assert np.array_equal(dist[row][reached].astype(np.float64), expected[reached])
        else:
            assert dist[row][reached] == pytest.approx(expected[reached], rel=1e-5)


@pytest.mark.parametrize(("probe", "numbers"), PROBED)
@pytest.mark.parametrize("key", KEYS)
def test_random_graphs(key: str, probe: int, numbers: str) -> None:
    for seed in range(25):
        graph = random_graph(seed, numbers)
        trace = run_typed(graph, key, "cuda", probe=probe)
        assert trace.dist.shape == (graph.n, graph.n)
        assert trace.clock == "measured"
        assert verify_rows(graph, 0, trace.dist).passed
        assert_rows_right(graph, 0, trace.dist, [0, graph.n - 1])
        last = trace.last
        assert last["flags"] & Flag.FINISHED
        assert last["occupancy"][:3].tolist() == [0, 0, graph.n]
        assert last["processed_vertices"] >= graph.n
        assert probe or len(trace.samples) == 1


@pytest.mark.parametrize("place", ["shared", "mixed", "global"])
@pytest.mark.parametrize("key", KEYS)
def test_every_place_of_a_row(key: str, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = apsp.placed
    most = {"shared": 10**6, "mixed": 6000, "global": 4200}[place]

    def small(kind: apsp.Kind, n: int, limit: int, size: int) -> tuple[str, int]:
        return chosen(kind, n, min(limit, most), size)

    monkeypatch.setattr(apsp, "placed", small)
    for graph in (
        hub_graph(),
        random_graph(5, "float64", 2000),
        random_graph(4, "int32", 3000, 30),
    ):
        trace = run_typed(graph, key, "cuda", probe=0, parameters={"sources": 200})
        assert verify_rows(graph, 0, trace.dist).passed, trace.environment["kernel"]
    if key != "edge_apsp":
        assert trace.environment["kernel"].endswith(place)


@pytest.mark.parametrize("key", KEYS)
def test_chunks_and_ranges(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apsp_records, "LEAST_BYTES", 4 * 1000 * 40)
    monkeypatch.setattr(apsp_records, "ALL_SLOTS_BYTES", 4 * 1000 * 200)
    graph = random_graph(9, "int32", 1000)
    given = {"first_source": 100, "sources": 777, "workers": 7}
    trace = run_typed(graph, key, "cuda", probe=2, parameters=given)
    assert trace.environment["chunks"] > 5
    assert trace.settings.source == 100
    assert verify_rows(graph, 100, trace.dist).passed
    kept = trace.vertices
    assert (kept.first_reached_ns[:100] == NEVER).all()
    assert (kept.first_reached_ns[877:] == NEVER).all()
    assert (kept.first_reached_ns[100:877] >= 0).all()
    assert (kept.last_improved_ns[100:877] >= kept.first_reached_ns[100:877]).all()
    assert (kept.times_processed[100:877] >= 1).all()


def test_46341_vertices_into_a_memory_map(tmp_path: Path) -> None:
    n, rows = 46_341, 46_341
    graph = random_graph(2, "int32", n, 4)
    whole = np.lib.format.open_memmap(tmp_path / "m.npy", "w+", np.int32, (rows, n))
    buffers = RunBuffers(whole)
    parameters = {"first_source": 0, "sources": None, "workers": None}
    for key in KEYS[1:]:
        settings = RunSettings(key, "cuda", "cuda:0", 0, None, 0, parameters=parameters)
        outcome = execute(graph, settings, buffers, Observer())
        assert outcome.environment["chunks"] > 1
        for row in (0, 1, 23_170, 46_339, 46_340):
            assert certificate(graph, row, np.asarray(whole[row])) is None
        assert verify_rows(graph, 0, whole, rows=64).passed
        whole[:] = -1


@pytest.mark.parametrize("key", KEYS)
def test_stop_ends_within_50_ms_and_leaves_whole_rows(key: str) -> None:
    graph = random_graph(2, "int32", 40_000, 4)
    asked: list[float] = []
    begun = time.perf_counter()

    def should_stop() -> bool:
        if time.perf_counter() - begun > 0.15:
            asked.append(time.perf_counter())
        return bool(asked)

    kept = RunBuffers(np.full((8000, graph.n), np.iinfo(np.int32).max, np.int32))
    parameters = {"first_source": 0, "sources": 8000, "workers": 2}
    settings = RunSettings(key, "cuda", "cuda:0", 0, None, 1, parameters=parameters)
    outcome = execute(graph, settings, kept, Observer(None, should_stop))
    took = time.perf_counter() - asked[0]
    assert outcome.outcome == "stopped"
    assert took < 0.05
    begun_rows = np.flatnonzero(reached_mask(kept.dist).any(axis=1))
    for row in begun_rows[:20]:
        assert certificate(graph, int(row), kept.dist[row]) is None


def test_what_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from gpu.cuda.apsp_stream import Conveyor

    monkeypatch.setattr(Conveyor, "_free_bytes", lambda self: 1000)
    with pytest.raises(MemoryNeededError, match="fewer sources"):
        run_typed(random_graph(1, "int32", 1000), "apsp_fast", "cuda")
