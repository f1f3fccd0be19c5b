"""Names to numbers, compiled: each distinct run of bytes gets the next number.

A name is a record of 64-bit words: a head (its number, and its length in bytes from bit 32 on),
then its bytes, eight to a word, the first one highest, the last word filled up with zeros. So
names compare as their words do, and words order them as their bytes do. A name to be looked up is
written behind the last record; if it is new, it stays there.

The table is open: a slot holds where a record begins, plus one, in its low 40 bits and bits of
the name's hash above. The hash begins with a number that is drawn once, so that no file is made
to collide; one that does all the same is told by the length of a search, and left to Python.

This module imports Numba (about a second): import it only to read a large file.
"""

from __future__ import annotations

import secrets

import numpy as np

from gpu.compiled import compiled_lean

COUNT, FILLED, SEED, LONGEST, WIDE, STATE = range(6)  # fields of `state`, int64
NAME_BYTES = 256
NAME_WORDS = 1 + NAME_BYTES // 8  # of the longest record
MOST_PROBES = 2048
ODD = -1  # instead of a number: a name that is left to Python
ONE, TWO, EIGHT = np.uint64(1), np.uint64(2), np.uint64(8)
PLACE = np.uint64(2**40 - 1)
LOW_HALF, HALF = np.uint64(2**32 - 1), np.uint64(32)
HIGH_BITS = np.uint64(0x8080808080808080)
SCATTER, FOLD = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)
QUOTE = 34


@compiled_lean
def _hashed(words, first, last, seed):  # type: ignore[no-untyped-def]
    """Return the hash of words[first:last]."""
    mixed = seed
    for at in range(first, last):
        mixed = (mixed ^ words[at]) * SCATTER
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
    length, word = np.int64(0), np.uint64(0)
    while at < end:
        word = (word << EIGHT) | np.uint64(text[at])
        at += TWO if text[at] == QUOTE else ONE
        length += 1
        if length % 8 == 0:
            words[filled] = word
            filled += ONE
            word = np.uint64(0)
    if length % 8:
        words[filled] = word << np.uint64(64 - 8 * (length % 8))
        filled += ONE
    return filled, length


@compiled_lean
def _number_of(table, words, state, length, end):  # type: ignore[no-untyped-def]
    """Return the number of the name that stands behind the last record, words[FILLED:end]."""
    begin, mask = np.uint64(state[FILLED]), np.uint64(len(table) - 1)
    mixed = _hashed(words, begin + ONE, end, np.uint64(state[SEED]))
    slot, tag = mixed & mask, mixed & ~PLACE
    for _ in range(MOST_PROBES):
        entry = table[slot]
        if entry == 0:
            number = state[COUNT]
            table[slot] = tag | (begin + ONE)
            words[begin] = (np.uint64(length) << HALF) | np.uint64(number)
            state[COUNT] = number + 1
            state[FILLED] = np.int64(end)
            state[LONGEST] = max(state[LONGEST], length)
            for at in range(begin + ONE, end):
                state[WIDE] |= (words[at] & HIGH_BITS) != 0
            return number
        place = (entry & PLACE) - ONE
        if entry & ~PLACE == tag and words[place] >> HALF == np.uint64(length):
            same, other = True, place + ONE
            for at in range(begin + ONE, end):
                same = same and words[at] == words[other]
                other += ONE
            if same:
                return np.int64(words[place] & LOW_HALF)
        slot = (slot + ONE) & mask
    return np.int64(ODD)


@compiled_lean
def number_of(text, begin, end, doubled, table, words, state):  # type: ignore[no-untyped-def]
    """Return the number of the name text[begin:end], a new one if need be; ODD: left to Python.

    doubled : quotes stand twice in it
    Needs     `has_room` for it
    """
    if end <= begin or end - begin > NAME_BYTES:
        return np.int64(ODD)
    first = np.uint64(state[FILLED]) + ONE
    if doubled:
        last, length = _packed_singly(text, begin, end, words, first)
    else:
        last, length = _packed(text, begin, end, words, first), np.int64(end - begin)
    return _number_of(table, words, state, length, last)


