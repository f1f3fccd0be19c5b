"""Notes that a person pinned to a moment of a run or to a vertex of its graph.

They travel in the header of a trace, under a key of its own that older programs pass over. Notes of
strangers are bounded and on one line; where one does not fit, all are left out and a sentence says
so.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from msgspec import Meta, Struct, structs

from gpu.schema import Count, SchemaError, checked
from gpu.words import in_sight

LONGEST_NOTE = 200  # characters
MOST_NOTES = 500  # of a trace


class Note(Struct, frozen=True, omit_defaults=True):
    """A line of text at a moment, ns on the run's clock, or at a vertex, 0-based."""

    text: Annotated[str, Meta(min_length=1, max_length=LONGEST_NOTE)]
    t_ns: Count | None = None
    vertex: Count | None = None

    def __post_init__(self) -> None:
        if (self.t_ns is None) == (self.vertex is None):
            raise ValueError("a note stands at a moment (t_ns) or at a vertex (vertex), at one")


Notes = Annotated[tuple[Note, ...], Meta(max_length=MOST_NOTES)]


def note(text: str, *, t_ns: float | None = None, vertex: int | None = None) -> Note | None:
    """Return what a person wrote as a note, None where nothing is left of it."""
    words = in_sight(text.strip(), LONGEST_NOTE).strip()
    return Note(words, None if t_ns is None else round(t_ns), vertex) if words else None


def plain_notes(notes: Iterable[Note]) -> list[dict[str, Any]]:
    """Return notes as JSON values."""
    kept = (structs.asdict(one) for one in notes)
    return [{key: value for key, value in one.items() if value is not None} for one in kept]


def read_notes(entries: Any, n: int, time_ns: int) -> tuple[tuple[Note, ...], str]:
    """Return the notes of a file and "", or none and a sentence that says why.

    n, time_ns : vertices of the graph; length of the run
    """
    try:
        notes: tuple[Note, ...] = checked(Notes, entries or [])
    except SchemaError as error:
        return (), f"its notes are left out: {error}"
    if any((one.vertex or 0) >= n or (one.t_ns or 0) > time_ns for one in notes):
        return (), "its notes are left out: one is at no vertex of the graph, or after the run"
    lines = (note(one.text, t_ns=one.t_ns, vertex=one.vertex) for one in notes)
    return tuple(line for line in lines if line is not None), ""
