"""An address in the window: asked first, fetched, opened; refused, cancelled, closed on the way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt6.QtWidgets import QApplication, QInputDialog, QMessageBox
from pytestqt.qtbot import QtBot
from test_controller import FakeHost
from test_window import close_for_good
from web_server import TestServer, keep_private, serving

from viewer.features.address.feature import AddressFeature
from viewer.main_window import MainWindow
from viewer.models.settings import Settings

BODY = b"p sp 2 1\na 1 2 7\n"


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestServer]:
    keep_private(monkeypatch, tmp_path / "kept", 5.0)
    with serving(BODY) as server:
        yield server


@pytest.fixture
def window(qapp: QApplication, tmp_path: Path) -> Iterator[MainWindow]:
    window = MainWindow(Settings(tmp_path / "window.ini"), FakeHost())  # type: ignore[arg-type]
    window.show()
    while window.features.install_next():
        pass
    yield window
    close_for_good(window)


def part(window: MainWindow) -> AddressFeature:
    found = window.features["address"]
    assert isinstance(found, AddressFeature)
    return found


def answered(window: MainWindow, qtbot: QtBot, button: QMessageBox.StandardButton) -> str:
    """Answer the question how large the file is; return it."""
    feature = part(window)
    qtbot.waitUntil(lambda: feature.question is not None)
    box = feature.question
    assert box is not None
    words = box.text()
    pressed = box.button(button)
    assert pressed is not None
    pressed.click()
    return words


def test_asked_fetched_opened(window: MainWindow, qtbot: QtBot, server: TestServer) -> None:
    opened: list[str] = []
    window.controller.open = lambda what, **_: opened.append(str(what))  # type: ignore[method-assign]
    window.actions_by_key["open_address"].trigger()
    dialog = window.findChild(QInputDialog)
    assert dialog is not None
    dialog.setTextValue(f" {server.address('plain/roads.gr')} ")
    dialog.accept()
    words = answered(window, qtbot, QMessageBox.StandardButton.Yes)
    assert words == "Fetch roads.gr, 0 kB, from 127.0.0.1?"
    qtbot.waitUntil(lambda: bool(opened))
    assert Path(opened[0]).read_bytes() == BODY


def test_refused(window: MainWindow, qtbot: QtBot, server: TestServer, tmp_path: Path) -> None:
    window.open_path(server.address("plain/roads.gr"))
    answered(window, qtbot, QMessageBox.StandardButton.Cancel)
    qtbot.waitUntil(lambda: window.session.notice is not None)
    assert window.session.notice is not None
    assert window.session.notice.words == "roads.gr was not fetched."
    assert not [path for path in (tmp_path / "kept").rglob("*") if path.is_file()]


def test_a_server_that_breaks_off(window: MainWindow, qtbot: QtBot, server: TestServer) -> None:
    window.open_path(server.address("short/roads.gr"))
    answered(window, qtbot, QMessageBox.StandardButton.Yes)
    qtbot.waitUntil(lambda: window.session.notice is not None)
    assert window.session.notice is not None
    assert "broke off" in window.session.notice.words


def test_closed_while_it_asks(window: MainWindow, qtbot: QtBot, server: TestServer) -> None:
    window.open_path(server.address("plain/roads.gr"))
    qtbot.waitUntil(lambda: part(window).question is not None)
    window.status_bar.cancel_requested.emit()
    qtbot.waitUntil(lambda: part(window).fetching is None)
