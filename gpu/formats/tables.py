"""Edge lists: SNAP, CSV, TSV, GAP `.el` and `.wel`.

    Id,Source,Target,Type,Weight        a table of edges as Gephi writes it
    7,Oslo,"Bergen, west",Undirected,2.5

Columns are separated by tabs, commas or semicolons, or by blanks. Lines that begin with # or % are
comments. The first line may be a lone number, the count of vertices. Without a heading a row is
'TAIL HEAD' or 'TAIL HEAD WEIGHT'. An edge list does not say whether it is directed: each row is one
directed edge unless the user chooses otherwise or a column "Type" says Undirected in every row.

Heading. A heading that names both ends (`TAILS`, `HEADS`) chooses the columns; one more column is
the weight, of several the usual name. Another first row is a heading if it has words above numbers,
or words that occur nowhere below. A note says so; `header=False` turns this off. A heading that
names nodes is refused.

Vertices. Numbers are numbered by `gpu.formats.build`. If most of the first rows hold words, or one
of them in a table, vertices are words, ranked by spelling. In double quotes blanks, separators,
line ends and doubled quotes belong to a name, as in Python's csv; outside, blanks at the ends do
not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from gpu.errors import FormatError, GraphError, Remedy
from gpu.formats.build import number_vertices, tails_of
from gpu.formats.exchange import NAME_CHARACTERS, choose_name, name_array, note_unnamed
from gpu.formats.reading import NAME, READ_SHARE, Arcs, Format, Reading, shown
from gpu.formats.rows import (
    INT64_MAX,
    RowRules,
    first_row,
    is_number,
    line_at,
    line_number,
    read_rows,
    value_fault,
    value_rule,
    whole_number,
)
from gpu.formats.write import number_columns, write_text
from gpu.graph import CSRGraph

COMMENTS = b"#%"
SEPARATORS = (b"\t", b";", b",")
QUOTED = re.compile(rb'"(?:[^"]|"")*+"')
OPEN_LINE = re.compile(rb'(?:[^"\n]++|"(?:[^"]|"")*+")*')  # *+ goes too far in Python 3.11.2
SAMPLED_LINES = 50  # data lines that decide about separator, columns, heading and words
MOST_DIGITS = 18  # of a count
BLANKS = b" \t\r"
NO_ROW = (b"", b"#", b"%")  # how a blank line and a comment begin

TAILS = ("source", "from", "tail", "src", "start", "u", "node1", "fromnodeid")
HEADS = ("target", "to", "head", "dst", "dest", "destination", "end", "v", "node2", "tonodeid")
NODES = {"id", "label", "name", "node", "nodeid", "node_id", "vertex", "title"}
OF_A_NODE = {"group", "class", "category", "community", "cluster", "degree", "size", "color", "x"}
TYPE, UNDIRECTED = "type", b"undirected"
NO_HEADER = "(or read with --no-header)"


@dataclass(frozen=True)
class Shape:
    """What the first lines show."""

    separator: bytes  # b"": blanks
    columns: list[int]  # of tail, head and, if there is one, of the weight
    rows_at: int
    width: int  # of a row; 0: a heading chose the columns, a row may be longer
    count: int | None = None  # of vertices, if the first line promises it
    count_line: int = 0
    named: bool = False  # vertices are words
    quoted: bool = False  # there are double quotes, and they mean something
    heading: list[bytes] = field(default_factory=list)  # if it names both ends

    @property
    def picks(self) -> bool:
        """Whether columns must be chosen, or quotes removed."""
        in_order = self.columns == list(range(len(self.heading)))
        return self.quoted or (bool(self.heading) and not in_order)


@dataclass
class Cells:
    """The chosen columns of a table, by column, and the line of each row."""

    lines: list[int]
    columns: list[list[bytes]]
    undirected: bool = False


def sniff(head: bytes) -> float:
    """Return at most 0.6: anything of two or three columns could be an edge list."""
    if b"\0" in head or head.lstrip()[:1] in {b"<", b"{", b"["}:
        return 0.0
    lines = _data_lines(bytearray(head))
    if not lines:
        return 0.0
    separator = _separator([line for _, _, line in lines])
    counts = {len(split_line(line, separator)) for _, _, line in lines[1:-1] or lines}
    firsts = [word for _, _, line in lines for word in split_line(line, separator)[:1]]
    numbers = sum(map(is_number, firsts))
    if len(lines) > 1 and separator and _ends(split_line(lines[0][2], separator)):
        return 0.6
    if len(counts) == 1 and counts <= {2, 3}:
        return 0.5 if numbers or separator else 0.3
    return 0.2 if 2 * numbers >= len(lines) else 0.0


def read(reading: Reading, data: bytearray) -> Arcs:
    """Read an edge list of numbers or of words."""
    shape = _shape(reading, data)
    rules = RowRules(
        "'TAIL HEAD WEIGHT'" if len(shape.columns) == 3 else "'TAIL HEAD'",
        value_columns=len(shape.columns) - 2, comments=COMMENTS,
        separator=shape.separator.strip(), values=value_rule(reading),
    )  # fmt: skip
    if shape.named:
        arcs = _read_words(reading, _cells(reading, data, shape), rules, len(data))
    else:
        arcs = _read_numbers(reading, data, shape, rules)
    if reading.undirected is None and not arcs.both:
        reading.note("edge lists do not say whether they are directed: read as written")
    return arcs


def _read_numbers(reading: Reading, data: bytearray, shape: Shape, rules: RowRules) -> Arcs:
    text, start, both = data, shape.rows_at, False
    if shape.picks:
        cells = _cells(reading, data, shape)
        text, start, both = _on_their_lines(cells, rules.separator or b" "), 0, cells.undirected
        rules = replace(rules, comments=b"")  # a # stood in quotes
    rows = read_rows(reading, text, start, rules)
    if shape.count is not None:
        reading.check_promise(shape.count, 0, len(data), shape.count_line)
    ends, n, base, ids = number_vertices(reading, rows.ids, shape.count)
    return Arcs(ends[0], ends[1], n, rows.weights, ids=ids, base=base, id_base=base, both=both)


def _read_words(reading: Reading, cells: Cells, rules: RowRules, size: int) -> Arcs:
    """Read vertices as words, ranked by spelling; `size` is the file's, in bytes."""
    tails, heads, *weights = cells.columns
    width = max(map(len, tails + heads))
    if width > NAME_CHARACTERS:
        raise _name_fault(reading, cells, max(tails + heads, key=len), rules)
    reading.need_memory(4 * width * len(tails))
    words, ranks = np.unique(np.array(tails + heads, f"S{max(width, 1)}"), return_inverse=True)
    names = [word.decode(errors="replace") for word in words.tolist()]
    for name, word in zip(names, words.tolist(), strict=True):
        if not name or "\0" in name or name.encode() != word:
            raise _name_fault(reading, cells, word, rules)
    values = None
    if weights and reading.needs_weights:
        values = _read_weights(reading, cells.lines, weights[0], rules)
    m = len(tails)
    ids = name_array(reading, names, size)
    return Arcs(ranks[:m], ranks[m:], len(words), values, ids=ids, both=cells.undirected)


