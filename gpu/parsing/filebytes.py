"""A file's bytes while it is read: a bytearray, or for large files pages of their own.

`bytearray(size)` writes zeros over memory that the file is about to fill, and takes it in
pages of 4 KiB: for 100 MB that costs as much time as parsing a third of it. LargeBytes asks the
system for the memory itself, in large pages where it has them. Readers use what both have:
length, slices, `find`, `count`, the buffer that NumPy, `re` and `bytes()` look into.
"""

from __future__ import annotations

import mmap
from contextlib import suppress

import numpy as np

LARGE_BYTES = 4 << 20  # from so many on, large pages pay


class LargeBytes(mmap.mmap):
    """Private memory of a given size, all zeros before it is written."""

    def __new__(cls, size: int) -> LargeBytes:
        """Take `size` bytes, more than 0."""
        if not hasattr(mmap, "MAP_PRIVATE"):  # Windows: memory is private unless it has a name
            return super().__new__(cls, -1, size)
        made = super().__new__(cls, -1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        if hasattr(mmap, "MADV_HUGEPAGE"):
            with suppress(OSError):  # a kernel without them: small pages do
                made.madvise(mmap.MADV_HUGEPAGE)
        return made

    def count(self, wanted: bytes, begin: int = 0, end: int | None = None) -> int:
        """Return how often `wanted`, one byte, occurs in self[begin:end]."""
        return self[begin : len(self) if end is None else end].count(wanted)


FileBytes = bytearray | LargeBytes


def end_lines_in_newlines(data: bytearray | LargeBytes) -> None:
    """Turn every CR that no LF follows into an LF, in place.

    A CR before an LF stays: it is a blank to every reader.
    """
    if data.find(b"\r") < 0:
        return
    letters = np.frombuffer(data, np.uint8)
    returns = np.flatnonzero(letters == ord("\r"))
    following = letters[np.minimum(returns + 1, len(letters) - 1)]
    letters[returns[following != ord("\n")]] = ord("\n")
