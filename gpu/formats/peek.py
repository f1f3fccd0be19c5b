"""A look at the beginning of a file: its format, and what its weights are called.

For a window that asks before it reads: at most HEAD_BYTES are unpacked and nothing is parsed, so it
takes milliseconds. What stands further on can still be wrong: `load_graph` decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gpu.formats import chosen_reader
from gpu.parsing.reading import UTF8_MARK, Reading, WeightNames
from gpu.parsing.source import Source, refuse_web_address


@dataclass(frozen=True)
class Peek:
    """What the beginning tells.

    format : key of READERS; title : its name in words
    weights : None where the format does not name its weights
    """

    format: str
    title: str
    weights: WeightNames | None


def peek(path: str | Path) -> Peek:
    """Look at a file. Raises FormatError, MemoryNeededError as `load_graph` would."""
    refuse_web_address(str(path))
    reading = Reading(Path(path))
    source = Source(reading)
    try:
        head = source.head
    finally:
        source.close()
    row = chosen_reader(reading, head)
    names = row.weight_names
    return Peek(row.key, row.title, names(head.removeprefix(UTF8_MARK)) if names else None)
