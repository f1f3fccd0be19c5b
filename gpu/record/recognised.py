"""Is a file a saved run or a workspace: by the first entry of its archive, a few bytes at its head.

So that whoever opens files can choose a reader without having read one: nothing is unpacked.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from gpu.files import open_regular
from gpu.record.tracefile import MEMBERS
from gpu.record.workspace import GRAPH, RUNS, SUFFIX, TABLE

FIRST_ENTRY = b"PK\x03\x04"  # of a zip archive
NAME_LENGTH_AT, NAME_AT = 26, 30  # in its header
LONGEST = 64  # of a name that we give


def recognised(path: str | Path) -> Literal["workspace", "trace"] | None:
    """Return what a file is by its suffix or first entry, None for anything else."""
    if Path(path).suffix.lower() == SUFFIX:
        return "workspace"
    try:
        with open_regular(path) as file:
            head = file.read(NAME_AT + LONGEST)
    except OSError:
        return None
    if not head.startswith(FIRST_ENTRY):
        return None
    length = int.from_bytes(head[NAME_LENGTH_AT : NAME_AT - 2], "little")
    name = head[NAME_AT : NAME_AT + length].decode("utf-8", "replace")
    if name in {TABLE, GRAPH} or name.startswith(RUNS):
        return "workspace"
    return "trace" if name in {f"{member}.npy" for member in ("header", *MEMBERS)} else None
