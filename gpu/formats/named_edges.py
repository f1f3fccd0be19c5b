"""Edge lists whose vertices are words, in plain Python; large ones go through `tables` first.

Names may hold blanks where columns are parted by tabs, commas or semicolons, and
may stand in double quotes, where they are taken to the letter. They become a NumPy array of
fixed width, so a single very long name would blow it up: NAME_CHARACTERS bounds each,
WIDTH_FACTOR all.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator

import numpy as np

from gpu.parsing.filebytes import FileBytes
from gpu.parsing.reading import Reading, shown
from gpu.parsing.row_rules import (
    FLOAT_MAX,
    IS_INTEGER,
    IS_VALUE,
    NOT_NEGATIVE,
    SKIPPED,
    RowRules,
    value_fault,
    whole_number,
)
from gpu.parsing.rows import Rows, first_row, line_number
from gpu.parsing.source import READ_SHARE

NAME_CHARACTERS = 256
WIDTH_FACTOR = 64  # the array of names may take so many times the file's bytes
ROWS_PER_REPORT = 50_000

_NUMBER_WORDS = {b"inf", b"nan", b"infinity"}


def is_number(token: bytes, *, decimal: bool = False) -> bool:
    """Return whether a token is a whole number; `decimal`: any number, inf and nan too."""
    if decimal and token.lower().lstrip(b"+-") in _NUMBER_WORDS:
        return True
    return bool((IS_VALUE if decimal else IS_INTEGER).fullmatch(token))


def split_line(line: bytes, separator: bytes) -> list[bytes]:
    """Return the columns of a line, without their quotes; b"" parts at blanks."""
    if not separator:
        return line.split()
    line = line.strip(b"\r")
    if b'"' not in line:
        return [token.strip(b" \t\r") for token in line.split(separator)]
    return next(table_rows(None, line, 0, separator), (0, [b""]))[1]


def table_rows(
    reading: Reading | None, data: FileBytes | bytes, start: int, separator: bytes
) -> Iterator[tuple[int, list[bytes]]]:
    """Yield the 1-based line and the cells of each row, as Python's csv reads them.

    In double quotes nothing parts, a quote is written twice, and blanks and line ends belong to
    the cell. Blanks around the cells do not; lines that begin with # or % are comments.

    Raises FormatError for a quote that never closes.
    """
    mark = re.escape(separator)
    cell = re.compile(
        rb'[ \r]*+(?:"((?:[^"]|"")*+)"([^%b\n]*+)|([^%b\n]*+))(%b|\n|\Z)' % ((mark,) * 3)
    )
    at, number = start, line_number(data, start)
    first, row = number, list[bytes]()
    while at < len(data):
        if not row:
            rest = first_row(data, b"#%", at)
            number, at = number + data.count(b"\n", at, rest), rest
            if at >= len(data):
                return
            first = number
        found = cell.match(data, at)
        quoted, after, plain, end = found.groups()  # type: ignore[union-attr]
        if quoted is None and plain[:1] == b'"' and reading is not None:
            raise reading.fault("a quote that never closes", number)
        row.append(plain.strip() if quoted is None else quoted.replace(b'""', b'"') + after.strip())
        number += (quoted or b"").count(b"\n") + (end == b"\n")
        at = found.end()  # type: ignore[union-attr]
        if end != separator:
            yield first, row
            row = []
    if row:
        yield first, [*row, b""]


def lines_of(data: FileBytes, start: int, separator: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """Yield what `table_rows` does, of a table without quotes."""
    for number, line in enumerate(bytes(data[start:]).split(b"\n"), line_number(data, start)):
        stripped = line.strip()
        if stripped and stripped[0] not in b"#%":
            yield number, split_line(line, separator)


def read_named_rows(
    reading: Reading, rows: Iterable[tuple[int, list[bytes]]], rules: RowRules, size: int
) -> tuple[Rows, np.ndarray]:
    """Return rows whose ids are ranks among the names, and the names, rising.

    `size` bytes is what they were read from. Raises FormatError for missing columns, long names,
    bad weights, bytes that are not UTF-8.
    """
    order: dict[bytes, int] = {}
    ends: list[int] = []
    weights: list[float] = []
    integral = True
    for count, (number, tokens) in enumerate(rows):
        if count % ROWS_PER_REPORT == 0:
            reading.report(READ_SHARE, "parsing")
        if len(tokens) != rules.columns:
            found = shown(b" ".join(tokens))
            words = f"{len(tokens)} columns found {found}, expected {rules.expected}"
            raise reading.fault(words, number)
        ends += [
            order.setdefault(_name(reading, token, number), len(order)) for token in tokens[:2]
        ]
        if rules.value_columns:
            weights.append(read_weight(reading, tokens[2], rules, number))
            integral = integral and is_number(tokens[2])
    names, ranks = _sorted_names(reading, order, size)
    ids = np.ascontiguousarray(ranks[np.array(ends, np.int64).reshape(-1, 2)].T)
    exact = integral and all(type(weight) is int for weight in weights)
    values = np.array([weights] * rules.value_columns, np.int64 if exact else np.float64)
    return Rows(ids, values.reshape(rules.value_columns, ids.shape[1]), integral, 0), names


def _name(reading: Reading, token: bytes, number: int) -> bytes:
    if not token:
        raise reading.fault("a column is empty; expected the name of a vertex", number)
    if len(token) > NAME_CHARACTERS:
        raise reading.fault(
            f"a name of {len(token)} bytes {shown(token)}; at most {NAME_CHARACTERS}", number
        )
    try:
        token.decode()
    except UnicodeDecodeError:
        raise reading.fault(f"name {shown(token)} is not UTF-8 text", number) from None
    if b"\0" in token:
        raise reading.fault(f"name {shown(token)} holds a zero byte", number)
    return token


def read_weight(reading: Reading, token: bytes, rules: RowRules, number: int) -> float:
    """Return the number in a token, an int where it is one of int64; raise FormatError.

    1 where weights are skipped.
    """
    if rules.values == SKIPPED:
        return 1.0
    value: float | None = whole_number(token)
    if value is None:
        value = float(token) if IS_VALUE.fullmatch(token) else math.nan
    low = 0.0 if rules.values == NOT_NEGATIVE else -FLOAT_MAX
    if not low <= value <= FLOAT_MAX:
        words, remedy = value_fault(token, rules)
        raise reading.fault(words, number, remedy)
    return value


def _sorted_names(
    reading: Reading, order: dict[bytes, int], size: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the names as str (n,), rising, and the rank of each in order of appearance."""
    words = sorted(order)
    ranks = np.empty(len(words), np.int64)
    for rank, word in enumerate(words):
        ranks[order[word]] = rank
    return name_array(reading, [word.decode() for word in words], size), ranks


def names_fit(width: int, count: int, size: int) -> bool:
    """Return whether so many names fit an array of so many characters each.

    `size` bytes is what they were read from.
    """
    return 4 * width * count <= WIDTH_FACTOR * size + 1_000_000 and width <= NAME_CHARACTERS


def name_array(reading: Reading, names: list[str], size: int) -> np.ndarray:
    """Return names as str (n,), all different; `size` bytes is what they were read from.

    Raises FormatError for names that are too long, the same, or cannot be written again.
    """
    width = max(map(len, names), default=1)
    if not names_fit(width, len(names), size):
        raise reading.fault(
            f"{len(names)} names of up to {width} characters in a file of {size} bytes; "
            f"the longest ones are too long (at most {NAME_CHARACTERS}) for an array of names"
        )
    for name in names:
        if "\0" in name or any("\ud800" <= letter <= "\udfff" for letter in name):
            raise reading.fault(f"name {ascii(name)[:60]} holds characters that no name may hold")
    if len(set(names)) < len(names):
        raise reading.fault("two vertices have the same name; each needs its own")
    return np.array(names, f"<U{max(width, 1)}")
