"""Formats of other programs: the same tiny graph, its weights, places, names; and no bombs."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from exchange_files import (
    ARCS,
    DIRECTED,
    GEXF_HEAD,
    GRAPHML_HEAD,
    gexf,
    gml,
    graphml,
    pajek,
)
from test_formats import arcs_of, both_ways, save

from gpu import files as memory
from gpu.errors import FormatError, MemoryNeededError
from gpu.formats import load_graph


@pytest.mark.parametrize("name", DIRECTED)
def test_same_directed_graph(tmp_path: Path, name: str) -> None:
    graph = load_graph(save(tmp_path, "tiny.any", DIRECTED[name]))
    assert (graph.n, graph.provenance.format) == (4, name.split(maxsplit=1)[0])
    assert arcs_of(graph) == sorted(ARCS)
    assert graph.weights.dtype == np.int32
    assert graph.ids is None
    assert graph.id_base == (1 if name in {"pajek"} else 0)
    assert arcs_of(load_graph(tmp_path / "tiny.any", undirected=True)) == both_ways(ARCS)
    assert set(load_graph(tmp_path / "tiny.any", weights="unit").weights.tolist()) == {1}


@pytest.mark.parametrize("make", [graphml, gexf, gml])
def test_positions_are_kept(tmp_path: Path, make) -> None:
    graph = load_graph(save(tmp_path, "x", make(ARCS, 4, True)))
    first = -0.5 if make is gml else 0.5
    assert graph.positions.tolist() == [[0, first], [1, -1.5], [2, -2.5], [3, -3.5]]


def test_pajek_positions_and_lists(tmp_path: Path) -> None:
    graph = load_graph(save(tmp_path, "x.net", pajek(ARCS, 4, "*arcs")))
    assert graph.positions[3].tolist() == [3, -3.5]
    text = "*Vertices 4\n*Arcslist\n1 2 3\n*Edgeslist\n3 4\n"
    assert arcs_of(load_graph(save(tmp_path, "l.net", text))) == [
        (0, 1, 1), (0, 2, 1), (2, 3, 1), (3, 2, 1),
    ]  # fmt: skip


def test_pajek_networks_of_two_modes(tmp_path: Path) -> None:
    head = "*Vertices 5 3\n"
    edges = [(0, 3, 2), (1, 4, 1), (2, 3, 0.5)]
    for rows in ("*Matrix\n2 0\n0 1\n.5 0\n", "*Edges\n1 4 2\n2 5 1\n3 4 0.5\n"):
        graph = load_graph(save(tmp_path, "x.net", head + rows))
        assert arcs_of(graph) == both_ways(edges)
        assert "two-mode network: vertices 1 to 3 are of the first kind" in graph.provenance.notes
    with pytest.raises(FormatError, match=":4: found '4x', expected a number"):
        load_graph(save(tmp_path, "x.net", head + "*Matrix\n2 0\n4x 1\n"), weights="unit")


@pytest.mark.parametrize("name", ["x.paj", "x.net", "x.any"])
def test_of_a_pajek_project_the_first_network_is_read(tmp_path: Path, name: str) -> None:
    parts = "*Partition p\n*Vertices 3\n1\n2\n2\n*Vector v\n*Vertices 3\n.5\n1\n2\n"
    network = "*Network a\n*Vertices 3\n*Arcs\n1 2 5\n"
    another = "*Network b\n*Vertices 2\n*Arcs\n2 1 7\n"
    for text in (parts + network, network + parts, network + another, network + parts + another):
        assert arcs_of(load_graph(save(tmp_path, name, text))) == [(0, 1, 5)]


GEXF_OVER_TIME = (
    f'{GEXF_HEAD}<graph mode="dynamic" defaultedgetype="directed">'
    '<attributes class="edge"><attribute id="7" title="Weight"/><attribute id="8" title="km"/>'
    '</attributes><nodes><node id="a"/><node id="b"/></nodes>\n<edges>'
    '<edge source="a" target="b" weight="2"><attvalues><attvalue for="8" value="5"/>\n'
    '<attvalue for="7" value="{}" start="1"/></attvalues></edge>'
    '<edge source="b" target="a" weight="3" type="Undirected"/></edges></graph></gexf>'
)


def test_weights_over_time_are_refused(tmp_path: Path) -> None:
    graph = load_graph(save(tmp_path, "one.gexf", GEXF_OVER_TIME.format(2)))
    assert arcs_of(graph) == [(0, 1, 2), (0, 1, 3), (1, 0, 3)]
    assert any(note.startswith("a graph over time") for note in graph.provenance.notes)
    path = save(tmp_path, "two.gexf", GEXF_OVER_TIME.format(4))
    with pytest.raises(FormatError, match=":5: an edge with several values of 'weight'"):
        load_graph(path)
    assert arcs_of(load_graph(path, weight_name="km")) == [(0, 1, 1), (0, 1, 5), (1, 0, 1)]
    assert load_graph(path, weights="unit").m == 3


def test_names_are_kept_in_the_order_of_the_file(tmp_path: Path) -> None:
    nodes = "".join(f'<node id="{name}"/>' for name in ("Oslo", "Bergen", "東京"))
    text = (
        f'{GRAPHML_HEAD}<graph edgedefault="undirected">{nodes}'
        '<edge source="Oslo" target="Bergen"/><edge source="東京" target="Oslo"/></graph></graphml>'
    )
    graph = load_graph(save(tmp_path, "x", text))
    assert graph.ids.tolist() == ["Oslo", "Bergen", "東京"]
    assert arcs_of(graph) == [(0, 1, 1), (0, 2, 1), (1, 0, 1), (2, 0, 1)]
    sparse = load_graph(save(tmp_path, "y", gml([(7, 900, 2)], 0, True).replace(
        "edge", "node [ id 900 ] node [ id 7 ] edge", 1
    )))  # fmt: skip
    assert sparse.ids.tolist() == [7, 900]
    assert arcs_of(sparse) == [(0, 1, 2)]


def test_weights_by_name_and_default(tmp_path: Path) -> None:
    text = GRAPHML_HEAD.replace('"double"/>', '"double"><default>4</default></key>', 1) + (
        '<key id="k" for="edge" attr.name="km" attr.type="string"/><graph edgedefault="directed">'
        '<node id="0"/><node id="1"/><edge source="0" target="1"><data key="k">2.5</data></edge>'
        '<edge source="1" target="0"><data key="w">9</data></edge></graph></graphml>'
    )
    path = save(tmp_path, "x", text)
    graph = load_graph(path)
    assert arcs_of(graph) == [(0, 1, 4), (1, 0, 9)]
    assert "1 edges without it weigh 4" in graph.provenance.notes
    assert arcs_of(load_graph(path, weight_name="KM")) == [(0, 1, 2.5), (1, 0, 1)]
    with pytest.raises(FormatError, match="no weights named 'cost'; there are: 'km', 'weight'"):
        load_graph(path, weight_name="cost")
    table = save(tmp_path, "t.csv", "from,to,km,hours\na,b,3,0.5\n")
    assert load_graph(table, weight_name="hours").weights.tolist() == [0.5]
    assert load_graph(table).weights.tolist() == [1]
    with pytest.raises(FormatError, match=r"DIMACS .* has no names of weights"):
        load_graph(save(tmp_path, "a.gr", "p sp 1 0\n"), weight_name="km")


@pytest.mark.parametrize("make", [graphml, gexf, gml])
def test_memory_of_trees_is_asked_for_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make
) -> None:
    path = save(tmp_path, "x.gz", gzip.compress(make(ARCS * 2000, 4, True).encode()))
    monkeypatch.setattr(memory, "available_bytes", lambda: 1_000_000)
    with pytest.raises(MemoryNeededError, match="needs about"):
        load_graph(path)
