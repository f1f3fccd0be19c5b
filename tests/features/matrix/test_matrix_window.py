"""All pairs in the window, by clicks and keys: with a host that says what the test wants."""

import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtWidgets import QApplication, QComboBox
from pytestqt.qtbot import QtBot
from screen import hover
from test_controller import FakeHost, say
from whole_window import whole_window

import gpu
import sample_graphs
from gpu.algorithms import ALGORITHMS
from gpu.graph import CSRGraph
from gpu.host import RunFinished, Verified
from gpu.record.trace import Trace, Verification
from viewer.features.matrix.panel import MatrixPanel
from viewer.main_window import MainWindow
from viewer.models.session import RunRecord

LEFT = Qt.MouseButton.LeftButton
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
NONE = Qt.KeyboardModifier.NoModifier
MATRICES = [key for key, row in ALGORITHMS.items() if row.result == "matrix"]
FIRST, SOURCES = 10, 40


@pytest.fixture(scope="module")
def graph() -> CSRGraph:
    return sample_graphs.make("grid", n=100, seed=4)


@pytest.fixture(scope="module")
def traces(graph: CSRGraph) -> dict[str, Trace]:
    """One real run of each of the first two, from forty sources, with times of the sources."""
    given = {"first_source": FIRST, "sources": SOURCES, "workers": 8}
    return {key: gpu.run(graph, key, probe=2, parameters=given) for key in MATRICES[:2]}


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path, host: FakeHost, graph: CSRGraph) -> Iterator[MainWindow]:
    with whole_window(qtbot, tmp_path, host, (1280, 900)) as window:
        window.controller.show_graph(graph)
        yield window


def pick(field: QComboBox, key: str) -> None:
    field.setCurrentIndex(field.findData(key))


def type_into(window: MainWindow, key: str, text: str, qtbot: QtBot) -> None:
    """Type a number into a knob of the Run panel."""
    field = window.run_panel.knobs[key]
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, text)
    qtbot.keyClick(field, Qt.Key.Key_Return)


def finish(window: MainWindow, host: FakeHost, traces: dict[str, Trace]) -> RunRecord:
    """Let the engine end the newest run."""
    record = window.session.runs[-1]
    trace = traces[record.settings.algorithm]
    trace = replace(trace, environment={**trace.environment, "reached": trace.dist.size})
    proofs = Verification(None, True, "all 40 rows proved right")
    say(window.controller, host, RunFinished(record.run_id, trace), Verified(record.run_id, proofs))
    return record


def run(window: MainWindow, host: FakeHost, traces: dict[str, Trace], qtbot: QtBot) -> RunRecord:
    """Choose the first of them and forty sources, press Run, let it end."""
    pick(window.run_panel._algorithm, MATRICES[0])
    type_into(window, "first_source", str(FIRST), qtbot)
    type_into(window, "sources", str(SOURCES), qtbot)
    qtbot.mouseClick(window.run_panel._run, LEFT)
    return finish(window, host, traces)


def matrix(window: MainWindow, qtbot: QtBot) -> MatrixPanel:
    """Show the matrix by its key, drawn."""
    qtbot.keyClick(window, Qt.Key.Key_X, CTRL | SHIFT)
    panel = window.docks["matrix"].widget()
    qtbot.waitUntil(panel.isVisible)
    QApplication.processEvents()
    panel.flush()
    return panel


def cell_point(panel: MatrixPanel, row: int, column: int) -> QPoint:
    box = panel.canvas.cell_rect(row, column)
    return box.center().toPoint()


def vertex_point(window: MainWindow, vertex: int) -> QPoint:
    view = window.graph_view
    view.grab()
    x, y = window.session.positions[vertex]
    at = view.camera.to_pixels(np.array([[x, y]], np.float32))[0]
    return QPointF(float(at[0]), float(at[1])).toPoint()


@pytest.mark.parametrize("key", MATRICES)
def test_the_run_panel_asks_for_sources_and_says_what_they_take(
    key: str, window: MainWindow, host: FakeHost, qtbot: QtBot
) -> None:
    panel = window.run_panel
    assert panel._source.isVisible()
    assert not panel._room.isVisible()
    pick(panel._algorithm, key)
    assert not panel._source.isVisible()
    sources = panel.knobs["sources"]
    assert sources.text() == "all"
    assert panel._delta_row.isVisible() is ALGORITHMS[key].bucketed
    assert panel._room.text().startswith("100 rows of 100 distances: 40 kB of memory, ")
    type_into(window, "first_source", "95", qtbot)
    assert panel._room.text().startswith("5 rows of 100 distances")
    type_into(window, "sources", "9", qtbot)
    assert panel._problem.text().startswith("Sources = 9 from 95 on; allowed: 1 to 5")
    assert not panel._run.isEnabled()
    type_into(window, "sources", "4", qtbot)
    qtbot.mouseClick(panel._run, LEFT)
    asked = host.asked("run")[-1]
    assert (asked.algorithm, asked.source) == (key, 95)
    assert asked.parameters["sources"] == 4
    pick(panel._algorithm, next(iter(ALGORITHMS)))
    assert panel._source.isVisible()


