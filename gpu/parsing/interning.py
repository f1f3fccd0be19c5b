"""Names to numbers, compiled: each distinct run of bytes gets the next number.

A name is a record of 64-bit words: a head (its number, and its length in bytes from bit 32 on),
then its bytes, eight to a word, the first one highest, the last word filled up with zeros. So
names compare as their words do, and words order them as their bytes do.

The table is open: a slot holds where a record begins, plus one, in its low 40 bits and bits of
the name's hash above. The hash begins with a number that is drawn once, so that no file is made
to collide; one that does all the same is told by the length of a search, and left to Python.

This module imports Numba (about a second): import it only to read a large file.
"""

from __future__ import annotations

import secrets

import numpy as np

from gpu.compiled import compiled_lean

COUNT, FILLED, LONGEST, WIDE, SEEN, SEED, STATE = range(7)  # fields of `state`, int64
NAME_BYTES = 256
NAME_WORDS = 1 + NAME_BYTES // 8  # of the longest record
BLOCK = 1024  # names that are looked up at a time
MOST_PROBES = 2048
ODD = -1  # instead of a number: a name that is left to Python
ONE, TWO, SEVEN, EIGHT = np.uint64(1), np.uint64(2), np.uint64(7), np.uint64(8)
PLACE = np.uint64(2**40 - 1)
LOW_HALF, HALF = np.uint64(2**32 - 1), np.uint64(32)
HIGH_BITS = np.uint64(0x8080808080808080)
SCATTER, FOLD = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)
QUOTE = 34
OF_THIS_PROCESS = secrets.randbits(62)  # the seed; compiled loops are kept, so they are given it


@compiled_lean
def hash_of(records, begin, end, seed):  # type: ignore[no-untyped-def]
    """Return the hash of the letters of the record that fills records[begin:end]."""
    mixed = np.uint64(seed)
    for at in range(begin + ONE, end):
        mixed = (mixed ^ records[at]) * SCATTER
        mixed ^= mixed >> FOLD
    mixed *= SCATTER
    return mixed ^ (mixed >> HALF)


@compiled_lean
def _packed(text, at, end, words, filled):  # type: ignore[no-untyped-def]
    """Write the letters text[at:end] into words from `filled` on; return where they end."""
    while at + EIGHT <= end:
        words[filled] = (
            (np.uint64(text[at]) << np.uint64(56))
            | (np.uint64(text[at + np.uint64(1)]) << np.uint64(48))
            | (np.uint64(text[at + np.uint64(2)]) << np.uint64(40))
            | (np.uint64(text[at + np.uint64(3)]) << np.uint64(32))
            | (np.uint64(text[at + np.uint64(4)]) << np.uint64(24))
            | (np.uint64(text[at + np.uint64(5)]) << np.uint64(16))
            | (np.uint64(text[at + np.uint64(6)]) << np.uint64(8))
            | np.uint64(text[at + np.uint64(7)])
        )
        filled += ONE
        at += EIGHT
    if at < end:
        word, room = np.uint64(0), np.uint64(64)
        while at < end:
            room -= EIGHT
            word |= np.uint64(text[at]) << room
            at += ONE
        words[filled] = word
        filled += ONE
    return filled


@compiled_lean
def _packed_singly(text, at, end, words, filled):  # type: ignore[no-untyped-def]
    """Do what `_packed` does, with one quote for each two; return (end, letters)."""
    length, word = np.uint64(0), np.uint64(0)
    while at < end:
        word = (word << EIGHT) | np.uint64(text[at])
        at += TWO if text[at] == QUOTE else ONE
        length += ONE
        if length % EIGHT == 0:
            words[filled] = word
            filled += ONE
            word = np.uint64(0)
    if length % EIGHT != 0:
        words[filled] = word << (EIGHT * (EIGHT - length % EIGHT))
        filled += ONE
    return filled, length


