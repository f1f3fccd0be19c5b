"""Sessions in a folder: a workspace for each window that is open, and a lock that says so.

    TOKEN.lock    held by the window that writes TOKEN.ssspw, for as long as it lives
    TOKEN.ssspw   what it was looking at

A session whose lock nobody holds belonged to a window that is gone. At a clean end its owner lets
go of the lock, and Qt removes it: a lock that is still there was left by a crash.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path

from PyQt6.QtCore import QLockFile

from gpu.record.workspace import SUFFIX


@dataclass(frozen=True)
class Left:
    """A session whose window is gone; `crashed`: it did not end as it should."""

    path: Path
    crashed: bool


class KeptSession:
    """The files of one window."""

    def __init__(self, folder: Path) -> None:
        token = secrets.token_hex(4)
        self.path = folder / f"{token}{SUFFIX}"
        self._lock = _lock_of(self.path)
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
        self.held = self._lock.tryLock(0)

    def leave(self) -> None:
        """The window ends as it should: what was written is there for the next start."""
        self._lock.unlock()

    def remove(self) -> None:
        """The window ends as it should and leaves nothing."""
        _remove(self.path)
        self._lock.unlock()


def left_behind(folder: Path) -> list[Left]:
    """Return the sessions of windows that are gone, newest first."""
    found = []
    for path in folder.glob(f"*{SUFFIX}"):
        lock = _lock_of(path)
        crashed = path.with_suffix(".lock").exists()
        if lock.tryLock(0):
            lock.unlock()
            with suppress(OSError):
                found.append((path.stat().st_mtime, Left(path, crashed)))
    return [left for _, left in sorted(found, key=itemgetter(0), reverse=True)]


def forget(sessions: list[Left]) -> None:
    """Delete sessions of windows that are gone."""
    for left in sessions:
        _remove(left.path)


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink(missing_ok=True)


def _lock_of(path: Path) -> QLockFile:
    lock = QLockFile(str(path.with_suffix(".lock")))
    lock.setStaleLockTime(0)  # old is not dead: its owner's process decides
    return lock
