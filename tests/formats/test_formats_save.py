"""Writers: what is written reads back the same, in every format that can hold it."""

from pathlib import Path

import numpy as np
import pytest

from gpu.errors import GraphError, ParameterError
from gpu.formats import load_graph, save_graph
from gpu.graph import CSRGraph, Provenance


@pytest.mark.parametrize("suffix", [".net", ".gml", ".graphml", ".graph"])
def test_formats_that_are_only_read_say_so(tmp_path: Path, suffix: str) -> None:
    words = rf"no writer for '{suffix}' \(.* is only read\); use \.gr, \.galois"
    with pytest.raises(ParameterError, match=words):
        save_graph(small(), tmp_path / f"g{suffix}")


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
    assert back.ids.tolist() == ["Ankara", "Zürich", "東京"]
    assert (back.id_base, back.name) == (7, "cities")
    assert "when saved: a note" in back.provenance.notes


def test_what_a_format_cannot_hold_is_refused(tmp_path: Path) -> None:
    tiny = CSRGraph.from_arcs(np.array([0]), np.array([1]), np.array([1e-30], np.float32), 2)
    with pytest.raises(GraphError, match="read back as integers"):
        save_graph(tiny, tmp_path / "g.galois.gr")
    lonely = CSRGraph.from_arcs(
        np.array([0]), np.array([1]), np.ones(1, np.int32), 3, ids=np.array([4, 5, 6])
    )
    with pytest.raises(GraphError, match="vertices without edges that have names"):
        save_graph(lonely, tmp_path / "g.csv")
    whole = CSRGraph.from_arcs(np.array([0]), np.array([1]), np.array([10**9], np.int32), 2)
    with pytest.raises(GraphError, match="read back as floats"):
        save_graph(whole, tmp_path / "g.galois")
    with pytest.raises(ParameterError, match=r"no writer for '\.docx'"):
        save_graph(tiny, tmp_path / "g.docx")
    with pytest.raises(GraphError, match="cannot be written"):
        save_graph(tiny, tmp_path / "absent" / "g.gr")
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == []
