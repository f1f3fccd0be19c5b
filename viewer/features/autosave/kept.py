"""Sessions in a folder: a workspace for each window that is open, and a lock that says so.

    TOKEN.lock    held by the window that writes TOKEN.ssspw, for as long as it lives
    TOKEN.ssspw   what it was looking at

A session whose lock nobody holds belonged to a window that is gone. Its owner removes both at a
clean end.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from pathlib import Path

from PyQt6.QtCore import QLockFile

from gpu.record.workspace import SUFFIX


class KeptSession:
    """The files of one window."""

    def __init__(self, folder: Path) -> None:
        token = secrets.token_hex(4)
        self.path = folder / f"{token}{SUFFIX}"
        self._lock = _lock_of(self.path)
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
        self.held = self._lock.tryLock(0)

    def remove(self) -> None:
        """Take both away: the window ends as it should."""
        _remove(self.path)
        self._lock.unlock()


def left_behind(folder: Path) -> list[Path]:
    """Return the sessions of windows that are gone, newest first."""
    found = []
    for path in folder.glob(f"*{SUFFIX}"):
        lock = _lock_of(path)
        if lock.tryLock(0):
            lock.unlock()
            with suppress(OSError):
                found.append((path.stat().st_mtime, path))
    return [path for _, path in sorted(found, reverse=True)]


def forget(paths: list[Path]) -> None:
    """Delete sessions of windows that are gone."""
    for path in paths:
        _remove(path)


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink(missing_ok=True)


def _lock_of(path: Path) -> QLockFile:
    lock = QLockFile(str(path.with_suffix(".lock")))
    lock.setStaleLockTime(0)  # old is not dead: its owner's process decides
    return lock
