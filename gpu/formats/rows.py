"""Rows of numbers in text: DIMACS, SNAP, numeric tables, Matrix Market, coordinates.

`RowRules` defines a line: an optional key letter, identifiers, values. Its regular expression is
the definition, and it reads small texts. A large text is read in chunks that end at line ends, on
all cores: by NumPy where each line holds plain whole numbers and Numba is not loaded yet, which
takes half a second, else by the compiled loop of `gpu.formats.scan`. The loop leaves every value
that is no plain number to `float` here, and stops at a bad line, for which this module has the
words.
"""

from __future__ import annotations

import itertools
import re
import sys
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from gpu.errors import FormatError, Remedy
from gpu.formats.reading import READ_SHARE, SIGNS, Reading, shown
from gpu.graph import MAX_COUNT
from gpu.numbers import EXACT_FLOAT64

NEWLINE, BLANK, ZERO, NINE = b"\n 09"
SKIPPED, NOT_NEGATIVE, SIGNED = 0, 1, 2  # what a value column may hold; as in gpu.formats.scan
FLOAT_MAX = float(np.finfo(np.float64).max)
INT64_MAX = 2**63 - 1

COMPILED_BYTES = 100_000  # larger text is parsed compiled, if Numba is loaded anyway
COMPILED_BYTES_COLD = 4_000_000  # if it is not: importing it takes about a second
PLAIN_BYTES = 20_000_000  # up to which NumPy reads plain rows before Numba is loaded for them
PLAIN_DIGITS = 15  # of a number that NumPy reads: below 2**53
CHUNK_BYTES, MOST_CHUNKS = 1 << 18, 1000  # of one at least; of a text
ROWS_PER_REPORT = 50_000

_BLANK = rb"[ \t\r]*+"
_INTEGER = rb"([+-]?[0-9]{1,19}+)"
_VALUE = rb"([+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?)"
IS_INTEGER = re.compile(rb"[+-]?[0-9]{1,19}+")
IS_VALUE = re.compile(_VALUE)
_NUMBER_WORDS = {b"inf", b"nan", b"infinity"}


def whole_number(token: bytes | bytearray) -> int | None:
    """Return the int64 that a token spells, None if it spells none."""
    number = int(token) if IS_INTEGER.fullmatch(token) else INT64_MAX + 1
    return number if abs(number) <= INT64_MAX else None


def is_number(token: bytes, *, decimal: bool = False) -> bool:
    """Return whether a token is a whole number; `decimal`: any number, also inf and nan."""
    if decimal and token.lower().lstrip(b"+-") in _NUMBER_WORDS:
        return True
    return bool((IS_VALUE if decimal else IS_INTEGER).fullmatch(token))


def value_rule(reading: Reading) -> int:
    """Return `RowRules.values` for the weights that the user chose."""
    if not reading.needs_weights:
        return SKIPPED
    return SIGNED if reading.allows_negative else NOT_NEGATIVE


@dataclass(frozen=True)
class RowRules:
    """What a line of data must look like."""

    expected: str  # the line in words, for errors: "'a TAIL HEAD WEIGHT'"
    id_columns: int = 2
    value_columns: int = 0
    key: bytes = b""  # letter that begins a data line
    comments: bytes = b""  # bytes of which each begins a comment line, two at most
    separator: bytes = b""  # between columns; b"": blanks
    low: int = -INT64_MAX  # identifiers allowed, both included
    high: int = INT64_MAX
    range_words: str = "identifiers fit 63 bits"
    values: int = NOT_NEGATIVE  # or SKIPPED or SIGNED
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
        key, separator = (mark[0] if mark else 0 for mark in (self.key, self.separator))
        columns = [self.id_columns, self.value_columns]
        numbers = [key, *comments, separator, *columns, self.low, self.high, self.values]
        return np.array(numbers, np.int64)


@dataclass
class Rows:
    """The columns of a text of numbers.

    ids : (id_columns, rows), int64; int32 of a large text whose rules allow no larger ones
    values : (value_columns, rows), int64 or int32 if all are whole numbers, otherwise float64
    """

    ids: np.ndarray
    values: np.ndarray

    def __len__(self) -> int:
        return self.ids.shape[1]

    @property
    def weights(self) -> np.ndarray | None:
        """The first column of values, None if there is none."""
        return self.values[0] if len(self.values) else None


def read_rows(
    reading: Reading, data: bytearray, start: int, rules: RowRules, *, compiled: bool | None = None
) -> Rows:
    """Parse all lines from byte `start` on, which begins a line; `compiled` None: by size.

    Raises FormatError with the line, MemoryNeededError, CancelledByUserError.
    """
    if runs_compiled(len(data) - start) if compiled is None else compiled:
        return _read_compiled(reading, data, start, rules)
    return _read_python(reading, data, start, rules)