@compiled_lean
def pack(text, begin, end, doubled, records, filled):  # type: ignore[no-untyped-def]
    """Write the name text[begin:end] as a record from `filled` on; return where that ends.

    doubled : quotes stand twice in it
    Needs     1 to NAME_BYTES bytes, and room for NAME_WORDS words
    """
    if doubled:
        last, length = _packed_singly(text, begin, end, records, filled + ONE)
    else:
        last, length = _packed(text, begin, end, records, filled + ONE), end - begin
    records[filled] = length << HALF
    return last


@compiled_lean
def _number_of(records, begin, mixed, table, words, state):  # type: ignore[no-untyped-def]
    """Return the number of the name of a record, a new one if need be; ODD: left to Python."""
    length, mask = records[begin] >> HALF, np.uint64(len(table) - 1)
    size = (length + SEVEN) // EIGHT
    slot, tag = mixed & mask, mixed & ~PLACE
    for _ in range(MOST_PROBES):
        entry = table[slot]
        if entry == 0:
            number, last = np.uint64(state[COUNT]), np.uint64(state[FILLED])
            table[slot] = tag | (last + ONE)
            words[last] = (length << HALF) | number
            wide = np.uint64(0)
            for at in range(ONE, size + ONE):
                words[last + at] = records[begin + at]
                wide |= records[begin + at]
            state[COUNT] += 1
            state[FILLED] = np.int64(last + size + ONE)
            state[LONGEST] = max(state[LONGEST], np.int64(length))
            state[WIDE] |= (wide & HIGH_BITS) != 0
            return np.int64(number)
        place = (entry & PLACE) - ONE
        if entry & ~PLACE == tag and words[place] >> HALF == length:
            same = True
            for at in range(ONE, size + ONE):
                same = same and words[place + at] == records[begin + at]
            if same:
                return np.int64(words[place] & LOW_HALF)
        slot = (slot + ONE) & mask
    return np.int64(ODD)


@compiled_lean
def look_up(records, begins, hashes, count, table, words, state, numbers):  # type: ignore[no-untyped-def]
    """Write to `numbers` int32 the number of each of the first `count` records.

    Reads    records as `pack` writes them; begins, hashes uint64, of each record
    Needs    `has_room` for all of them
    Returns  whether none is ODD

    Slots and records lie all over the memory, so a block of names is gone through
    three times: the first two only fetch, many at a time.
    """
    mask, seen = np.uint64(len(table) - 1), np.uint64(0)
    for first in range(0, count, BLOCK):
        last = min(count, first + BLOCK)
        for k in range(first, last):
            seen ^= table[hashes[k] & mask]
        for k in range(first, last):
            place = table[hashes[k] & mask] & PLACE
            if place != 0:
                seen ^= words[place - ONE]
        for k in range(first, last):
            number = _number_of(records, begins[k], hashes[k], table, words, state)
            if number < 0:
                return False
            numbers[k] = number
    state[SEEN] = np.int64(seen >> ONE)  # so that no compiler leaves out the fetching
    return True


@compiled_lean
def has_room(table, words, state, names):  # type: ignore[no-untyped-def]
    """Return whether so many names more fit, as long as any."""
    return 2 * (state[COUNT] + names) <= len(table) and state[FILLED] + names * NAME_WORDS <= len(
        words
    )


@compiled_lean
def _walk(words, filled, seed, begins, hashes):  # type: ignore[no-untyped-def]
    """Write where each record of words[:filled] begins, and its hash, both uint64 (n,)."""
    at, k = np.uint64(0), 0
    while at < np.uint64(filled):
        begins[k] = at
        end = at + ONE + ((words[at] >> HALF) + SEVEN) // EIGHT
        hashes[k] = hash_of(words, at, end, seed)
        at = end
        k += 1


@compiled_lean
def _enter_all(begins, hashes, table):  # type: ignore[no-untyped-def]
    """Enter records, all different, into an empty table; return whether that could be done."""
    mask = np.uint64(len(table) - 1)
    for k in range(len(begins)):
        slot, probes = hashes[k] & mask, 0
        while table[slot] != 0:
            slot = (slot + ONE) & mask
            probes += 1
            if probes == MOST_PROBES:
                return False
        table[slot] = (hashes[k] & ~PLACE) | (begins[k] + ONE)
    return True


