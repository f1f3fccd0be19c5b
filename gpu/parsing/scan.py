"""Compiled loops over the bytes of a text file: rows of numbers, and METIS lines.

They decide only whether a line is good; on the first bad one they stop and say
where it begins, and `gpu.parsing.rows` finds the words in plain Python. Both must
accept the same lines: a test feeds them the same mutated text.

Numbers. Identifiers have at most 19 digits and fit int64. A value is the float64 nearest to
what is written, as Python's `float` has it: up to 2**53 and a power of ten up to 22 one exact
operation gives it (Clinger 1990); else mantissa and power are multiplied as pairs of float64
(Dekker 1971), 106 bits, which settles all but about one in 2**50. What is not settled (that, more
than 18 digits, the ends of the range) is put on a list, for `float` itself. Whole values
are exact in arrays of integers.

This module imports Numba (about a second): import it only to read a large file.
"""

# ruff: noqa: PLR0915 - compiled loops: one long function is one kernel

from __future__ import annotations

from fractions import Fraction

import numpy as np

from gpu.compiled import compiled_lean
from gpu.numbers import EXACT_FLOAT64

SPACE, TAB, RETURN, NEWLINE = 32, 9, 13, 10
PLUS, MINUS, DOT, ZERO, EXPONENT = 43, 45, 46, 48, 101
SKIPPED, NOT_NEGATIVE, SIGNED = 0, 1, 2  # what a value column may hold
INT32 = 2**31 - 1
POWERS = np.array([float(f"1e{k}") for k in range(23)])
FURTHEST = 270  # power of ten of `PAIRS`: further ones are left to Python
SPLIT = 2.0**27 + 1  # cuts a float64 into halves of 26 bits
UNSURE = 2.0**-100  # relative: what a product of pairs may be off by
ONE = np.uint64(1)  # positions are unsigned: Numba then leaves out a branch for each byte
ID_DIGITS, VALUE_DIGITS, EXPONENT_LIMIT = np.uint64(19), np.uint64(18), 100_000

# fields of `rules`, int64, and of `report`, int64
(
    KEY, COMMENT_A, COMMENT_B, SEPARATOR, QUOTE, ID_COLUMNS, VALUE_COLUMNS, LOW, HIGH, VALUE_RULE,
) = range(10)  # fmt: skip
ROWS, COMMENTS, BAD_AT, WIDE, FRACTIONS, LARGE, HUGE, UNSETTLED, REPORT = range(9)


def _power_pairs() -> np.ndarray:
    """Return float64 (2, 2 * FURTHEST + 1): each power of ten as a sum of two."""
    exact = [Fraction(10) ** k for k in range(-FURTHEST, FURTHEST + 1)]
    near = [float(power) for power in exact]
    rest = [float(power - Fraction(high)) for power, high in zip(exact, near, strict=True)]
    return np.array([near, rest])


PAIRS = _power_pairs()


@compiled_lean
def _after_word(text, at, stop, separator):  # type: ignore[no-untyped-def]
    while at < stop and text[at] > SPACE and text[at] != separator:
        at += ONE
    return at


@compiled_lean
def _after_line(text, at, stop):  # type: ignore[no-untyped-def]
    """Return the place behind the end of this line."""
    while at < stop and text[at] != NEWLINE:
        at += ONE
    return at + ONE


@compiled_lean
def _after_blanks(text, at, stop):  # type: ignore[no-untyped-def]
    while at < stop and (text[at] == SPACE or text[at] == TAB or text[at] == RETURN):
        at += ONE
    return at


@compiled_lean
def _digits(text, at, stop, value):  # type: ignore[no-untyped-def]
    """Return (int64 `value` and the digits at `at`, their end); 19 nines wrap once, below zero."""
    while at < stop:
        digit = np.int64(text[at]) - ZERO
        if digit < 0 or digit > 9:
            break
        value = value * 10 + digit
        at += ONE
    return value, at


@compiled_lean
def _integer(text, at, stop):  # type: ignore[no-untyped-def]
    """Return (value, end, whether an integer of int64 stands at `at`)."""
    negative = False
    if at < stop and (text[at] == MINUS or text[at] == PLUS):
        negative = text[at] == MINUS
        at += ONE
    value, end = _digits(text, at, stop, np.int64(0))
    good = end > at and end - at <= ID_DIGITS and value >= 0
    return (-value if negative else value), end, good


