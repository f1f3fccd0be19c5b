"""Edge lists: SNAP, CSV, TSV, GAP `.el` and `.wel`; two columns, or three with a weight.

Columns are parted by blanks, tabs, commas or semicolons. Lines that begin with # or %
are comments; the first line may be a heading, or a lone number (the count of vertices). A
heading that names source and target may name more columns: see `gpu.formats.columns`.
The list does not say whether it is directed: read as written unless asked otherwise.

Identifiers. Numbers that fill first..last without a gap, and first is 0 or 1, stay as
they are. Others, up to 2**63-1, are ranked: vertex 0 has the smallest, and `ids` keeps
them all. If most rows begin with words instead of numbers, vertices are words,
ranked by spelling. So nothing is ever allocated by the largest identifier.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gpu.errors import GraphError
from gpu.formats.base import NAME, Format, Reading, WeightNames, bare_name, shown
from gpu.formats.build import graph_from_arcs, value_rule
from gpu.formats.columns import headed, pick, weights_of
from gpu.formats.csr import tails_of
from gpu.formats.filebytes import FileBytes
from gpu.formats.named_edges import NAME_CHARACTERS, is_number, read_named_rows, split_line
from gpu.formats.row_rules import INT64_MAX, RowRules
from gpu.formats.rows import Rows, read_rows
from gpu.formats.write import number_columns, write_text
from gpu.graph import CSRGraph

COMMENTS = b"#%"
SEPARATORS = (b"\t", b";", b",")
SAMPLED_LINES = 50  # data lines that decide about separator, columns, heading and words
DENSE_SPAN = 16  # identifiers are ranked by a table up to so many times the rows, else sorted


@dataclass(frozen=True)
class Shape:
    """What the first lines tell: how columns are parted and counted, where rows begin."""

    separator: bytes
    columns: int
    count: int | None
    count_line: int
    rows_at: int
    named: bool


def sniff(head: bytes) -> float:
    """Return at most 0.5: anything of two or three columns could be an edge list."""
    if b"\0" in head or head.lstrip()[:1] in {b"<", b"{", b"["}:
        return 0.0
    lines = _data_lines(bytearray(head))
    if not lines:
        return 0.0
    separator = _separator([line for _, _, line in lines])
    counts = [len(split_line(line, separator)) for _, _, line in lines[1:-1] or lines]
    numbers = sum(is_number(split_line(line, separator)[0]) for _, _, line in lines)
    if len(lines) > 1 and separator and headed(split_line(lines[0][2], separator)):
        return 0.6
    if set(counts) <= {2, 3} and len(set(counts)) == 1:
        return 0.5 if numbers or separator else 0.3
    return 0.2 if 2 * numbers >= len(lines) else 0.0


def read(reading: Reading, data: FileBytes) -> CSRGraph:
    """Read an edge list of numbers or of words."""
    shape, data, both = _shape(reading, data)
    rules = RowRules(
        "'TAIL HEAD WEIGHT'" if shape.columns == 3 else "'TAIL HEAD'",
        value_columns=shape.columns - 2, comments=COMMENTS,
        separator=shape.separator.strip(), values=value_rule(reading),
    )  # fmt: skip
    names: np.ndarray | None = None
    if shape.named:
        rows, names = read_named_rows(reading, data, shape.rows_at, rules, shape.separator)
        n, base = len(names), 0
    else:
        rows = read_rows(reading, data, shape.rows_at, rules)
        if shape.count is not None:
            reading.check_promise(shape.count, 0, len(data), shape.count_line)
        n, base, names = number_vertices(reading, rows, shape.count)
    if rows.comments:
        reading.note(f"{rows.comments} comment lines skipped between rows")
    if reading.undirected is None and not both:
        reading.note("edge lists do not say whether they are directed: read as written")
    return graph_from_arcs(
        reading,
        "edge_list",
        rows.ids[0],
        rows.ids[1],
        rows.values[0] if rules.value_columns else None,
        n,
        integral=rows.integral,
        base=base if names is None else 0,
        both=both,
        ids=names,
        id_base=base,
        name=bare_name(reading.path),
    )


def weight_names(head: bytes) -> WeightNames:
    """Return the columns of numbers that a heading names beside source and target."""
    lines = [line for _, _, line in _data_lines(bytearray(head))]
    if len(lines) > 1 and lines[0].strip().isdigit():
        del lines[0]
    separator = _separator(lines)
    rows = [split_line(line, separator) for line in lines[:2]]
    return weights_of(*rows) if len(rows) == 2 and headed(rows[0]) else WeightNames()


# ---------------------------------------------------------------- the first lines


def _data_lines(data: FileBytes) -> list[tuple[int, int, bytes]]:
    """Return (1-based number, first byte, line) of the first lines that are no comments."""
    found: list[tuple[int, int, bytes]] = []
    at, number = 0, 1
    while at < len(data) and len(found) < SAMPLED_LINES:
        end = data.find(b"\n", at)
        line = bytes(data[at : end if end >= 0 else len(data)])
        if line.strip() and line.lstrip()[0] not in COMMENTS:
            found.append((number, at, line))
        at, number = at + len(line) + 1, number + 1
    return found


def _separator(lines: list[bytes]) -> bytes:
    """Return what stands in every line but a lone count: tab, semicolon, comma, else b""."""
    rows = lines[1:] if len(lines) > 1 and is_number(lines[0].strip()) else lines
    return next((mark for mark in SEPARATORS if all(mark in line for line in rows)), b"")


def _shape(reading: Reading, data: FileBytes) -> tuple[Shape, FileBytes, bool]:
    """Return the shape, the text with the columns that count, and whether it is undirected."""
    lines = _data_lines(data)
    if not lines:
        raise reading.fault("no rows; expected lines 'TAIL HEAD' or 'TAIL HEAD WEIGHT'")
    separator = _separator([line for _, _, line in lines])
    count, count_line = None, 0
    if len(lines) > 1 and lines[0][2].strip().isdigit():
        first = lines.pop(0)
        count, count_line = _count(reading, first), first[0]
    rows = [split_line(line, separator) for _, _, line in lines]
    both = False
    if len(rows) > 1 and headed(rows[0]):
        picked = pick(reading, data, lines[1][1], rows[0], separator)
        data, both = picked.data, picked.undirected
        lines = _data_lines(data)
        if not lines:
            raise reading.fault("no rows under the heading")
        rows = [split_line(line, separator) for _, _, line in lines]
    elif reading.weight_name is not None:
        raise reading.fault(
            "no heading that names source and target, so weights have no name", remedy=NAME
        )
    elif _is_heading(rows):
        reading.note(f"heading skipped: {shown(lines[0][2])}")
        lines, rows = lines[1:], rows[1:]
    number, rows_at, line = lines[0]
    if len(rows[0]) not in {2, 3}:
        raise reading.fault(
            f"{len(rows[0])} columns found {shown(line)}, expected 'TAIL HEAD' or "
            "'TAIL HEAD WEIGHT'", number,
        )  # fmt: skip
    numbers = sum(is_number(row[0]) and is_number(row[1]) for row in rows if len(row) > 1)
    named = 2 * numbers < len(rows)
    return Shape(separator, len(rows[0]), count, count_line, rows_at, named), data, both


def _count(reading: Reading, first: tuple[int, int, bytes]) -> int:
    number, _, line = first
    if len(line.strip()) > 18:
        raise reading.fault(f"found {shown(line)}, expected a count of vertices", number)
    return int(line)


def _is_heading(rows: list[list[bytes]]) -> bool:
    """Return whether the first row names columns: where it has words, the others numbers."""
    if len(rows) < 2 or len(rows[0]) != len(rows[1]) or len(rows[0]) < 2:
        return False
    first, others = rows[0], rows[1:]

    def worded(k: int) -> bool:
        numbers = sum(len(row) > k and is_number(row[k], decimal=True) for row in others)
        return not is_number(first[k], decimal=True) and 2 * numbers >= len(others)

    ids = worded(0) and worded(1)
    weights = len(first) == 3 and worded(2) and not is_number(first[0])
    return ids or weights


# ---------------------------------------------------------------- which vertices there are


def number_vertices(
    reading: Reading, rows: Rows, count: int | None = None
) -> tuple[int, int, np.ndarray | None]:
    """Return n, the base of the row's identifiers, and the ids where they were ranked.

    Ranked identifiers replace those in `rows`.
    """
    if not len(rows):
        return count or 0, 0, None
    low, high = int(rows.ids.min()), int(rows.ids.max())
    if count is not None:
        for base in (0, 1):
            if base <= low and high < count + base:
                return count, base, None
        reading.note(f"the count in the first line, {count}, does not fit the ids: ignored")
    ids, ranked = _ranked(rows.ids, low, high)
    if low in {0, 1} and len(ids) == high - low + 1:
        return len(ids), low, None
    rows.ids = ranked
    reading.note(f"ids from {low} to {high}, {len(ids)} of them used: ranked 0 to {len(ids) - 1}")
    return len(ids), 0, ids


def _ranked(found: np.ndarray, low: int, high: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct identifiers, rising, and the rank of each of `found`."""
    if high - low > DENSE_SPAN * found.shape[1] + 1024 or high - low > INT64_MAX // 2:
        ids, ranks = np.unique(found, return_inverse=True)
        return ids, ranks.reshape(found.shape).astype(np.int64, copy=False)
    used = np.zeros(high - low + 1, bool)
    for column in found:
        used[column - low] = True
    ids = np.flatnonzero(used)
    if len(ids) == len(used):
        return ids + low, found - low
    rank = np.cumsum(used) - 1
    return ids + low, rank[found - low]


