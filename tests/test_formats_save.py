"""Writers: what is written reads back the same, in every format that can hold it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gpu.errors import GraphError, ParameterError
from gpu.formats import load_graph, save_graph
from gpu.graph import CSRGraph, Provenance

SUFFIXES = (".npz", ".gr", ".galois.gr", ".mtx", ".csv", ".txt", ".gr.gz", ".mtx.xz", ".tsv.bz2")


@st.composite
def graphs(draw: st.DrawFn) -> CSRGraph:
    """Any graph: parallel arcs, loops, zero weights, isolated vertices, int or float."""
    n = draw(st.integers(1, 12))
    m = draw(st.integers(0, 30))
    ends = hnp.arrays(np.int64, (2, m), elements=st.integers(0, n - 1))
    whole = hnp.arrays(np.int32, m, elements=st.integers(0, 2**31 - 1))
    real = hnp.arrays(np.float32, m, elements=st.floats(2.0**-20, 2.0**40, width=32))
    tails, heads = draw(ends)
    return CSRGraph.from_arcs(tails, heads, draw(st.one_of(whole, real)), n, name="drawn")


@pytest.mark.parametrize("suffix", SUFFIXES)
@settings(max_examples=25)
@given(graph=graphs())
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, suffix: str, graph: CSRGraph) -> None:
    if graph.m == 0 and suffix not in {".npz", ".gr", ".gr.gz", ".mtx", ".mtx.xz"}:
        return  # no arcs: an edge list has nothing to say, a Galois file no type
    path = tmp_path_factory.mktemp("trip") / f"drawn{suffix}"
    save_graph(graph, path)
    back = load_graph(path)
    assert (back.n, back.m) == (graph.n, graph.m)
    assert np.array_equal(back.indptr, graph.indptr)
    assert np.array_equal(back.indices, graph.indices)
    assert np.array_equal(back.weights, graph.weights)
    if graph.m:
        assert back.weights.dtype == graph.weights.dtype
    assert [path.name] == [left.name for left in path.parent.iterdir()]


def small(**kept: object) -> CSRGraph:
    tails, heads = np.array([0, 1, 2]), np.array([1, 2, 0])
    return CSRGraph.from_arcs(tails, heads, np.array([5, 0, 7], np.int32), 3, **kept)


def test_npz_keeps_everything(tmp_path: Path) -> None:
    graph = small(
        positions=np.array([[0, 1], [2, 3], [4, 5]], np.float32),
        ids=np.array(["Ankara", "Zürich", "東京"]),
        id_base=7,
        name="cities",
        provenance=Provenance("somewhere", "drawn", {"seed": 3}, ("a note",)),
    )
    save_graph(graph, tmp_path / "g.npz")
    back = load_graph(tmp_path / "g.npz")
    assert back.hash == graph.hash
    assert np.array_equal(back.positions, graph.positions)  # type: ignore[arg-type]
    assert back.ids is not None
    assert back.ids.tolist() == ["Ankara", "Zürich", "東京"]
    assert (back.id_base, back.name) == (7, "cities")
    assert "when saved: a note" in back.provenance.notes


def test_dimacs_writes_coordinates_beside(tmp_path: Path) -> None:
    positions = np.array([[0.1, 1], [2, -3.25], [4e-7, 5]], np.float32)
    save_graph(small(positions=positions), tmp_path / "g.gr.gz")
    assert (tmp_path / "g.co.gz").is_file()
    assert np.array_equal(load_graph(tmp_path / "g.gr.gz").positions, positions)  # type: ignore[arg-type]


def test_edge_list_keeps_names(tmp_path: Path) -> None:
    for ids in (np.array(["a b", "c", "d"]), np.array([5, 700, 2**60])):
        save_graph(small(ids=ids), tmp_path / "g.csv")
        back = load_graph(tmp_path / "g.csv")
        assert back.ids is not None
        assert back.ids.tolist() == ids.tolist()
        assert back.hash == small().hash
    with pytest.raises(GraphError, match="cannot stand in an edge list"):
        save_graph(small(ids=np.array(["a,b", "c", "d"])), tmp_path / "g.csv")


def test_metis_holds_undirected_graphs_only(tmp_path: Path) -> None:
    with pytest.raises(GraphError, match="without a reverse"):
        save_graph(small(), tmp_path / "g.graph")
    tails, heads = np.array([0, 1, 1, 2, 0]), np.array([1, 0, 2, 1, 0])
    for weights in ([1, 1, 1, 1], [5, 5, 3, 3]):
        graph = CSRGraph.from_arcs(tails[:4], heads[:4], np.array(weights, np.int32), 4)
        save_graph(graph, tmp_path / "g.graph")
        assert load_graph(tmp_path / "g.graph", format="metis").hash == graph.hash


def test_what_a_format_cannot_hold_is_refused(tmp_path: Path) -> None:
    tiny = CSRGraph.from_arcs(np.array([0]), np.array([1]), np.array([1e-30], np.float32), 2)
    with pytest.raises(GraphError, match="read back as integers"):
        save_graph(tiny, tmp_path / "g.galois.gr")
    lonely = CSRGraph.from_arcs(
        np.array([0]), np.array([1]), np.ones(1, np.int32), 3, ids=np.array([4, 5, 6])
    )
    with pytest.raises(GraphError, match="1 vertices of graph have no arc"):
        save_graph(lonely, tmp_path / "g.csv")
    with pytest.raises(ParameterError, match=r"no writer for '\.docx'"):
        save_graph(tiny, tmp_path / "g.docx")
    with pytest.raises(GraphError, match="cannot be written"):
        save_graph(tiny, tmp_path / "absent" / "g.gr")
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == []
