"""Compiled loops over tables: cells, quotes, columns taken out, names looked up.

They take what a table surely is and stop at anything odd (a quote inside a cell, letters
behind a closing quote, a row that is too short, control characters), and then
`gpu.formats.named_edges.table_rows` and its kin read the whole file again, which say what it means.

A quoted cell is taken to the letter, another one without the blanks around it. A table is
cut into shares at line ends before which quotes are even. That may be a wrong guess, but then
a share does not end where the next one begins, which is odd too.

This module imports Numba (about a second): import it only to read a large file.
"""

# ruff: noqa: PLR0912 - compiled loops: one long function is one kernel

from __future__ import annotations

import numpy as np

from gpu.compiled import compiled_lean
from gpu.parsing.interning import BLOCK, NAME_BYTES, SEED, has_room, hash_of, look_up, pack

SPACE, TAB, NEWLINE, VERTICAL, FORM_FEED, RETURN = 32, 9, 10, 11, 12, 13
HASH, PERCENT = 35, 37
ONE, TWO = np.uint64(1), np.uint64(2)
UNDIRECTED = np.frombuffer(b"undirected", np.uint8)
PLAIN, QUOTED, DOUBLED, STRANGE = range(4)  # kinds of cell

# fields of `layout`, int64: SEPARATOR 0 are blanks, QUOTE 256 is none; columns, -1 is none;
# EXACT how many a row has, 0: LEAST or more; WIDTH how many are wanted
SEPARATOR, QUOTE, EXACT, LEAST, TYPE_AT, TAIL_AT, HEAD_AT, WEIGHT_AT, WIDTH, LAYOUT = range(10)
# fields of `found`, int64: rows, bytes written, rows with a type and those of them that say
# "undirected", whether something odd was met
ROWS, WRITTEN, TYPED, SAID, STOPPED, FOUND = range(6)


@compiled_lean
def _row_at(text, at, stop):  # type: ignore[no-untyped-def]
    """Return where the next row begins, and how many line ends are before it."""
    lines = np.int64(0)
    while at < stop:
        line = at
        while at < stop and (text[at] == SPACE or text[at] == TAB or text[at] == RETURN):
            at += ONE
        if at < stop and (text[at] == HASH or text[at] == PERCENT):
            while at < stop and text[at] != NEWLINE:
                at += ONE
        if at < stop and text[at] != NEWLINE:
            return line, lines
        at += ONE
        lines += 1
    return stop, lines


@compiled_lean
def _cell(text, at, stop, separator, quote):  # type: ignore[no-untyped-def]
    """Return (begin, end, behind, kind) of the cell that begins at `at`."""
    kind = np.int64(PLAIN)
    while at < stop and (
        text[at] == SPACE or text[at] == RETURN or (separator == 0 and text[at] == TAB)
    ):
        at += ONE
    if at < stop and text[at] == quote:
        kind = np.int64(QUOTED)
        at += ONE
        begin = at
        while at < stop and (text[at] != quote or (at + ONE < stop and text[at + ONE] == quote)):
            if text[at] == quote:
                kind = np.int64(DOUBLED)
                at += ONE
            at += ONE
        end = at
        if at >= stop:
            return begin, stop, stop, np.int64(STRANGE)
        at += ONE
        while at < stop and (text[at] == SPACE or text[at] == RETURN):
            at += ONE
        if at < stop and text[at] != separator and text[at] != NEWLINE:
            kind = np.int64(STRANGE)
        return begin, end, at, kind
    begin = at
    if separator == 0:
        while at < stop and text[at] > SPACE:
            at += ONE
        end = at
        while at < stop and (text[at] == SPACE or text[at] == TAB or text[at] == RETURN):
            at += ONE
        if end < stop and text[end] < SPACE and end == at and text[at] != NEWLINE:
            kind = np.int64(STRANGE)
        return begin, end, at, kind
    while at < stop and text[at] != separator and text[at] != NEWLINE:
        if text[at] == quote:
            kind = np.int64(STRANGE)
        at += ONE
    end = at
    while begin < end and (text[begin] == SPACE or text[begin] == TAB or text[begin] == RETURN):
        begin += ONE
    while end > begin and (
        text[end - ONE] == SPACE or text[end - ONE] == TAB or text[end - ONE] == RETURN
    ):
        end -= ONE
    if begin < end and (_strange(text[begin]) or _strange(text[end - ONE])):
        kind = np.int64(STRANGE)
    return begin, end, at, kind


@compiled_lean
def _strange(letter):  # type: ignore[no-untyped-def]
    """Return whether Python takes a letter for a blank and these loops do not."""
    return letter in (VERTICAL, FORM_FEED)


@compiled_lean
def _says_undirected(text, at, stop):  # type: ignore[no-untyped-def]
    if stop - at != np.uint64(len(UNDIRECTED)):
        return False
    for k in range(len(UNDIRECTED)):
        if text[at] | 32 != UNDIRECTED[k]:
            return False
        at += ONE
    return True


