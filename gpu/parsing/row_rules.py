"""What a line of numbers must look like, and words for one that does not.

An optional key letter, one or two identifiers, none to two values. The pattern is
the definition: the compiled parser and the NumPy one of `gpu.parsing.rows` accept
the same lines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gpu.errors import FormatError, Remedy
from gpu.parsing.reading import SIGNS, Reading, shown

SKIPPED, NOT_NEGATIVE, SIGNED = 0, 1, 2  # as in gpu.parsing.scan
FLOAT_MAX = float(np.finfo(np.float64).max)
INT64_MAX, INT32_MAX = 2**63 - 1, 2**31 - 1

_BLANK = rb"[ \t\r]*+"
_INTEGER = rb"([+-]?[0-9]{1,19}+)"
_VALUE = rb"([+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?)"
IS_INTEGER = re.compile(rb"[+-]?[0-9]{1,19}+")
IS_VALUE = re.compile(_VALUE)


def whole_number(token: bytes) -> int | None:
    """Return the integer of int64 that a token is, None where it is none."""
    number = int(token) if IS_INTEGER.fullmatch(token) else INT64_MAX + 1
    return number if abs(number) <= INT64_MAX else None


@dataclass(frozen=True)
class RowRules:
    """What a data line must look like.

    expected : the line in words, for errors: "'a TAIL HEAD WEIGHT'"
    key : letter that begins a data line, b"" for none
    comments : bytes of which each begins a comment line, two at most
    separator : b"," or b";" between columns, b"" for blanks
    quote : mark that may stand round a number, of which only the compiled parser knows
    low, high : identifiers allowed, both included; `range_words` says why
    values : SKIPPED, NOT_NEGATIVE or SIGNED
    whole : the values are integers within int32, most likely: then large files take half the
        memory, and are parsed again where that was wrong
    small : so are the identifiers, though `low` and `high` do not say it
    """

    expected: str
    id_columns: int = 2
    value_columns: int = 0
    key: bytes = b""
    comments: bytes = b""
    separator: bytes = b""
    quote: bytes = b""
    low: int = -INT64_MAX
    high: int = INT64_MAX
    range_words: str = "identifiers fit 63 bits"
    values: int = NOT_NEGATIVE
    value_name: str = "weight"
    whole: bool = False
    small: bool = False

    @property
    def columns(self) -> int:
        """Number of columns after the key."""
        return self.id_columns + self.value_columns

    @property
    def fits_int32(self) -> bool:
        """Whether identifiers do, most likely."""
        return self.small or (self.low >= -INT32_MAX and self.high <= INT32_MAX)

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
        key, separator, quote = (
            mark[0] if mark else 0 for mark in (self.key, self.separator, self.quote)
        )
        columns = [self.id_columns, self.value_columns]
        numbers = [key, *comments, separator, quote, *columns, self.low, self.high, self.values]
        return np.array(numbers, np.int64)


# ---------------------------------------------------------------- words for a bad line


def row_fault(reading: Reading, line: bytes, number: int, rules: RowRules) -> FormatError:
    """Return the error of a bad line: what was found in it and what was expected."""
    words, remedy = _what_is_wrong(line, rules)
    return reading.fault(words, number, remedy)


def _what_is_wrong(line: bytes, rules: RowRules) -> tuple[str, Remedy | None]:
    tokens = _tokens(line, rules)
    found = f"found {shown(line)}, expected {rules.expected}"
    if rules.key:
        if not tokens or tokens[0] != rules.key:
            return found, None
        tokens = tokens[1:]
    for k, token in enumerate(tokens[: rules.columns]):
        if k < rules.id_columns:
            words, remedy = _id_fault(token, rules), None
        else:
            words, remedy = value_fault(token, rules)
        if words:
            return words, remedy
    if len(tokens) != rules.columns and not rules.key:
        return f"{len(tokens)} columns {found}", None
    return found, None


def _tokens(line: bytes, rules: RowRules) -> list[bytes]:
    if rules.separator:
        return [token.strip(b" \t\r") for token in line.split(rules.separator)]
    return line.split()


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
        wanted = "a finite number >= 0" if rules.values == NOT_NEGATIVE else "a finite number"
        return f"{name} {shown(token)} is not {wanted}", None
    value = float(token)
    if not -FLOAT_MAX <= value <= FLOAT_MAX:
        return f"{name} {shown(token)} is past the range of float64, {FLOAT_MAX:.3g}", None
    if value < 0 and rules.values == NOT_NEGATIVE:
        return f"{name} {shown(token)} is below zero; weights must be >= 0", SIGNS
    return "", None
