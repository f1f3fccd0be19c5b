"""Asks for a folder of results, reads it in the background, shows table and histograms."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QFileDialog

from gpu.errors import GpuError
from gpu.lessons.results import Class, read_class
from gpu.wholefile import written_whole
from viewer.common.background import Task
from viewer.feature import FeaturePart, Window
from viewer.features.classroom.dialog import ClassDialog
from viewer.models.session import Notice

PAGES = "Web pages (*.html);;Tables (*.csv)"


class ClassroomFeature(FeaturePart):
    """Reads one folder at a time."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self.dialog: ClassDialog | None = None
        self._task: Task | None = None
        self._found: Class | None = None

    def ask(self) -> None:
        """Ask for a folder."""
        parent = self._window.as_widget()
        dialog = QFileDialog(parent, "Folder with the results of a class", str(Path.home()))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.read)
        dialog.open()

    def read(self, folder: str) -> None:
        """Read a folder; what is in it is shown when it has been read."""
        if self._task is not None:
            return

        def work() -> None:
            self._found = read_class(folder)

        self._task = Task(work, self)
        self._task.ended.connect(self._show)

    def close(self) -> None:
        """The window closes: give up what is being read."""
        if self._task is not None:
            self._task.give_up()

    def _show(self, problem: BaseException | None) -> None:
        self._task = None
        if isinstance(problem, GpuError):
            self._window.session.set_notice(Notice("error", f"{problem}."))
            return
        if problem is not None:
            raise problem
        assert self._found is not None
        self.dialog = ClassDialog(self._found, self._window.theme, self._window.as_widget())
        self.dialog.save_requested.connect(self._ask_where)
        self.dialog.open()

    def _ask_where(self) -> None:
        self._window.files.ask_save("Results of a class", PAGES, ".html", self._save, "class")

    def _save(self, path: str) -> None:
        found = self._found
        assert found is not None
        self._window.files.save_in_background(path, lambda to: _write(found, to))


def _write(found: Class, path: str) -> None:
    if path.lower().endswith(".csv"):
        from gpu.study.export_runs import write_table

        write_table(*found.table(), path)
        return
    from gpu.page.classroom import class_page

    with written_whole(path) as file:
        file.write(class_page(found).encode())


install = ClassroomFeature
