"""Files of the lessons feature: which lessons there are, the page of one.

Lessons are those that come with the program, then those of the user's folder (`FOLDER` in the
settings, else the environment variable of `gpu.lessons.read`). A lesson is read again only when one
of its files has changed.
"""

from __future__ import annotations

import glob
from pathlib import Path
from typing import Any

from PyQt6.QtCore import QObject, QProcess, Qt
from PyQt6.QtWidgets import QFileDialog

from gpu.errors import GpuError
from gpu.interpreter import module_command
from gpu.lessons.lesson import Lesson
from gpu.lessons.read import find_lessons, read_lesson
from viewer.feature import Window
from viewer.models.session import PROGRESS_UNKNOWN, Notice

FOLDER = "lessons_folder"  # key in Settings: where the user's own lessons are
NOWHERE = "/nowhere"  # a folder without lessons: what is found then are our own
WAIT_MS = 2000  # for the page's process to die


class Shelf:
    """The lessons that there are, read when needed."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._read: dict[str, tuple[tuple[int, ...], Lesson | str]] = {}

    def paths(self) -> list[Path]:
        """Return the files: the program's own, then the user's."""
        folder = self._window.settings.value(FOLDER, "")
        return find_lessons(folder if isinstance(folder, str) and folder else None)

    def found(self) -> tuple[list[tuple[str, Lesson]], list[str]]:
        """Return path and lesson of each that can be read, and what is wrong with the others."""
        lessons, problems = [], []
        for path in self.paths():
            lesson = self.lesson(path)
            if isinstance(lesson, str):
                problems.append(lesson)
            else:
                lessons.append((str(path), lesson))
        return lessons, problems

    def lesson(self, path: Path) -> Lesson | str:
        """Return the lesson of a file, or what is wrong with it."""
        files = sorted(path.parent.glob(f"{glob.escape(path.stem)}.*"))
        when = tuple(one.lstat().st_mtime_ns for one in files)  # a link may lead nowhere
        known = self._read.get(str(path))
        if known is None or known[0] != when:
            try:
                known = (when, self.read(path))
            except GpuError as error:
                known = (when, str(error))
            self._read[str(path)] = known
        return known[1]

    def read(self, path: Path) -> Lesson:
        """Read a lesson. GpuError."""
        return read_lesson(path)


class Saver(QObject):
    """Asks where, writes, says in the notice bar how it went."""

    def __init__(self, window: Window) -> None:
        super().__init__(window.as_widget())
        self._window = window
        self._process: QProcess | None = None
        self._cancelled = False
        window.status_bar.cancel_requested.connect(self.cancel)

    def page(self, lesson: Lesson) -> None:
        """Ask where to write the page; a process of its own makes every run."""

        def write(path: str) -> None:
            if self._process is not None:
                return
            self._process = process = QProcess(self)
            process.finished.connect(lambda code, _how: self._page_written(path, code))
            command = module_command("viewer.app", "page", lesson.path, "-o", path)
            process.start(command[0], command[1:])
            words = f"Writing {Path(path).name}, with every run…"
            self._window.session.set_progress(PROGRESS_UNKNOWN, words)

        self._ask(lesson, "Lesson as a web page", ".html", write)

    def choose_folder(self) -> None:
        """Ask for a folder of one's own lessons, and remember it."""
        dialog = QFileDialog(self._window.as_widget(), "Folder of lessons", str(Path.home()))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.use_folder)
        dialog.open()

    def use_folder(self, folder: str) -> None:
        """Remember a folder, and say what is in it."""
        self._window.settings.set_value(FOLDER, folder)
        own = len(find_lessons(folder)) - len(find_lessons(NOWHERE))
        advice = "" if own else "A lesson is a .toml file with a .md file beside it."
        self._say(Notice("info" if own else "warning", f"{own} lessons in {folder}", advice))

    def cancel(self) -> None:
        """Write no page after all."""
        if self._process is not None:
            self._cancelled = True
            self._process.kill()

    def close(self) -> None:
        """End what is being written."""
        if self._process is not None:
            self._process.kill()
            self._process.waitForFinished(WAIT_MS)

    def _ask(self, lesson: Lesson, title: str, suffix: str, write: Any) -> None:
        kind = f"{suffix[1:].upper()} (*{suffix})"
        dialog = QFileDialog(self._window.as_widget(), title, str(Path.home()), kind)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(suffix)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.selectFile(lesson.key + suffix)
        dialog.fileSelected.connect(write)
        dialog.open()

    def _page_written(self, path: str, code: int) -> None:
        process, self._process = self._process, None
        assert process is not None
        said = bytes(process.readAllStandardError().data()).decode(errors="replace").strip()
        process.deleteLater()
        self._window.session.set_progress(None)
        if self._cancelled:
            self._cancelled = False
            self._say(Notice("info", f"{path} was not written"))
            return
        words = f"Saved {path}" if code == 0 else f"{path} was not written: {said[-300:]}"
        self._say(Notice("info" if code == 0 else "error", words))

    def _say(self, notice: Notice) -> None:
        self._window.session.set_notice(notice)
