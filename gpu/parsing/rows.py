"""Rows of numbers in text: one parser for DIMACS, edge lists, Matrix Market, coordinates.

`RowRules` says what a line must look like. Large texts go through the compiled `scan_rows` in
line-aligned chunks on all cores. Small ones go through NumPy where they hold only
plain integers, else, as does every bad line for its message, through the regular
expressions here. All three accept the same lines.
"""

from __future__ import annotations

import math
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gpu.errors import FormatError
from gpu.numbers import EXACT_FLOAT64
from gpu.parsing.csr import have_numba, numba_loaded
from gpu.parsing.filebytes import FileBytes
from gpu.parsing.reading import Reading
from gpu.parsing.row_rules import (
    FLOAT_MAX,
    INT64_MAX,
    IS_VALUE,
    NOT_NEGATIVE,
    SKIPPED,
    RowRules,
    row_fault,
    whole_number,
)
from gpu.parsing.source import READ_SHARE, cores

COMPILED_BYTES = 100_000  # larger text is parsed compiled, if Numba is loaded anyway
COMPILED_BYTES_COLD = 4_000_000  # if it is not: importing it costs as much as that in NumPy
CHUNK_BYTES = 4 << 20
PARSE_SHARE = 0.4  # of the progress bar
ROWS_PER_REPORT = 50_000
UNSETTLED_ROOM = 64  # values of a chunk that Python may have to read; more: scanned again
PLAIN_BYTES = b"0123456789 \t\r\n"
Types = tuple[np.dtype, np.dtype]  # of identifiers, of values
SURE_DIGITS = 19  # fewer digits always fit int64


@dataclass
class Rows:
    """What was read: ids int64 (id_columns, r), values float64 (value_columns, r).

    Either is int32 where that was likely and came true in a large file. Values are int64 where
    all are whole and one reaches 2**53, from where float64 leaves some out.
    integral : every value was written as an integer
    comments : comment lines met
    """

    ids: np.ndarray
    values: np.ndarray
    integral: bool
    comments: int

    def __len__(self) -> int:
        return self.ids.shape[1]


def read_rows(
    reading: Reading,
    data: FileBytes,
    start: int,
    rules: RowRules,
    *,
    compiled: bool | None = None,
) -> Rows:
    """Parse all lines from `start` on, the first byte of a line; `compiled` None: by size.

    Raises FormatError with the line, MemoryNeededError, CancelledByUserError.
    """
    if runs_compiled(len(data) - start) if compiled is None else compiled:
        return _read_compiled(reading, data, start, rules)
    rows = _read_plain(data, start, rules)
    return rows if rows is not None else _read_python(reading, data, start, rules)


def read_quoted_rows(reading: Reading, data: FileBytes, start: int, rules: RowRules) -> Rows | None:
    """Parse lines whose numbers may stand in double quotes; None where any line is another."""
    try:
        return _read_compiled(reading, data, start, replace(rules, quote=b'"'))
    except FormatError:
        return None


def runs_compiled(size: int) -> bool:
    """Return whether so many bytes are worth the compiled parser."""
    least = COMPILED_BYTES if numba_loaded() else COMPILED_BYTES_COLD
    return size >= least and have_numba()


def line_number(data: FileBytes | bytes, at: int) -> int:
    """Return the 1-based number of the line that holds byte `at`."""
    return data.count(b"\n", 0, at) + 1


def first_row(data: FileBytes | bytes, marks: bytes, at: int = 0) -> int:
    """Return where the first line from `at` on begins that is not blank and no comment.

    marks : bytes of which each begins a comment line
    """
    skipped = rb"(?:[ \t\r]*+(?:[%b][^\n]*+)?\n)*+(?:[ \t\r]*+(?:[%b][^\n]*+)?\Z)?"
    found = re.compile(skipped % (marks, marks)).match(data, at)
    return found.end() if found else at


def line_at(data: FileBytes, at: int) -> bytes:
    """Return the line that begins at byte `at`, without its newline."""
    end = data.find(b"\n", at)
    return bytes(data[at : len(data) if end < 0 else end])


# ---------------------------------------------------------------- compiled, in chunks


