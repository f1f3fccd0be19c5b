"""Formats of other programs: the same tiny graph, its weights, places, names; and no bombs."""

import gzip
from pathlib import Path

import pytest
from exchange_files import ARCS, GEXF_HEAD, GRAPHML_HEAD, gexf, gml, graphml
from test_formats import arcs_of, save

from gpu import files as memory
from gpu.errors import FormatError, MemoryNeededError
from gpu.formats import load_graph

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
