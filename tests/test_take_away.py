"""Taking things away from the window, by its menus and dialogs."""

from __future__ import annotations

import csv
import json
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt6.QtGui import QImage
from PyQt6.QtSvg import QSvgRenderer
from PyQt6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot
from test_controller import FakeHost
from test_window import close_for_good

import gpu
import sample_graphs
from gpu.cli import main
from gpu.export import summary
from gpu.tracefile import save_trace
from gpu.workspace import load_workspace
from viewer.main_window import MainWindow
from viewer.models.session import RunRecord
from viewer.models.settings import Settings


@pytest.fixture
def window(qapp: QApplication, tmp_path: Path) -> Iterator[MainWindow]:
    window = MainWindow(Settings(tmp_path / "window.ini"), FakeHost())  # type: ignore[arg-type]
    window.show()
    window.build_plots()
    while window.features.install_next():
        pass
    graph = sample_graphs.make("grid", n=100, seed=4)
    window.controller.show_graph(graph)
    trace = gpu.run(graph, probe=2, source=window.session.source)
    window.session.add_run(RunRecord.from_trace(1, trace))
    window.enable_actions()
    yield window
    close_for_good(window)


def answer(window: MainWindow, path: Path) -> None:
    """Choose a file in the dialog that is open."""
    dialog = window.findChild(QFileDialog)
    assert dialog is not None
    dialog.fileSelected.emit(str(path))
    dialog.reject()
    dialog.deleteLater()
    QApplication.processEvents()


def saved(window: MainWindow, qtbot: QtBot, path: Path) -> None:
    qtbot.waitUntil(
        lambda: window.session.notice is not None and window.session.notice.words == f"Saved {path}"
    )


@pytest.mark.parametrize("key", ["graph", "buckets", "delta", "parallelism", "work", "timeline"])
def test_a_panel_leaves_as_picture_drawing_and_table(
    key: str, window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    menu = window.actions_by_key.menu("export_panel")
    title = "Graph" if key == "graph" else window.docks.titles[key]
    action = next(action for action in menu.actions() if action.text() == f"{title}…")
    for suffix in (".png", ".svg", ".csv"):
        action.trigger()
        answer(window, tmp_path / f"{key}{suffix}")
        saved(window, qtbot, tmp_path / f"{key}{suffix}")
    picture = QImage(str(tmp_path / f"{key}.png"))
    assert "probe level 2" in picture.text("Description")
    assert "modelled" in picture.text("Description")
    assert QSvgRenderer(str(tmp_path / f"{key}.svg")).isValid()
    assert "probe level 2" in (tmp_path / f"{key}.svg").read_text(encoding="utf-8")
    with (tmp_path / f"{key}.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(row["clock"], row["probe"]) for row in rows} == {("modelled", "2")}
    trace = window.session.current.trace
    assert len(rows) == (100 if key == "graph" else len(trace.samples))


def test_a_copied_command_makes_the_same_run(
    window: MainWindow, capsys: pytest.CaptureFixture[str]
) -> None:
    window.actions_by_key["copy_command"].trigger()
    line = QApplication.clipboard().text()
    assert main([*shlex.split(line)[1:], "--json"]) == 0
    told, wanted = json.loads(capsys.readouterr().out), summary(window.session.current.trace)
    for key in ("time_ns", "processed_vertices", "relaxed_edges", "distances"):
        assert told[key] == wanted[key]


def test_a_workspace_is_saved_and_opened(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    window.playback.pause()
    window.playback.set_cursor(1234.0)
    window.actions_by_key["save_workspace"].trigger()
    path = tmp_path / "w.ssspw"
    answer(window, path)
    saved(window, qtbot, path)
    assert load_workspace(path).window["cursor_ns"] == 1234.0
    window.session.remove_run(window.session.current)
    assert window.session.current is None
    window.open_path(str(path))
    assert window.session.current is not None
    assert window.playback.cursor_ns == 1234.0
    path.write_bytes(b"broken")
    window.open_path(str(path))
    assert "not a workspace" in window.session.notice.words


def test_a_missing_graph_is_asked_for_in_words(window: MainWindow, tmp_path: Path) -> None:
    file = tmp_path / "a.gr"
    file.write_text("p sp 3 2\na 1 2 5\na 2 3 4\n")
    trace = gpu.run(gpu.load_graph(file), "adds")
    save_trace(trace, tmp_path / "run.npz")
    file.unlink()
    window.open_path(str(tmp_path / "run.npz"))
    assert "is not here" in window.session.notice.words
    assert str(file) in window.session.notice.words
    assert window.session.current.trace.graph.hash == trace.graph.hash


def test_all_runs_in_one_table(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    for name in ("runs.csv", "all.samples.csv"):
        window.actions_by_key["export_runs"].trigger()
        answer(window, tmp_path / name)
        saved(window, qtbot, tmp_path / name)
    assert len((tmp_path / "runs.csv").read_text().splitlines()) == 2
    lines = (tmp_path / "all.samples.csv").read_text().splitlines()
    assert len(lines) == 1 + len(window.session.current.trace.samples)
