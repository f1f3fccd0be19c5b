"""Distances from a text file of any program: one line a vertex, id and distance.

    id,distance          a header is allowed, so are tabs, spaces or semicolons
    1,0
    2,803
    3,                   unreached: empty, or the word inf

A vertex that has no line counts as unreached; one with two lines, or a line that is not of this
kind, is an error that names the line.

Other programs write a number for "unreached": -1, or the largest that a type holds (or half of it).
Such a number is taken for that where it can mean nothing else: no distance is negative, and none is
above the farthest that SciPy's Dijkstra finds here. What was recognised is said.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gpu.errors import FormatError, SourceError
from gpu.files import open_any
from gpu.graph import CSRGraph
from gpu.numbers import unreached
from gpu.record.export import safe_id

_UNREACHED = {"", "inf", "infinity", "+inf"}
_SNIFFED = 4096  # characters that decide which separator is meant
FEWEST_DIGITS, FLOAT32_DIGITS, FLOAT64_DIGITS = 5, 9, 15  # rounded; what holds each type exactly
NEGATIVE = -1.0
WHOLE_MARKS = tuple(map(float, (2**30 - 1, 2**30, 2**31 - 1, 2**32 - 1, 2**62, 2**63, 2**64)))
FLOAT_MARKS = (float(np.finfo(np.float32).max), float(np.finfo(np.float64).max))
_PLACES = 1e-3  # of a largest float: 1.797e308 is written with three digits, or with seventeen

Row = tuple[int, int, str, float]  # line, vertex, the distance as it is written, its number


@dataclass(frozen=True)
class Distances:
    """What a file says.

    dist : (n,), in the type of the graph's weights; unreached as in `gpu.record.trace`
    unreached : which number was taken for "unreached", in words, "" where none was
    digits : the most significant digits of a decimal in it, 0 where all are whole
    """

    dist: np.ndarray
    unreached: str = ""
    digits: int = 0

    def readings(self) -> Iterator[tuple[np.ndarray, float]]:
        """Yield what the numbers may be, strictest first: distances, and what they are rounded by.

        As they stand; float32 numbers, which nine digits hold; rounded to the digits that are
        written, where those are so many that it is no chance (`printf` writes 6).
        """
        yield self.dist, 0.0
        if self.dist.dtype.kind == "i" or self.digits < FEWEST_DIGITS:
            return
        if self.digits <= FLOAT32_DIGITS and self.dist.dtype == np.float64:
            with np.errstate(over="ignore"):
                yield self.dist.astype(np.float32), 0.0
        if self.digits < FLOAT64_DIGITS:
            yield self.dist, 10.0 ** (1 - self.digits)


def read_distances(path: str | Path, graph: CSRGraph, source: int) -> Distances:
    """Read a table of distances from `source`; the path may be a pipe.

    Raises FormatError naming file and line.
    """
    rows = _numbered(path, graph)
    marks = _marks(graph, source, rows)
    kept = [row for row in rows if not math.isinf(row[-1]) and _mark(row[-1]) not in marks]
    kind = graph.weights.dtype
    if graph.integer and max((row[-1] for row in kept), default=0) >= np.iinfo(kind).max:
        kind = np.dtype(np.int64)
    dist = np.full(graph.n, unreached(kind), kind)
    for line, vertex, word, value in kept:
        _check(path, line, word, value, kind)
        dist[vertex] = value
    taken = f"taken for unreached: {', '.join(marks.values())}" if marks else ""
    return Distances(dist, taken, 0 if graph.integer else max(_digits(row[2]) for row in rows))


def _digits(word: str) -> int:
    """Return how many significant digits a decimal has, 0 where there is no point."""
    number = word.lower().partition("e")[0]
    return len(number.replace(".", "").lstrip("+-0")) if "." in number else 0


def _numbered(path: str | Path, graph: CSRGraph) -> list[Row]:
    """Return the rows of the table, each vertex once."""
    ids = [] if graph.ids is None else [str(name) for name in graph.ids.tolist()]
    names = {safe_id(name): vertex for vertex, name in enumerate(ids)}  # as we write them
    for vertex, name in enumerate(ids):  # as other programs write them
        names.setdefault(name, vertex)
    rows: dict[int, Row] = {}
    for line, name, word in _lines(path, names):
        try:
            vertex = names[name] if name in names else graph.vertex_of(name)
        except SourceError as error:
            raise FormatError(path, str(error), line) from error
        if vertex in rows:
            raise FormatError(path, f"vertex {name} has a distance already", line)
        rows[vertex] = line, vertex, word, _value(path, line, word)
    if not rows:
        raise FormatError(path, "no distances found; expected lines of id,distance")
    return list(rows.values())


def _marks(graph: CSRGraph, source: int, rows: list[Row]) -> dict[float, str]:
    """Return of the marks in a table those that mean "unreached" here, as written first."""
    met = {_mark(value): word for *_, word, value in reversed(rows)}
    farthest = 0.0
    if met.keys() - {NEGATIVE, None}:
        from gpu.proof.verify import oracle_distances

        true = oracle_distances(graph, source)
        farthest = float(true[np.isfinite(true)].max())
    return {
        mark: word
        for mark, word in met.items()
        if mark is not None and (mark == NEGATIVE or mark > farthest)
    }


def _mark(value: float) -> float | None:
    """Return which mark of "unreached" a number is, if any."""
    if float(value) in (NEGATIVE, *WHOLE_MARKS):
        return float(value)
    return next((mark for mark in FLOAT_MARKS if math.isclose(value, mark, rel_tol=_PLACES)), None)


def _lines(path: str | Path, names: dict[str, int]) -> Iterator[tuple[int, str, str]]:
    """Yield line number, id and distance as text, without header, comments, empty lines.

    names : ids that are taken to the letter, blanks and # too
    """
    try:
        with open_any(path) as file:
            text = file.read().decode("utf-8")
        separator = next((mark for mark in ",;\t" if mark in text[:_SNIFFED]), None)
        rows: Iterator[list[str]] = (line.split() for line in io.StringIO(text, newline=""))
        if separator is not None:
            rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        for line, row in enumerate(rows, 1):
            literal = bool(row) and row[0] in names
            if not row or (row[0].startswith("#") and not literal):
                continue
            if len(row) > 2:
                raise FormatError(path, f"{len(row)} columns; expected id,distance", line)
            name = row[0] if literal else row[0].strip()
            value = row[1].strip() if len(row) == 2 else ""
            if line > 1 or _is_number(value or "inf"):
                yield line, name, value
    except OSError as error:
        raise FormatError(path, f"cannot be read: {error.strerror or error}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise FormatError(path, f"not a table of distances ({error})") from error


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _value(path: str | Path, line: int, word: str) -> float:
    """Return a distance as it is written, whole numbers exactly; inf: unreached."""
    if word.lower() in _UNREACHED:
        return math.inf
    number = float(word) if _is_number(word) else math.nan
    if word.isdecimal() and math.isfinite(number):
        return int(word)
    if not math.isfinite(number):
        raise FormatError(path, f"distance {word!r}; expected a number >= 0, or nothing", line)
    return number


def _check(path: str | Path, line: int, word: str, value: float, kind: np.dtype) -> None:
    """Refuse what no distance in this type can be."""
    whole = kind.kind == "i"
    if value < 0 or (whole and value != int(value)):
        allowed = "a whole number >= 0" if whole else "a number >= 0"
        raise FormatError(path, f"distance {word!r}; expected {allowed}, or nothing", line)
    if whole and value >= np.iinfo(kind).max:
        most = f"2^{8 * kind.itemsize - 1}-2"
        raise FormatError(path, f"distance {word} is past {most}, the most {kind} holds", line)
