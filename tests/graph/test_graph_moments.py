"""What the graph says of the moment at the cursor, edges as a layer, and waiting."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from graph_stage import SIDE, Stage, grid_dist, grid_graph, make_trace, triangle
from PyQt6.QtCore import QPoint
from pytestqt.qtbot import QtBot
from screen import grabbed, hover

import gpu
from gpu.graph import INT_UNREACHED, CSRGraph
from sample_graphs import open_sample
from viewer.models.session import RunRecord

VERTEX = 10 * SIDE + 10  # distance 100: reached at 1000 ns, settled at 1200


@pytest.fixture
def streets(qtbot: QtBot) -> Stage:
    stage = Stage(qtbot, grid_graph())
    stage.run(grid_dist(grid_graph()))
    return stage


def card(stage: Stage, cursor_ns: float, qtbot: QtBot) -> str:
    stage.playback.set_cursor(cursor_ns)
    for away in (3, 0):  # a pointer that is there already does not move
        hover(stage.view, stage.place(VERTEX) + QPoint(away, 0))
    assert stage.view.pointed == VERTEX
    return stage.view._card().removeprefix(f"vertex {VERTEX + 1} · ")


def test_labels_under_discs_are_those_of_the_moment(qtbot: QtBot) -> None:
    stage = Stage(qtbot, triangle())
    stage.run(np.array([0, 2, 1], np.int32))  # reached at 10 d, settled at 12 d
    for cursor, labels in ((5, ["0", "∞", "∞"]), (11, ["0", "∞", "> 1"]), (21, ["0", "> 2", "1"])):
        stage.playback.set_cursor(cursor)
        assert list(stage.view._names([0, 1, 2]).distances.values()) == labels
    stage.playback.set_cursor(1e9)
    assert list(stage.view._names([0, 1, 2]).distances.values()) == ["0", "2", "1"]


def test_a_live_run_has_a_past_too(streets: Stage, qtbot: QtBot) -> None:
    dist = grid_dist(grid_graph())
    dist[-1] = INT_UNREACHED
    record = RunRecord.from_trace(2, make_trace(grid_graph(), dist))
    record.state = "running"
    streets.session.add_run(record)
    streets.view.set_colour_by("state")
    assert streets.playback.following
    assert card(streets, 1100, qtbot).startswith("tentative at 1.100 µs · distance so far 100")
    assert card(streets, 1300, qtbot).startswith("distance so far 100 · ")
    streets.view.pointed = -1
    streets.settle()
    assert (2, "settled, so far") in streets.view.legend.legend().swatches
    assert streets.colour_at(VERTEX) == streets.table_colour("state", 2)
    streets.playback.set_cursor(500)
    streets.settle()
    assert streets.colour_at(VERTEX) == streets.table_colour("state", 0)
    last = streets.view._session.graph
    assert last is not None
    streets.view.pointed = last.n - 1
    assert streets.view._card().endswith("unreached so far")


def hairball(n: int = 400, m: int = 20_000) -> CSRGraph:
    rng = np.random.default_rng(3)
    places = rng.random((n, 2)).astype(np.float32)
    tails, heads = rng.integers(0, n, (2, m))
    return CSRGraph.from_arcs(tails, heads, np.ones(m, np.int32), n, positions=places)


def test_edges_are_a_grey_layer_under_vertices_that_can_be_left_out(qtbot: QtBot) -> None:
    stage = Stage(qtbot, hairball())
    with_edges = grabbed(stage.view)
    assert stage.view.drawn_text().endswith("as grey")
    stage.view.set_edges(False)
    stage.settle()
    assert stage.view.drawn_text().endswith(", edges left out")
    without = grabbed(stage.view)
    middle = without.rect().center()
    paper = stage.view._theme.plot
    greys = sum(
        without.pixelColor(middle.x() + dx, middle.y()).name() == paper
        and with_edges.pixelColor(middle.x() + dx, middle.y()).name() != paper
        for dx in range(-100, 100)
    )
    assert greys > 100
    stage.view.set_edges(True)
    stage.settle()
    assert grabbed(stage.view) == with_edges


ROWS = ["adds", "near_far", "bellman_ford", "dijkstra"]


@pytest.mark.parametrize("key", ROWS)
def test_times_processed_follow_the_cursor_where_events_were_recorded(
    qtbot: QtBot, key: str
) -> None:
    graph = open_sample("sample:figure_6")
    stage = Stage(qtbot, graph)
    trace = gpu.run(graph, key, probe=3, device="Classroom GPU")
    stage.session.add_run(RunRecord.from_trace(1, trace))
    stage.view.set_colour_by("processed")
    assert trace.vertices is not None
    whole, seen = trace.vertices.times_processed.tolist(), []
    for when in trace.samples["t_ns"].tolist():
        stage.playback.set_cursor(float(when))
        look = stage.view._look()
        seen.append((when, look.colouring.values.tolist()))
        if when < stage.playback.duration_ns:
            assert look.legend.note.endswith("counts so far")
    assert sum(seen[0][1]) <= 1, "at most the source is taken at the start"
    assert seen[-1][1] == whole
    for when, counts in seen:
        row = trace.samples[trace.samples["t_ns"] == when][-1]
        assert sum(counts) == row["processed_vertices"], "as the samples have it"
    trace = replace(trace, events=None)
    stage.session.add_run(RunRecord.from_trace(2, trace))
    stage.playback.set_cursor(0.0)
    look = stage.view._look()
    assert look.colouring.values.tolist() == whole
    assert look.legend.note.endswith("counts of the whole run")