@compiled_lean
def _decimal(text, at, stop):  # type: ignore[no-untyped-def]
    """Return (float64, whether it is settled, whether written as integer, end, whether a number).

    `at` is past the sign.
    """
    left_out = False
    mantissa, taken, digits, exponent = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    is_integer = True
    while at < stop:
        digit = np.int64(text[at]) - ZERO
        if digit < 0 or digit > 9:
            if text[at] != DOT or not is_integer:
                break
            is_integer = False
        else:
            digits += 1
            if taken < VALUE_DIGITS:
                mantissa = mantissa * 10 + digit
                taken += mantissa > 0
                exponent -= not is_integer
            else:
                exponent += is_integer
                left_out = True
        at += ONE
    good = digits > 0
    if good and at < stop and (text[at] | 32) == EXPONENT:
        is_integer = False
        at += ONE
        falling = False
        if at < stop and (text[at] == MINUS or text[at] == PLUS):
            falling = text[at] == MINUS
            at += ONE
        power, end = _digits(text, at, stop, np.int64(0))
        good = end > at
        if end - at > VALUE_DIGITS or power > EXPONENT_LIMIT:
            power = np.int64(EXPONENT_LIMIT)
        exponent += -power if falling else power
        at = end
    value, settled = _scaled(mantissa, exponent)
    if left_out and settled:  # between this and the next
        above, settled = _scaled(mantissa + 1, exponent)
        settled = settled and above == value
    return value, settled, is_integer, at, good


@compiled_lean
def _short_decimal(text, begin, at, stop, closing, number):  # type: ignore[no-untyped-def]
    """Return (float64, end, whether a decimal stands at `begin` that one operation gives).

    `number` is its whole part, which ends at `at`.
    """
    if not begin < at < stop or text[at] != DOT:
        return 0.0, at, False
    point = at + ONE
    number, at = _digits(text, point, stop, number)
    good = at - begin <= VALUE_DIGITS and number < EXACT_FLOAT64
    good = good and (at >= stop or text[at] <= SPACE or text[at] == closing)
    return np.float64(number) / POWERS[at - point if good else np.uint64(0)], at, good


@compiled_lean
def _scaled(mantissa, exponent):  # type: ignore[no-untyped-def]
    """Return mantissa x 10**exponent and whether that is surely the nearest float64."""
    value = np.float64(mantissa)
    if exponent == 0 or mantissa == 0:
        return value, True
    if mantissa <= EXACT_FLOAT64 and -22 <= exponent <= 22:
        return (value * POWERS[exponent] if exponent > 0 else value / POWERS[-exponent]), True
    if not -FURTHEST <= exponent <= FURTHEST:
        return value, False
    rest = np.float64(mantissa - np.int64(value))
    high, low = PAIRS[0, exponent + FURTHEST], PAIRS[1, exponent + FURTHEST]
    product = value * high
    if not 1e-270 < product < 1e290:
        return value, False
    value_top, high_top = value * SPLIT, high * SPLIT
    value_top, high_top = value_top - (value_top - value), high_top - (high_top - high)
    value_end, high_end = value - value_top, high - high_top
    lost = value_top * high_top - product + value_top * high_end + value_end * high_top
    tail = lost + value_end * high_end + (value * low + rest * high)
    near = product + tail
    off, doubt = tail - (near - product), near * UNSURE
    return near, near + (off + doubt) == near and near + (off - doubt) == near


@compiled_lean
def _value(text, at, stop):  # type: ignore[no-untyped-def]
    """Return what `_decimal` does, the sign included."""
    negative = False
    if at < stop and (text[at] == MINUS or text[at] == PLUS):
        negative = text[at] == MINUS
        at += ONE
    value, settled, is_integer, end, good = _decimal(text, at, stop)
    return (-value if negative else value), settled, is_integer, end, good


@compiled_lean
def _odd_value(text, at, stop):  # type: ignore[no-untyped-def]
    """Return what `_value` does, with the integer of int64 that it is, if it is one, third."""
    value, settled, is_integer, end, good = _value(text, at, stop)
    number = np.int64(0)
    if is_integer:
        number, _, is_integer = _integer(text, at, stop)
    return value, settled, number, is_integer, end, good


@compiled_lean
def _put_off(unsettled, count, column, row, at):  # type: ignore[no-untyped-def]
    """Note where a value stands that Python must read, if there is room; return one more."""
    if count < len(unsettled):
        unsettled[count, 0] = column
        unsettled[count, 1] = np.int64(row)
        unsettled[count, 2] = np.int64(at)
    return count + 1


@compiled_lean
def _keep_value(  # type: ignore[no-untyped-def]
    text, begin, at, stop, closing, rule, number, plain, values, row, column, unsettled, doubts
):
    """Write the value at `begin`, of which `number`, up to `at`, is known, to values[row].

    Returns (float64, end, whether good, whether not an integer of int64, `doubts` so far)
    """
    if plain:
        values[row] = number
        return np.float64(number), at, True, False, doubts
    value, end, short = _short_decimal(text, begin, at, stop, closing, number)
    if short:
        values[row] = value
        return value, end, True, True, doubts
    value, settled, number, is_integer, end, good = _odd_value(text, begin, stop)
    good = good and bool(rule == SIGNED or value >= 0)
    values[row] = value
    if is_integer:
        values[row] = number
    elif not settled:
        doubts = _put_off(unsettled, doubts, column, row, begin)
    return value, end, good, not is_integer, doubts


@compiled_lean
def count_newlines(text, start, stop):  # type: ignore[no-untyped-def]
    """Return how many lines end in text[start:stop]."""
    count = np.int64(0)
    for at in range(np.uint64(start), np.uint64(stop)):
        count += text[at] == NEWLINE
    return count


