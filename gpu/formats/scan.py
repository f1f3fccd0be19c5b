"""Compiled loops over the bytes of a text file: rows of numbers, and METIS lines.

They decide only whether a line is good; on the first bad one they stop and say
where it begins, and `gpu.formats.rows` finds the words in plain Python. Both must
accept the same lines: a test feeds them the same mutated text.

Numbers. Identifiers have at most 19 digits and fit int64. A value is taken to 18
significant digits and scaled by an exact power of ten up to 1e22 (Clinger 1990);
beyond those it may be off by one unit in the last place of float64, far below
float32's precision.

This module imports Numba (about a second): import it only to read a large file.
"""

# ruff: noqa: PLR0912, PLR0915 - compiled loops: one long function is one kernel

from __future__ import annotations

import numpy as np

from gpu.compiled import compiled

SPACE, TAB, RETURN, NEWLINE = 32, 9, 13, 10
PLUS, MINUS, DOT, ZERO, NINE, EXPONENT = 43, 45, 46, 48, 57, 101
SKIPPED, NOT_NEGATIVE, SIGNED = 0, 1, 2  # what a value column may hold
FLOAT32_MAX = float(np.finfo(np.float32).max)
POWERS = np.array([float(f"1e{k}") for k in range(23)])
ID_DIGITS, VALUE_DIGITS, EXPONENT_LIMIT = 19, 18, 100_000
BAD = np.int64(-1)

# fields of `rules`, int64, and of `report`, int64
KEY, COMMENT_A, COMMENT_B, SEPARATOR, ID_COLUMNS, VALUE_COLUMNS, LOW, HIGH, VALUE_RULE = range(9)
ROWS, COMMENTS, BAD_AT, FRACTIONS = range(4)


@compiled
def _after_blanks(text, at, stop):  # type: ignore[no-untyped-def]
    while at < stop and (text[at] == SPACE or text[at] == TAB or text[at] == RETURN):
        at += 1
    return at


@compiled
def _integer(text, at, stop):  # type: ignore[no-untyped-def]
    """Return (value, end); end is -1 where no integer of int64 stands at `at`."""
    negative = False
    if at < stop and (text[at] == MINUS or text[at] == PLUS):
        negative = text[at] == MINUS
        at += 1
    begin = at
    value = np.int64(0)
    while at < stop and ZERO <= text[at] <= NINE:
        value = value * 10 + np.int64(text[at] - ZERO)  # 19 nines wrap once, below zero
        at += 1
    if at == begin or at - begin > ID_DIGITS or value < 0:
        return np.int64(0), BAD
    return (-value if negative else value), np.int64(at)


@compiled
def _value(text, at, stop):  # type: ignore[no-untyped-def]
    """Return (float64, is_integer, end); end is -1 where no decimal number stands at `at`."""
    negative = False
    if at < stop and (text[at] == MINUS or text[at] == PLUS):
        negative = text[at] == MINUS
        at += 1
    mantissa = np.int64(0)
    taken = digits = exponent = np.int64(0)
    fraction = is_integer = False
    is_integer = True
    while at < stop:
        byte = text[at]
        if ZERO <= byte <= NINE:
            digits += 1
            if taken < VALUE_DIGITS:
                mantissa = mantissa * 10 + np.int64(byte - ZERO)
                taken += mantissa > 0
                exponent -= fraction
            else:
                exponent += not fraction
        elif byte == DOT and not fraction:
            fraction = True
            is_integer = False
        else:
            break
        at += 1
    if digits == 0:
        return 0.0, False, BAD
    if at < stop and (text[at] | 32) == EXPONENT:
        at += 1
        is_integer = False
        falling = False
        if at < stop and (text[at] == MINUS or text[at] == PLUS):
            falling = text[at] == MINUS
            at += 1
        begin = at
        power = np.int64(0)
        while at < stop and ZERO <= text[at] <= NINE:
            if power < EXPONENT_LIMIT:
                power = power * 10 + np.int64(text[at] - ZERO)
            at += 1
        if at == begin:
            return 0.0, False, BAD
        exponent += -power if falling else power
    value = np.float64(mantissa)
    if exponent != 0 and mantissa != 0:
        if 0 < exponent <= 22:
            value *= POWERS[exponent]
        elif -22 <= exponent < 0:
            value /= POWERS[-exponent]
        elif exponent > 0:
            value *= 10.0 ** float(min(int(exponent), 400))
        else:
            value = value / 1e22 * 10.0 ** float(max(int(exponent) + 22, -400))
    return (-value if negative else value), is_integer, np.int64(at)


