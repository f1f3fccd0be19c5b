"""A fault of ours is said and written down; a report is a zip that names no home."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QApplication, QDialog, QLabel
from pytestqt.qtbot import QtBot
from test_controller import FakeHost
from test_features import opened
from test_take_away import answer
from test_window import close_for_good

from viewer.app import _reporter
from viewer.features.reports import feature as reports_feature
from viewer.features.reports.report import MOST_FOLDERS, without_home, write_folder
from viewer.main_window import MainWindow
from viewer.models.session import Notice
from viewer.models.settings import Settings

FILES = {"log.txt", "versions.txt", "actions.txt"}


@pytest.fixture
def window(qapp: QApplication, tmp_path: Path) -> Iterator[MainWindow]:
    window = opened(Settings(tmp_path / "window.ini"), FakeHost())
    yield window
    close_for_good(window)


def dialogs(window: MainWindow) -> list[QDialog]:
    return [one for one in window.findChildren(QDialog) if one.isVisible()]


def fault() -> Exception:
    try:
        raise RuntimeError("<b>odd</b>\u202e")
    except RuntimeError as error:
        return error


def test_an_uncaught_exception_is_said_and_written_down(
    window: MainWindow,
    qtbot: QtBot,
    settings_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """As in the program: a slot raises, `sys.excepthook` is called by PyQt."""
    monkeypatch.setattr(sys, "excepthook", _reporter(window))
    window.actions_by_key["theme_dark"].trigger()
    window.session.set_notice(Notice("info", f"Opened {Path.home()}/roads.gr"))

    def broken() -> None:
        raise ZeroDivisionError("in a slot")

    QTimer.singleShot(0, broken)
    qtbot.waitUntil(lambda: bool(dialogs(window)))
    (dialog,) = dialogs(window)
    said = " ".join(label.text() for label in dialog.findChildren(QLabel))
    assert "ZeroDivisionError: in a slot" in said
    (folder,) = (window.features["reports"].folder).iterdir()
    assert settings_folder in folder.parents
    assert str(folder) in said
    assert {path.name for path in folder.iterdir()} == FILES
    assert "in broken" in (folder / "log.txt").read_text()
    assert "Qt 6" in (folder / "versions.txt").read_text()
    actions = (folder / "actions.txt").read_text()
    assert "action theme_dark" in actions
    assert "Opened ~/roads.gr" in actions
    assert "ZeroDivisionError" in capsys.readouterr().err
    dialog.close()


def test_a_fault_in_every_paint_opens_one_dialog(window: MainWindow) -> None:
    for _ in range(500):
        window.report_bug(fault())
    assert len(dialogs(window)) == 1
    assert "<b>odd</b>�" in " ".join(
        label.text() for label in dialogs(window)[0].findChildren(QLabel)
    )
    part = window.features["reports"]
    assert part.texts()["log.txt"].count("RuntimeError: ") == reports_feature.MOST_FAULTS
    assert len(list(part.folder.iterdir())) == 1
    for _ in range(9):
        for dialog in dialogs(window):
            dialog.close()
        window.report_bug(fault())
    assert len(list(part.folder.iterdir())) == reports_feature.DIALOGS
    assert "RuntimeError" in window.notice_bar.text()


def test_where_no_report_can_be_written_the_bar_says_it(
    window: MainWindow, settings_folder: Path
) -> None:
    part = window.features["reports"]
    part.folder.parent.mkdir(parents=True, exist_ok=True)
    part.folder.write_text("a file where the folder would be")
    window.report_bug(fault())
    assert not dialogs(window)
    assert "RuntimeError" in window.notice_bar.text()
    assert "no report was written" in part.texts()["actions.txt"]


def test_help_saves_a_zip(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    window.session.set_notice(Notice("error", f"{Path.home()}/roads.gr:3: found 'x'"))
    path = tmp_path / "report.zip"
    window.actions_by_key["theme_dark"].trigger()
    window.actions_by_key["report_problem"].trigger()
    answer(window, path)
    qtbot.waitUntil(path.exists)
    with zipfile.ZipFile(path) as archive:
        assert set(archive.namelist()) == FILES
        whole = b"".join(archive.read(name) for name in FILES).decode()
    assert "~/roads.gr:3" in whole
    assert str(Path.home()) not in whole
    assert "action theme_dark" in whole


def test_old_reports_go(tmp_path: Path) -> None:
    made = [write_folder({"log.txt": str(place)}, tmp_path) for place in range(MOST_FOLDERS + 3)]
    assert len(set(made)) == MOST_FOLDERS + 3
    assert len(list(tmp_path.iterdir())) == MOST_FOLDERS
    assert without_home(f"{Path.home()}/x") == "~/x"
