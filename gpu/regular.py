"""Open a stranger's file: a regular one, and no more of it than was asked for.

Or, where a person named it to a command, any: a pipe, standard input.

A pipe would wait for ever, a device may never end, and a link may lead to either: what is no
regular file is an OSError in words, before a byte is read, and so is a name that no file has.
"""

from __future__ import annotations

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path
from typing import IO

STDIN = "/dev/stdin"
_FLAGS = os.O_RDONLY | sum(
    getattr(os, name, 0) for name in ("O_BINARY", "O_CLOEXEC", "O_NOCTTY", "O_NONBLOCK")
)


def open_regular(path: str | Path) -> IO[bytes]:
    """Open a regular file for reading. OSError; its `strerror` says what to do."""
    if "\0" in str(path):
        raise OSError(errno.EINVAL, "no file has such a name: it holds a NUL")
    _check(os.stat(path))
    handle = os.open(path, _FLAGS)
    try:
        _check(os.fstat(handle))  # what was looked at may have been replaced
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def read_regular(path: str | Path, most: int) -> bytes:
    """Return the bytes of a regular file of up to `most` bytes. OSError."""
    with open_regular(path) as file:
        found = file.read(most + 1)
    if len(found) > most:
        raise OSError(errno.EFBIG, f"more than {most:,} bytes; allowed: {most:,}")
    return found


def is_stdin(path: str | Path) -> bool:
    """Whether a path means what this process was given as its standard input."""
    return Path(path).as_posix() == STDIN


def open_any(path: str | Path) -> BufferedReader:
    """Open a file, pipe or device for reading; standard input also where it has no path.

    Waits for a pipe's writer. OSError.
    """
    return open(0, "rb", closefd=False) if is_stdin(path) else open(path, "rb")


def _check(found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "not a file: folders, devices and pipes are not read")