def _name_fault(reading: Reading, cells: Cells, word: bytes, rules: RowRules) -> FormatError:
    """Return the fault of a row that names no vertex; raise that of a weight before it."""
    tails, heads, *weights = cells.columns
    row = next(row for row, ends in enumerate(zip(tails, heads, strict=True)) if word in ends)
    if weights and reading.needs_weights:
        _read_weights(reading, cells.lines[:row], weights[0][:row], rules)
    words = f"{shown(word)} names no vertex: UTF-8 text of 1 to {NAME_CHARACTERS} bytes does"
    return reading.fault(
        words if word else "a column is empty; expected a vertex", cells.lines[row]
    )


def _read_weights(
    reading: Reading, lines: list[int], cells: list[bytes], rules: RowRules
) -> np.ndarray:
    """Return the numbers of a column, int64 if all are whole, otherwise float64."""
    numbers: list[float] = []
    for line, cell in zip(lines, cells, strict=True):
        words, remedy = value_fault(cell, rules)
        if words:
            raise reading.fault(words, line, remedy)
        whole = whole_number(cell)
        numbers.append(float(cell) if whole is None else whole)
    exact = all(type(number) is int for number in numbers)
    return np.array(numbers, np.int64 if exact else np.float64)


# ---------------------------------------------------------------- cells