@compiled_lean
def _next_row(text, at, stop, comment_a, comment_b):  # type: ignore[no-untyped-def]
    """Return where the next line of data begins, its first byte but blanks, comments met."""
    comments = np.int64(0)
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
            comments += 1
            at = _after_line(text, at, stop)
        else:
            break
    return line, at, comments


@compiled_lean
def scan_rows(text, start, stop, rules, first_row, ids, values, unsettled, report):  # type: ignore[no-untyped-def]
    """Parse the lines of text[start:stop] into rows from `first_row` on.

    Reads    text uint8; rules int64[10]; start at a line's first byte
    Writes   ids int64 (2, rows), values float64 (k, rows), report int64[REPORT]: rows written,
             comment lines, where the first bad line begins (-1: none), identifiers past
             2**31-1 either way, values not written as integers, past 2**31-1, from 2**53 on,
             and those that Python's `float` must settle; unsettled int64 (u, 3): column, row,
             place in the text of the first u
    Needs    room for as many rows as text[start:stop] has lines
    int32    identifiers are right if WIDE is 0, values if FRACTIONS and LARGE are 0
    int64    values are exact if FRACTIONS is 0; whole ones past int64 count as fractions
    """
    key, separator, quote, rule = rules[KEY], rules[SEPARATOR], rules[QUOTE], rules[VALUE_RULE]
    comment_a, comment_b = rules[COMMENT_A], rules[COMMENT_B]
    id_columns, low, high = rules[ID_COLUMNS], rules[LOW], rules[HIGH]
    columns = id_columns + rules[VALUE_COLUMNS]
    comments = wide = fractions = large = huge = doubts = np.int64(0)
    row, at, stop, bad_at = np.uint64(first_row), np.uint64(start), np.uint64(stop), np.int64(-1)
    while at < stop:
        line, at, more = _next_row(text, at, stop, comment_a, comment_b)
        comments += more
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
            quoted = quote != 0 and at < stop and text[at] == quote
            closing = separator
            if quoted:
                begin += ONE
                at, closing = begin, quote
            number, at = _digits(text, at, stop, np.int64(0))
            plain = at > begin and at - begin <= VALUE_DIGITS
            plain = plain and (at >= stop or text[at] <= SPACE or text[at] == closing)
            if column < id_columns:
                if not plain:
                    number, at, plain = _integer(text, begin, stop)
                good = good and plain and low <= number <= high
                wide += not -INT32 <= number <= INT32
                ids[column, row] = number
            elif rule == SKIPPED:
                at = _after_word(text, begin, stop, separator)
                good = good and at > begin
                values[column - id_columns, row] = 1.0
            else:
                value, at, good, odd, doubts = _keep_value(
                    text, begin, at, stop, closing, rule, number, plain,
                    values[column - id_columns], row, column - id_columns, unsettled, doubts,
                )  # fmt: skip
                fractions += odd
                large += not -INT32 <= value <= INT32
                huge += not -EXACT_FLOAT64 < value < EXACT_FLOAT64  # may be one more, rounded
            if quoted:
                good = good and at < stop and text[at] == quote
                at += ONE
            good = good and (at >= stop or text[at] <= SPACE or text[at] == separator)
            column += 1
        at = _after_blanks(text, at, stop)
        good = good and (at >= stop or text[at] == NEWLINE)
        if not good:
            bad_at = np.int64(line)
            break
        at += ONE
        row += ONE
    report[ROWS] = np.int64(row) - first_row
    report[COMMENTS], report[BAD_AT] = comments, bad_at
    report[WIDE] = wide
    report[FRACTIONS] = fractions
    report[LARGE] = large
    report[HUGE] = huge
    report[UNSETTLED] = doubts


@compiled_lean
def scan_lines(text, start, stop, comment, tokens, counts, report):  # type: ignore[no-untyped-def]
    """Parse lines of integers, of any length each (METIS).

    Writes   tokens int64 (t,): all integers in order; counts int64 (lines,): how
             many stood on each line that is no comment; report int64[REPORT]: ROWS =
             lines, COMMENTS, BAD_AT (also where `tokens` or `counts` is full)
    """
    taken, row, comments, bad_at = np.int64(0), np.int64(0), np.int64(0), np.int64(-1)
    at, stop = np.uint64(start), np.uint64(stop)
    while at < stop:
        line = at
        at = _after_blanks(text, at, stop)
        if at < stop and text[at] == comment:
            comments += 1
            while at < stop and text[at] != NEWLINE:
                at += ONE
            at += ONE
            continue
        before = taken
        good = row < len(counts)
        while good and at < stop and text[at] != NEWLINE:
            number, at, good = _integer(text, at, stop)
            good = good and taken < len(tokens) and (at >= stop or text[at] <= SPACE)
            if good:
                tokens[taken] = number
                taken += 1
                at = _after_blanks(text, at, stop)
        if not good:
            bad_at = np.int64(line)
            break
        counts[row] = taken - before
        row += 1
        at += ONE
    report[ROWS] = row
    report[COMMENTS] = comments
    report[BAD_AT] = bad_at
