"""Files that a process keeps locked while it uses them: the system lets go when it dies, however.

A file that nobody has locked was left by a process that is gone, in whichever container it was.
"""

from __future__ import annotations

from typing import IO

try:
    import fcntl
except ImportError:  # Windows: there a file that is open cannot be removed
    fcntl = None  # type: ignore[assignment]

CAN_LOCK = fcntl is not None


def lock(file: int | IO[bytes], *, shared: bool = False, wait: bool = False) -> None:
    """Lock an open file, or its descriptor, until it is closed; do nothing on Windows.

    OSError where another process has it and one does not wait, or the file system has no locks.
    """
    if fcntl is not None:
        how = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        fcntl.flock(file, how if wait else how | fcntl.LOCK_NB)