def test_cells_vertices_and_arrows_choose_row_and_column(
    window: MainWindow, host: FakeHost, traces: dict[str, Trace], qtbot: QtBot
) -> None:
    record = run(window, host, traces, qtbot)
    panel, view = matrix(window, qtbot), window.graph_view
    dist = traces[MATRICES[0]].dist
    qtbot.mouseClick(panel.canvas, LEFT, NONE, cell_point(panel, 7, 60))
    assert (record.row, panel.model.column) == (7, 60)
    assert window.session.source == FIRST + 7
    assert np.array_equal(record.dist, dist[7])
    assert f"row 17, column 60: distance {dist[7, 60]:,}" in panel.words.text()
    qtbot.waitUntil(lambda: view.path is not None)  # the cell's path is in the graph
    view.grab()
    assert view.legend.legend().title == "Distance from 17, weight units"
    for key, cell in (
        (Qt.Key.Key_Down, (8, 60)),
        (Qt.Key.Key_Right, (8, 61)),
        (Qt.Key.Key_Up, (7, 61)),
        (Qt.Key.Key_Left, (7, 60)),
        (Qt.Key.Key_End, (7, 99)),
    ):
        qtbot.keyClick(panel.canvas, key)
        assert (record.row, panel.model.column) == cell
    runs = len(host.asked("run"))
    qtbot.mouseClick(view, LEFT, NONE, vertex_point(window, 30))
    assert (record.row, panel.model.column) == (20, 99)
    qtbot.mouseClick(view, LEFT, SHIFT, vertex_point(window, 55))
    assert (record.row, panel.model.column) == (20, 55)
    assert len(host.asked("run")) == runs  # nothing was run for that
    assert f"distance {dist[20, 55]:,}" in panel.words.text()
    assert "Row of 30" in panel.summary_text() or "row 30" in panel.summary_text()


def test_pointer_and_zoom(
    window: MainWindow, host: FakeHost, traces: dict[str, Trace], qtbot: QtBot
) -> None:
    run(window, host, traces, qtbot)
    panel = matrix(window, qtbot)
    canvas, dist = panel.canvas, traces[MATRICES[0]].dist
    canvas.mouseMoveEvent(None)
    hover(canvas, cell_point(panel, 3, 4))
    assert f"row 13, column 4: distance {dist[3, 4]:,} · source from " in panel.words.text()
    canvas.setFocus()
    for _ in range(4):
        qtbot.keyClick(canvas, Qt.Key.Key_Plus)
    assert panel.model.window.columns < 100
    assert " shown" in panel.caption.text()
    qtbot.mouseDClick(canvas, LEFT, NONE, cell_point(panel, 0, 0))
    assert panel.model.window == panel.model.whole
    panel.resize(220, 300)
    canvas.resize(110, 80)  # fewer pixels than entries
    panel.flush()
    grid = canvas.look.grid
    assert grid.column_step > 1
    size = f"{grid.row_step} x {grid.column_step} entries"
    assert f"1 pixel: mean of {size}" in panel.caption.text()
    assert canvas.look.mean[0, 0] == dist[: grid.row_step, : grid.column_step].mean()


def test_two_algorithms_are_compared_and_swapped(
    window: MainWindow, host: FakeHost, traces: dict[str, Trace], qtbot: QtBot
) -> None:
    a = run(window, host, traces, qtbot)
    panel = matrix(window, qtbot)
    window.actions_by_key["compare_rival"].trigger()
    b = window.session.runs[-1]
    assert b.settings.algorithm == MATRICES[1]
    assert (b.settings.source, b.source_count) == (FIRST, SOURCES)
    finish(window, host, traces)
    pair = window.comparison
    assert (pair.a, pair.b) == (a, b)
    qtbot.mouseClick(panel.canvas, LEFT, NONE, cell_point(panel, 5, 0))
    assert (a.row, b.row) == (5, 5)
    assert window.features["compare"].view.second._session.source == FIRST + 5
    window.actions_by_key["copy_command"].trigger()
    clipboard = QApplication.clipboard()
    words = shlex.split(clipboard.text())
    assert words[:2] == ["sssp-scope", "compare"]
    for side, key in zip("ab", MATRICES, strict=False):
        assert words[words.index(f"--{side}") + 1] == key
        assert words[words.index(f"--{side}-set") + 1] == f"first_source={FIRST}"
    window.actions_by_key["pair_difference"].trigger()  # it may not break on a matrix
    window.features["compare"].view.looks.wait()
    assert not window.graph_view.grab().isNull()
    mean = panel.canvas.look.mean.copy()
    window.actions_by_key["swap_runs"].trigger()
    panel.flush()
    assert panel.model.record is b
    assert np.array_equal(panel.canvas.look.mean, mean)