# ---------------------------------------------------------------- writing


def write(graph: CSRGraph, path: Path) -> None:
    """Write 'source,target,weight' rows under a heading, with the graph's own ids.

    For `.el` and `.wel`, which are GAP's, rows of 0-based numbers alone: `_write_gap`.

    A vertex without arcs cannot stand in a list of edges. If there are such, a
    first line holds the count and vertices are written 0-based; where they have
    names of their own that would lose those: GraphError.
    """
    suffixes = {suffix.lower() for suffix in path.suffixes}
    if suffixes & {".el", ".wel"}:
        _write_gap(graph, path, weighted=".wel" in suffixes)
        return
    tails = tails_of(graph.indptr)
    used = np.zeros(graph.n, bool)
    used[tails] = used[graph.indices] = True
    mark = "," if ".csv" in path.suffixes else "\t"
    if graph.ids is None:
        base = graph.id_base if used.all() else 0
        names = np.arange(base, base + graph.n)
    else:
        names = _writable_names(graph, mark)
    if not used.all() and graph.ids is not None:
        raise GraphError(
            f"{int((~used).sum())} vertices of {graph.name} have no arc and cannot stand in "
            "an edge list; write .npz or .gr"
        )
    head = f"source{mark}target{mark}weight\n" if used.all() else f"{graph.n}\n"
    rows = number_columns(
        f"%s{mark}%s{mark}%s\n", names[tails], names[graph.indices], graph.weights
    )
    write_text(path, [head], rows)


