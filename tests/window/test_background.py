"""Writing long files while the window goes on: cancelled, closed over."""

import time
from pathlib import Path

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from gpu.files import written_whole
from viewer.main_window import MainWindow


def endless(name: str) -> None:
    with written_whole(name) as file:
        while True:
            file.write(b"0")
            time.sleep(0.001)


def test_a_long_export_shows_progress_and_cancel_leaves_nothing(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "long.csv"
    window.files.save_in_background(str(path), endless)
    cancel = next(b for b in window.status_bar.findChildren(QPushButton) if b.text() == "Cancel")
    qtbot.waitUntil(cancel.isVisible)
    window.files.save_in_background(str(path), lambda _name: None)
    assert "still being saved" in window.session.notice.words
    qtbot.mouseClick(cancel, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "cancelled" in window.session.notice.words)
    assert not cancel.isVisible()
    assert not [file.name for file in tmp_path.iterdir() if file.suffix in {".csv", ".part"}]


def test_closing_gives_up_what_is_saved(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    before = len(list(tmp_path.iterdir()))
    window.files.save_in_background(str(tmp_path / "long.csv"), endless)
    qtbot.waitUntil(lambda: len(list(tmp_path.iterdir())) > before)
    window.close()
    assert not [file.name for file in tmp_path.iterdir() if file.suffix in {".csv", ".part"}]
