"""Which libraries a shared library of Linux asks for: its DT_NEEDED entries, read by hand.

Only 64-bit little-endian files, which is what PyQt6's wheels for Linux hold. No `ldd`: that runs
the file, and says nothing of libraries that are missing behind a missing one.
"""

from __future__ import annotations

import struct
from pathlib import Path

LOAD, DYNAMIC = 1, 2  # kinds of segments
END, NEEDED, STRINGS = 0, 1, 5  # tags of the dynamic segment
ENTRY = struct.Struct("<qQ")  # tag, value
SEGMENT = struct.Struct("<IIQQQQQQ")  # kind, flags, offset, address, _, bytes in the file, _, _


def needed(file: Path) -> list[str]:
    """Return the names that `file` asks the loader for, in its order."""
    data = file.read_bytes()
    assert data[:6] == b"\x7fELF\x02\x01", f"{file}: not a 64-bit little-endian ELF file"
    (table,) = struct.unpack_from("<Q", data, 0x20)
    size, count = struct.unpack_from("<HH", data, 0x36)
    segments = [SEGMENT.unpack_from(data, table + size * row) for row in range(count)]
    (dynamic,) = (one for one in segments if one[0] == DYNAMIC)
    entries = list(ENTRY.iter_unpack(data[dynamic[2] : dynamic[2] + dynamic[5]]))
    entries = entries[: [tag for tag, _ in entries].index(END)]
    (address,) = (value for tag, value in entries if tag == STRINGS)
    strings = _offset(segments, address)
    starts = [strings + value for tag, value in entries if tag == NEEDED]
    return [data[start : data.index(b"\0", start)].decode() for start in starts]


def _offset(segments: list[tuple[int, ...]], address: int) -> int:
    """Return where in the file that stands which is loaded at `address`."""
    for kind, _, offset, first, _, length, _, _ in segments:
        if kind == LOAD and first <= address < first + length:
            return offset + address - first
    raise AssertionError(f"no segment holds address {address:#x}")
