"""Large tables by compiled loops: numbers taken out of quotes and columns, names numbered.

Both functions return None where a table holds anything that the loops leave to Python, and
where no vertex could be named as the file does: then the plain readers find what it means or the
words for what is wrong. So there is one place that says what a table may be.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace

import numpy as np

from gpu.errors import FormatError
from gpu.formats.named_edges import name_array, names_fit
from gpu.parsing.filebytes import FileBytes
from gpu.parsing.reading import Reading
from gpu.parsing.row_rules import SKIPPED, RowRules
from gpu.parsing.rows import PARSE_SHARE, Rows, read_rows
from gpu.parsing.source import READ_SHARE, cores

SHARE_BYTES = 8 << 20  # a table is cut into shares of so many bytes at least,
MOST_SHARES = 8  # and into so many at most: each numbers its names, and they are put together
PAUSE_BYTES = 16 << 20  # read before the next look at whether to stop
LINE_ENDS_TRIED = 100  # for one that is outside of quotes
NO_QUOTE = 256
CUT_PER_BYTE, NAMES_PER_BYTE = 2, 13  # of memory for each byte of text: a row of names has 4
REPORT_S = 0.1


@dataclass(frozen=True)
class Table:
    """Where what stands in a table: `columns` of tail, head and, if it is wanted, the weight.

    separator : b"" for blanks
    quoted : double quotes mean something
    exact : how many columns each row has, 0: enough
    type_at : the column that may say "undirected", -1: none
    """

    data: FileBytes
    start: int
    separator: bytes
    columns: list[int]
    quoted: bool = False
    exact: int = 0
    type_at: int = -1

    def layout(self) -> np.ndarray:
        """Return the int64 array that the loops take."""
        mark = self.separator[0] if self.separator else 0
        tail, head, weight = [*self.columns, -1][:3]
        quote = ord('"') if self.quoted else NO_QUOTE
        least, width = max(self.columns) + 1, len(self.columns)
        return np.array(
            [mark, quote, self.exact, least, self.type_at, tail, head, weight, width], np.int64
        )


def cut(reading: Reading, table: Table) -> tuple[bytearray, int, bool] | None:
    """Leave of a table of numbers the wanted columns alone, without quotes, on their lines.

    Returns the text, where its rows begin, and whether every row says that it is undirected.
    """
    from gpu.formats.table_loops import FOUND, ROWS, SAID, STOPPED, TYPED, keep_columns

    if len(set(table.columns)) < len(table.columns):
        return None
    text, bounds = np.frombuffer(table.data, np.uint8), _shares(table)
    reading.need_memory(CUT_PER_BYTE * len(text))
    found = np.zeros((len(bounds), FOUND), np.int64)
    pieces = [np.empty(stop - start + 1, np.uint8) for start, stop in bounds]

    def keep(share: int, _stopping: threading.Event) -> None:
        cells = np.zeros((len(table.columns), 3), np.int64)
        filled = keep_columns(
            text, *bounds[share], table.layout(), cells, pieces[share], found[share]
        )
        pieces[share] = pieces[share][:filled]

    _on_shares(reading, keep, len(bounds))
    if found[:, STOPPED].any() or not found[:, ROWS].any():
        return None
    before = table.data.count(b"\n", 0, table.start)
    out = bytearray(b"\n" * before)
    for piece in pieces:
        out += piece.data
    typed = int(found[:, TYPED].sum())
    return out, before, bool(typed) and typed == int(found[:, SAID].sum())


def read_names(
    reading: Reading, table: Table, rules: RowRules
) -> tuple[Rows, np.ndarray, bool] | None:
    """Return rows whose ids are ranks among the names, the names, rising, and what `cut` does.

    The same as `named_edges.read_named_rows` makes of the same table.
    """
    from gpu.formats.table_loops import ROWS, SAID, STOPPED, TYPED, WRITTEN
    from gpu.parsing.interning import TooAlikeError, rising

    reading.need_memory(NAMES_PER_BYTE * len(table.data))
    bounds = _shares(table)
    shares = [_Share(table, *bound) for bound in bounds]
    try:
        _on_shares(reading, lambda k, stopping: shares[k].scan(stopping), len(shares))
        if any(share.found[STOPPED] for share in shares):
            return None
        names = shares[0].names
        numbers = [names.numbers_of(share.names) for share in shares[1:]]
    except TooAlikeError:
        return None
    reading.report(READ_SHARE + PARSE_SHARE, "sorting names")
    if not len(names) or not names_fit(names.longest, len(names), len(table.data)):
        return None
    letters = names.letters()
    order = rising(letters)
    try:
        words = names.words_of(letters, order)
    except UnicodeDecodeError:
        return None
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    ranks = [rank, *(rank[found] for found in numbers)]
    counts = [int(share.found[ROWS]) for share in shares]
    ids = np.concatenate(
        [
            to_rank[share.ends[: 2 * count].reshape(-1, 2).T]
            for to_rank, share, count in zip(ranks, shares, counts, strict=True)
        ],
        axis=1,
    )
    values, integral = np.ones((rules.value_columns, ids.shape[1])), True
    if rules.value_columns and rules.values != SKIPPED:
        text = bytearray()
        for share in shares:
            text += share.weights[: share.found[WRITTEN]].data
        found = _weights(reading, text, rules)
        if found is None or len(found) != ids.shape[1]:
            return None
        values, integral = found.values, found.integral
    typed, said = (sum(int(share.found[field]) for share in shares) for field in (TYPED, SAID))
    array = words if isinstance(words, np.ndarray) else name_array(reading, words, len(table.data))
    return Rows(ids, values, integral, 0), array, bool(typed) and typed == said


class _Share:
    """What one thread finds between two line ends: numbers of its own for the names."""

    def __init__(self, table: Table, start: int, stop: int) -> None:
        from gpu.formats.table_loops import FOUND, NEWLINE, count_letter
        from gpu.parsing.interning import BLOCK, NAME_WORDS, Names

        self._text, self._layout = np.frombuffer(table.data, np.uint8), table.layout()
        self._start, self._stop = start, stop
        self.names = Names()
        sizes = (BLOCK * NAME_WORDS, BLOCK, BLOCK)
        self._block = tuple(np.empty(size, np.uint64) for size in sizes)
        lines = count_letter(self._text, start, stop, NEWLINE) + 1
        self.ends = np.empty(2 * lines, np.int32)
        self.weights = np.empty(stop - start + 1, np.uint8)
        self.found = np.zeros(FOUND, np.int64)

    def scan(self, stopping: threading.Event) -> None:
        """Read it all, or up to what is odd, or until asked to stop."""
        from gpu.formats.table_loops import STOPPED, scan_names

        at = self._start
        while at < self._stop and not self.found[STOPPED] and not stopping.is_set():
            self.names.grow()
            at = scan_names(
                self._text, at, min(at + PAUSE_BYTES, self._stop), self._stop, self._layout,
                *self.names.arrays, self._block, self.ends, self.weights, self.found,
            )  # fmt: skip


def _weights(reading: Reading, text: bytearray, rules: RowRules) -> Rows | None:
    """Return the values of lines of one weight each, None where one is none."""
    alone = replace(rules, id_columns=0, separator=b"", comments=b"")
    try:
        return read_rows(reading, text, 0, alone, compiled=True)
    except FormatError:
        return None


def _shares(table: Table) -> list[tuple[int, int]]:
    """Cut the rows at line ends that are outside of quotes, most likely."""
    from gpu.formats.table_loops import count_letter

    data, size = table.data, len(table.data) - table.start
    text = np.frombuffer(data, np.uint8)
    count = max(1, min(cores(), MOST_SHARES, size // SHARE_BYTES))
    cuts = [table.start]
    for share in range(1, count):
        at, odd, counted = max(cuts[-1], table.start + size * share // count), 0, cuts[-1]
        for _ in range(LINE_ENDS_TRIED):
            at = data.find(b"\n", at) + 1
            if not at:
                break
            odd += count_letter(text, counted, at, ord('"')) % 2 if table.quoted else 0
            counted = at
            if odd % 2 == 0:
                cuts.append(at)
                break
    return list(zip(cuts, [*cuts[1:], len(data)], strict=True))


def _on_shares(reading: Reading, work: Callable[[int, threading.Event], None], count: int) -> None:
    """Call work(0..count-1, whether to stop) on threads; ask in between whether to stop."""
    stopping = threading.Event()
    with ThreadPoolExecutor(max_workers=count) as pool:
        waiting = {pool.submit(work, share, stopping) for share in range(count)}
        try:
            while waiting:
                done, waiting = wait(waiting, timeout=REPORT_S, return_when="FIRST_COMPLETED")
                for future in done:
                    future.result()
                reading.report(READ_SHARE, "parsing")
        except BaseException:
            stopping.set()
            raise
