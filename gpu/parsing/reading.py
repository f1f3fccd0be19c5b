"""What every reader shares: the options, the record of one load, the row of the registry.

A reader is a function `read(reading, data) -> CSRGraph`. `reading` carries what the
user asked for and collects what the user should be told; `data` holds the whole
file, decompressed. A header is a promise to be checked against `data`, never a
size to allocate by: see `Reading.check_promise`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gpu.errors import CancelledByUserError, FormatError, ParameterError, Remedy
from gpu.graph import MAX_COUNT, CSRGraph, Provenance
from gpu.memory import require_memory
from gpu.parsing.filebytes import FileBytes
from gpu.words import size_words

WEIGHT_CHOICES = ("file", "unit", "random", "absolute")
RANDOM_SEED = 1  # of weights="random"

FREE_VERTICES = 1_000_000  # a header may promise so many vertices, however small the file,
VERTICES_PER_BYTE = 1  # and so many more for each byte of it: 8 bytes of row bounds each
FREE_BYTES = 256 << 20  # a file may unpack to so many bytes, however small it is on disk,
DISK_FACTOR = 8  # or to so many times its size there,
HEADER_FACTOR = 48  # or, where its header says so, to so many times: an arc takes a byte there
ROW_BYTES = 40  # of text for each arc and vertex that a header promises

SHOWN_CHARACTERS = 60  # of a faulty line, quoted in an error

COMPRESSIONS = (".gz", ".xz", ".bz2")
UTF8_MARK = b"\xef\xbb\xbf"

SIGNS = Remedy("weights", "absolute", "(or read with --weights absolute, unit or random)")
NAME = Remedy("weight_name")


@dataclass
class Reading:
    """One load: what was asked, what was met, and who is told.

    undirected : None by the format's own definition, True adds each reverse arc, False never
    weights : one of WEIGHT_CHOICES
    weight_name : which column or attribute the weights are, where they have names
    format : key of the reader that was asked for, None: chosen here
    pipe : whether the path may be a pipe or device
    notes : grows while reading; ends in `CSRGraph.provenance`
    disk_bytes : size of the file on disk, known once it is open; of a pipe: what came so far
    promised_rows : of text, by the header
    """

    path: Path
    undirected: bool | None = None
    weights: str = "file"
    progress: Callable[[float, str], None] | None = None
    should_stop: Callable[[], bool] | None = None
    weight_name: str | None = None
    format: str | None = None
    pipe: bool = False
    notes: list[str] = field(default_factory=list)
    disk_bytes: int = 0
    promised_rows: int = 0
    _done: float = 0.0  # of the progress bar

    def __post_init__(self) -> None:
        if self.weights not in WEIGHT_CHOICES:
            raise ParameterError(
                f"weights {self.weights!r} is not a choice; choose {', '.join(WEIGHT_CHOICES)}"
            )

    def report(self, fraction: float, words: str) -> None:
        """Tell the progress, 0..1; raise CancelledByUserError if the user asked to stop."""
        if self.should_stop is not None and self.should_stop():
            raise CancelledByUserError(f"loading {self.path.name} was stopped")
        self._done = fraction
        if self.progress is not None:
            self.progress(fraction, words)

    def need_memory(self, needed: int) -> None:
        """Ask for memory before it is taken; tell where it is more than a file of that size should.

        Raises MemoryNeededError where so many bytes are not free.
        """
        require_memory(needed, str(self.path))
        if needed > max(FREE_BYTES, DISK_FACTOR * self.disk_bytes):
            self.report(self._done, f"taking up to {size_words(needed)} of memory")

    def fault(
        self, problem: str, line: int | None = None, remedy: Remedy | None = None
    ) -> FormatError:
        """Return the error to raise: what was found, what was expected, what option helps."""
        return FormatError(self.path, problem, line, remedy)

    def note(self, words: str) -> None:
        """Add a sentence for the user."""
        self.notes.append(words)

    @property
    def budget_bytes(self) -> int:
        """How much may be unpacked: the greater of FREE_BYTES and DISK_FACTOR x the disk's.

        More where the header promises it, but never HEADER_FACTOR x what is on disk.
        """
        promised = min(ROW_BYTES * self.promised_rows, HEADER_FACTOR * self.disk_bytes)
        return max(FREE_BYTES, DISK_FACTOR * self.disk_bytes, promised)

    def check_unpacked(self, size: int, what: str) -> None:
        """Refuse `what` that unpacks to `size` bytes, if that is past the budget."""
        if size > self.budget_bytes:
            raise self.fault(
                f"{what} unpacks to {_megabytes(size)} or more, the file has "
                f"{_megabytes(self.disk_bytes)} on disk; at most {_megabytes(self.budget_bytes)} "
                "are unpacked here: if it is no bomb, unpack it first and open that"
            )

    def check_promise(
        self, n: int, arcs: int, size: int, line: int | None, row_bytes: int = 4
    ) -> None:
        """Refuse a header whose n vertices or `arcs` arcs `size` bytes cannot hold.

        Vertices without arcs are legal, so n may exceed what the arcs name, up to
        VERTICES_PER_BYTE x size + FREE_VERTICES. An arc takes `row_bytes` at least.
        """
        if n > MAX_COUNT or arcs > MAX_COUNT:
            raise self.fault(
                f"the header promises {n} vertices and {arcs} arcs; "
                f"each may be at most {MAX_COUNT}",
                line,
            )
        if n > VERTICES_PER_BYTE * size + FREE_VERTICES:
            raise self.fault(
                f"the header promises {n} vertices, but the file has only {size} bytes; "
                f"expected at most {VERTICES_PER_BYTE} x bytes + {FREE_VERTICES}",
                line,
            )
        if arcs * row_bytes > size + 1:
            raise self.fault(
                f"the header promises {arcs} arcs, at least {arcs * row_bytes} bytes; "
                f"the file has {size} bytes",
                line,
            )

    def provenance(self, key: str) -> Provenance:
        """Return where the graph came from, with the notes so far."""
        options: dict[str, Any] = {"undirected": self.undirected, "weights": self.weights}
        if self.weights == "random":
            options["seed"] = RANDOM_SEED
        if self.weight_name is not None:
            options["weight_name"] = self.weight_name
        if self.format is not None:
            options["format"] = self.format
        return Provenance(str(self.path), key, options, tuple(self.notes))


class WeightNames(NamedTuple):
    """What a file's beginning calls its weights; `usual` is read where no name is asked for.

    No names: the beginning does not tell. Names and no `usual`: each arc weighs 1 until asked.
    """

    names: tuple[str, ...] = ()
    usual: str | None = None


@dataclass(frozen=True)
class Format:
    """A row of the registry.

    suffixes : first the one to write; a name that ends so is read as this format or refused
    sniff : from the first decompressed bytes, 0 (not mine) to 1 (surely mine)
    read : of (Reading, the bytes of the whole file)
    write : of (graph, path), None where the format is only read
    weight_names : of the first bytes, where weights have names, of which `weight_name` chooses one
    shared : suffixes of another format that this one may have too, told apart by content
    numbered_from : of (graph, path): where the vertices of the written file count from, None where
        it keeps their ids
    places : whether the file holds coordinates, or `write` puts them beside; else a file of them
        is written beside, under its whole name and `.co`, and read from there
    read_order : of (graph, path): the vertices in the order that `read` gives them, None: as here
    told_by_content : whether a file of it is never guessed to be another format's
    promised : of the first bytes, how many rows of text the header says will follow
    text : lines that end in LF, CR or CRLF, without a zero byte; else binary
    """

    key: str
    title: str
    suffixes: tuple[str, ...]
    sniff: Callable[[bytes], float]
    read: Callable[[Reading, FileBytes], CSRGraph]
    write: Callable[[CSRGraph, Path], None] | None = None
    weight_names: Callable[[bytes], WeightNames] | None = None
    shared: tuple[str, ...] = ()
    text: bool = True
    told_by_content: bool = True
    promised: Callable[[bytes], int] | None = None
    numbered_from: Callable[[CSRGraph, Path], int | None] | None = None
    places: bool = False
    read_order: Callable[[CSRGraph, Path], np.ndarray | None] | None = None

    @property
    def named_weights(self) -> bool:
        """Whether its weights have names."""
        return self.weight_names is not None


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"


def shown(found: bytes | bytearray | memoryview) -> str:
    """Quote bytes of a file for an error: one line, printable, cut where long."""
    text = bytes(found[: SHOWN_CHARACTERS + 1]).strip(b" \t\r\n")
    cut = len(text) > SHOWN_CHARACTERS or len(found) > SHOWN_CHARACTERS + 1
    words = text[:SHOWN_CHARACTERS].decode("ascii", "backslashreplace")
    words = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in words)
    return f"'{words}...'" if cut else f"'{words}'"


def counts_from(base: int) -> Callable[[CSRGraph, Path], int]:
    """Return the `numbered_from` of a format whose vertices always count from `base`."""
    return lambda _graph, _path: base


def rows_promised(header: re.Pattern[bytes]) -> Callable[[bytes], int]:
    """Return the `promised` of a format whose header holds two counts, the groups of a pattern."""

    def promised(head: bytes) -> int:
        found = header.search(head)
        return sum(map(int, found.groups())) if found else 0

    return promised


def bare_name(path: Path) -> str:
    """Return the file's name without the suffixes of compression and format."""
    name = path.name
    for suffix in COMPRESSIONS:
        if name.lower().endswith(suffix):
            name = name[: -len(suffix)]
    stem = Path(name).stem if name else ""
    return stem or path.name
