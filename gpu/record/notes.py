"""Notes that a person pinned to a moment of a run or to a vertex of its graph.

They travel in the header of a trace, under a key of its own that older programs pass over. Words
of strangers, so: bounded, plain, on one line. A note that does not fit its declaration, or stands
at a moment or vertex that is not there, is left out and a sentence says so; the run is read all the
same.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from msgspec import Meta, Struct, structs

from gpu.schema import Count, SchemaError, checked
from gpu.words import in_sight

LONGEST_NOTE = 200  # characters
MOST_NOTES = 500  # of a trace

Words = Annotated[
    str,
    Meta(min_length=1, max_length=LONGEST_NOTE, description=f"1 to {LONGEST_NOTE} characters"),
]


class Note(Struct, frozen=True, omit_defaults=True):
    """A line of text at a moment, ns on the run's clock, or at a vertex, 0-based."""

    text: Words
    t_ns: Count | None = None
    vertex: Count | None = None

    def __post_init__(self) -> None:
        if (self.t_ns is None) == (self.vertex is None):
            raise ValueError("a note stands at a moment (t_ns) or at a vertex (vertex), at one")


def note(text: str, *, t_ns: float | None = None, vertex: int | None = None) -> Note | None:
    """Return what a person wrote as a note, None where nothing is left of it."""
    words = in_sight(text.strip(), LONGEST_NOTE).strip()
    return Note(words, None if t_ns is None else round(t_ns), vertex) if words else None


def plain_notes(notes: Iterable[Note]) -> list[dict[str, Any]]:
    """Return notes as JSON values."""
    kept = (structs.asdict(one) for one in notes)
    return [{key: value for key, value in one.items() if value is not None} for one in kept]


def read_notes(entries: Any, n: int, time_ns: int) -> tuple[tuple[Note, ...], str]:
    """Return the notes of a file, each once, and a sentence about those left out, or "".

    n, time_ns : vertices of the graph; length of the run
    """
    if entries is None:
        return (), ""
    if not isinstance(entries, list):
        return (), "its notes are left out: they are no list"
    notes: dict[Note, None] = {}
    faults = []
    for one in entries[:MOST_NOTES]:
        try:
            notes[_checked(one, n, time_ns)] = None
        except SchemaError as error:
            faults.append(str(error))
    if len(entries) > MOST_NOTES:
        faults.append(f"a trace holds {MOST_NOTES:,}")
    left_out = len(faults) - (len(entries) > MOST_NOTES) + max(len(entries) - MOST_NOTES, 0)
    if not faults:
        return tuple(notes), ""
    return tuple(notes), f"{left_out:,} of {len(entries):,} notes are left out: {faults[0]}"


def _checked(entry: Any, n: int, time_ns: int) -> Note:
    one = checked(Note, entry)
    if one.vertex is not None and one.vertex >= n:
        raise SchemaError(f"vertex = {one.vertex}; allowed: 0 to {n - 1:,}")
    if one.t_ns is not None and one.t_ns > time_ns:
        raise SchemaError(f"t_ns = {one.t_ns}; allowed: 0 to {time_ns:,}, the length of the run")
    kept = note(one.text, t_ns=one.t_ns, vertex=one.vertex)
    if kept is None:
        raise SchemaError("text is blank")
    return kept
