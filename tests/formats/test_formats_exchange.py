"""Formats of other programs: the same tiny graph, its weights, places, names; and no bombs."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from exchange_files import (
    ARCS,
    DIRECTED,
    EDGES,
    GRAPHML_HEAD,
    TRIANGLE,
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


@pytest.mark.parametrize("name", TRIANGLE)
def test_same_undirected_graph(tmp_path: Path, name: str) -> None:
    graph = load_graph(save(tmp_path, "tiny.any", TRIANGLE[name]))
    assert (graph.n, graph.provenance.format) == (3, name.split(maxsplit=1)[0])
    assert arcs_of(graph) == both_ways(EDGES)


@pytest.mark.parametrize("make", [graphml, gml])
def test_positions_are_kept(tmp_path: Path, make) -> None:
    graph = load_graph(save(tmp_path, "x", make(ARCS, 4, True)))
    assert graph.positions is not None
    first = -0.5 if make is gml else 0.5
    assert graph.positions.tolist() == [[0, first], [1, -1.5], [2, -2.5], [3, -3.5]]


def test_pajek_positions_and_lists(tmp_path: Path) -> None:
    graph = load_graph(save(tmp_path, "x.net", pajek(ARCS, 4, "*arcs")))
    assert graph.positions is not None
    assert graph.positions[3].tolist() == [3, -3.5]
    text = "*Vertices 4\n*Arcslist\n1 2 3\n*Edgeslist\n3 4\n"
    assert arcs_of(load_graph(save(tmp_path, "l.net", text))) == [
        (0, 1, 1), (0, 2, 1), (2, 3, 1), (3, 2, 1),
    ]  # fmt: skip


def test_names_are_kept_in_the_order_of_the_file(tmp_path: Path) -> None:
    nodes = "".join(f'<node id="{name}"/>' for name in ("Oslo", "Bergen", "東京"))
    text = (
        f'{GRAPHML_HEAD}<graph edgedefault="undirected">{nodes}'
        '<edge source="Oslo" target="Bergen"/><edge source="東京" target="Oslo"/></graph></graphml>'
    )
    graph = load_graph(save(tmp_path, "x", text))
    assert graph.ids is not None
    assert graph.ids.tolist() == ["Oslo", "Bergen", "東京"]
    assert arcs_of(graph) == [(0, 1, 1), (0, 2, 1), (1, 0, 1), (2, 0, 1)]
    sparse = load_graph(save(tmp_path, "y", gml([(7, 900, 2)], 0, True).replace(
        "edge", "node [ id 900 ] node [ id 7 ] edge", 1
    )))  # fmt: skip
    assert sparse.ids is not None
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
    with pytest.raises(FormatError, match=r"DIMACS .* does not name its weights"):
        load_graph(save(tmp_path, "a.gr", "p sp 1 0\n"), weight_name="km")


BOMB = "".join(
    f'<!ENTITY {name} "{f"&{before};" * 10}">'
    for before, name in zip("abcdefghi", "bcdefghij", strict=True)
)
MALFORMED = {
    f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "lol">{BOMB}]><graphml>&j;</graphml>':
    ":1: declares the entity 'a'; expected none",
    '<!DOCTYPE graphml [<!ENTITY a SYSTEM "file:///etc/hostname">]>\n<graphml>&a;</graphml>':
    "declares the entity 'a'",
    "<graphml>\n<graph edgedefault='directed'>": r":2: no well-formed XML \(no element found",
    "<graphml>\n<graph/></graphml>": ":2: <graph> with edgedefault=''; expected 'directed'",
    "<graphml></graphml>": "no <graph> element; expected one in <graphml>",
    "<gexf></gexf>": "GEXF .Gephi also writes GraphML. is not read",
    "<graphml>" + "<nodes>" * 200: "nest deeper than 100",
    GRAPHML_HEAD + '<graph edgedefault="directed"><node id="0"/><edge source="0" target="0">'
    '<data key="w">nan</data></edge></graph></graphml>': "weight 'nan'; expected a finite number",
    "graph [ node [ id 0 ] edge [ source 0 target 9 ] ]": ":1: .*undefined target '9'",
    "graph [\n" + "a [ " * 200: ":2: brackets nest deeper than 100",
    "graph [ node [ id 0 ] node [ id 0 ] ]": ":1: node id '0' is duplicated",
    "*Vertices 2\n*Arcs\n1 3 1\n": ":3: '3' is no vertex: line 1 promises 1 to 2",
    "*Vertices 2\n*Edges\n1 2 -4\n": ":3: weight '-4' is below zero; .*--weights absolute",
    "*Vertices 99999999999\n": "99999999999 vertices",
    "*Vertices 3 1\n": ":1: found .* expected one .*Vertices COUNT' .two-mode networks are not",
    "*Arcs\n1 2\n": "before '\\*Vertices COUNT'",
    "*Network a\n*Vertices 2\n*Arcs\n1 2 5\n*Partition b\n*Vertices 2\n1\n2\n":
    ":5: found '.partition b', expected .*of a project save the network alone",
    "*Vertices 2\n*Matrix\n1 0\n0 1\n": ":2: found '.matrix', expected .Vertices, .Arcs or .Edges",
    "from,to,km\n1,2,3\n1,2\n": ":3: 2 columns found '1,2'",
}  # fmt: skip


@pytest.mark.parametrize(("text", "words"), MALFORMED.items())
def test_malformed_is_told_in_one_line(tmp_path: Path, text: str, words: str) -> None:
    path = save(tmp_path, "bad.any", text)
    with pytest.raises(FormatError, match=words) as caught:
        load_graph(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("make", [graphml, gml])
def test_memory_of_trees_is_asked_for_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make
) -> None:
    path = save(tmp_path, "x.gz", gzip.compress(make(ARCS * 2000, 4, True).encode()))
    monkeypatch.setattr(memory, "available_bytes", lambda: 1_000_000)
    with pytest.raises(MemoryNeededError, match="needs about"):
        load_graph(path)
