"""What all adapters share: the options of one load, what they return, a row of the table.

An adapter is a function `read(reading, data) -> Arcs`. `reading` holds the options of the user and
collects notes; `data` holds the whole file, unpacked. A header is a promise to check against
`data`, never a size to allocate: see `Reading.check_promise`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from gpu.errors import CancelledByUserError, FormatError, ParameterError, Remedy
from gpu.files import require_memory
from gpu.graph import MAX_COUNT, CSRGraph, Provenance

WEIGHT_CHOICES = ("file", "unit", "random", "absolute")
RANDOM_SEED = 1  # of weights="random"

FREE_VERTICES = 10_000_000  # a header may promise so many vertices, however small the file,
VERTICES_PER_BYTE = 1  # and so many more for each byte of it
FREE_BYTES = 256 << 20  # a file may unpack to so many bytes, however small it is on disk,
DISK_FACTOR = 48  # or to so many times its size on disk: gzip makes an edge a byte at best

SHOWN_CHARACTERS = 60  # of a faulty line, quoted in an error
PACKINGS = (".gz", ".xz")
UTF8_MARK = b"\xef\xbb\xbf"

SIGNS = Remedy("weights", "absolute", "(or read with --weights absolute, unit or random)")
NAME = Remedy("weight_name")


@dataclass
class Reading:
    """One load: options, notes, progress."""

    path: Path
    undirected: bool | None = None  # None: as the format defines; False: never
    weights: str = "file"  # one of WEIGHT_CHOICES
    progress: Callable[[float, str], None] | None = None
    should_stop: Callable[[], bool] | None = None
    weight_name: str | None = None  # the column or attribute that holds the weights
    format: str | None = None  # key of READERS; None: by name and content
    pipe: bool = False  # whether the path may be a pipe or device
    header: bool = True  # whether the first row of a table may be a heading
    notes: list[str] = field(default_factory=list)  # for the user, kept in the provenance
    disk_bytes: int = 0  # size of the file; of a pipe, bytes read so far

    def __post_init__(self) -> None:
        if self.weights not in WEIGHT_CHOICES:
            raise ParameterError(
                f"weights {self.weights!r} is not a choice; choose {', '.join(WEIGHT_CHOICES)}"
            )

    @property
    def needs_weights(self) -> bool:
        """Whether the weights of the file are used."""
        return self.weights in {"file", "absolute"}

    @property
    def allows_negative(self) -> bool:
        """Whether a weight of the file may be below zero."""
        return self.weights != "file"

    def report(self, fraction: float, words: str) -> None:
        """Report progress, 0..1. Raises CancelledByUserError if the user stopped."""
        if self.should_stop is not None and self.should_stop():
            raise CancelledByUserError(f"loading {self.path.name} was stopped")
        if self.progress is not None:
            self.progress(fraction, words)

    def need_memory(self, needed: int) -> None:
        """Raise MemoryNeededError if `needed` bytes are not free."""
        require_memory(needed, str(self.path))

    def fault(
        self, problem: str, line: int | None = None, remedy: Remedy | None = None
    ) -> FormatError:
        """Return the error to raise. `problem` says what was found and what is expected."""
        return FormatError(self.path, problem, line, remedy)

    def note(self, words: str) -> None:
        """Add a sentence for the user."""
        self.notes.append(words)

    @property
    def budget_bytes(self) -> int:
        """How many bytes the file may unpack to."""
        return max(FREE_BYTES, DISK_FACTOR * self.disk_bytes)

    def check_unpacked(self, size: int, what: str) -> None:
        """Refuse `what` if it unpacks to more than the budget."""
        if size > self.budget_bytes:
            raise self.fault(
                f"{what} unpacks to {_megabytes(size)} or more, the file has "
                f"{_megabytes(self.disk_bytes)} on disk; at most {_megabytes(self.budget_bytes)} "
                "are unpacked here: if it is no bomb, unpack it first and open that"
            )

    def check_promise(
        self, n: int, edges: int, size: int, line: int | None, row_bytes: int = 4
    ) -> None:
        """Refuse a header whose vertices or edges do not fit into `size` bytes.

        Vertices without edges are legal: n may be up to VERTICES_PER_BYTE x size + FREE_VERTICES.
        An edge takes at least `row_bytes`.
        """
        if n > MAX_COUNT or edges > MAX_COUNT:
            raise self.fault(
                f"the header promises {n} vertices and {edges} edges; "
                f"each may be at most {MAX_COUNT}",
                line,
            )
        if n > VERTICES_PER_BYTE * size + FREE_VERTICES:
            raise self.fault(
                f"the header promises {n} vertices, but the file has only {size} bytes; "
                f"expected at most {VERTICES_PER_BYTE} x bytes + {FREE_VERTICES}",
                line,
            )
        if edges * row_bytes > size + 1:
            raise self.fault(
                f"the header promises {edges} edges, at least {edges * row_bytes} bytes; "
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
        if not self.header:
            options["header"] = False
        return Provenance(str(self.path), key, options, tuple(self.notes))


@dataclass
class Arcs:
    """What an adapter returns; `build.graph_of` makes a CSRGraph of it."""

    tails: np.ndarray  # integers (m,), in the order of the file, numbered from `base`
    heads: np.ndarray
    n: int  # number of vertices
    weights: np.ndarray | None = None  # (m,), integers if the file holds whole numbers
    ids: np.ndarray | None = None  # names of the vertices; None: they count from `id_base`
    places: np.ndarray | None = None  # float32 (n, 2)
    base: int = 0
    id_base: int = 0
    both: bool = False  # the format is undirected and holds each edge once
    paired: bool = False  # the format is undirected and holds each edge twice
    name: str | None = None  # of the graph; None: from the file's name
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Format:
    """A row of the table of formats.

    suffixes : the first is written; a name that ends so is read as this format or refused
    sniff : of the first unpacked bytes: 0 (another format) to 1 (certainly this one)
    named_weights : whether weights have names
    numbered_from : of a graph: the first vertex number written; None: the ids are kept
    places : whether it keeps coordinates
    """

    key: str
    title: str
    suffixes: tuple[str, ...]
    sniff: Callable[[bytes], float]
    read: Callable[[Reading, bytearray], Arcs]
    write: Callable[[CSRGraph, Path], None] | None = None
    named_weights: bool = False
    shared: tuple[str, ...] = ()  # suffixes that are read, not written; others may have them too
    text: bool = True  # lines that end in LF, CR or CRLF, without a zero byte
    by_content: bool = True  # whether it may be guessed where the name says nothing
    numbered_from: Callable[[CSRGraph], int | None] | None = None
    places: bool = False


def shown(text: bytes | bytearray | memoryview) -> str:
    """Quote bytes of a file for an error: one line, printable, cut where long."""
    words = bytes(text[: SHOWN_CHARACTERS + 1]).strip(b" \t\r\n")
    cut = len(words) > SHOWN_CHARACTERS or len(text) > SHOWN_CHARACTERS + 1
    letters = words[:SHOWN_CHARACTERS].decode("ascii", "backslashreplace")
    letters = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in letters)
    return f"'{letters}...'" if cut else f"'{letters}'"


def unpacked_name(path: Path) -> str:
    """Return a file's name without the suffix of its packing."""
    suffix = path.suffix.lower()
    return path.name[: -len(suffix)] if suffix in PACKINGS else path.name


def bare_name(path: Path) -> str:
    """Return a file's name without the suffixes of packing and format."""
    name = unpacked_name(path)
    return (Path(name).stem if name else "") or path.name


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
