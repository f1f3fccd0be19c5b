"""The lessons there are: those of the program, then those of the user's folder.

The folder is a setting (`FOLDER`), else the environment variable of `gpu.lessons.read`. A lesson is
read again only when one of its files has changed.
"""

from __future__ import annotations

import glob
from pathlib import Path

from gpu.errors import GpuError
from gpu.lessons.lesson import Lesson
from gpu.lessons.read import find_lessons, read_lesson
from viewer.models.settings import Settings

FOLDER = "lessons_folder"  # key in Settings
NOWHERE = "/nowhere"  # a folder without lessons: only our own are found


class Shelf:
    """Reads lessons when they are needed."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._read: dict[str, tuple[tuple[int, ...], Lesson | str]] = {}

    def paths(self) -> list[Path]:
        """Return the files: the program's own, then the user's."""
        folder = self._settings.value(FOLDER, "")
        return find_lessons(folder if isinstance(folder, str) and folder else None)

    def all(self) -> tuple[list[tuple[str, Lesson]], list[str]]:
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
        kept = self._read.get(str(path))
        if kept is None or kept[0] != when:
            try:
                kept = (when, read_lesson(path))
            except GpuError as error:
                kept = (when, str(error))
            self._read[str(path)] = kept
        return kept[1]

    def use_folder(self, folder: str) -> int:
        """Remember a folder; return how many lessons are in it."""
        self._settings.set_value(FOLDER, folder)
        return len(find_lessons(folder)) - len(find_lessons(NOWHERE))
