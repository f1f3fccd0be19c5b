"""Many sources: rows equal those of all pairs, reductions theirs, a wrong row is kept out."""

from pathlib import Path

import numpy as np
import pytest

from gpu.engine import run
from gpu.graph import CSRGraph
from gpu.record.trace import RunSettings
from gpu.study.apsp import from_sources, make_plan, source_slice
from sample_graphs import make

DIJKSTRA = RunSettings("dijkstra", "cpu")
FAST = RunSettings("apsp_fast")


@pytest.fixture(scope="module")
def graph() -> CSRGraph:
    return make("grid", n=100)


@pytest.fixture(scope="module")
def whole(graph: CSRGraph) -> np.ndarray:
    return run(graph, FAST).dist


@pytest.mark.parametrize("settings", [DIJKSTRA, FAST], ids=lambda given: given.algorithm)
@pytest.mark.parametrize("which", ["5:30", "7", "7:8"])
def test_rows_are_those_of_all_pairs(
    graph: CSRGraph, whole: np.ndarray, tmp_path: Path, settings: RunSettings, which: str
) -> None:
    first, count = source_slice(which, graph.n)
    plan = make_plan(graph, settings, which, rows=4, verify=True)
    result = from_sources(graph, plan, tmp_path / "rows.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "rows.npy"), whole[first : first + count])
    assert result.proved == count
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["rows.npy"]


def test_rows_are_reduced_on_the_way(graph: CSRGraph, whole: np.ndarray, tmp_path: Path) -> None:
    plan = make_plan(graph, DIJKSTRA, rows=9, reduced=True)
    rows = from_sources(graph, plan, tmp_path / "rows.csv").rows
    table = (tmp_path / "rows.csv").read_text().splitlines()
    assert table[0] == "source_id,source,reached,eccentricity,closeness"
    assert [line.split(",")[3] for line in table[1:]] == [str(float(r)) for r in whole.max(axis=1)]
    assert rows["source"].tolist() == list(range(graph.n))
    assert rows["eccentricity"].tolist() == whole.max(axis=1).tolist()
    assert (rows["reached"] == graph.n).all()
    np.testing.assert_allclose(rows["closeness"], (graph.n - 1) / whole.sum(axis=1), rtol=1e-12)


def test_distances_that_int32_does_not_hold_are_found_again_wider(tmp_path: Path) -> None:
    weights = np.full(3, 2**30, np.int32)
    graph = CSRGraph.from_arcs(np.arange(3), np.arange(1, 4), weights, 4)
    plan = make_plan(graph, DIJKSTRA, "2", rows=1)
    from_sources(graph, plan, tmp_path / "rows.npy")
    rows = np.load(tmp_path / "rows.npy")
    assert rows.dtype == np.int64
    assert rows[0].tolist() == [0, 2**30, 2**31, 3 * 2**30]
