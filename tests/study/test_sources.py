"""Many sources: rows equal those of all pairs, reductions theirs, stopped work goes on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gpu.engine import run
from gpu.errors import CancelledByUserError, ParameterError, SourceError
from gpu.graph import CSRGraph
from gpu.record.trace import RunSettings, Trace
from gpu.study import apsp as sources
from gpu.study.apsp import (
    ProofError,
    chosen_sources,
    from_sources,
    make_plan,
)
from sample_graphs import make

DIJKSTRA = RunSettings("dijkstra", "cpu")
FAST = RunSettings("apsp_fast")


@pytest.fixture(scope="module")
def graph() -> CSRGraph:
    return make("grid", n=100)


@pytest.fixture(scope="module")
def whole(graph: CSRGraph) -> np.ndarray:
    return run(graph, FAST).dist


def left_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.is_file()]


@pytest.mark.parametrize("settings", [DIJKSTRA, FAST], ids=lambda given: given.algorithm)
@pytest.mark.parametrize("which", ["random:13", "5:30", "7", "7:8"])
def test_rows_are_those_of_all_pairs(
    graph: CSRGraph, whole: np.ndarray, tmp_path: Path, settings: RunSettings, which: str
) -> None:
    chosen = chosen_sources(which, graph)
    plan = make_plan(graph, settings, chosen, rows=4, verify=True)
    found = from_sources(graph, plan, tmp_path / "rows.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "rows.npy"), whole[list(chosen)])
    assert found.proved == len(chosen)
    assert left_in(tmp_path) == ["rows.npy"]


def test_a_file_names_sources_by_their_own_ids(tmp_path: Path) -> None:
    graph = CSRGraph.from_arcs(
        np.array([0, 1]), np.array([1, 2]), np.ones(2, np.int32), 3, ids=np.array([10, 20, 30])
    )
    named = tmp_path / "named"
    named.write_text("30\n10\n")
    assert chosen_sources(str(named), graph) == (2, 0)
    named.write_text("30 40")
    with pytest.raises(SourceError, match="40"):
        chosen_sources(str(named), graph)
    named.write_text("30 10 30")
    with pytest.raises(ParameterError, match="vertex 30 stands in it twice"):
        chosen_sources(str(named), graph)
    named.write_text("")
    with pytest.raises(ParameterError, match="names no vertex"):
        chosen_sources(str(named), graph)


@pytest.mark.parametrize("which", ["random:0", "random:101", "random:x", "3:2", "-1", "no.txt"])
def test_what_names_no_sources_is_refused(graph: CSRGraph, which: str) -> None:
    with pytest.raises(ParameterError, match="allowed: "):
        chosen_sources(which, graph)


def test_rows_are_reduced_on_the_way(graph: CSRGraph, whole: np.ndarray, tmp_path: Path) -> None:
    plan = make_plan(graph, DIJKSTRA, range(graph.n), rows=9, reduced=True)
    rows = from_sources(graph, plan, tmp_path / "rows.csv").rows
    assert rows is not None
    table = (tmp_path / "rows.csv").read_text().splitlines()
    assert table[0] == "source_id,source,reached,eccentricity,closeness"
    assert [line.split(",")[3] for line in table[1:]] == [str(float(r)) for r in whole.max(axis=1)]
    assert rows["source"].tolist() == list(range(graph.n))
    assert rows["eccentricity"].tolist() == whole.max(axis=1).tolist()
    assert (rows["reached"] == graph.n).all()
    np.testing.assert_allclose(rows["closeness"], (graph.n - 1) / whole.sum(axis=1), rtol=1e-12)


def test_stopped_work_leaves_nothing(graph: CSRGraph, tmp_path: Path) -> None:
    plan = make_plan(graph, DIJKSTRA, range(40), rows=4)
    done: list[float] = []
    with pytest.raises(CancelledByUserError):
        from_sources(
            graph,
            plan,
            tmp_path / "rows.npy",
            progress=lambda share, _words: done.append(share),
            should_stop=lambda: len(done) > 3,
        )
    assert left_in(tmp_path) == []


def test_distances_that_int32_does_not_hold_are_found_again_wider(tmp_path: Path) -> None:
    weights = np.full(3, 2**30, np.int32)
    graph = CSRGraph.from_arcs(np.arange(3), np.arange(1, 4), weights, 4)
    plan = make_plan(graph, DIJKSTRA, (2, 0), rows=1)
    from_sources(graph, plan, tmp_path / "rows.npy")
    rows = np.load(tmp_path / "rows.npy")
    assert rows.dtype == np.int64
    assert rows[1].tolist() == [0, 2**30, 2**31, 3 * 2**30]


def test_blocks_of_a_gpu_have_a_row_for_every_multiprocessor() -> None:
    large, small_one = make("grid", n=1_000_000), make("grid", n=100)
    settings = replace(FAST, engine="cuda")
    assert make_plan(large, settings, range(10_000)).rows == sources.CUDA_ROWS
    assert make_plan(small_one, settings, range(7)).rows == 7
    assert make_plan(large, FAST, range(10_000)).rows == sources.BLOCK_BYTES // (4 * large.n)
    small = make("grid", n=10_000)
    assert make_plan(small, settings, range(10_000)).rows % sources.CUDA_ROWS == 0


def test_a_wrong_row_is_kept_out(
    graph: CSRGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(graph: CSRGraph, settings: RunSettings, *_given: object) -> Trace:
        trace = run(graph, settings)
        return replace(trace, dist=np.ones_like(trace.dist))

    monkeypatch.setattr(sources, "made", wrong)
    with pytest.raises(ProofError, match=r"row 0: source .* nothing was written"):
        from_sources(graph, make_plan(graph, DIJKSTRA, range(4)), tmp_path / "rows.npy")
    assert not (tmp_path / "rows.npy").exists()