def _cells(reading: Reading, data: bytearray, shape: Shape) -> Cells:
    """Return the chosen columns. Raises FormatError for a row of another width."""
    reading.report(READ_SHARE, "parsing")
    if shape.quoted:
        numbered = list(table_rows(reading, data, shape.rows_at, shape.separator))
    else:
        text = enumerate(
            bytes(data[shape.rows_at :]).split(b"\n"), line_number(data, shape.rows_at)
        )
        split = shape.separator or None
        numbered = [(k, line.split(split)) for k, line in text if line.lstrip()[:1] not in NO_ROW]
    reading.report(READ_SHARE, "parsing")
    lines, rows = [line for line, _ in numbered], [row for _, row in numbered]
    least = max(shape.columns) + 1
    widths = set(map(len, rows))
    if widths and (min(widths) < least or (shape.width and widths != {shape.width})):
        raise _width_fault(reading, shape, lines, rows)
    columns = [[row[k] for row in rows] for k in shape.columns]
    if not shape.quoted:
        columns = [[cell.strip(BLANKS) for cell in column] for column in columns]
    names = _names(shape.heading)
    types: set[bytes] = set()
    if TYPE in names:
        type_at = names.index(TYPE)
        types = {row[type_at].strip(BLANKS).lower() for row in rows if len(row) > type_at}
    return Cells(lines, columns, types == {UNDIRECTED})


def _width_fault(
    reading: Reading, shape: Shape, lines: list[int], rows: list[list[bytes]]
) -> FormatError:
    least, width = max(shape.columns) + 1, shape.width
    k = next(k for k, row in enumerate(rows) if len(row) < least or len(row) != (width or len(row)))
    row = shown((shape.separator or b" ").join(rows[k]))
    expected = f"expected {width}" if width else f"the heading has {len(shape.heading)}"
    return reading.fault(f"{len(rows[k])} columns found {row}, {expected}", lines[k])


def _on_their_lines(cells: Cells, separator: bytes) -> bytearray:
    """Return rows as text without quotes, each on the line where it stands."""
    text: list[bytes] = []
    line = 1
    for number, row in zip(cells.lines, zip(*cells.columns, strict=True), strict=True):
        text.append(b"\n" * (number - line) + separator.join(row))
        line = number
    return bytearray(b"".join(text))


def split_line(line: bytes, separator: bytes) -> list[bytes]:
    """Return the columns of a line, without their quotes; b"" separates at blanks."""
    if not separator:
        return line.split()
    line = line.strip(b"\r")
    if b'"' not in line:
        return [token.strip(BLANKS) for token in line.split(separator)]
    return next(table_rows(None, line, 0, separator), (0, [b""]))[1]


def table_rows(
    reading: Reading | None, data: bytearray | bytes, start: int, separator: bytes
) -> Iterator[tuple[int, list[bytes]]]:
    """Yield the 1-based line and the cells of each row, as Python's csv reads them.

    Raises FormatError for a quote that never closes.
    """
    mark = re.escape(separator)
    pattern = re.compile(
        rb'[ \r]*+(?:"((?:[^"]|"")*+)"([^%b\n]*+)|([^%b\n]*+))(%b|\n|\Z)' % ((mark,) * 3)
    )
    at, number = start, line_number(data, start)
    first, row = number, list[bytes]()
    while at < len(data):
        if not row:
            rest = first_row(data, COMMENTS, at)
            number, at = number + data.count(b"\n", at, rest), rest
            if at >= len(data):
                return
            first = number
        cell = pattern.match(data, at)
        quoted, after, plain, end = cell.groups()  # type: ignore[union-attr]
        if quoted is None and plain[:1] == b'"' and reading is not None:
            raise reading.fault("a quote that never closes", number)
        row.append(plain.strip() if quoted is None else quoted.replace(b'""', b'"') + after.strip())
        number += (quoted or b"").count(b"\n") + (end == b"\n")
        at = cell.end()  # type: ignore[union-attr]
        if end != separator:
            yield first, row
            row = []
    if row:
        yield first, [*row, b""]


