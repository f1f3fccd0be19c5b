"""The document behind the editor of graphs: edits, history, rules, text, graphs and back."""

import contextlib
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

import sample_graphs
from gpu.errors import ParameterError
from gpu.formats import load_graph, save_graph
from gpu.graph import CSRGraph
from viewer.features.draw.drawing import EMPTY, Drawing, DrawingModel
from viewer.features.draw.graph import from_graph, placed, to_graph
from viewer.features.draw.rules import LARGEST_WHOLE, next_name, read_weight, weight_words
from viewer.features.draw.text import edge_text, parse_edges

PLACES = st.floats(-1e4, 1e4, width=32)
WEIGHTS = st.one_of(
    st.integers(0, LARGEST_WHOLE), st.floats(0, 2.0**127, width=32, allow_subnormal=False)
)
EDITS = st.lists(
    st.tuples(st.sampled_from("vvvaaanmwrdDx"), st.integers(0, 10**6), PLACES, PLACES, WEIGHTS),
    max_size=30,
)


def sample(key: str) -> Drawing:
    return from_graph(sample_graphs.make(key))


def edit(model: DrawingModel, step: tuple) -> None:
    """Do one of everything that a person can do; what makes no sense is refused in words."""
    kind, number, x, y, weight = step
    drawing = model.drawing
    vertices, arcs = drawing.vertices, drawing.arcs
    if kind == "v":
        model.add_vertex(x, y)
    if kind == "x":
        model.replace_all(sample("figure_1" if number % 2 else "figure_6"), "sample")
    if not vertices:
        return
    one = vertices[number % len(vertices)].key
    two = vertices[number // 7 % len(vertices)].key
    if kind == "a":
        model.add_arc(one, two, weight)
    if kind == "n":
        model.add_arc_to_new(one, x, y)
    if kind == "m":
        model.move({one: (x, y), two: (y, x)})
    if kind == "r":
        model.rename(one, next_name({vertex.name for vertex in vertices}))
    if kind == "d":
        model.remove([one], [arc.key for arc in arcs[: number % 2]])
    if kind == "D":
        model.set_directed(bool(number % 2))
    if arcs and kind == "w":
        model.set_weight([arcs[number % len(arcs)].key], weight)


def drawn(steps: list) -> DrawingModel:
    model = DrawingModel()
    for step in steps:
        edit(model, step)
        model.select_all()
    return model


def arcs_by_name(drawing: Drawing) -> Counter:
    """Return the arcs as a graph has them: an undirected edge is there both ways."""
    found: Counter = Counter()
    for arc in drawing.arcs:
        tail, head = drawing.by_key[arc.tail].name, drawing.by_key[arc.head].name
        weight = float(arc.weight)
        found[tail, head, weight] += 1
        found[head, tail, weight] += not drawing.directed and tail != head
    return found


def arcs_of(graph: CSRGraph) -> Counter:
    tails = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    names = [str(graph.id_of(vertex)) for vertex in range(graph.n)]
    return Counter(
        (names[t], names[h], float(w))
        for t, h, w in zip(tails, graph.indices, graph.weights, strict=True)
    )


@given(EDITS)
def test_undo_goes_back_to_nothing_and_redo_to_the_same(steps: list) -> None:
    model = drawn(steps)
    seen, last = [model.drawing], model.drawing
    while model.undo_words:
        model.undo()
        assert model.selected_vertices <= model.drawing.by_key.keys()
        assert model.selected_arcs <= model.drawing.arc_by_key.keys()
        seen.append(model.drawing)
    assert model.drawing == EMPTY
    for expected in reversed(seen):
        assert model.drawing == expected
        model.redo()
    assert model.drawing == last
    assert not model.redo_words


@given(EDITS)
def test_every_drawing_is_sound_and_is_a_graph(steps: list) -> None:
    drawing = drawn(steps).drawing
    keys = [thing.key for thing in (*drawing.vertices, *drawing.arcs)]
    assert len(set(keys)) == len(keys)
    assert {end for arc in drawing.arcs for end in (arc.tail, arc.head)} <= drawing.by_key.keys()
    if not drawing.vertices:
        with pytest.raises(ParameterError, match="Nothing is drawn"):
            to_graph(drawing)
        return
    graph = to_graph(drawing)
    assert graph.integer != drawing.decimals
    assert arcs_of(graph) == arcs_by_name(drawing)
    back = from_graph(graph)
    assert [v.name for v in back.vertices] == [v.name for v in drawing.vertices]
    assert arcs_by_name(back) == arcs_by_name(drawing)
    if back.directed or not drawing.directed:
        assert to_graph(back).hash == graph.hash


@given(EDITS)
def test_the_text_of_a_drawing_reads_back(steps: list) -> None:
    drawing = drawn(steps).drawing
    if drawing.arcs:
        back = parse_edges(edge_text(drawing, drawing.arcs))
        assert back.directed == drawing.directed
        assert arcs_by_name(back) == arcs_by_name(drawing)


@given(st.text(max_size=200))
def test_no_text_breaks_the_reader(text: str) -> None:
    with contextlib.suppress(ParameterError):
        assert parse_edges(text).arcs


@pytest.mark.parametrize(
    ("text", "arcs"),
    [
        ("S -> A 10\nS->B 1\nB → A 1", ["S A 10", "S B 1", "B A 1"]),
        ("1 2 7\n2 3", ["1 2 7", "2 3 1"]),
        ("source,target,weight\nUlm,New York,3.5", ["Ulm New York 3.5"]),
        ("# comment\n\nx\ty\t0\n// no\n% no", ["x y 0"]),
        ("New York -> San José; 12;", ["New York San José 12"]),
        ("A-B-C 3\nx-1 x-2 3", ["A-B-C 3 1", "x-1 x-2 3"]),
    ],
)
def test_edge_lists_as_people_write_them(text: str, arcs: list[str]) -> None:
    drawing = parse_edges(text)
    names = {vertex.key: vertex.name for vertex in drawing.vertices}
    assert [
        f"{names[arc.tail]} {names[arc.head]} {weight_words(arc.weight)}" for arc in drawing.arcs
    ] == arcs


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("A -> B -4", "negative"), ("A -> B nan", "not a weight"), ("A B C D", "4 columns"),
        ("A -> C 2,5", "write 2.5"), ("A -> D 1e399", "too large"), ("E -> F x", "x"),
        ("A -- B 3", "mixed"), ("A <- B", "write -> or --"), ("A", "1 columns"),
        ("a -> b [weight=3]", "not a weight"),
    ],
)  # fmt: skip
def test_the_first_wrong_line_is_named(line: str, words: str) -> None:
    with pytest.raises(ParameterError, match=f"Line 2: .*{words}"):
        parse_edges(f"A -> B 3\n{line}\nbad bad bad bad")
    with pytest.raises(ParameterError, match="no edge list"):
        parse_edges("\n")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "missing"), ("-0.5", "negative"), ("nan", "not a weight"), ("1e309", "too large"),
        ("1e-400", "too small"), ("2,5", "write 2.5"), ("0x10", "not a weight"),
    ],
)  # fmt: skip
def test_weights_are_whole_or_decimal_or_refused(text: str, word: str) -> None:
    with pytest.raises(ParameterError, match=word):
        read_weight(text)
    assert [read_weight(text) for text in ("7", " 7.0 ", "+3", "-0")] == [7, 7, 3, 0]
    assert read_weight(str(LARGEST_WHOLE)) == LARGEST_WHOLE
    assert isinstance(read_weight(str(LARGEST_WHOLE + 1)), float)


