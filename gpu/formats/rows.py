"""Rows of numbers in text: one parser for DIMACS, edge lists, Matrix Market, coordinates.

`RowRules` says what a line must look like: an optional key letter, one or two
identifiers, none to two values. Large texts go through the compiled `scan_rows` in
line-aligned chunks on all cores; small ones, and every message about a bad line,
through the regular expressions here. The two accept the same lines.
"""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gpu.formats.base import Reading, shown
from gpu.formats.csr import have_numba, numba_loaded
from gpu.formats.memory import require_memory
from gpu.formats.source import READ_SHARE, cores

COMPILED_BYTES = 100_000  # larger text is parsed compiled, if Numba is loaded anyway
COMPILED_BYTES_COLD = 4_000_000  # if it is not: importing it costs as much as 6 MB in Python
CHUNK_BYTES = 4 << 20
PARSE_SHARE = 0.4  # of the progress bar
ROWS_PER_REPORT = 50_000

SKIPPED, NOT_NEGATIVE, SIGNED = 0, 1, 2  # as in gpu.formats.scan
FLOAT32_MAX = float(np.finfo(np.float32).max)
INT64_MAX = 2**63 - 1

_BLANK = rb"[ \t\r]*+"
_INTEGER = rb"([+-]?[0-9]{1,19}+)"
_VALUE = rb"([+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?)"
_IS_INTEGER = re.compile(rb"[+-]?[0-9]{1,19}+")
_IS_VALUE = re.compile(_VALUE)


@dataclass(frozen=True)
class RowRules:
    """What a data line must look like.

    expected : the line in words, for errors: "'a TAIL HEAD WEIGHT'"
    key : letter that begins a data line, b"" for none
    comments : bytes of which each begins a comment line, two at most
    separator : b"," or b";" between columns, b"" for blanks
    low, high : identifiers allowed, both included; `range_words` says why
    values : SKIPPED, NOT_NEGATIVE or SIGNED
    """

    expected: str
    id_columns: int = 2
    value_columns: int = 0
    key: bytes = b""
    comments: bytes = b""
    separator: bytes = b""
    low: int = -INT64_MAX
    high: int = INT64_MAX
    range_words: str = "identifiers fit 63 bits"
    values: int = NOT_NEGATIVE
    value_name: str = "weight"

    @property
    def columns(self) -> int:
        """Number of columns after the key."""
        return self.id_columns + self.value_columns

    @cached_property
    def pattern(self) -> re.Pattern[bytes]:
        """A whole good line, a group for each column; linear in the line's length."""
        token = rb"([^ \t\r\n\0-\x1f" + self.separator + rb"]++)"
        value = token if self.values == SKIPPED else _VALUE
        columns = [_INTEGER] * self.id_columns + [value] * self.value_columns
        between = _BLANK + self.separator + _BLANK if self.separator else rb"[ \t\r]++"
        key = self.key + rb"[ \t][ \t\r]*+" if self.key else b""
        return re.compile(_BLANK + key + between.join(columns) + _BLANK)

    def packed(self) -> np.ndarray:
        """Return the int64 array that `scan_rows` takes."""
        comments = [*self.comments, *self.comments[-1:], 0, 0][:2]
        separator = self.separator[0] if self.separator else 0
        key = self.key[0] if self.key else 0
        columns = [self.id_columns, self.value_columns]
        numbers = [key, *comments, separator, *columns, self.low, self.high, self.values]
        return np.array(numbers, np.int64)


@dataclass
class Rows:
    """What was read: ids int64 (id_columns, r), values float64 (value_columns, r).

    integral : every value was written as an integer
    comments : comment lines met
    """

    ids: np.ndarray
    values: np.ndarray
    integral: bool
    comments: int

    def __len__(self) -> int:
        return self.ids.shape[1]