def runs_compiled(size: int) -> bool:
    """Return whether so many bytes are worth the compiled loop."""
    least = COMPILED_BYTES if "numba" in sys.modules else COMPILED_BYTES_COLD
    return size >= least and find_spec("numba") is not None


def warm_up() -> None:
    """Load the compiled loops, so that the first large file does not wait."""
    if find_spec("numba") is None:
        return
    rules = RowRules("'TAIL HEAD WEIGHT'", value_columns=1)
    read_rows(Reading(Path("-")), bytearray(b"1 2 0.5\n"), 0, rules, compiled=True)


# ---------------------------------------------------------------- places in the text


def line_number(data: bytearray | bytes, at: int) -> int:
    """Return the 1-based number of the line that holds byte `at`."""
    return data.count(b"\n", 0, at) + 1


def first_row(data: bytearray | bytes, marks: bytes, at: int = 0) -> int:
    """Return where the first line from `at` on begins that is not blank and no comment.

    marks : bytes of which each begins a comment line
    """
    good = rb"[ \t\r]*+[^ \t\r\n%b]" % marks
    row = re.compile(good).match(data, at) or re.compile(b"(?m)^" + good).search(data, at)
    return row.start() if row else len(data)


def line_at(data: bytearray | bytes, at: int) -> bytes:
    """Return the line that begins at byte `at`, without its newline."""
    end = data.find(b"\n", at)
    return bytes(data[at : len(data) if end < 0 else end])


# ---------------------------------------------------------------- compiled, in chunks


@dataclass
class _Part:
    """The rows of one chunk; `whole`: all values are whole; `largest` of them, without sign."""

    ids: np.ndarray
    values: np.ndarray
    whole: bool
    largest: float