def _read_compiled(reading: Reading, data: FileBytes, start: int, rules: RowRules) -> Rows:
    from gpu.parsing.scan import COMMENTS, FRACTIONS, ROWS, count_newlines

    text = np.frombuffer(data, np.uint8)
    bounds = chunk_bounds(data, start)
    with ThreadPoolExecutor(max_workers=max(1, min(cores(), len(bounds)))) as pool:
        lines = list(pool.map(lambda bound: int(count_newlines(text, *bound)), bounds))
    lines[-1:] = [count + 1 for count in lines[-1:]]  # the last may lack its newline
    firsts = np.concatenate([[0], np.cumsum(lines)]).astype(np.int64)
    types = _types(not rules.fits_int32, np.int32 if rules.whole else np.float64)
    ids, values, reports = _scanned(reading, data, bounds, rules, firsts, types)
    needed = _types_needed(reports, types)
    if needed != types:
        ids, values, reports = _scanned(reading, data, bounds, rules, firsts, needed)
    kept = _closed_up(ids, values, firsts, reports[:, ROWS])
    return Rows(
        ids[:, :kept],
        values[:, :kept],
        not reports[:, FRACTIONS].any(),
        int(reports[:, COMMENTS].sum()),
    )


def _types_needed(reports: np.ndarray, types: Types) -> Types:
    """Return the types that hold all; `types` are those that were scanned into."""
    from gpu.parsing.scan import FRACTIONS, HUGE, LARGE, WIDE

    wide = bool(reports[:, WIDE].any()) or types[0] == np.int64
    if reports[:, HUGE].any() and not reports[:, FRACTIONS].any():
        return _types(wide, np.int64)
    return _types(wide, np.float64 if reports[:, [FRACTIONS, LARGE]].any() else types[1])


def _types(wide: bool, values: Any) -> Types:
    """Return types of identifiers and values; four pairs, because each is compiled for itself."""
    if wide and values == np.int32:
        values = np.float64
    return np.dtype(np.int64 if wide or values == np.int64 else np.int32), np.dtype(values)


