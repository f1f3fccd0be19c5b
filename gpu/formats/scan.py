"""Compiled loops over the bytes of a text: rows of numbers, and METIS lines.

They only decide whether a line is good. At the first bad one they stop and return where it begins;
`gpu.formats.rows` has the words. Both accept the same lines: a test feeds them the same text.

Identifiers have at most 19 digits and fit int64. A value is read here if it is a sign, up to 18
digits and at most one point, and below 2**53 without the point: one division is then exactly the
nearest float64. Every other value is put on a list for Python's `float`.

This module imports Numba (about a second): import it only to read a large file.
"""

# ruff: noqa: PLR0915 - compiled loops: one long function is one kernel

from __future__ import annotations

import numpy as np

from gpu.compiled import compiled_lean, compiled_part
from gpu.numbers import EXACT_FLOAT64

SPACE, TAB, RETURN, NEWLINE = 32, 9, 13, 10
PLUS, MINUS, DOT, ZERO = 43, 45, 46, 48
SKIPPED, NOT_NEGATIVE, SIGNED = 0, 1, 2  # what a value column may hold
POWERS = np.array([float(f"1e{k}") for k in range(19)])
ONE = np.uint64(1)  # positions are unsigned: Numba then leaves out a branch for each byte
ID_DIGITS, VALUE_DIGITS = np.uint64(19), np.uint64(18)

# fields of `rules`, int64, and of `report`, int64
KEY, COMMENT_A, COMMENT_B, SEPARATOR, ID_COLUMNS, VALUE_COLUMNS, LOW, HIGH, VALUE_RULE = range(9)
ROWS, BAD_AT, FRACTIONS, ODD, REPORT = range(5)


@compiled_part
def _after_word(text, at, stop, separator):  # type: ignore[no-untyped-def]
    while at < stop and text[at] > SPACE and text[at] != separator:
        at += ONE
    return at


@compiled_part
def _after_line(text, at, stop):  # type: ignore[no-untyped-def]
    while at < stop and text[at] != NEWLINE:
        at += ONE
    return at + ONE


@compiled_part
def _after_blanks(text, at, stop):  # type: ignore[no-untyped-def]
    while at < stop and (text[at] == SPACE or text[at] == TAB or text[at] == RETURN):
        at += ONE
    return at


@compiled_part
def _digits(text, at, stop, value):  # type: ignore[no-untyped-def]
    """Return (int64 `value` and the digits at `at`, their end); 19 nines wrap once, below zero."""
    while at < stop:
        digit = np.int64(text[at]) - ZERO
        if digit < 0 or digit > 9:
            break
        value = value * 10 + digit
        at += ONE
    return value, at


@compiled_part
def _after_sign(text, at, stop):  # type: ignore[no-untyped-def]
    """Return (whether a minus stands at `at`, the place behind a sign)."""
    negative = at < stop and text[at] == MINUS
    if negative or (at < stop and text[at] == PLUS):
        at += ONE
    return negative, at


@compiled_part
def _integer(text, at, stop):  # type: ignore[no-untyped-def]
    """Return (value, end, whether an integer of int64 stands at `at`)."""
    negative, at = _after_sign(text, at, stop)
    value, end = _digits(text, at, stop, np.int64(0))
    good = end > at and end - at <= ID_DIGITS and value >= 0
    return (-value if negative else value), end, good


@compiled_part
def _value(text, at, stop, separator):  # type: ignore[no-untyped-def]
    """Return (float64, end, whether it is settled, whether it is whole) of the word at `at`."""
    negative, begin = _after_sign(text, at, stop)
    number, end = _digits(text, begin, stop, np.int64(0))
    digits, decimals = end - begin, np.uint64(0)
    whole = not (end < stop and text[end] == DOT)
    if not whole:
        point = end + ONE
        number, end = _digits(text, point, stop, number)
        decimals = end - point
        digits += decimals
    settled = ONE <= digits <= VALUE_DIGITS and (whole or number < EXACT_FLOAT64)
    settled = settled and (end >= stop or text[end] <= SPACE or text[end] == separator)
    value = np.float64(number)
    if settled and not whole:
        value /= POWERS[decimals]
    return (-value if negative else value), end, settled, whole


@compiled_part
def _next_row(text, at, stop, comment_a, comment_b):  # type: ignore[no-untyped-def]
    """Return where the next line of data begins, and its first byte that is no blank."""
    line = at
    while at < stop:
        line = at
        at = _after_blanks(text, at, stop)
        if at >= stop:
            break
        byte = np.int64(text[at])
        if byte == NEWLINE:
            at += ONE
        elif byte in (comment_a, comment_b):
            at = _after_line(text, at, stop)
        else:
            break
    return line, at


@compiled_lean
def scan_rows(text, start, stop, rules, ids, values, odd, report):  # type: ignore[no-untyped-def]
    """Parse the lines of text[start:stop].

    Reads    text uint8; rules int64[9]; start at a line's first byte
    Writes   ids int64 (k, rows), values float64 (v, rows), report int64[REPORT]: rows written,
             where the first bad line begins (-1: none), values with a point, values left to
             Python; odd int64 (u, 4): column, row, begin and end in the text of each of these
    Needs    room for as many rows as text[start:stop] has lines
    """
    key, separator, rule = rules[KEY], rules[SEPARATOR], rules[VALUE_RULE]
    comment_a, comment_b = rules[COMMENT_A], rules[COMMENT_B]
    id_columns, low, high = rules[ID_COLUMNS], rules[LOW], rules[HIGH]
    columns = id_columns + rules[VALUE_COLUMNS]
    fractions = odd_count = np.int64(0)
    row, at, stop, bad_at = np.uint64(0), np.uint64(start), np.uint64(stop), np.int64(-1)
    while at < stop:
        line, at = _next_row(text, at, stop, comment_a, comment_b)
        if at >= stop:
            break
        good = True
        if key != 0:
            good = np.int64(text[at]) == key
            at += ONE
            good = good and at < stop and (text[at] == SPACE or text[at] == TAB)
        column = 0
        while good and column < columns:
            if separator != 0 and column > 0:
                at = _after_blanks(text, at, stop)
                good = at < stop and text[at] == separator
                at += ONE
            at = begin = _after_blanks(text, at, stop)
            if column < id_columns:
                number, at, is_integer = _integer(text, at, stop)
                good = good and is_integer and low <= number <= high
                ids[column, row] = number
            elif rule == SKIPPED:
                at = _after_word(text, at, stop, separator)
                good = good and at > begin
                values[column - id_columns, row] = 1.0
            else:
                value, at, settled, whole = _value(text, at, stop, separator)
                if settled:
                    good = good and (rule == SIGNED or value >= 0)
                    fractions += not whole
                    values[column - id_columns, row] = value
                elif good:
                    at = _after_word(text, begin, stop, separator)
                    odd[odd_count, 0], odd[odd_count, 1] = column - id_columns, np.int64(row)
                    odd[odd_count, 2], odd[odd_count, 3] = np.int64(begin), np.int64(at)
                    odd_count += 1
            good = good and (at >= stop or text[at] <= SPACE or text[at] == separator)
            column += 1
        at = _after_blanks(text, at, stop)
        good = good and (at >= stop or text[at] == NEWLINE)
        if not good:
            bad_at = np.int64(line)
            break
        at += ONE
        row += ONE
    report[ROWS], report[BAD_AT] = np.int64(row), bad_at
    report[FRACTIONS], report[ODD] = fractions, odd_count
