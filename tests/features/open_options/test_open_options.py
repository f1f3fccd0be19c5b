"""Opening a graph otherwise than usual: dialog, the bar's buttons, recent files; clicks and keys.

The engine process is played by `serve`: it reads the file that was asked for with the options
that were asked for, and hands over what came of it, an error as it comes through the pipe.
"""

import copy
from pathlib import Path
from typing import Any

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QComboBox, QDialogButtonBox
from pytestqt.qtbot import QtBot
from test_workspace_window import drop, window

from gpu.errors import GpuError
from gpu.formats import load_graph
from gpu.host import Failed, GraphLoaded
from viewer.features.open_options import OpenDialog
from viewer.main_window import MainWindow

__all__ = ["window"]  # the fixture, as it stands there
SIGNED = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 -3\n2 1 4\n"
TABLE = "source,target,km,hours\n0,1,3,0.5\n1,2,4,2.5\n"
METIS = "3 2 1\n2 5\n1 5 3 7\n2 7\n"


def save(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def serve(window: MainWindow, qtbot: QtBot) -> Any:
    """Let the engine process read what was asked for last; return the request."""
    host: Any = window.controller.host
    request, number = host.asked("load")[-1], host._number
    options = {"undirected": request.undirected, "weights": request.weights}
    before = window.session.graph
    try:
        options |= {"weight_name": request.weight_name, "header": request.header}
        graph = load_graph(request.what, **options)
        host.outbox.append(GraphLoaded(number, graph, None))
        qtbot.waitUntil(lambda: window.session.graph is graph)
    except GpuError as error:
        host.outbox.append(Failed(number, copy.copy(error)))
        qtbot.waitUntil(lambda: window.session.notice is not None)
        assert window.session.graph is before
    return request


def dialog_of(window: MainWindow) -> OpenDialog:
    (shown,) = [one for one in window.findChildren(OpenDialog) if one.isVisible()]
    return shown


def choose(qtbot: QtBot, box: QComboBox, words: str) -> None:
    """Go to a row with the keyboard."""
    qtbot.keyClick(box, Qt.Key.Key_Home)
    for _ in range(box.count()):
        if words in box.currentText():
            return
        qtbot.keyClick(box, Qt.Key.Key_Down)
    raise AssertionError(f"no row {words!r}")


def offers(window: MainWindow) -> list[str]:
    return [button.text() for button in window.notice_bar.offers if button.isVisible()]


def test_a_signed_matrix_dropped_opens_by_the_bars_button(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = save(tmp_path, "signed.mtx", SIGNED)
    drop(window, path)
    serve(window, qtbot)
    words = window.notice_bar.text()
    assert words.endswith("signed.mtx:3: weight '-3' is below zero; weights must be >= 0")
    assert "--" not in words
    with pytest.raises(GpuError, match=r"or read with --weights absolute, unit or random\)$"):
        load_graph(path)  # the command line keeps its words
    assert offers(window) == ["Open without signs", "Choose options…"]
    assert window.settings.recent == {}
    window.notice_bar.offers[0].click()
    assert not window.notice_bar.isVisible()
    assert serve(window, qtbot).weights == "absolute"
    graph = window.session.graph
    assert graph.weights.tolist() == [3, 4]
    assert "1 negative weights read as their absolute values" in graph.provenance.notes
    assert not window.notice_bar.isVisible()

    recent = window.actions_by_key.menu("recent")
    recent.aboutToShow.emit()
    assert [row.text() for row in recent.actions()] == ["signed.mtx (with options)"]
    recent.actions()[0].trigger()
    assert serve(window, qtbot).weights == "absolute"
    drop(window, path)  # as usual, whatever was remembered
    assert serve(window, qtbot).weights == "file"
    window.notice_bar.offers[1].click()
    dialog = dialog_of(window)
    choose(qtbot, dialog.weights, "All 1")
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    assert serve(window, qtbot).weights == "unit"


def test_a_table_with_two_weights_asks_which(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = save(tmp_path, "roads.csv", TABLE)
    window.open_path(str(path))
    serve(window, qtbot)
    qtbot.waitUntil(window.notice_bar.isVisible)
    assert "no weights have a usual name, there are km, hours" in window.notice_bar.text()
    assert offers(window) == ["Choose options…"]
    window.resize(window.minimumSizeHint())  # narrow: the buttons stand below the words
    window.notice_bar.offers[0].click()
    dialog = dialog_of(window)
    qtbot.keyClicks(dialog.name, "hours")
    dialog.buttons.button(QDialogButtonBox.StandardButton.Open).click()
    serve(window, qtbot)
    assert window.session.graph.weights.tolist() == [0.5, 2.5]

    window.actions_by_key["reopen_with_options"].trigger()
    dialog = dialog_of(window)
    assert dialog.name.text() == "hours"  # as it was read
    choose(qtbot, dialog.weights, "Random, 1 to 100 (seed 1)")
    assert not dialog.name.isEnabled()
    choose(qtbot, dialog.weights, "As in the file")
    dialog.name.setText("KM")
    choose(qtbot, dialog.direction, "Undirected")
    dialog.buttons.button(QDialogButtonBox.StandardButton.Open).click()
    request = serve(window, qtbot)
    assert (request.undirected, request.weight_name) == (True, "KM")
    assert window.session.graph.m == 4


def test_what_no_reader_made_cannot_be_read_again(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    reopen = window.actions_by_key["reopen_with_options"]
    window.open_path("sample:grid")
    window.enable_actions()
    assert not reopen.isEnabled()
    path = save(tmp_path, "mesh.graph", METIS)
    window.open_path(str(path), {"undirected": False})
    assert serve(window, qtbot).undirected is False
    assert reopen.isEnabled()
    assert window.settings.recent == {str(path): {"undirected": False}}