def _scanned(
    reading: Reading,
    data: FileBytes,
    bounds: list[tuple[int, int]],
    rules: RowRules,
    firsts: np.ndarray,
    types: Types,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return ids and values of the two types, and the reports of the chunks."""
    from gpu.parsing import scan

    total = int(firsts[-1])
    row = types[0].itemsize * rules.id_columns + types[1].itemsize * rules.value_columns
    reading.need_memory(total * (row + 16))
    ids = np.empty((rules.id_columns, total), types[0])
    values = np.empty((rules.value_columns, total), types[1])
    reports = np.zeros((len(bounds), scan.REPORT), np.int64)
    text, packed = np.frombuffer(data, np.uint8), rules.packed()

    def scan_chunk(k: int) -> None:
        room, report = UNSETTLED_ROOM, reports[k]
        while True:
            open_ = np.empty((room, 3), np.int64)
            scan.scan_rows(text, *bounds[k], packed, firsts[k], ids, values, open_, report)
            if report[scan.UNSETTLED] <= room:
                break
            room = int(report[scan.UNSETTLED])
        if types[1].kind == "f":
            _settle(data, rules, values, open_[: report[scan.UNSETTLED]], report)

    _on_all_cores(reading, scan_chunk, len(bounds))
    _raise_first_fault(reading, data, reports[:, scan.BAD_AT], rules)
    return ids, values, reports


def _settle(
    data: FileBytes, rules: RowRules, values: np.ndarray, open_: np.ndarray, report: np.ndarray
) -> None:
    """Let Python read the values that the compiled loop was not sure of.

    open_ : int64 (u, 3), column and row of `values`, place in the text. One that is past the
    range makes its line the report's first bad one, if none before it is.
    """
    from gpu.parsing.scan import BAD_AT

    for column, row, at in open_.tolist():
        token = IS_VALUE.match(data, at)
        value = float(token[0]) if token else math.inf
        if abs(value) > FLOAT_MAX:
            line = data.rfind(b"\n", 0, at) + 1
            if report[BAD_AT] < 0 or line < report[BAD_AT]:
                report[BAD_AT] = line
            return
        values[column, row] = value


def chunk_bounds(data: FileBytes, start: int) -> list[tuple[int, int]]:
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
    reading: Reading, data: FileBytes, bad_at: np.ndarray, rules: RowRules
) -> None:
    found = bad_at[bad_at >= 0]
    if len(found):
        at = int(found.min())
        line = line_at(data, at)
        raise row_fault(reading, line, line_number(data, at), rules)


# ---------------------------------------------------------------- plain Python


def _read_python(reading: Reading, data: FileBytes, start: int, rules: RowRules) -> Rows:
    """Parse by a regular expression, line by line, and convert column by column."""
    match, first_line = rules.pattern.fullmatch, line_number(data, start)
    rows: list[tuple[bytes, ...]] = []
    row_lines: list[int] = []
    comments = 0
    odd_line: int | None = None
    lines = bytes(data[start:]).split(b"\n")
    for number, line in enumerate(lines, first_line):
        found = match(line)
        if found is not None:
            rows.append(found.groups())
            row_lines.append(number)
            continue
        stripped = line.strip(b" \t\r")
        if stripped and stripped[0] not in rules.comments:
            odd_line = number
            break
        comments += bool(stripped)
        if number % ROWS_PER_REPORT == 0:
            reading.report(READ_SHARE, "parsing")
    columns = list(zip(*rows, strict=True)) or [()] * rules.columns
    ids, values, integral = _converted(columns, rules)
    bad = _first_bad_row(ids, values, rules)
    fault_line = odd_line if bad is None else row_lines[bad]  # bad numbers stand before odd lines
    if fault_line is not None:
        raise row_fault(reading, lines[fault_line - first_line], fault_line, rules)
    return Rows(ids, values, integral, comments)


def _converted(
    columns: list[tuple[bytes, ...]], rules: RowRules
) -> tuple[np.ndarray, np.ndarray, bool]:
    """Return ids, values and whether all values are integers; -2**63 for ids past int64."""
    wide = [[int(token) for token in column] for column in columns[: rules.id_columns]]
    ids = np.array([[k if abs(k) <= INT64_MAX else -INT64_MAX - 1 for k in ks] for ks in wide])
    values = np.ones((rules.value_columns, len(columns[0])))
    integral = True
    if rules.values != SKIPPED:
        for k, column in enumerate(columns[rules.id_columns :]):
            values[k] = [float(token) for token in column]
            integral = integral and None not in map(whole_number, column)
        if integral and values.size and np.abs(values).max() >= EXACT_FLOAT64:
            whole = [[int(token) for token in column] for column in columns[rules.id_columns :]]
            values = np.array(whole, np.int64)
    return ids.astype(np.int64).reshape(rules.id_columns, len(columns[0])), values, integral


def _first_bad_row(ids: np.ndarray, values: np.ndarray, rules: RowRules) -> int | None:
    low = 0.0 if rules.values == NOT_NEGATIVE else -FLOAT_MAX
    bad = ((ids < rules.low) | (ids > rules.high)).any(axis=0)
    bad |= ((values < low) | (values > FLOAT_MAX)).any(axis=0)
    return int(bad.argmax()) if bad.any() else None


def _read_plain(data: FileBytes, start: int, rules: RowRules) -> Rows | None:
    """Parse in NumPy if there are only unsigned integers, blanks and the key; else None."""
    text = bytes(data[start:])
    if rules.separator or text.translate(None, PLAIN_BYTES + rules.key):
        return None
    letters = np.frombuffer(b"\n" + text + b"\n", np.uint8)
    digit = (letters >= ord("0")) & (letters <= ord("9"))
    edges = np.flatnonzero(digit[1:] != digit[:-1])
    newlines = np.flatnonzero(letters == ord("\n"))
    widths = np.diff(np.searchsorted(edges[::2], newlines))
    rows = int(np.count_nonzero(widths))
    if not rows or (widths[widths > 0] != rules.columns).any():
        return None
    if len(edges) and (edges[1::2] - edges[::2]).max() >= SURE_DIGITS:
        return None
    if rules.key:
        keys = np.flatnonzero(letters == rules.key[0])
        first = (letters[keys - 1] == ord("\n")).all() and (letters[keys + 1] <= ord(" ")).all()
        if len(keys) != rows or not first or (letters[keys + 1] == ord("\n")).any():
            return None
        text = text.replace(rules.key, b" ")
    numbers = np.fromstring(text, np.int64, sep=" ").reshape(-1, rules.columns).T
    ids = np.ascontiguousarray(numbers[: rules.id_columns])
    values: np.ndarray = numbers[rules.id_columns :]
    if rules.values == SKIPPED:
        values = np.ones_like(values)
    if not values.size or values.max() <= EXACT_FLOAT64:
        values = values.astype(np.float64)
    if _first_bad_row(ids, values, rules) is not None:
        return None
    return Rows(ids, values, True, 0)
