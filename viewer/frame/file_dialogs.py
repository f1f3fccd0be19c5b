"""Choosing files: open a graph, save a run, save a picture. Nothing here blocks the window.

Files are written in the background, one at a time, with progress and Cancel in the status bar.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from PyQt6.QtCore import QObject, Qt, pyqtSignal
from PyQt6.QtWidgets import QFileDialog, QWidget

from gpu.errors import CancelledByUserError, GpuError
from gpu.files import write_whole
from viewer.common.background import Task
from viewer.export.pictures import png_bytes
from viewer.models.comparison import ComparisonModel
from viewer.models.session import PROGRESS_UNKNOWN, Notice, RunRecord, SessionModel
from viewer.models.settings import Settings

PACKED = ("", ".gz", ".xz")  # a graph may be packed
ALL_FILES = "All files (*)"
LAST_FOLDER = "last_folder"  # key in Settings


def open_filters() -> str:
    """Return the filters of the dialog: all graphs, each format, all files."""
    from gpu.formats import READERS

    def patterns(suffixes: Iterable[str]) -> str:
        return " ".join(f"*{suffix}{end}" for suffix in suffixes for end in PACKED)

    every = dict.fromkeys(suffix for reader in READERS.values() for suffix in reader.suffixes)
    formats = [f"{reader.title} ({patterns(reader.suffixes)})" for reader in READERS.values()]
    return ";;".join([f"Graphs ({patterns(every)})", *formats, ALL_FILES])


class FileDialogs(QObject):
    """Asks for paths and writes what the session shows; errors become notices."""

    chosen = pyqtSignal(str)  # a graph file to open

    def __init__(
        self, window: QWidget, session: SessionModel, pair: ComparisonModel, settings: Settings
    ) -> None:
        super().__init__(window)
        self._window, self._session, self._pair, self._settings = window, session, pair, settings
        self._task: Task | None = None

    def ask_open(self) -> None:
        """Ask for a graph file."""
        dialog = self.dialog("Open a graph", open_filters())
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setOption(QFileDialog.Option.HideNameFilterDetails)  # forty suffixes
        dialog.fileSelected.connect(self.chosen)
        dialog.open()

    def ask_save_trace(self) -> None:
        """Ask where to save the current run, whole; write it in the background."""
        from gpu.record.tracefile import save_trace

        def save(path: str) -> None:
            run = self._session.current
            if run is not None and run.trace is not None:
                trace = self._session.notes.trace_of(run)
                self.save_in_background(path, lambda to: save_trace(trace, to))

        name = self._name_of(self._session.current)
        self.ask_save("Save this run", f"Traces (*.npz);;{ALL_FILES}", ".npz", save, name)

    def ask_export_png(self) -> None:
        """Ask where to save a picture of the window."""

        def save(path: str) -> None:
            png = png_bytes(self._window.grab())
            self.save_in_background(path, lambda to: write_whole(to, png))

        self.ask_save("Export a picture", f"Pictures (*.png);;{ALL_FILES}", ".png", save)

    def ask_save(
        self, title: str, kinds: str, suffix: str, save: Callable[[str], None], name: str = ""
    ) -> None:
        """Ask where to save one of several kinds (";;" between); `save` does it with the path."""
        dialog = self.dialog(title, kinds)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(suffix)
        dialog.selectFile((name or self._name_of(self._session.current, self._pair.b)) + suffix)
        dialog.filterSelected.connect(
            lambda kind: dialog.setDefaultSuffix(kind.rpartition("*")[2].rstrip(")"))
        )
        dialog.fileSelected.connect(save)
        dialog.open()

    def save_in_background(self, path: str, write: Callable[[str], None]) -> None:
        """Write while the window goes on; `write` must not touch widgets."""
        if self._task is not None:
            words = "Another file is still being saved."
            self._session.set_notice(Notice("info", words, "Wait for it, or press Cancel."))
            return
        self._session.set_progress(PROGRESS_UNKNOWN, f"Saving {Path(path).name}…")
        self._task = Task(lambda: write(path), self)
        self._task.ended.connect(lambda problem: self._end(path, problem))

    def cancel(self) -> None:
        """Give up the file that is being saved, if there is one; nothing of it is left."""
        if self._task is not None:
            self._task.cancel()

    def close(self) -> None:
        """Give up what is being saved and wait for that; the window closes."""
        if self._task is not None:
            self._task.give_up()

    def _end(self, path: str, problem: BaseException | None) -> None:
        self._task = None
        self._session.set_progress(None)
        if problem is None:
            notice = Notice("info", f"Saved {path}")
        elif isinstance(problem, CancelledByUserError):
            notice = Notice("info", f"{path} was not saved: cancelled.")
        elif isinstance(problem, GpuError | OSError):
            notice = Notice("error", f"{path} was not saved: {problem}.", "Choose another folder.")
        else:
            raise problem
        self._session.set_notice(notice)

    def _name_of(self, run: RunRecord | None, other: RunRecord | None = None) -> str:
        if run is None:
            return "sssp-scope"
        made = [one.settings.algorithm for one in (run, other) if one is not None]
        words = "-".join([run.graph_reference.name, *dict.fromkeys(made)])
        return re.sub(r"[^\w.-]+", "-", words).strip("-.").lower()  # of a stranger: no folders

    def dialog(self, title: str, filters: str) -> QFileDialog:
        """Return a dialog in the folder used last; the caller opens it."""
        folder = str(self._settings.value(LAST_FOLDER, str(Path.home())))
        dialog = QFileDialog(self._window, title, folder, filters)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(
            lambda path: self._settings.set_value(LAST_FOLDER, str(Path(path).parent))
        )
        return dialog