def read_rows(reading: Reading, data: bytearray, start: int, rules: RowRules) -> Rows:
    """Parse all lines from `start` on, which is the first byte of a line.

    Raises FormatError with the line, MemoryNeededError, CancelledByUserError.
    """
    if runs_compiled(len(data) - start):
        return _read_compiled(reading, data, start, rules)
    return _read_python(reading, data, start, rules)


def runs_compiled(size: int) -> bool:
    """Return whether so many bytes are worth the compiled parser."""
    least = COMPILED_BYTES if numba_loaded() else COMPILED_BYTES_COLD
    return size >= least and have_numba()


def line_number(data: bytearray, at: int) -> int:
    """Return the 1-based number of the line that holds byte `at`."""
    return data.count(b"\n", 0, at) + 1


def line_at(data: bytearray, at: int) -> bytes:
    """Return the line that begins at byte `at`, without its newline."""
    end = data.find(b"\n", at)
    return bytes(data[at : len(data) if end < 0 else end])


# ---------------------------------------------------------------- compiled, in chunks


def _read_compiled(reading: Reading, data: bytearray, start: int, rules: RowRules) -> Rows:
    from gpu.formats import scan

    text = np.frombuffer(data, np.uint8)
    bounds = chunk_bounds(data, start)
    lines = [np.count_nonzero(text[a:b] == scan.NEWLINE) + 1 for a, b in bounds]
    firsts = np.concatenate([[0], np.cumsum(lines)]).astype(np.int64)
    total = int(firsts[-1])
    require_memory(total * (8 * 2 + 8 * rules.value_columns + 16), str(reading.path))
    ids = np.empty((rules.id_columns, total), np.int64)
    values = np.empty((rules.value_columns, total), np.float64)
    reports = np.zeros((len(bounds), 4), np.int64)
    packed = rules.packed()

    def scan_chunk(k: int) -> None:
        a, b = bounds[k]
        scan.scan_rows(text, a, b, packed, firsts[k], ids, values, reports[k])

    _on_all_cores(reading, scan_chunk, len(bounds))
    _raise_first_fault(reading, data, reports[:, scan.BAD_AT], rules)
    kept = _closed_up(ids, values, firsts, reports[:, scan.ROWS])
    return Rows(
        ids[:, :kept],
        values[:, :kept],
        not reports[:, scan.FRACTIONS].any(),
        int(reports[:, scan.COMMENTS].sum()),
    )


def chunk_bounds(data: bytearray, start: int) -> list[tuple[int, int]]:
    """Cut data[start:] into pieces of about CHUNK_BYTES that end after a newline."""
    bounds, at = [], start
    while at < len(data):
        end = data.find(b"\n", at + CHUNK_BYTES)
        stop = len(data) if end < 0 else end + 1
        bounds.append((at, stop))
        at = stop
    return bounds


def _on_all_cores(reading: Reading, work: Any, count: int) -> None:
    """Call work(0..count-1) on threads; report, and stop between chunks if asked."""
    with ThreadPoolExecutor(max_workers=max(1, min(cores(), count))) as pool:
        waiting = [pool.submit(work, k) for k in range(count)]
        try:
            for done, future in enumerate(waiting):
                future.result()
                reading.report(READ_SHARE + PARSE_SHARE * (done + 1) / count, "parsing")
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _closed_up(ids: np.ndarray, values: np.ndarray, firsts: np.ndarray, rows: np.ndarray) -> int:
    """Move the rows of each chunk up to those of the one before; return how many."""
    kept = 0
    for first, count in zip(firsts[:-1], rows, strict=True):
        if first != kept:
            for array in (*ids, *values):
                array[kept : kept + count] = array[first : first + count]
        kept += int(count)
    return kept


def _raise_first_fault(
    reading: Reading, data: bytearray, bad_at: np.ndarray, rules: RowRules
) -> None:
    found = bad_at[bad_at >= 0]
    if len(found):
        at = int(found.min())
        line = line_at(data, at)
        raise reading.fault(what_is_wrong(line, rules), line_number(data, at))


# ---------------------------------------------------------------- plain Python


