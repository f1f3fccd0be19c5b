"""Distances from a text file of any program: one line a vertex, id and distance.

    id,distance          a header is allowed, so are tabs, spaces or semicolons
    1,0
    2,803
    3,                   unreached: empty, or the word inf

A vertex that has no line counts as unreached; one with two lines, or a line that is not
of this kind, is an error that names the line.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from gpu.errors import FormatError, SourceError
from gpu.graph import CSRGraph

_UNREACHED = {"", "inf", "infinity", "+inf"}
_SNIFFED = 4096  # characters that decide which separator is meant


def read_distances(path: str | Path, graph: CSRGraph) -> np.ndarray:
    """Return int32 or float32 (n,), as the graph's weights; unreached as in `gpu.record.trace`.

    Raises FormatError naming file and line.
    """
    whole = graph.integer
    unreached = np.iinfo(np.int32).max if whole else np.inf
    dist = np.full(graph.n, unreached, np.int32 if whole else np.float32)
    seen = np.zeros(graph.n, bool)
    vertex_of = _translator(graph)
    for line, name, value in _rows(path):
        try:
            vertex = vertex_of(name)
        except SourceError as error:
            raise FormatError(path, str(error), line) from error
        if seen[vertex]:
            raise FormatError(path, f"vertex {name} has a distance already", line)
        seen[vertex] = True
        if value.lower() not in _UNREACHED:
            dist[vertex] = _number(path, line, value, whole)
    if not seen.any():
        raise FormatError(path, "no distances found; expected lines of id,distance")
    return dist


def _translator(graph: CSRGraph) -> Callable[[str], int]:
    """Return a function from a name in the file to an index; it raises SourceError."""
    if graph.ids is None:
        return graph.vertex_of
    known = {str(name): vertex for vertex, name in enumerate(graph.ids.tolist())}
    return lambda name: known[name] if name in known else graph.vertex_of(name)


def _rows(path: str | Path) -> Iterator[tuple[int, str, str]]:
    """Yield line number, id and distance as text, without header, comments, empty lines."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            head = file.read(_SNIFFED)
            file.seek(0)
            separator = next((mark for mark in ",;\t" if mark in head), None)
            rows: Iterator[list[str]] = (line.split() for line in file)
            if separator is not None:
                rows = csv.reader(file, delimiter=separator)
            for line, row in enumerate(rows, 1):
                if not row or row[0].startswith("#"):
                    continue
                if len(row) > 2:
                    raise FormatError(path, f"{len(row)} columns; expected id,distance", line)
                name, value = (row[0].strip(), row[1].strip() if len(row) == 2 else "")
                if line > 1 or not _is_header(value):
                    yield line, name, value
    except OSError as error:
        raise FormatError(path, f"cannot be read: {error.strerror or error}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise FormatError(path, f"not a table of distances ({error})") from error


def _is_header(value: str) -> bool:
    try:
        float(value or "inf")
    except ValueError:
        return True
    return False


def _number(path: str | Path, line: int, value: str, whole: bool) -> int | float:
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf") or (whole and not number.is_integer()):
        kind = "a whole number >= 0" if whole else "a number >= 0"
        raise FormatError(path, f"distance {value!r}; expected {kind}, or nothing", line)
    if whole and number >= np.iinfo(np.int32).max:
        raise FormatError(path, f"distance {value} is past 2^31-2, the most int32 holds", line)
    return int(number) if whole else number
