"""What the graph says of the moment at the cursor, and waiting."""

import numpy as np
import pytest
from graph_stage import SIDE, Stage, grid_dist, grid_graph, make_trace, triangle
from PyQt6.QtCore import QPoint
from pytestqt.qtbot import QtBot
from screen import hover

from gpu.graph import INT_UNREACHED
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
    for cursor, labels in ((5, "0,∞,∞"), (11, "0,∞,1 later"), (21, "0,2 later,1"), (1e9, "0,2,1")):
        stage.playback.set_cursor(cursor)
        assert ",".join(stage.view._names([0, 1, 2]).distances.values()) == labels


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
    streets.view.pointed = last.n - 1
    assert streets.view._card().endswith("unreached so far")
    for record.state in ("stopped", "failed"):  # before its end: nothing of it is final
        assert card(streets, 1300, qtbot).startswith("distance when it stopped 100 · ")