# ---------------------------------------------------------------- the first lines


def _data_lines(data: bytearray) -> list[tuple[int, int, bytes]]:
    """Return (1-based number, first byte, line) of the first that are no comments; quotes go on."""
    lines: list[tuple[int, int, bytes]] = []
    at, number = 0, 1
    while at < len(data) and len(lines) < SAMPLED_LINES:
        row = first_row(data, COMMENTS, at)
        line = line_at(data, row)
        number += data.count(b"\n", at, row)
        if row >= len(data):
            break
        if line.count(b'"') % 2:
            whole = OPEN_LINE.match(data, row)
            line = max(line, whole[0] if whole else b"", key=len)
        lines.append((number, row, line))
        at, number = row + len(line) + 1, number + 1 + line.count(b"\n")
    return lines


def _separator(lines: list[bytes]) -> bytes:
    """Return what stands in every line but a lone count: tab, semicolon, comma, else b""."""
    rows = lines[1:] if len(lines) > 1 and is_number(lines[0].strip()) else lines
    rows = [QUOTED.sub(b"", line) for line in rows if not is_number(line.strip())]
    return next((mark for mark in SEPARATORS if rows and all(mark in row for row in rows)), b"")


def _shape(reading: Reading, data: bytearray) -> Shape:
    lines = _data_lines(data)
    if not lines:
        raise reading.fault("no rows; expected lines 'TAIL HEAD' or 'TAIL HEAD WEIGHT'")
    separator = _separator([line for _, _, line in lines])
    count, count_line = None, 0
    if lines[0][2].strip().isdigit():
        count_line, _, line = lines.pop(0)
        if len(line.strip()) > MOST_DIGITS:
            raise reading.fault(f"found {shown(line)}, expected a count of vertices", count_line)
        count = int(line)
        if not lines:
            return Shape(b"", [0, 1], len(data), 2, count, count_line)
    rows = [split_line(line, separator) for _, _, line in lines]
    heading = _heading(reading, data, lines[0], rows) if reading.header else None
    if heading is not None:
        del lines[0], rows[0]
    if not heading and reading.weight_name is not None:
        raise reading.fault(
            "no heading that names source and target, so weights have no name", remedy=NAME
        )
    columns, width = list(range(len(rows[0]))), len(rows[0])
    if heading:
        columns, width = _chosen_columns(reading, heading, rows[0]), 0
        rows = [[row[k] for k in columns if k < len(row)] for row in rows]
    if len(columns) not in {2, 3}:
        raise reading.fault(
            f"{width} columns found {shown(lines[0][2])}, expected 'TAIL HEAD' or "
            "'TAIL HEAD WEIGHT'", lines[0][0],
        )  # fmt: skip
    numbers = sum(is_number(row[0]) and is_number(row[1]) for row in rows if len(row) > 1)
    return Shape(
        separator, columns, lines[0][1], width, count, count_line,
        named=numbers < len(rows) if separator else 2 * numbers < len(rows),
        quoted=bool(separator) and data.find(b'"') >= 0,
        heading=heading or [],
    )  # fmt: skip


# ---------------------------------------------------------------- the heading


def _heading(
    reading: Reading, data: bytearray, first: tuple[int, int, bytes], rows: list[list[bytes]]
) -> list[bytes] | None:
    """Return the cells of a heading that names both ends, [] for another one, None for none."""
    number, at, line = first
    if _ends(rows[0]):
        if len(rows) == 1:
            raise reading.fault("no rows under the heading")
        return rows[0]
    if len(rows) == 1 or not 2 <= len(rows[0]) == len(rows[1]):
        return None
    one, other = _names(rows[0])[:2]
    names_nodes = one in NODES and other in NODES | OF_A_NODE
    words = not any(is_number(cell, decimal=True) for cell in rows[0])
    if words and names_nodes:
        raise reading.fault(
            f"the heading {shown(line)} names nodes, not edges; open the table of edges, with "
            "columns such as Source and Target", number, Remedy("header", None, NO_HEADER),
        )  # fmt: skip
    below = at + len(line)
    unlike = len(rows) > 2 and all(data.find(cell, below) < 0 for cell in rows[0][:2])
    if not _above_numbers(rows) and not (words and unlike):
        return None
    reading.note(f"heading skipped: {shown(line)} {NO_HEADER}")
    return []