def test_names_are_checked_and_continued() -> None:
    model = DrawingModel()
    keys = [model.add_vertex(k, 0) for k in range(28)]
    names = [vertex.name for vertex in model.drawing.vertices]
    assert names[:3] == ["A", "B", "C"]
    assert names[25:] == ["Z", "AA", "AB"]
    for bad, word in [("B", "already"), ("  ", "missing"), ("x" * 33, "33"), ('a"b', "quote")]:
        with pytest.raises(ParameterError, match=word):
            model.rename(keys[0], bad)
    model.rename(keys[0], " Ulm  Hbf ")
    assert model.drawing.vertices[0].name == "Ulm Hbf"
    assert next_name({"4", "17"}) == "18"


def test_undirected_graphs_are_recognised_and_places_are_kept(tmp_path: Path) -> None:
    ring = placed(parse_edges("A -- B 2\nB -- C\nC -- D 4\nD -- A"))
    graph = to_graph(ring)
    assert graph.m == 2 * len(ring.arcs)
    save_graph(graph, tmp_path / "ring.npz")
    back = from_graph(load_graph(tmp_path / "ring.npz"))
    assert not back.directed
    for one, two in zip(back.vertices, ring.vertices, strict=True):
        assert (one.name, one.x, one.y) == (two.name, np.float32(two.x), np.float32(two.y))
    assert to_graph(back).hash == graph.hash
    figure = sample("figure_1")
    assert figure.directed
    assert abs(figure.vertices[0].x - figure.vertices[2].x) > 100  # no longer 2 units apart