@compiled_lean
def keep_columns(text, start, stop, layout, cells, out, found):  # type: ignore[no-untyped-def]
    """Copy the columns TAIL_AT, HEAD_AT, WEIGHT_AT of numbers, without quotes; lines stay lines.

    Reads    text uint8, rows from `start` on; layout int64[LAYOUT]
    Scratch  cells int64 (k, 3), where each of them begins and ends and its kind
    Writes   out uint8, room for the text and a newline; found int64[FOUND], zeros before
    Returns  how much of `out` is filled
    """
    separator, quote, width = layout[SEPARATOR], layout[QUOTE], layout[WIDTH]
    at, stop, filled = np.uint64(start), np.uint64(stop), np.uint64(0)
    while at < stop:
        begin, lines = _row_at(text, at, stop)
        for _ in range(lines):
            out[filled] = NEWLINE
            filled += ONE
        at = row = begin
        if at >= stop:
            break
        column, going, kept = np.int64(0), True, np.int64(0)
        while going:
            begin, end, at, kind = _cell(text, at, stop, separator, quote)
            if kind == STRANGE:
                found[STOPPED] = 1
                return np.int64(filled)
            for k in range(width):
                if layout[TAIL_AT + k] == column:
                    cells[k, 0], cells[k, 1], cells[k, 2] = begin, end, kind
                    kept += 1
            if column == layout[TYPE_AT]:
                found[TYPED] += 1
                found[SAID] += _says_undirected(text, begin, end)
            going = at < stop and text[at] == separator
            column += 1
            at += ONE
        if kept < width or (layout[EXACT] != 0 and column != layout[EXACT]):
            found[STOPPED] = 1
            return np.int64(filled)
        for k in range(width):
            first = np.uint64(cells[k, 0])
            for byte in range(first, np.uint64(cells[k, 1])):
                letter = text[byte]
                plain = letter > SPACE and letter != separator
                plain = plain and not (byte == first and letter in (HASH, PERCENT))
                if cells[k, 2] != PLAIN and not plain:
                    found[STOPPED] = 1
                out[filled] = letter
                filled += ONE
            if cells[k, 2] == DOUBLED:
                found[STOPPED] = 1
            if k + 1 < width:
                out[filled] = separator
                filled += ONE
        found[ROWS] += 1
        if quote < 256:
            for byte in range(row, min(at, stop) - ONE):  # in quotes: behind, so that rows stay put
                if text[byte] == NEWLINE:
                    out[filled] = NEWLINE
                    filled += ONE
        out[filled] = NEWLINE
        filled += ONE
    return np.int64(filled)


@compiled_lean
def scan_names(  # type: ignore[no-untyped-def]
    text, start, pause, stop, layout, table, words, state, block, ends, weights, found
):
    """Give the ends of each row their numbers, and copy the weights, one a line.

    Reads    text uint8, rows from `start` on, none that begins behind `pause`, as long as there
             is room for names; layout int64[LAYOUT]; the three of `Names`
    Scratch  block: records uint64 (BLOCK * NAME_WORDS,), begins and hashes uint64 (BLOCK,)
    Writes   ends int32 (rows * 2,), tail and head in turn; weights uint8, room for the text;
             found int64[FOUND], which goes on where the last call left it
    Returns  where it stopped, at least `stop` if all is read
    """
    at, pause, stop = np.uint64(start), np.uint64(pause), np.uint64(stop)
    records, begins, hashes = block
    while at < pause and found[STOPPED] == 0 and has_room(table, words, state, BLOCK):
        first = 2 * found[ROWS]
        at, names = _pack_rows(
            text, at, pause, stop, layout, state[SEED], records, begins, hashes, weights, found
        )
        good = look_up(
            records, begins, hashes, names, table, words, state, ends[first : first + names]
        )
        if not good:
            found[STOPPED] = 1
    return np.int64(at)


@compiled_lean
def _pack_rows(  # type: ignore[no-untyped-def]
    text, at, pause, stop, layout, seed, records, begins, hashes, weights, found
):
    """Pack the names of as many rows as fit; return where it stopped, and how many names."""
    separator, quote, exact, least = (
        layout[SEPARATOR], layout[QUOTE], layout[EXACT], layout[LEAST],
    )  # fmt: skip
    tail_at, head_at, weight_at, type_at = (
        layout[TAIL_AT], layout[HEAD_AT], layout[WEIGHT_AT], layout[TYPE_AT],
    )  # fmt: skip
    names, packed, odd = np.int64(0), np.uint64(0), False
    filled = np.uint64(found[WRITTEN])
    while at < pause and not odd and names + 2 <= len(begins):
        at, _ = _row_at(text, at, stop)
        if at >= stop:
            break
        column, going = np.int64(0), True
        while going and not odd:
            begin, end, at, kind = _cell(text, at, stop, separator, quote)
            odd = kind == STRANGE
            if column in (tail_at, head_at):
                odd = odd or end <= begin or end - begin > NAME_BYTES
                if not odd:
                    last = pack(text, begin, end, kind == DOUBLED, records, packed)
                    k = names + (column == head_at)
                    begins[k], hashes[k] = packed, hash_of(records, packed, last, seed)
                    packed = last
            elif column == weight_at:
                odd = odd or end <= begin or kind == DOUBLED
                for byte in range(begin, end):
                    odd = odd or text[byte] <= SPACE
                    weights[filled] = text[byte]
                    filled += ONE
                weights[filled] = NEWLINE
                filled += ONE
            if column == type_at:
                found[TYPED] += 1
                found[SAID] += _says_undirected(text, begin, end)
            column += 1
            going = at < stop and text[at] != NEWLINE
            if separator != 0 or not going:
                at += ONE
        odd = odd or column < least or exact not in (0, column)
        names += 2
    found[ROWS] += names // 2
    found[WRITTEN] = np.int64(filled)
    if odd:
        found[STOPPED], names = 1, np.int64(0)
    return at, names


@compiled_lean
def count_letter(text, start, stop, letter):  # type: ignore[no-untyped-def]
    """Return how often a letter stands in text[start:stop]."""
    count = np.int64(0)
    for at in range(np.uint64(start), np.uint64(stop)):
        count += text[at] == letter
    return count