def _above_numbers(rows: list[list[bytes]]) -> bool:
    """Return whether the first row has words where the others have numbers."""
    first, others = rows[0], rows[1:]

    def above(k: int) -> bool:
        numbers = sum(len(row) > k and is_number(row[k], decimal=True) for row in others)
        return not is_number(first[k], decimal=True) and 2 * numbers >= len(others)

    weights = len(first) == 3 and above(2) and not is_number(first[0])
    return weights or (above(0) and above(1))


def _chosen_columns(reading: Reading, heading: list[bytes], row: list[bytes]) -> list[int]:
    """Return the columns of tail, head and, if there is one, of the weight.

    Raises FormatError if `weight_name` is no column.
    """
    names = _names(heading)
    tail, head = _ends(heading)
    others = [name for k, name in enumerate(names) if k not in {tail, head}]
    chosen = choose_name(reading, others)
    others = [name for name in others if name != TYPE]
    if chosen is None and len(others) == 1:
        chosen = others[0]
    if chosen is None:
        cells = dict(zip(names, row, strict=False))
        numbers = [name for name in others if is_number(cells.get(name, b""), decimal=True)]
        note_unnamed(reading, numbers)
        return [tail, head]
    reading.note(f"weights from the column {chosen!r}")
    return [tail, head, names.index(chosen)]


def _names(heading: Iterable[bytes]) -> list[str]:
    return [cell.strip(b' "').decode("utf-8", "replace").casefold() for cell in heading]


def _ends(heading: list[bytes]) -> tuple[int, ...]:
    """Return the columns that a heading names as tail and head, () if it does not name both."""
    names = _names(heading)
    tail = next((names.index(name) for name in TAILS if name in names), None)
    head = next((names.index(name) for name in HEADS if name in names), None)
    return () if tail is None or head is None else (tail, head)


# ---------------------------------------------------------------- writing


def write(graph: CSRGraph, path: Path) -> None:
    """Write 'source,target,weight' rows under a heading, with the graph's own ids.

    A vertex without edges cannot stand in a list of edges: then the first line holds the count and
    vertices are written 0-based. That would lose names: GraphError.
    """
    tails, used = tails_of(graph.indptr), _all_used(graph)
    mark = "," if ".csv" in map(str.lower, path.suffixes) else "\t"
    if not used and graph.ids is not None:
        raise GraphError(
            f"{graph.name} has vertices without edges that have names, and they cannot stand in "
            "an edge list; write .npz"
        )
    if graph.ids is None:
        base = graph.id_base if used else 0
        names = np.arange(base, base + graph.n)
    else:
        names = _writable_names(graph.ids, mark)
    head = f"source{mark}target{mark}weight\n" if used else f"{graph.n}\n"
    rows = number_columns(
        f"%s{mark}%s{mark}%s\n", names[tails], names[graph.indices], graph.weights
    )
    write_text(path, head, rows)


def _all_used(graph: CSRGraph) -> bool:
    used = np.diff(graph.indptr) > 0
    used[graph.indices] = True
    return bool(graph.n) and bool(used.all())


def numbered_from(graph: CSRGraph) -> int | None:
    """Return the first vertex number of the written file, None if it keeps the ids."""
    return None if _all_used(graph) else 0


def _writable_names(names: np.ndarray, mark: str) -> np.ndarray:
    """Return the ids; all in double quotes if one could be taken for something else.

    Raises GraphError for names that would be read back as others.
    """
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
    "edge_list", "Edge list (SNAP, CSV, TSV)", (".csv", ".tsv", ".txt"), sniff, read, write,
    shared=(".el", ".wel"), named_weights=True, numbered_from=numbered_from,
)  # fmt: skip