def _read_python(reading: Reading, data: bytearray, start: int, rules: RowRules) -> Rows:
    match, first_line = rules.pattern.fullmatch, line_number(data, start)
    columns: list[list[Any]] = [[] for _ in range(rules.columns)]
    comments, integral = 0, True
    for number, line in enumerate(bytes(data[start:]).split(b"\n"), first_line):
        if number % ROWS_PER_REPORT == 0:
            reading.report(READ_SHARE, "parsing")
        found = match(line)
        if found is None:
            stripped = line.strip(b" \t\r")
            if stripped and stripped[0] not in rules.comments:
                raise reading.fault(what_is_wrong(line, rules), number)
            comments += bool(stripped)
            continue
        row = _numbers(found.groups(), rules)
        if row is None:
            raise reading.fault(what_is_wrong(line, rules), number)
        for column, value in zip(columns, row, strict=True):
            column.append(value)
        if integral and rules.values != SKIPPED:
            integral = all(_IS_DIGITS(token) for token in found.groups()[rules.id_columns :])
    count = len(columns[0])
    ids = np.array(columns[: rules.id_columns], np.int64).reshape(rules.id_columns, count)
    values = np.array(columns[rules.id_columns :], np.float64)
    return Rows(ids, values.reshape(rules.value_columns, count), integral, comments)


_IS_DIGITS = re.compile(rb"[+-]?[0-9]++").fullmatch


def _numbers(tokens: tuple[bytes, ...], rules: RowRules) -> list[float] | None:
    """Return the row's numbers, None where one is out of range."""
    row: list[float] = []
    for token in tokens[: rules.id_columns]:
        number = int(token)
        if not rules.low <= number <= rules.high:
            return None
        row.append(number)
    for token in tokens[rules.id_columns :]:
        value = 1.0 if rules.values == SKIPPED else float(token)
        if not -FLOAT32_MAX <= value <= FLOAT32_MAX or (value < 0 and rules.values != SIGNED):
            return None
        row.append(value)
    return row


# ---------------------------------------------------------------- words for a bad line


def what_is_wrong(line: bytes, rules: RowRules) -> str:
    """Say in one line what was found in a bad line and what was expected."""
    tokens = _tokens(line, rules)
    found = f"found {shown(line)}, expected {rules.expected}"
    if rules.key:
        if not tokens or tokens[0] != rules.key:
            return found
        tokens = tokens[1:]
    for k, token in enumerate(tokens[: rules.columns]):
        words = _id_fault(token, rules) if k < rules.id_columns else _value_fault(token, rules)
        if words:
            return words
    if len(tokens) != rules.columns:
        return f"{len(tokens)} columns {found}" if not rules.key else found
    return found


def _tokens(line: bytes, rules: RowRules) -> list[bytes]:
    if rules.separator:
        return [token.strip(b" \t\r") for token in line.split(rules.separator)]
    return line.split()


def _id_fault(token: bytes, rules: RowRules) -> str:
    if not _IS_INTEGER.fullmatch(token):
        return f"{shown(token)} is no whole number (19 digits at most), expected {rules.expected}"
    if not rules.low <= int(token) <= rules.high:
        return f"vertex {int(token)} is out of range: {rules.range_words}"
    return ""


def _value_fault(token: bytes, rules: RowRules) -> str:
    name = rules.value_name
    if rules.values == SKIPPED:
        return "" if token else f"a {name} is missing"
    if not _IS_VALUE.fullmatch(token):
        wanted = "a finite number >= 0" if rules.values == NOT_NEGATIVE else "a finite number"
        return f"{name} {shown(token)} is not {wanted}"
    value = float(token)
    if not -FLOAT32_MAX <= value <= FLOAT32_MAX:
        return f"{name} {shown(token)} is past the range of float32, {FLOAT32_MAX:.3g}"
    if value < 0 and rules.values == NOT_NEGATIVE:
        return (
            f"{name} {shown(token)} is below zero; weights must be >= 0 "
            "(or read with --weights absolute, unit or random)"
        )
    return ""
