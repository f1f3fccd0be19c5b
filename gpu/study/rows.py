"""Rows in a file: whoever computes some writes them there.

The space of rows is taken just before they are written.
"""

from __future__ import annotations

import errno
import math
import os
import shutil
import socket
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gpu.errors import GpuError


@dataclass(frozen=True)
class Target:
    """Where a worker on the same computer may write its rows itself."""

    host: str
    path: str
    begin: int  # byte at which the first row lies
    type: np.dtype
    shape: tuple[int, ...]
    inode: int

    def stripe(self, begin: int, end: int) -> np.ndarray | None:
        """Return the map of some rows, their space taken; None where the file is not seen here.

        Raises GpuError where the disk is full: now, and not as a signal while rows are written.
        """
        try:
            if self.host != socket.gethostname() or os.stat(self.path).st_ino != self.inode:
                return None
        except OSError:
            return None
        shape = (end - begin, *self.shape[1:])
        each = self.type.itemsize * math.prod(self.shape[1:])
        first = self.begin + begin * each
        try:
            _take_space(self.path, first, (end - begin) * each)
        except OSError as error:
            raise GpuError(f"cannot write {self.path}: {error.strerror}") from error
        return np.memmap(self.path, self.type, "r+", first, shape)


def _take_space(path: str, begin: int, size: int) -> None:
    """Take the space of a part of a file, so that a full disk is an OSError and no SIGBUS later.

    Of a file in memory it is only asked whether there is so much: to take it lasts as long as to
    write it, and one process at a time does.
    """
    if _in_memory(path):
        if shutil.disk_usage(Path(path).parent).free < size:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    elif hasattr(os, "posix_fallocate"):
        with open(path, "r+b") as file:
            os.posix_fallocate(file.fileno(), begin, size)


def _in_memory(path: str) -> bool:
    """Whether a file lies in memory (Linux; elsewhere unknown, False)."""
    try:
        told = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    mounts = [line.split() for line in told.splitlines()]
    device = os.stat(path).st_dev
    name = f"{os.major(device)}:{os.minor(device)}"
    return any(words[2] == name and words[words.index("-") + 1] == "tmpfs" for words in mounts)