@compiled_lean
def _letters_of(words, filled, keys):  # type: ignore[no-untyped-def]
    """Write the words of record k to keys[:, k], uint64 (words, n), all zeros before."""
    at, k = np.uint64(0), np.uint64(0)
    while at < np.uint64(filled):
        size = ((words[at] >> HALF) + SEVEN) // EIGHT
        for word in range(size):
            keys[word, k] = words[at + ONE + word]
        at += ONE + size
        k += ONE


class TooAlikeError(Exception):
    """Names whose hashes fall together: the table is no place for them."""


class Names:
    """A growing table of names; `table`, `words` and `state` are what the loops take."""

    def __init__(self) -> None:
        self.table = np.zeros(4 * BLOCK, np.uint64)
        self.words = np.empty(BLOCK * NAME_WORDS, np.uint64)
        self.state = np.zeros(STATE, np.int64)
        self.state[SEED] = OF_THIS_PROCESS

    def __len__(self) -> int:
        return int(self.state[COUNT])

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What the loops take of it, in their order."""
        return self.table, self.words, self.state

    @property
    def longest(self) -> int:
        """Bytes of the longest name."""
        return int(self.state[LONGEST])

    def grow(self, names: int = 0, words: int = 0) -> None:
        """Make room for so many names and words more, and for a few at least."""
        filled = int(self.state[FILLED])
        needed = filled + max(words, filled // 2, BLOCK * NAME_WORDS)
        if needed > len(self.words):
            larger = np.empty(needed, np.uint64)
            larger[:filled] = self.words[:filled]
            self.words = larger
        needed = 2 * (len(self) + max(names, BLOCK))
        if needed > len(self.table):
            self.table = np.zeros(1 << needed.bit_length(), np.uint64)
            if not _enter_all(*self.walk(), self.table):
                raise TooAlikeError

    def walk(self) -> tuple[np.ndarray, np.ndarray]:
        """Return uint64 (n,) twice: where the record of each name begins, and its hash."""
        begins, hashes = np.empty((2, len(self)), np.uint64)
        _walk(self.words, self.state[FILLED], self.state[SEED], begins, hashes)
        return begins, hashes

    def numbers_of(self, other: Names) -> np.ndarray:
        """Return int32 (len(other),): the number here of each name there, new ones if need be."""
        self.grow(len(other), int(other.state[FILLED]))
        numbers = np.empty(len(other), np.int32)
        if not look_up(other.words, *other.walk(), len(other), *self.arrays, numbers):
            raise TooAlikeError
        return numbers

    def letters(self) -> np.ndarray:
        """Return uint64 (w, n): the letters of the names, eight to a word, zeros behind them."""
        keys = np.zeros((-(-self.longest // 8), len(self)), np.uint64)
        _letters_of(self.words, self.state[FILLED], keys)
        return keys

    def words_of(self, letters: np.ndarray, order: np.ndarray) -> np.ndarray | list[str]:
        """Return the names in an order: str (n,) where all is ASCII, else a list.

        Raises UnicodeDecodeError.
        """
        raw = np.ascontiguousarray(letters[:, order].T, ">u8").view(np.uint8)
        if self.state[WIDE]:
            return [name.decode() for name in raw.view(f"S{raw.shape[1]}").ravel().tolist()]
        wide = np.ascontiguousarray(raw[:, : self.longest], np.uint32)
        return wide.view(f"<U{self.longest}").ravel()


def rising(letters: np.ndarray) -> np.ndarray:
    """Return the order of names by their letters, uint64 (w, n), all different."""
    order = np.argsort(letters[0])
    first = letters[0][order]
    tied = np.zeros(len(order), bool)
    tied[1:] = first[1:] == first[:-1]
    tied[:-1] |= tied[1:]
    some = order[tied]
    order[tied] = some[np.lexsort(letters[::-1, some])]
    return order
