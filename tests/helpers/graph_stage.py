"""A graph view with its models, for tests: street grids, hand-made runs, colours on screen."""

import numpy as np
from PyQt6.QtCore import QPoint
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from screen import grabbed

from gpu.engine import graph_reference
from gpu.graph import INT_UNREACHED, CSRGraph
from gpu.record.trace import SAMPLE, RunSettings, Trace, VertexProbe
from viewer.graph.view import GraphView
from viewer.models.playback import PlaybackModel
from viewer.models.session import RunRecord, SessionModel

SIDE = 30


def grid_graph(side: int = SIDE, weight: int = 5, dtype: type = np.int32) -> CSRGraph:
    """A square street grid, both directions, vertex row * side + column."""
    steps = np.arange(side * side).reshape(side, side)
    tails = np.concatenate([steps[:, :-1].ravel(), steps[:-1].ravel()])
    heads = np.concatenate([steps[:, 1:].ravel(), steps[1:].ravel()])
    places = np.stack(np.meshgrid(np.arange(side), np.arange(side)), -1).reshape(-1, 2)
    return CSRGraph.from_arcs(
        np.concatenate([tails, heads]),
        np.concatenate([heads, tails]),
        np.full(2 * len(tails), weight, dtype),
        side * side,
        positions=places.astype(np.float32),
        id_base=1,
        name="streets",
    )


def triangle() -> CSRGraph:
    """S -> A 10, S -> B 1, B -> A 1, with names."""
    places = np.array([[0, 0], [1, 1], [2, 0]], np.float32)
    arcs = np.array([0, 0, 2]), np.array([1, 2, 1]), np.array([10, 1, 1], np.int32)
    return CSRGraph.from_arcs(*arcs, 3, positions=places, ids=np.array(["S", "A", "B"]))


def grid_dist(graph: CSRGraph, weight: int = 5) -> np.ndarray:
    return (graph.positions.sum(axis=1) * weight).astype(np.int32)


def make_trace(graph: CSRGraph, dist: np.ndarray, probe: int = 2) -> Trace:
    """A finished run in which distance d is first reached at 10 d and settled at 12 d ns."""
    reached = dist < INT_UNREACHED
    samples = np.zeros(11, SAMPLE)
    end = 12 * int(dist[reached].max(initial=1))
    samples["t_ns"] = np.linspace(0, end, 11)
    samples["delta"] = 10.0
    vertices = None
    if probe >= 2:
        whole = dist.astype(np.int64)
        times = (np.where(reached, whole * by, -1) for by in (10, 12))
        vertices = VertexProbe(*times, np.where(reached, 1 + whole % 3, 0).astype(np.int32))
    settings = RunSettings("adds", "model", "RTX 2080 Ti", 0, None, probe)
    reference = graph_reference(graph, 0)
    return Trace(settings, reference, samples, dist, "modelled", "finished", {}, vertices)


class Stage:
    """A view with its models, 400 x 300, shown."""

    def __init__(self, qtbot: QtBot, graph: CSRGraph | None = None) -> None:
        self.session, self.playback = SessionModel(), PlaybackModel()
        self.playback.watch(self.session)
        self.view = GraphView(self.session, self.playback)
        self.view.resize(400, 300)
        qtbot.addWidget(self.view)
        if graph is not None:
            self.session.set_graph(graph)
        self.view.show()
        qtbot.waitExposed(self.view)
        self.settle()

    def settle(self) -> None:
        self.view.flush()
        QApplication.processEvents()
        self.view.repaint()

    def run(self, dist: np.ndarray, probe: int = 2) -> RunRecord:
        record = RunRecord.from_trace(1, make_trace(self.session.graph, dist, probe))
        self.session.add_run(record)
        self.settle()
        return record

    def place(self, vertex: int) -> QPoint:
        place = self.view.place_of(vertex)
        return place.toPoint()

    def colour_at(self, vertex: int) -> str:
        self.view.repaint()
        picture = grabbed(self.view)
        return picture.pixelColor(self.place(vertex)).name()

    def table_colour(self, table: str, index: int, steps: int = 255) -> str:
        from viewer.common import colormaps

        rows = colormaps.table_for(table, self.view._theme, steps)
        return "#" + "".join(f"{channel:02x}" for channel in rows[index])
