"""Arrays inside a page: one block of bytes, deflated, named from a tree of plain JSON values.

    pack = Pack()
    tree = {"x": pack.add(positions)}        # {"x": {"$": ["u2", 0, 12000]}}
    pack.text()                              # base64 of deflate of all bytes

A reference says type, first byte and entries; `assets/page/unpack.js` puts typed arrays in its
place. The bytes of an array are parted (all first bytes, then all second ones, ...), which makes
what deflate leaves of distances and times a third smaller. An array that was added before is not
added again: the runs of a sweep end in the same distances.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from typing import Any

import numpy as np

TYPES = ("u1", "u2", "u4", "i4", "f4", "f8")  # of typed arrays, little-endian
ALIGNED = 8  # bytes: where an array begins


class Pack:
    """Collects the arrays of one page."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self._known: dict[tuple[str, bytes], dict[str, Any]] = {}

    def add(self, array: np.ndarray) -> dict[str, Any]:
        """Return the reference of an array of one of TYPES, flattened."""
        kind = f"{array.dtype.kind}{array.dtype.itemsize}"
        if kind not in TYPES:
            raise TypeError(f"{array.dtype} is no type of a page; there are: {', '.join(TYPES)}")
        flat = np.ascontiguousarray(array, f"<{kind}").ravel()
        key = kind, hashlib.blake2b(flat.tobytes(), digest_size=16).digest()
        if key not in self._known:
            self._known[key] = {"$": [kind, self._size, len(flat)]}
            self._append(flat.view(np.uint8).reshape(len(flat), flat.itemsize).T.tobytes())
        return self._known[key]

    def text(self) -> str:
        """Return all bytes, deflated, as base64."""
        return base64.b64encode(zlib.compress(b"".join(self._parts), 9)).decode("ascii")

    def _append(self, held: bytes) -> None:
        padded = held + bytes(-len(held) % ALIGNED)
        self._parts.append(padded)
        self._size += len(padded)


def smallest(values: np.ndarray) -> np.ndarray:
    """Return whole numbers >= 0 in the smallest type that holds them: u1, u2, u4 or f8."""
    top = int(values.max(initial=0))
    for kind in (np.uint8, np.uint16, np.uint32):
        if top <= np.iinfo(kind).max:
            return values.astype(kind)
    return values.astype(np.float64)
