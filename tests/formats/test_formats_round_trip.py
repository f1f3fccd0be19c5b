"""Every pair of formats: what one writes and reads, the other writes and reads too, or refuses.

The same graph: vertices and their ids, arcs with weights of the same kind, coordinates. Where a
format numbers vertices itself, that is said, and the numbers are the graph's own order.
"""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp

from gpu.cli import main as cli
from gpu.errors import GraphError, ParameterError
from gpu.formats import READERS, load_graph, save_graph
from gpu.graph import CSRGraph, Provenance

SUFFIXES = tuple(s for row in READERS.values() if row.write is not None for s in row.suffixes)
PACKED = (".gr.gz", ".mtx.xz", ".npz.gz")
LETTERS = st.characters(codec="utf-8", exclude_characters="\0")
NAMES = st.one_of(
    st.text(LETTERS, min_size=1, max_size=5),
    st.sampled_from(["7", "007", " a", "a", 'a"b', "a, b", "#1", "😀", "-1", "source", "p", "1.5"]),
)


@st.composite
def graphs(draw: st.DrawFn) -> CSRGraph:
    """Any graph: directed or not, int or float, ids or none, places or none, arcs or none."""
    n = draw(st.integers(1, 6))
    m = draw(st.integers(0, 12))
    tails, heads = draw(hnp.arrays(np.int64, (2, m), elements=st.integers(0, n - 1)))
    high = draw(st.sampled_from([1, 9, 2**31 - 1]))
    whole = hnp.arrays(np.int32, m, elements=st.integers(0, high))
    long = hnp.arrays(np.int64, m, elements=st.integers(2**31, 2**63 - 1))
    real = hnp.arrays(np.float64, m, elements=st.floats(0, allow_infinity=False))
    short = hnp.arrays(np.float32, m, elements=st.floats(0, width=32, allow_infinity=False))
    weights = draw(st.one_of(whole, long, real, short))
    if draw(st.booleans()):
        tails, heads = np.append(tails, heads), np.append(heads, tails)
        weights = np.append(weights, weights)
        kept = tails != heads
        tails, heads, weights = tails[kept], heads[kept], weights[kept]
    numbers = st.lists(st.integers(-3, 2**62), min_size=n, max_size=n, unique=True)
    words = st.lists(NAMES, min_size=n, max_size=n, unique=True)
    ids = draw(st.one_of(st.none(), numbers.map(np.array), words.map(np.array)))
    places = hnp.arrays(np.float32, (n, 2), elements=st.floats(-1e9, 1e9, width=32))
    return CSRGraph.from_arcs(
        tails, heads, weights, n, ids=ids, id_base=draw(st.sampled_from([0, 1, 7])),
        positions=draw(st.one_of(st.none(), places)), name="drawn",
    )  # fmt: skip


def facts(graph: CSRGraph, names: list[str]) -> tuple:
    tails = np.repeat(np.arange(graph.n), np.diff(graph.indptr)).tolist()
    ends = zip(tails, graph.indices.tolist(), graph.weights.tolist(), strict=True)
    arcs = Counter((names[u], names[v], w) for u, v, w in ends)
    kind = graph.weights.dtype.kind if graph.m else None
    places = None if graph.positions is None else graph.positions.tolist()
    return arcs, kind, sorted(names), places and sorted(zip(names, places, strict=True))


def assert_comes_back(graph: CSRGraph, path: Path) -> CSRGraph | None:
    """Write and read; the same graph comes back. None where the format refuses it."""
    try:
        told = save_graph(graph, path)
    except GraphError:
        with pytest.raises(GraphError, match=r"write \."):
            save_graph(graph, path)
        save_graph(graph, path.with_suffix(".npz"))
        return None
    back = load_graph(path)
    names = [str(back.id_of(v)) for v in range(back.n)]
    if "coordinates are not kept; .npz and .gr keep them" in told:
        assert back.positions is None
        graph = replace(graph, positions=None)
    if any(words.startswith("ids ") for words in told):
        assert facts(back, names) == facts(graph, names)
    else:
        assert facts(back, names) == facts(graph, [str(graph.id_of(v)) for v in range(graph.n)])
    return back


@settings(max_examples=150)
@given(graph=graphs(), suffix=st.sampled_from(SUFFIXES + PACKED))
def test_every_format(
    tmp_path_factory: pytest.TempPathFactory, graph: CSRGraph, suffix: str
) -> None:
    assert_comes_back(graph, tmp_path_factory.mktemp("one") / f"one{suffix}")


def lonely(**kept: object) -> CSRGraph:
    none = np.zeros(0, np.int32)
    return CSRGraph.from_arcs(none, none, none, 3, **kept)


def test_a_name_that_would_be_read_as_another_format_is_refused(tmp_path: Path) -> None:
    for name, form in (("g.csv", "dimacs"), ("g.mtx", "dimacs"), ("g.txt", "matrix_market")):
        with pytest.raises(ParameterError, match=f"name it {name}."):
            save_graph(lonely(), tmp_path / name, form)
    save_graph(lonely(), tmp_path / "g", "dimacs")
    assert load_graph(tmp_path / "g").n == 3


def test_convert_says_what_is_renumbered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "towns.csv").write_text('from,to,km\nOslo,"Bergen, west",3\n')
    out = tmp_path / "towns.gr"
    assert cli.main(["convert", str(tmp_path / "towns.csv"), str(out)]) == 0
    told = capsys.readouterr().out
    assert "ids Bergen, west to Oslo are not kept: vertices are 1 to 2" in told


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
