"""Edge lists: SNAP, CSV, TSV, GAP `.el` and `.wel`; two columns, or three with a weight.

Columns are parted by blanks, tabs, commas or semicolons. Lines that begin with # or %
are comments; the first line may be a heading, or a lone number (the count of vertices), and a
second lone number the count of arcs. A heading that names source and target may name more
columns: see `gpu.formats.columns`.
The list does not say whether it is directed: read as written unless asked otherwise.

Identifiers. Numbers that fill first..last without a gap, and first is 0 or 1, stay as
they are. Others, up to 2**63-1, are ranked: vertex 0 has the smallest, and `ids` keeps
them all. If most rows begin with words instead of numbers, vertices are words,
ranked by spelling. So nothing is ever allocated by the largest identifier.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from gpu.errors import FormatError, GraphError
from gpu.formats.columns import Picked, headed, pick, type_column, wanted, weights_of
from gpu.formats.named_edges import (
    NAME_CHARACTERS,
    is_number,
    lines_of,
    read_named_rows,
    split_line,
    table_rows,
)
from gpu.formats.tables import Table, cut, read_names
from gpu.graph import CSRGraph
from gpu.parsing.build import graph_from_arcs, value_rule
from gpu.parsing.csr import tails_of
from gpu.parsing.filebytes import FileBytes
from gpu.parsing.numbering import number_vertices
from gpu.parsing.reading import NAME, Format, Reading, WeightNames, bare_name, shown
from gpu.parsing.row_rules import INT64_MAX, RowRules
from gpu.parsing.rows import Rows, first_row, line_at, read_quoted_rows, read_rows, runs_compiled
from gpu.parsing.write import number_columns, write_text

COMMENTS = b"#%"
QUOTED = re.compile(rb'"(?:[^"]|"")*+"')
OPEN_LINE = re.compile(rb'(?:[^"\n]|"(?:[^"]|"")*+")*+')
SEPARATORS = (b"\t", b";", b",")
SMALL_DIGITS = 9  # of a whole number: fit int32 for sure
SAMPLED_LINES = 50  # data lines that decide about separator, columns, heading and words


@dataclass(frozen=True)
class Shape:
    """What the first lines tell: how columns are parted and counted, where rows begin.

    wanted : the columns of tail, head and, if there is one, of the weight
    count, arcs : of vertices and of arcs, where the first lines promise them
    named : vertices are words
    quoted : there are double quotes, and they mean something
    small, whole : identifiers fit int32, weights are integers that do, as far as was looked
    heading : its cells, if it names both ends
    """

    separator: bytes
    wanted: list[int]
    count: int | None
    count_line: int
    arcs: int | None
    rows_at: int
    named: bool = False
    quoted: bool = False
    small: bool = False
    whole: bool = False
    heading: list[bytes] = field(default_factory=list)

    @property
    def columns(self) -> int:
        """How many columns are read, 2 or 3."""
        return len(self.wanted)

    @property
    def chooses(self) -> bool:
        """Whether the heading has other columns, or in another order."""
        return bool(self.heading) and self.wanted != list(range(len(self.heading)))

    @property
    def picks(self) -> bool:
        """Whether columns must be chosen, or quotes taken off."""
        return self.quoted or self.chooses


def sniff(head: bytes) -> float:
    """Return at most 0.5: anything of two or three columns could be an edge list."""
    if b"\0" in head or head.lstrip()[:1] in {b"<", b"{", b"["}:
        return 0.0
    lines = _data_lines(bytearray(head))
    if not lines:
        return 0.0
    separator = _separator([line for _, _, line in lines])
    counts = [len(split_line(line, separator)) for _, _, line in lines[1:-1] or lines]
    firsts = [word for _, _, line in lines for word in split_line(line, separator)[:1]]
    numbers = sum(map(is_number, firsts))
    if len(lines) > 1 and separator and headed(split_line(lines[0][2], separator)):
        return 0.6
    if set(counts) <= {2, 3} and len(set(counts)) == 1:
        return 0.5 if numbers or separator else 0.3
    return 0.2 if 2 * numbers >= len(lines) else 0.0


def read(reading: Reading, data: FileBytes) -> CSRGraph:
    """Read an edge list of numbers or of words."""
    shape = _shape(reading, data)
    rules = RowRules(
        "'TAIL HEAD WEIGHT'" if shape.columns == 3 else "'TAIL HEAD'",
        value_columns=shape.columns - 2, comments=COMMENTS,
        separator=shape.separator.strip(), values=value_rule(reading), whole=shape.whole,
        small=shape.small,
    )  # fmt: skip
    rows, names, both = _rows_and_names(reading, data, shape, rules)
    n, base = (0 if names is None else len(names)), 0
    if names is None:
        if shape.count is not None:
            reading.check_promise(shape.count, shape.arcs or 0, len(data), shape.count_line)
        if shape.arcs is not None and len(rows) != shape.arcs:
            raise reading.fault(
                f"the first lines promise {shape.arcs} arcs, but the file has {len(rows)}",
                shape.count_line,
            )
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


def _rows_and_names(
    reading: Reading, data: FileBytes, shape: Shape, rules: RowRules
) -> tuple[Rows, np.ndarray | None, bool]:
    """Return the rows, the names of vertices where they are words, and whether edges are both arcs.

    In a table one word among the numbers makes all of them words, as in a data frame.
    """
    if shape.named:
        return _words(reading, data, shape, rules)
    text, start, both = data, shape.rows_at, False
    if shape.quoted and not shape.chooses and runs_compiled(len(data)):
        rows = read_quoted_rows(reading, data, start, rules)
        if rows is not None:
            return replace(rows, comments=0), None, False
    if shape.picks:
        text, start, both = _numbers_alone(reading, data, shape, rules)
        rules = replace(rules, comments=b"")  # what begins so now stood in quotes
    try:
        return read_rows(reading, text, start, rules), None, both
    except FormatError as error:
        if not shape.separator:
            raise
        try:
            found = _words(reading, data, shape, rules)
        except FormatError:
            raise error from None
        reading.note(f"line {error.line}: {error.problem}; so all ids are read as names")
        return found


def _table(data: FileBytes, shape: Shape) -> Table:
    """Return what the compiled loops must know."""
    columns, choosing = shape.wanted, bool(shape.heading) and shape.picks
    return Table(
        data, shape.rows_at, shape.separator, columns, shape.quoted,
        exact=0 if choosing else len(columns),
        type_at=type_column(shape.heading) if choosing else -1,
    )  # fmt: skip


def _words(
    reading: Reading, data: FileBytes, shape: Shape, rules: RowRules
) -> tuple[Rows, np.ndarray, bool]:
    """Do what `_rows_and_names` does of a list whose vertices are words."""
    if runs_compiled(len(data)):
        found = read_names(reading, _table(data, shape), rules)
        if found is not None:
            return found
    picked = _picked(reading, data, shape) if shape.picks else None
    cells = picked.rows if picked else lines_of(data, shape.rows_at, shape.separator)
    rows, names = read_named_rows(reading, cells, rules, len(data))
    return rows, names, picked is not None and picked.undirected


def _picked(reading: Reading, data: FileBytes, shape: Shape) -> Picked:
    """Return the rows of a table without quotes, with the wanted columns."""
    rows_of = table_rows(reading, data, shape.rows_at, shape.separator)
    cells = rows_of if shape.quoted else lines_of(data, shape.rows_at, shape.separator)
    if shape.heading:
        return pick(reading, cells, shape.heading, shape.wanted)
    return Picked(list(cells), shape.columns, False)


def _numbers_alone(
    reading: Reading, data: FileBytes, shape: Shape, rules: RowRules
) -> tuple[FileBytes, int, bool]:
    """Return text with the wanted columns alone, where its rows begin, and the kind of edges."""
    found = None
    if shape.separator and runs_compiled(len(data)):
        found = cut(reading, _table(data, shape))
    if found is not None:
        return found
    picked = _picked(reading, data, shape)
    return _on_their_lines(picked, rules.separator or b" "), 0, picked.undirected


def _on_their_lines(picked: Picked, separator: bytes) -> bytearray:
    """Return rows as text without quotes, each on the line where it stands."""
    text, line = [], 1
    for number, cells in picked.rows:
        text.append(b"\n" * (number - line) + separator.join(cells))
        line = number
    return bytearray(b"".join(text))


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
    """Return (1-based number, first byte, line) of the first lines that are no comments.

    A line goes on where a quote is open.
    """
    found: list[tuple[int, int, bytes]] = []
    at, number = 0, 1
    while at < len(data) and len(found) < SAMPLED_LINES:
        row = first_row(data, COMMENTS, at)
        line = line_at(data, row)
        number += data.count(b"\n", at, row)
        if row >= len(data):
            break
        if line.count(b'"') % 2:
            whole = OPEN_LINE.match(data, row)
            line = max(line, whole[0] if whole else b"", key=len)
        found.append((number, row, line))
        at, number = row + len(line) + 1, number + 1 + line.count(b"\n")
    return found


def _separator(lines: list[bytes]) -> bytes:
    """Return what stands in every line but a lone count: tab, semicolon, comma, else b""."""
    rows = lines[1:] if len(lines) > 1 and is_number(lines[0].strip()) else lines
    rows = [QUOTED.sub(b"", line) for line in rows if not is_number(line.strip())]
    return next((mark for mark in SEPARATORS if rows and all(mark in row for row in rows)), b"")


def _shape(reading: Reading, data: FileBytes) -> Shape:
    """Return what the first lines tell."""
    lines = _data_lines(data)
    if not lines:
        raise reading.fault("no rows; expected lines 'TAIL HEAD' or 'TAIL HEAD WEIGHT'")
    separator = _separator([line for _, _, line in lines])
    count, arcs, count_line = None, None, 0
    if lines[0][2].strip().isdigit():
        first = lines.pop(0)
        count, count_line = _count(reading, first), first[0]
        if len(lines) > 1 and lines[0][2].strip().isdigit():  # as in algs4: vertices, then arcs
            arcs = _count(reading, lines.pop(0))
        if not lines:
            return Shape(b"", [0, 1], count, count_line, arcs, len(data))
    rows = [split_line(line, separator) for _, _, line in lines]
    columns, heading = list(range(len(rows[0]))), list[bytes]()
    quoted = bool(separator) and data.find(b'"') >= 0
    rows_at = lines[0][1]
    if len(rows) > 1 and headed(rows[0]):
        heading = rows[0]
        columns, rows_at = wanted(reading, heading), lines[1][1]
        rows = [[row[k] for k in columns if k < len(row)] for row in rows[1:]]
    elif len(rows) == 1 and headed(rows[0]):
        raise reading.fault("no rows under the heading")
    elif reading.weight_name is not None:
        raise reading.fault(
            "no heading that names source and target, so weights have no name", remedy=NAME
        )
    elif _is_heading(rows):
        reading.note(f"heading skipped: {shown(lines[0][2])}")
        lines, rows = lines[1:], rows[1:]
        rows_at = lines[0][1]
    if len(columns) not in {2, 3}:
        raise reading.fault(
            f"{len(rows[0])} columns found {shown(lines[0][2])}, expected 'TAIL HEAD' or "
            "'TAIL HEAD WEIGHT'", lines[0][0],
        )  # fmt: skip
    numbers = sum(is_number(row[0]) and is_number(row[1]) for row in rows if len(row) > 1)
    named = 2 * numbers < len(rows)
    small, whole = (
        all(len(cell) <= SMALL_DIGITS and is_number(cell) for row in rows for cell in row[part])
        for part in (slice(2), slice(2, 3))
    )
    return Shape(
        separator, columns, count, count_line, arcs, rows_at, named, quoted, small, whole, heading
    )


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
    tails, used = tails_of(graph.indptr), _all_used(graph)
    mark = "," if ".csv" in suffixes else "\t"
    if not used and graph.ids is not None:
        raise GraphError(
            f"{graph.name} has vertices without arcs that have names, and they cannot stand in "
            "an edge list; write .npz"
        )
    if graph.ids is None:
        base = graph.id_base if used else 0
        names = np.arange(base, base + graph.n)
    else:
        names = _writable_names(graph, mark)
    head = f"source{mark}target{mark}weight\n" if used else f"{graph.n}\n"
    rows = number_columns(
        f"%s{mark}%s{mark}%s\n", names[tails], names[graph.indices], graph.weights
    )
    write_text(path, [head], rows)


def _all_used(graph: CSRGraph) -> bool:
    """Whether there are vertices and each is the end of an arc."""
    used = np.diff(graph.indptr) > 0
    used[graph.indices] = True
    return bool(graph.n) and bool(used.all())


def read_order(graph: CSRGraph, path: Path) -> np.ndarray | None:
    """Return the vertices in the order that a reader of the written file gives them."""
    if graph.ids is None or {suffix.lower() for suffix in path.suffixes} & {".el", ".wel"}:
        return None
    if graph.ids.dtype.kind == "U" and all(is_number(name.encode()) for name in graph.ids):
        return np.argsort(graph.ids.astype(np.int64), kind="stable")
    return np.argsort(graph.ids, kind="stable")


def numbered_from(graph: CSRGraph, path: Path) -> int | None:
    """Return where the vertices of the written file count from, None if it keeps their ids."""
    gap = {suffix.lower() for suffix in path.suffixes} & {".el", ".wel"}
    return 0 if gap or not _all_used(graph) else None


def _write_gap(graph: CSRGraph, path: Path, *, weighted: bool) -> None:
    """Write GAP's lists: no heading, vertices from 0, as many as the numbers say.

    Raises GraphError where a vertex has no arc, or `.el` would lose weights.
    """
    if not _all_used(graph):
        raise GraphError(
            f"{graph.name} has vertices without arcs, and GAP's lists hold vertices by their arcs "
            "alone; write .npz, .gr, .sg or .csv"
        )
    if not weighted and (not graph.integer or (graph.weights != 1).any()):
        raise GraphError(".el holds no weights, and they are not all the integer 1; write .wel")
    columns = (tails_of(graph.indptr), graph.indices, graph.weights)
    rows = (
        number_columns("%s %s %s\n", *columns)
        if weighted
        else number_columns("%s %s\n", *columns[:2])
    )
    write_text(path, [], rows)


def _writable_names(graph: CSRGraph, mark: str) -> np.ndarray:
    """Return the ids; words that could be taken for something else in double quotes, all of them.

    Raises GraphError for names that would be read back as others.
    """
    names = graph.ids
    assert names is not None
    if names.dtype.kind != "U":
        return names
    words = names.tolist()
    numbers = [is_number(name.encode()) for name in words]
    for name in words:
        long = len(name.encode()) > NAME_CHARACTERS
        if not name or long or {"\n", "\r", "\0"} & set(name):
            raise GraphError(f"vertex name {name!r} cannot stand in an edge list; write .npz")
    if all(numbers):
        odd = [name for name in words if str(int(name)) != name or abs(int(name)) > INT64_MAX]
        if odd:
            raise GraphError(
                f"vertex name {odd[0]!r} would be read as a number from an edge list; write .npz"
            )
        return names
    odd_letters = {mark, '"', " ", "\t", ";", ","}
    if any(numbers) or any(odd_letters & set(name) or name[0] in "#%" for name in words):
        return np.array(['"' + name.replace('"', '""') + '"' for name in words])
    return names


FORMAT = Format(
    "edge_list", "Edge list (SNAP, CSV, TSV)", (".csv", ".tsv", ".txt", ".el", ".wel"),
    sniff, read, write, weight_names, numbered_from=numbered_from, read_order=read_order,
)  # fmt: skip