@compiled
def scan_rows(text, start, stop, rules, first_row, ids, values, report):  # type: ignore[no-untyped-def]
    """Parse the lines of text[start:stop] into rows from `first_row` on.

    Reads    text uint8; rules int64[9]; start at a line's first byte
    Writes   ids int64 (2, rows), values float64 (k, rows), report int64[4]: rows
             written, comment lines, where the first bad line begins (-1: none),
             values that are not written as integers
    Needs    room for as many rows as text[start:stop] has lines
    """
    key, separator, rule = rules[KEY], rules[SEPARATOR], rules[VALUE_RULE]
    id_columns, low, high = rules[ID_COLUMNS], rules[LOW], rules[HIGH]
    columns = id_columns + rules[VALUE_COLUMNS]
    row, comments, fractions = first_row, np.int64(0), np.int64(0)
    report[BAD_AT] = -1
    at = start
    while at < stop:
        line = at
        at = _after_blanks(text, at, stop)
        if at >= stop:
            break
        byte = text[at]
        if byte == NEWLINE:
            at += 1
            continue
        if byte == rules[COMMENT_A] or byte == rules[COMMENT_B]:
            comments += 1
            while at < stop and text[at] != NEWLINE:
                at += 1
            at += 1
            continue
        good = True
        if key != 0:
            good = byte == key and at + 1 < stop and (text[at + 1] == SPACE or text[at + 1] == TAB)
            at += 1
        for column in range(columns):
            if not good:
                break
            at = _after_blanks(text, at, stop)
            if separator != 0 and column > 0:
                if at >= stop or text[at] != separator:
                    good = False
                    break
                at = _after_blanks(text, at + 1, stop)
            if column < id_columns:
                number, at = _integer(text, at, stop)
                good = at >= 0 and low <= number <= high
                ids[column, row] = number
            elif rule == SKIPPED:
                begin = at
                while at < stop and text[at] != separator and text[at] > SPACE:
                    at += 1
                good = at > begin
                values[column - id_columns, row] = 1.0
            else:
                value, is_integer, at = _value(text, at, stop)
                good = at >= 0 and -FLOAT32_MAX <= value <= FLOAT32_MAX
                good = good and (rule == SIGNED or value >= 0)
                fractions += not is_integer
                values[column - id_columns, row] = value
            if good and at < stop and text[at] > SPACE and text[at] != separator:
                good = False
        if good:
            at = _after_blanks(text, at, stop)
            good = at >= stop or text[at] == NEWLINE
        if not good:
            report[BAD_AT] = line
            break
        at += 1
        row += 1
    report[ROWS] = row - first_row
    report[COMMENTS] = comments
    report[FRACTIONS] = fractions


@compiled
def scan_lines(text, start, stop, comment, tokens, counts, report):  # type: ignore[no-untyped-def]
    """Parse lines of integers, of any length each (METIS).

    Writes   tokens int64 (t,): all integers in order; counts int64 (lines,): how
             many stood on each line that is no comment; report int64[4]: ROWS =
             lines, COMMENTS, BAD_AT (also where `tokens` or `counts` is full)
    """
    taken, row = np.int64(0), np.int64(0)
    report[BAD_AT] = -1
    report[COMMENTS] = 0
    at = start
    while at < stop:
        line = at
        at = _after_blanks(text, at, stop)
        if at < stop and text[at] == comment:
            report[COMMENTS] += 1
            while at < stop and text[at] != NEWLINE:
                at += 1
            at += 1
            continue
        before = taken
        good = row < len(counts)
        while good and at < stop and text[at] != NEWLINE:
            number, at = _integer(text, at, stop)
            good = at >= 0 and taken < len(tokens) and (at >= stop or text[at] <= SPACE)
            if good:
                tokens[taken] = number
                taken += 1
                at = _after_blanks(text, at, stop)
        if not good:
            report[BAD_AT] = line
            break
        counts[row] = taken - before
        row += 1
        at += 1
    report[ROWS] = row
