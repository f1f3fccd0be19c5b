"""Writing long files while the window goes on: done, failed, cancelled, closed over."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from hand_made import small_trace
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from gpu.record.export import write_csv
from viewer.main_window import MainWindow


def test_a_long_export_shows_progress_and_cancel_leaves_nothing(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    trace = small_trace()
    trace = replace(trace, samples=np.repeat(trace.samples[:1], 400_000))
    path = tmp_path / "long.csv"
    window.files.save_in_background(str(path), lambda name: write_csv(trace, name))
    cancel = next(b for b in window.status_bar.findChildren(QPushButton) if b.text() == "Cancel")
    qtbot.waitUntil(cancel.isVisible)
    window.files.save_in_background(str(path), lambda _name: None)
    assert "still being saved" in window.session.notice.words
    qtbot.mouseClick(cancel, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "cancelled" in window.session.notice.words)
    assert not cancel.isVisible()
    assert not [file.name for file in tmp_path.iterdir() if file.suffix in {".csv", ".part"}]


def test_closing_gives_up_what_is_saved(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    trace = small_trace()
    trace = replace(trace, samples=np.repeat(trace.samples[:1], 400_000))
    path, before = tmp_path / "long.csv", len(list(tmp_path.iterdir()))
    window.files.save_in_background(str(path), lambda name: write_csv(trace, name))
    qtbot.waitUntil(lambda: len(list(tmp_path.iterdir())) > before)
    window.close()
    assert not [file.name for file in tmp_path.iterdir() if file.suffix in {".csv", ".part"}]