def _read_compiled(reading: Reading, data: bytearray, start: int, rules: RowRules) -> Rows:
    bounds = _chunk_bounds(data, start)
    some = bounds[:: len(bounds) // 8 + 1]  # lines are estimated from these
    lines = sum(data.count(b"\n", *part) for part in some) * len(bounds) // max(len(some), 1) + 1
    reading.need_memory(lines * 8 * (2 * rules.columns + 4 * rules.value_columns))
    parts = reading.in_pieces(lambda at: _read_chunk(reading, data, rules, *at), bounds, "parsing")
    whole = all(part.whole for part in parts)
    largest = max((part.largest for part in parts), default=EXACT_FLOAT64)
    if whole and largest >= EXACT_FLOAT64:  # not exact there
        return _read_python(reading, data, start, rules)
    ends = np.cumsum([part.ids.shape[1] for part in parts])
    small = rules.low >= 0 and rules.high <= MAX_COUNT
    ids = np.empty((rules.id_columns, ends[-1]), np.int32 if small else np.int64)
    integer = np.int32 if largest <= MAX_COUNT else np.int64
    values = np.empty((rules.value_columns, ends[-1]), integer if whole else np.float64)

    def place(number: int) -> None:
        part, end = parts[number], ends[number]
        ids[:, end - part.ids.shape[1] : end] = part.ids
        values[:, end - part.ids.shape[1] : end] = part.values

    reading.in_pieces(place, range(len(parts)), "joining")
    return Rows(ids, values)


def _chunk_bounds(data: bytearray, start: int) -> list[tuple[int, int]]:
    """Cut data[start:] into pieces that end after a newline."""
    size = max(CHUNK_BYTES, (len(data) - start) // MOST_CHUNKS)
    bounds: list[tuple[int, int]] = []
    at = start
    while at < len(data):
        end = data.find(b"\n", at + size)
        stop = len(data) if end < 0 else end + 1
        bounds.append((at, stop))
        at = stop
    return bounds


def _read_chunk(reading: Reading, data: bytearray, rules: RowRules, first: int, stop: int) -> _Part:
    """Read a chunk of plain lines by NumPy; any other chunk by the compiled loop.

    A plain line holds the key, if there is one, and whole numbers, one blank between, no sign.
    """
    if "gpu.formats.scan" in sys.modules:  # it is quicker, and reads any line
        return _scan_chunk(reading, data, first, stop, rules)
    letters = np.frombuffer(data, np.uint8, stop - first, first)
    gaps = _gaps(letters, rules)
    lengths = np.diff(gaps, axis=0) - 1
    if not lengths.size or lengths.min() < 1 or lengths.max() > PLAIN_DIGITS:
        return _scan_chunk(reading, data, first, stop, rules)
    numbers = _spelled(letters, gaps[1:], lengths)
    ids, values = numbers[: rules.id_columns], numbers[rules.id_columns :]
    if ids.min() < rules.low or ids.max() > rules.high:
        return _scan_chunk(reading, data, first, stop, rules)
    return _Part(ids, values, whole=True, largest=float(values.max(initial=0)))


def _spelled(letters: np.ndarray, ends: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return int64, the numbers that so many digits before each end spell, up to 16.

    Eight digits are the bytes of one word, in which neighbours are joined three times.
    """
    padded = np.concatenate([np.zeros(16, np.uint8), letters])
    words = np.ndarray(len(padded) - 7, "<u8", padded, strides=(1,))  # one from each byte on
    numbers = np.zeros(lengths.shape, np.int64)
    for place in range(0, int(lengths.max()), 8):
        others = np.uint64(8) * (8 - np.clip(lengths - place, 0, 8)).astype(np.uint64)  # bits
        word = (words[ends + (8 - place)] >> others << others) & np.uint64(0x0F0F0F0F0F0F0F0F)
        for bits in (8, 16, 32):
            low = np.uint64((2**64 - 1) // (2**bits + 1))  # so many bits, as many left out, ...
            word = word * np.uint64(10 ** (bits // 8)) + (word >> np.uint64(bits)) & low
        numbers += word.view(np.int64) * 10**place
    return numbers


def _gaps(letters: np.ndarray, rules: RowRules) -> np.ndarray:
    """Return the bytes around each number, (columns + 1, rows); no rows if a line is not plain."""
    keys, marks = len(rules.key), np.flatnonzero(letters < ZERO)
    rows, left = divmod(len(marks), keys + rules.columns)
    if left or not rows or rules.separator or rules.values == SKIPPED:
        return np.zeros((1, 0), np.int64)
    gaps = marks.reshape(rows, -1).T
    lines = np.concatenate([[-1], gaps[-1]])  # the byte before each, and the last newline
    good = lines[-1] == len(letters) - 1 and (letters[lines[1:]] == NEWLINE).all()
    good = good and (letters[gaps[:-1]] == BLANK).all()
    good = good and np.count_nonzero(letters > NINE) == rows * keys
    if keys:
        begin = lines[:-1] + 1
        good = good and (letters[begin] == rules.key[0]).all() and (gaps[0] == begin + 1).all()
    gaps = gaps if keys else np.vstack([lines[:-1], gaps])
    return gaps if good else gaps[:, :0]


def _scan_chunk(reading: Reading, data: bytearray, first: int, stop: int, rules: RowRules) -> _Part:
    from gpu.formats import scan

    text = np.frombuffer(data, np.uint8)
    lines = int(np.count_nonzero(text[first:stop] == NEWLINE)) + 1  # Python's lock is released
    ids = np.empty((rules.id_columns, lines), np.int64)
    values = np.empty((rules.value_columns, lines), np.float64)
    odd = np.empty((rules.value_columns * lines, 4), np.int64)
    report = np.zeros(scan.REPORT, np.int64)
    scan.scan_rows(text, first, stop, rules.packed(), ids, values, odd, report)
    whole = not report[scan.FRACTIONS]
    if report[scan.ODD]:
        odd = odd[: report[scan.ODD]]
        tokens = [bytes(data[at:end]) for at, end in odd[:, 2:].tolist()]
        numbers = _floats(tokens, rules)
        if len(numbers) < len(tokens):
            raise _fault_at(reading, data, int(odd[len(numbers), 2]), rules)
        values[odd[:, 0], odd[:, 1]] = numbers
        whole = whole and all(whole_number(token) is not None for token in tokens)
    if report[scan.BAD_AT] >= 0:
        raise _fault_at(reading, data, int(report[scan.BAD_AT]), rules)
    rows = int(report[scan.ROWS])
    ids, values = ids[:, :rows], values[:, :rows]
    return _Part(ids, values, whole, float(np.abs(values).max(initial=0)))


def _floats(tokens: list[bytes], rules: RowRules) -> np.ndarray:
    """Return the values that tokens spell, up to the first one that is not allowed."""
    spelled = list(itertools.takewhile(IS_VALUE.fullmatch, tokens))
    numbers = np.array(list(map(float, spelled)), np.float64)
    low = 0.0 if rules.values == NOT_NEGATIVE else -FLOAT_MAX
    bad = np.flatnonzero((numbers < low) | (numbers > FLOAT_MAX))
    return numbers[: bad[0]] if len(bad) else numbers


def _fault_at(reading: Reading, data: bytearray, at: int, rules: RowRules) -> FormatError:
    begin = data.rfind(b"\n", 0, at) + 1
    return row_fault(reading, line_at(data, begin), line_number(data, begin), rules)


# ---------------------------------------------------------------- plain Python


def _read_python(reading: Reading, data: bytearray, start: int, rules: RowRules) -> Rows:
    """Parse by the regular expression, line by line, and convert column by column."""
    match = rules.pattern.fullmatch
    rows: list[tuple[bytes, ...]] = []
    row_lines: list[int] = []
    odd_line: int | None = None
    first_line = line_number(data, start)
    lines = bytes(data[start:]).split(b"\n")
    for number, line in enumerate(lines, first_line):
        row = match(line)
        if row is not None:
            rows.append(row.groups())
            row_lines.append(number)
            continue
        stripped = line.strip(b" \t\r")
        if stripped and stripped[0] not in rules.comments:
            odd_line = number
            break
        if number % ROWS_PER_REPORT == 0:
            reading.report(READ_SHARE, "parsing")
    columns = list(zip(*rows, strict=True)) or [()] * rules.columns
    ids = _identifiers(columns[: rules.id_columns], len(rows))
    values = _values(columns[rules.id_columns :], len(rows), rules)
    low = 0.0 if rules.values == NOT_NEGATIVE else -FLOAT_MAX
    bad = ((ids < rules.low) | (ids > rules.high)).any(axis=0)
    bad |= ((values < low) | (values > FLOAT_MAX)).any(axis=0)
    fault_line = row_lines[int(bad.argmax())] if bad.any() else odd_line
    if fault_line is not None:  # a bad number stands before the line that ended the loop
        raise row_fault(reading, lines[fault_line - first_line], fault_line, rules)
    return Rows(ids, values)


def _identifiers(columns: list[tuple[bytes, ...]], rows: int) -> np.ndarray:
    """Return int64 (id_columns, rows); a number past int64 becomes its lowest, never allowed."""
    wide = [[int(token) for token in column] for column in columns]
    bounded = [[k if abs(k) <= INT64_MAX else -INT64_MAX - 1 for k in numbers] for numbers in wide]
    return np.array(bounded, np.int64).reshape(len(columns), rows)


def _values(columns: list[tuple[bytes, ...]], rows: int, rules: RowRules) -> np.ndarray:
    """Return int64 (value_columns, rows) if all tokens are whole numbers, otherwise float64."""
    if rules.values == SKIPPED:
        return np.ones((len(columns), rows), np.int64)
    whole = [[whole_number(token) for token in column] for column in columns]
    if not any(None in column for column in whole):
        return np.array(whole, np.int64).reshape(len(columns), rows)
    return np.array([[float(token) for token in column] for column in columns])


# ---------------------------------------------------------------- words for a bad line


def row_fault(reading: Reading, line: bytes, number: int, rules: RowRules) -> FormatError:
    """Return the error of a bad line: what was found and what is expected."""
    words, remedy = _what_is_wrong(line, rules)
    return reading.fault(words, number, remedy)


def _what_is_wrong(line: bytes, rules: RowRules) -> tuple[str, Remedy | None]:
    tokens = line.split(rules.separator) if rules.separator else line.split()
    tokens = [token.strip(b" \t\r") for token in tokens]
    words = f"found {shown(line)}, expected {rules.expected}"
    if rules.key:
        if not tokens or tokens[0] != rules.key:
            return words, None
        tokens = tokens[1:]
    for token in tokens[: rules.id_columns]:
        problem = _id_fault(token, rules)
        if problem:
            return problem, None
    for token in tokens[rules.id_columns : rules.columns]:
        problem, remedy = value_fault(token, rules)
        if problem:
            return problem, remedy
    if len(tokens) != rules.columns and not rules.key:
        return f"{len(tokens)} columns {words}", None
    return words, None


def _id_fault(token: bytes, rules: RowRules) -> str:
    if not IS_INTEGER.fullmatch(token):
        return f"{shown(token)} is no whole number (19 digits at most), expected {rules.expected}"
    if not rules.low <= int(token) <= rules.high:
        return f"vertex {int(token)} is out of range: {rules.range_words}"
    return ""


def value_fault(token: bytes, rules: RowRules) -> tuple[str, Remedy | None]:
    """Return what is wrong with a value, "" if nothing, and what would help."""
    name = rules.value_name
    if rules.values == SKIPPED:
        return "" if token else f"a {name} is missing", None
    if not IS_VALUE.fullmatch(token):
        expected = "a finite number >= 0" if rules.values == NOT_NEGATIVE else "a finite number"
        return f"{name} {shown(token)} is not {expected}", None
    value = float(token)
    if not -FLOAT_MAX <= value <= FLOAT_MAX:
        return f"{name} {shown(token)} is past the range of float64, {FLOAT_MAX:.3g}", None
    if value < 0 and rules.values == NOT_NEGATIVE:
        return f"{name} {shown(token)} is below zero; weights must be >= 0", SIGNS
    return "", None
