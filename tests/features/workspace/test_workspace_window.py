"""A workspace in the window: saved by its menu, opened by menu, drop and command line."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PyQt6.QtCore import QMimeData, QPointF, Qt, QUrl
from PyQt6.QtGui import QDropEvent
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from screen import all_controls
from test_controller import FakeHost
from test_features import opened
from test_take_away import answer, saved, sweep_four_values
from test_window import close_for_good

import gpu
import sample_graphs
from gpu.formats import load_graph
from gpu.graph import CSRGraph
from gpu.host import GraphLoaded
from gpu.record.trace import Trace
from gpu.record.workspace import Workspace, save_workspace, saved_graph
from viewer.main_window import MainWindow
from viewer.models.session import RunRecord


def new_window(folder: Path, name: str) -> MainWindow:
    window = opened(all_controls(folder / f"{name}.ini"), FakeHost())
    window.controller.start()
    return window


@pytest.fixture
def window(qapp: QApplication, tmp_path: Path) -> Iterator[MainWindow]:
    window = new_window(tmp_path, "window")
    yield window
    close_for_good(window)


def arrive(window: MainWindow, graph: CSRGraph) -> Any:
    """Let the engine process hand over what was asked for; return the request."""
    host: Any = window.controller.host
    host.outbox.append(GraphLoaded(host._number, graph, None))
    return host.asked("load")[-1]


def drop(window: MainWindow, path: Path) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path))])
    event = QDropEvent(
        QPointF(window.rect().center()),
        Qt.DropAction.CopyAction,
        mime,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    window.dropEvent(event)


def test_everything_comes_back(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    graph = sample_graphs.make("grid", n=100, seed=4)
    window.controller.show_graph(graph)
    source = window.session.source
    for number, key in enumerate(("near_far", "adds"), 1):
        trace = gpu.run(graph, key, probe=2, source=source)
        window.session.add_run(RunRecord.from_trace(number, trace))
    window.comparison.compare_with(window.session.runs[0])
    sweep_four_values(window)
    window.set_theme("dark")
    window.docks.arrange("compare")
    window.show_dock("policy")
    end = window.playback.duration_ns
    window.playback.pause()
    window.playback.set_cursor(0.4 * end)
    path = tmp_path / "standing.scope"
    window.actions_by_key["save_workspace"].trigger()
    answer(window, path)
    saved(window, qtbot, path)
    wanted = [run.trace.time_ns for run in window.session.runs]
    points = window.sweep.points

    other = new_window(tmp_path, "other")
    other.controller.show_graph(graph)
    drop(other, path)
    part = other.features["workspace"]
    assert part._task is not None  # in the background
    qtbot.waitUntil(lambda: part._task is None and len(other.session.runs) == 2)
    assert [run.trace.time_ns for run in other.session.runs] == wanted
    assert other.session.current.settings.algorithm == "adds"
    pair = other.comparison
    assert pair.b.settings.algorithm == "near_far"
    assert other.sweep.points == points
    assert other.settings.theme == "dark"
    assert other.docks.arrangement == "compare"
    assert other.docks.beside == ["policy"]
    assert other.playback.cursor_ns == pytest.approx(0.4 * end)
    assert not other.playback.playing
    close_for_good(other)


def roads(folder: Path) -> tuple[Path, CSRGraph, Trace]:
    file = folder / "roads.gr"
    file.write_text("p sp 4 4\na 1 2 5\na 2 3 4\na 3 4 1\na 1 4 30\n")
    graph = load_graph(file, undirected=True)
    return file, graph, gpu.run(graph, "adds", probe=2, source=1)


def test_a_gpu_s_runs_open_without_one_and_find_a_graph_that_moved(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    file, graph, trace = roads(tmp_path)
    reference = trace.graph
    gpu_s = replace(trace.settings, engine="cuda", device="NVIDIA H100 80GB HBM3")
    runs = ((1, replace(trace, settings=gpu_s, clock="measured")), (2, trace))
    looks = {"run_panel": {"algorithm": "adds", "device": "NVIDIA H100 80GB HBM3"}}
    workspace = Workspace(saved_graph(reference, tmp_path / "w.ssspw"), runs, 1, 2, 1, looks)
    save_workspace(workspace, tmp_path / "w.ssspw")
    away = tmp_path / "elsewhere"
    away.mkdir()
    file.rename(away / "roads.gr")
    window.open_path(str(tmp_path / "w.ssspw"))
    qtbot.waitUntil(lambda: len(window.session.runs) == 2)
    words = window.session.notice.words
    assert "is not here" in words
    assert str(file) in words
    assert "by its hash" in window.session.notice.advice
    shown = window.session.current
    assert (shown.clock, shown.settings.device) == ("measured", "NVIDIA H100 80GB HBM3")
    assert shown.state == "finished"
    window.plots["delta"].flush()
    assert window.plots["delta"].summary_text() != window.plots["delta"].HINT

    window.open_path(str(away / "roads.gr"))
    request = window.controller.host.asked("load")[-1]  # type: ignore[attr-defined]
    assert request.undirected is True  # as it was read then
    wrong = load_graph(away / "roads.gr", undirected=False)
    arrive(window, wrong)
    qtbot.waitUntil(lambda: window.session.graph is wrong)
    assert window.session.current is None  # another graph: the runs wait
    window.open_path(str(away / "roads.gr"))
    arrive(window, graph)
    qtbot.waitUntil(lambda: window.session.current is shown)
    assert len(window.session.runs) == 2
    assert window.session.source == 1
    assert window.comparison.b is window.session.runs[1]


def test_a_small_graph_comes_with_its_runs(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, settings_folder: Path
) -> None:
    file, graph, trace = roads(tmp_path)
    window.controller.show_graph(graph)
    window.session.add_run(RunRecord.from_trace(1, trace))
    path = tmp_path / "mail" / "standing.ssspw"
    path.parent.mkdir()
    window.actions_by_key["save_workspace"].trigger()
    answer(window, path)
    saved(window, qtbot, path)
    file.unlink()

    other = new_window(tmp_path, "other")
    host: Any = other.controller.host
    drop(other, path)
    qtbot.waitUntil(lambda: bool(host.asked("load")))
    request = host.asked("load")[-1]
    kept = Path(request.what)
    assert settings_folder in kept.parents
    assert not request.undirected  # it holds both arcs of each road already
    came = load_graph(kept)
    assert came.hash == graph.hash
    arrive(other, came)
    qtbot.waitUntil(lambda: other.session.current is not None)
    assert other.session.graph is came
    assert other.session.current.trace.time_ns == trace.time_ns
    assert other.session.source == window.session.source
    assert other.session.notice is None
    other.actions_by_key["copy_command"].trigger()
    assert f"run {kept} " in QApplication.clipboard().text()  # where it is now, not where it was
    close_for_good(other)


def test_a_broken_file_costs_nothing(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    graph = sample_graphs.make("grid", n=64, seed=4)
    window.controller.show_graph(graph)
    trace = gpu.run(graph)
    window.session.add_run(RunRecord.from_trace(1, trace))
    good = tmp_path / "good.ssspw"
    save_workspace(Workspace(None, ((1, trace),), 1, None, 0, {"theme": "dark"}), good)
    broken = {"no.ssspw": b"broken", "half.scope": good.read_bytes()[: good.stat().st_size // 2]}
    theme = window.settings.theme
    for name, content in broken.items():
        path = tmp_path / name
        path.write_bytes(content)
        window.session.set_notice(None)
        drop(window, path)
        qtbot.waitUntil(lambda: window.session.notice is not None)
        words = window.session.notice.words
        assert str(path) in words
        assert "\n" not in words
        assert [run.trace for run in window.session.runs] == [trace]
        assert window.session.current is window.session.runs[0]
        assert window.session.graph is graph
        assert window.settings.theme == theme
    odd = {"sweep": {"knob": 3}, "cursor_ns": "soon"}
    save_workspace(Workspace(None, ((1, trace),), 1, None, 0, odd), good)
    drop(window, good)
    qtbot.waitUntil(lambda: len(window.session.runs) == 2)
    assert "sweep is left out" in window.session.notice.words
    assert np.isfinite(window.playback.cursor_ns)


def mailed(tmp_path: Path, trace: Trace, origin: str, **options: Any) -> Path:
    """Save a workspace in a folder of its own that names a graph; return where."""
    path = tmp_path / "mail" / "w.ssspw"
    path.parent.mkdir()
    graph = replace(trace.graph, origin=origin, options=options)
    named = replace(saved_graph(graph, path), relative="")
    save_workspace(Workspace(named, ((1, replace(trace, graph=graph)),), 1, None, 1, {}), path)
    return path


def test_a_graph_outside_is_asked_for_with_its_path(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    file, graph, trace = roads(tmp_path)
    host: Any = window.controller.host
    drop(window, mailed(tmp_path, trace, str(file), undirected=True))
    qtbot.waitUntil(lambda: window.session.notice is not None)
    assert str(file) in window.notice_bar.text()
    assert not host.asked("load")
    assert len(window.session.runs) == 1
    window.controller.show_run(window.session.runs[0])  # its row in the table
    assert str(file) in window.notice_bar.text()
    assert not host.asked("load")
    (offer,) = window.notice_bar.offers
    offer.click()
    assert arrive(window, graph).what == str(file)
    qtbot.waitUntil(lambda: window.session.current is window.session.runs[0])
    qtbot.waitUntil(lambda: window.session.runs[0].folder is None)
    window.controller.show_graph(sample_graphs.make("figure_6"))
    window.controller.show_run(window.session.runs[0])  # it is ours now
    assert len(host.asked("load")) == 2


@pytest.mark.parametrize("origin", ["/dev/zero", "/proc/self/environ", "//evil.example/share/a.gr"])
def test_devices_and_shares_are_never_opened(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, origin: str
) -> None:
    _, _, trace = roads(tmp_path)
    drop(window, mailed(tmp_path, trace, origin))
    qtbot.waitUntil(lambda: window.session.notice is not None)
    assert window.notice_bar.offers == []
    window.controller.show_run(window.session.runs[0])
    assert "is not opened" in window.notice_bar.text()
    assert window.notice_bar.offers == []
    assert not window.controller.host.asked("load")  # type: ignore[attr-defined]