@compiled_lean
def has_room(table, words, state, names):  # type: ignore[no-untyped-def]
    """Return whether so many names more fit, as long as any."""
    return 2 * (state[COUNT] + names) <= len(table) and state[FILLED] + names * NAME_WORDS <= len(
        words
    )


@compiled_lean
def _enter_all(table, words, state):  # type: ignore[no-untyped-def]
    """Enter all records into an empty table; return whether that could be done."""
    at, mask = np.uint64(0), np.uint64(len(table) - 1)
    while at < np.uint64(state[FILLED]):
        end = at + ONE + ((words[at] >> HALF) + np.uint64(7)) // EIGHT
        mixed = _hashed(words, at + ONE, end, np.uint64(state[SEED]))
        slot, probes = mixed & mask, 0
        while table[slot] != 0:
            slot = (slot + ONE) & mask
            probes += 1
            if probes == MOST_PROBES:
                return False
        table[slot] = (mixed & ~PLACE) | (at + ONE)
        at = end
    return True


@compiled_lean
def _enter_others(others, filled, table, words, state, numbers):  # type: ignore[no-untyped-def]
    """Write to `numbers` int32 (k,) the number here of each record of others[:filled].

    Needs  room for all of them. Returns whether that could be done.
    """
    at, k = np.uint64(0), 0
    while at < np.uint64(filled):
        length = np.int64(others[at] >> HALF)
        end = at + ONE + np.uint64((length + 7) // 8)
        last = np.uint64(state[FILLED])
        for place in range(at, end):
            words[last] = others[place]
            last += ONE
        number = _number_of(table, words, state, length, last)
        if number < 0:
            return False
        numbers[k] = number
        k += 1
        at = end
    return True


@compiled_lean
def _letters_of(words, filled, keys):  # type: ignore[no-untyped-def]
    """Write the words of record k to keys[:, k], uint64 (words, n), all zeros before."""
    at, k = np.uint64(0), np.uint64(0)
    while at < np.uint64(filled):
        size = ((words[at] >> HALF) + np.uint64(7)) // EIGHT
        for word in range(size):
            keys[word, k] = words[at + ONE + word]
        at += ONE + size
        k += ONE


class TooAlikeError(Exception):
    """Names whose hashes fall together: the table is no place for them."""


class Names:
    """A growing table of names; `table`, `words` and `state` are what the loops take."""

    def __init__(self) -> None:
        self.table = np.zeros(1 << 12, np.uint64)
        self.words = np.empty(1 << 14, np.uint64)
        self.state = np.zeros(STATE, np.int64)
        self.state[SEED] = secrets.randbits(63)

    def __len__(self) -> int:
        return int(self.state[COUNT])

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The last arguments of `number_of`."""
        return self.table, self.words, self.state

    @property
    def longest(self) -> int:
        """Bytes of the longest name."""
        return int(self.state[LONGEST])

    def grow(self, names: int = 0, words: int = 0) -> None:
        """Make room for so many names and words more, and for a few at least."""
        filled = int(self.state[FILLED])
        needed = filled + max(words, filled // 2) + 8 * NAME_WORDS
        if needed > len(self.words):
            larger = np.empty(needed, np.uint64)
            larger[:filled] = self.words[:filled]
            self.words = larger
        needed = 2 * (len(self) + max(names, len(self) // 2) + 8)
        if needed > len(self.table):
            self.table = np.zeros(1 << needed.bit_length(), np.uint64)
            if not _enter_all(*self.arrays):
                raise TooAlikeError

    def numbers_of(self, other: Names) -> np.ndarray:
        """Return int32 (len(other),): the number here of each name there, new ones if need be."""
        filled = int(other.state[FILLED])
        self.grow(len(other), filled)
        numbers = np.empty(len(other), np.int32)
        if not _enter_others(other.words, filled, *self.arrays, numbers):
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
        raw = letters.T[order].astype(">u8").view(np.uint8).reshape(len(order), -1)
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