def _write_gap(graph: CSRGraph, path: Path, *, weighted: bool) -> None:
    """Write GAP's lists: no heading, vertices from 0, as many as the largest number says.

    Raises GraphError where the last vertex has no arc, or `.el` would lose weights.
    """
    tails = tails_of(graph.indptr)
    last = max(int(tails.max()), int(graph.indices.max())) if graph.m else -1
    if last != graph.n - 1:
        raise GraphError(
            f"the last of {graph.n} vertices of {graph.name} has no arc, and GAP's lists count "
            "vertices by the largest number; write .npz, .gr or .csv"
        )
    if not weighted and (graph.weights != 1).any():
        raise GraphError(".el holds no weights, and they are not all 1; write .wel")
    columns = (tails, graph.indices, graph.weights)
    rows = (
        number_columns("%s %s %s\n", *columns)
        if weighted
        else number_columns("%s %s\n", *columns[:2])
    )
    write_text(path, [], rows)


def _writable_names(graph: CSRGraph, mark: str) -> np.ndarray:
    """Return the ids; words that could be taken for something else in double quotes, all of them.

    Raises GraphError for names that no quotes can hold.
    """
    names = graph.ids
    assert names is not None
    if names.dtype.kind != "U":
        return names
    words = names.tolist()
    for name in words:
        long = len(name.encode()) > NAME_CHARACTERS
        if name != name.strip() or not name or long or {"\n", "\r", "\0", '"'} & set(name):
            raise GraphError(f"vertex name {name!r} cannot stand in an edge list; write .npz")
    if any(mark in name or name[0] in "#%" or is_number(name.encode()) for name in words):
        return np.array([f'"{name}"' for name in words])
    return names


FORMAT = Format(
    "edge_list", "Edge list (SNAP, CSV, TSV)", (".csv", ".tsv", ".txt", ".el", ".wel"),
    sniff, read, write, weight_names,
)  # fmt: skip
