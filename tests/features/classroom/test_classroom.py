"""The results of a class in the window: read, sorted, saved; nothing of a file is markup."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from page_stage import Parts
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QApplication, QFileDialog, QLabel
from pytestqt.qtbot import QtBot
from test_controller import FakeHost
from test_window import close_for_good

from viewer.features.classroom.feature import ClassroomFeature
from viewer.main_window import MainWindow
from viewer.models.settings import Settings

EVIL = "<b>evil</b>"


@pytest.fixture
def window(qapp: QApplication, tmp_path: Path) -> Iterator[MainWindow]:
    window = MainWindow(Settings(tmp_path / "window.ini"), FakeHost())  # type: ignore[arg-type]
    window.show()
    while window.features.install_next():
        pass
    yield window
    close_for_good(window)


def chosen(window: MainWindow, path: Path) -> None:
    dialog = window.findChild(QFileDialog)
    assert dialog is not None
    dialog.fileSelected.emit(str(path))
    dialog.reject()
    dialog.deleteLater()
    QApplication.processEvents()


def test_a_class_of_forty(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    folder = tmp_path / "class"
    folder.mkdir()
    for student in range(40):
        right = student % 4 == 0
        row = {"step": "one", "question": EVIL, "given": float(student), "right": right}
        told = {"format": 1, "lesson": "a", "title": EVIL, "questions": 1, "answers": [row]}
        (folder / f"student {student}.json").write_text(json.dumps(told))
    (folder / "broken.json").write_text("{")
    window.actions_by_key["class_results"].trigger()
    chosen(window, folder)
    feature = window.features["classroom"]
    assert isinstance(feature, ClassroomFeature)
    qtbot.waitUntil(lambda: feature.dialog is not None)
    dialog = feature.dialog
    assert dialog is not None
    assert dialog.table.rowCount() == 40
    (histogram,) = dialog.histograms
    assert sum(bar.count for bar in histogram.asked.bars) == 40
    assert sum(bar.right for bar in histogram.asked.bars) == 10
    labels = dialog.findChildren(QLabel)
    assert any(label.text() == EVIL for label in labels)
    assert all(label.textFormat() == Qt.TextFormat.PlainText for label in labels if label.text())
    assert any("broken.json" in label.text() for label in labels)
    dialog.table.sortItems(1, Qt.SortOrder.DescendingOrder)
    first = dialog.table.item(0, 1)
    assert first is not None
    assert first.text() == "1"
    assert not histogram.grab().isNull()
    dialog.save_button.click()
    page = tmp_path / "class.html"
    chosen(window, page)
    qtbot.waitUntil(page.exists)
    assert len(Parts(page.read_text(encoding="utf-8")).tree()["rows"]) == 40
    dialog.close()


def test_an_empty_folder_is_said(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    window.actions_by_key["class_results"].trigger()
    chosen(window, tmp_path / "none")
    qtbot.waitUntil(lambda: window.session.notice is not None)
    assert window.session.notice is not None
    assert "it has no .json file" in window.session.notice.words
