"""One load: the options of the user, the bytes of the file, and what an adapter returns.

An adapter is a function `read(reading, data) -> Arcs`. `reading` holds the options and collects
notes; `data` holds the whole file, unpacked. A header is a promise to check against `data`, never
a size to allocate: see `Reading.check_promise`.

A file is read in blocks; gzip and xz are recognised by their first bytes. The first unpacked bytes
decide the format, so a file that is no graph is refused before the rest is unpacked. Unpacking
stops at `Reading.budget_bytes`, which is 256 MiB for a pipe, and where memory runs out; an xz file
whose dictionary needs more than XZ_MEMORY is refused. A large file is read, not mapped: a program
that shortens a mapped file would end this process.
"""

from __future__ import annotations

import ctypes
import gzip
import lzma
import os
import stat
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path
from typing import Any

import numpy as np

from gpu.errors import CancelledByUserError, FormatError, ParameterError, Remedy
from gpu.files import is_stdin, open_any, require_memory
from gpu.graph import MAX_COUNT, CSRGraph, Provenance
from gpu.interpreter import cores

WEIGHT_CHOICES = ("file", "unit", "random", "absolute")
RANDOM_SEED = 1  # of weights="random"

FREE_VERTICES = 10_000_000  # a header may promise so many vertices, however small the file,
VERTICES_PER_BYTE = 1  # and so many more for each byte of it
FREE_BYTES = 256 << 20  # a file may unpack to so many bytes, however small it is on disk,
DISK_FACTOR = 48  # or to so many times its size on disk: gzip makes an edge a byte at best

HEAD_BYTES = 64 * 1024  # what a sniffer sees; a shorter head is the whole file
BLOCK_BYTES = 2 << 20  # read or unpacked at a time
PIECE_BYTES = 8 << 20 if hasattr(os, "preadv") else 2**63  # of a plain file, read by threads
CHECK_BYTES = 32 << 20  # memory is checked each time the text grew by this
READ_SHARE = 0.5  # of the progress bar
STEPS = {"reading": (0.0, 0.5, 16), "parsing": (0.5, 0.9, 64), "joining": (0.9, 0.9, 64)}
XZ_MEMORY = 128 << 20  # bytes that a decoder may take; `xz -9` needs 65 MiB
gzip.READ_BUFFER_SIZE = 1 << 20  # type: ignore[attr-defined] # each one waits for Python's lock

PACKINGS = (".gz", ".xz")
MAGIC = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\x00": "xz"}
UNREADABLE_MAGIC = {b"\x28\xb5\x2f\xfd": "zstd", b"\x04\x22\x4d\x18": "lz4", b"BZh": "bzip2"}
UTF8_MARK = b"\xef\xbb\xbf"
SHOWN_CHARACTERS = 60  # of a faulty line, quoted in an error
WEB = ("http://", "https://", "ftp://")

SIGNS = Remedy("weights", "absolute", "(or read with --weights absolute, unit or random)")
NAME = Remedy("weight_name")


@dataclass
class Reading:
    """One load: the user's options, the file's bytes, notes, progress."""

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

    _data: bytearray = field(default_factory=bytearray, init=False)  # unpacked so far

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

    def in_pieces(self, work: Callable[[Any], Any], pieces: Sequence[Any], step: str) -> list[Any]:
        """Return `work` of each piece, on all cores; `step` is one of STEPS."""
        results: list[Any] = []
        begin, end, most = STEPS[step]  # of the progress bar, and how many threads
        with ThreadPoolExecutor(min(cores(), most)) as pool:
            for result in pool.map(work, pieces):  # an error in the loop cancels the other pieces
                results.append(result)
                self.report(begin + (end - begin) * len(results) / len(pieces), step)
        return results

    def fault(
        self, problem: str, line: int | None = None, remedy: Remedy | None = None
    ) -> FormatError:
        """Return the error to raise. `problem` says what was found and what is expected."""
        return FormatError(self.path, problem, line, remedy)

    def note(self, words: str) -> None:
        """Add a sentence for the user."""
        self.notes.append(words)

    # the bytes

    @contextmanager
    def opened(self) -> Iterator[bytes]:
        """Open the file for a while; yield its first HEAD_BYTES unpacked bytes, or all of them.

        Raises FormatError if the path is no readable file or its packed data are broken.
        """
        with self._open() as self._file:
            self._size = self.disk_bytes  # 0: a pipe
            self._blocks = self._unpacked()
            while len(self._data) < HEAD_BYTES and self._grow():
                pass
            yield bytes(self._data[:HEAD_BYTES])

    def read_all(self, *, text: bool = False) -> bytearray:
        """Return the whole unpacked file, which is open; `text`: refuse a zero byte.

        Raises MemoryNeededError if it does not fit.
        """
        self.need_memory(self._size)
        start = 0
        while True:
            if text:
                self._refuse_zeros(start)
            start = len(self._data)
            if not self._grow():
                return self._data
            done = self._file.tell() / self._size if self._size else 0.0
            self.report(min(done, 1.0) * READ_SHARE, "reading")

    def _open(self) -> BufferedReader:
        try:
            from_stdin = self.pipe and is_stdin(self.path)
            about = os.stat(0 if from_stdin else self.path)
            if stat.S_ISDIR(about.st_mode):
                raise self.fault("is a folder; expected a file")
            if stat.S_ISREG(about.st_mode) and not from_stdin:
                self.disk_bytes = about.st_size
            elif not self.pipe:
                raise self.fault("is not a regular file; expected a file on disk")
            return open_any(self.path) if self.pipe else open(self.path, "rb")
        except FileNotFoundError as error:
            raise self.fault("no such file") from error
        except (OSError, ValueError) as error:
            raise self.fault(f"cannot be opened: {_one_line(error)}") from error

    def _grow(self) -> bool:
        """Add the next block to the data; return False at the end of the file."""
        block = next(self._blocks, None)
        if block is None:
            return False
        self._data += block
        self.check_unpacked(len(self._data), "the file")
        if len(self._data) % CHECK_BYTES < len(block):
            self.need_memory(len(self._data))
        return True

    def _refuse_zeros(self, start: int) -> None:
        if np.frombuffer(self._data, np.uint8)[start:].min(initial=1) == 0:  # without Python's lock
            at = self._data.find(b"\0", start)
            before = bytes(self._data[:at])
            ends = before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n")
            raise self.fault(
                "a zero byte in it, so it is no text; expected UTF-8 (UTF-16 is not read: save "
                "it again as UTF-8)",
                ends + 1,
            )

    def _unpacked(self) -> Iterator[bytes]:
        packing = self._packing()
        try:
            for block in _blocks(self._file, packing):
                if not self._size and not packing:
                    self.disk_bytes += len(block)
                yield block
                if not packing and HEAD_BYTES <= len(self._data) < self._size - PIECE_BYTES:
                    self._read_pieces()
                    yield b""
        except EOFError as error:
            raise self.fault(
                f"the {packing} data end early; expected the end mark (is the file cut short?)"
            ) from error
        except (zlib.error, lzma.LZMAError, OSError, ValueError) as error:
            words = f"broken {packing} data" if packing else "cannot be read"
            raise self.fault(f"{words} ({_one_line(error)})") from error

    def _read_pieces(self) -> None:
        """Read a large plain file by threads, into memory that is taken at once."""
        make = ctypes.pythonapi.PyByteArray_FromStringAndSize  # `bytearray(size)` writes zeros
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_char_p, ctypes.c_ssize_t]
        self._data, size = make(None, self._size), self._size

        def missing(at: int) -> int:
            end = min(at + PIECE_BYTES, size)
            with memoryview(self._data) as view:
                while count := os.preadv(self._file.fileno(), [view[at:end]], at):
                    at += count
            return end - at

        if any(self.in_pieces(missing, range(0, size, PIECE_BYTES), "reading")):
            raise self.fault("became shorter while it was read")
        self._file.seek(size)

    def _packing(self) -> str:
        try:
            first = self._file.peek(max(map(len, MAGIC)))
        except OSError as error:
            raise self.fault(f"cannot be read: {_one_line(error)}") from error
        if not first:
            raise self.fault("the file is empty; expected a graph")
        names = {**MAGIC, **UNREADABLE_MAGIC}
        name = next((name for magic, name in names.items() if first.startswith(magic)), "")
        if name in UNREADABLE_MAGIC.values():
            raise self.fault(f"{name} compressed; unpack it first (gzip and xz are read directly)")
        return name

    # limits

    @property
    def budget_bytes(self) -> int:
        """How many bytes the file may unpack to."""
        return max(FREE_BYTES, DISK_FACTOR * self.disk_bytes)

    def need_memory(self, needed: int) -> None:
        """Raise MemoryNeededError if `needed` bytes are not free."""
        require_memory(needed, str(self.path))

    def check_unpacked(self, size: int, what: str) -> None:
        """Refuse `what` if it unpacks to more than the budget."""
        if size > self.budget_bytes:
            raise self.fault(
                f"{what} unpacks to {size / 1e6:,.1f} MB or more, the file has "
                f"{self.disk_bytes / 1e6:,.1f} MB on disk; at most {self.budget_bytes / 1e6:,.1f} "
                "MB are unpacked here: if you trust it, unpack it yourself and open the result"
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

    tails: np.ndarray  # integers (m,), in the order of the file, numbered from `base`; see `rows`
    heads: np.ndarray
    n: int  # number of vertices
    weights: np.ndarray | None = None  # (m,), integers if the file holds whole numbers
    ids: np.ndarray | None = None  # names of the vertices; None: they count from `id_base`
    places: np.ndarray | None = None  # float32 (n, 2)
    base: int = 0  # taken off `tails` and `heads` in place
    id_base: int = 0
    both: bool = False  # the format is undirected and holds each edge once
    paired: bool = False  # the format is undirected and holds each edge twice
    name: str | None = None  # of the graph; None: from the file's name
    notes: tuple[str, ...] = ()
    rows: np.ndarray | None = None  # int64 (n+1,), bounds: edges row by row, `tails` left empty


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
    letters = words.decode("ascii", "backslashreplace")
    letters = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in letters)
    cut = len(letters) > SHOWN_CHARACTERS or len(text) > SHOWN_CHARACTERS + 1
    return f"'{letters[:SHOWN_CHARACTERS]}...'" if cut else f"'{letters}'"


def unpacked_name(path: Path) -> str:
    """Return a file's name without the suffix of its packing."""
    suffix = path.suffix.lower()
    return path.name[: -len(suffix)] if suffix in PACKINGS else path.name


def bare_name(path: Path) -> str:
    """Return a file's name without the suffixes of packing and format."""
    name = unpacked_name(path)
    return (Path(name).stem if name else "") or path.name


def refuse_web_address(name: str) -> None:
    """Raise FormatError if a name is a web address."""
    if name.lower().startswith(WEB):
        raise FormatError(name, "is a web address; download the file, then open the file")


def _blocks(file: BufferedReader, packing: str) -> Iterator[bytes]:
    """Yield a file in unpacked blocks. EOFError, LZMAError, zlib.error, OSError."""
    if packing != "xz":
        plain = gzip.GzipFile(fileobj=file) if packing else file
        while block := plain.read1(BLOCK_BYTES):
            yield block
        return
    decoder, block = lzma.LZMADecompressor(memlimit=XZ_MEMORY), file.read1(BLOCK_BYTES)
    while True:
        yield decoder.decompress(block, BLOCK_BYTES)
        block = file.read1(BLOCK_BYTES) if decoder.needs_input else decoder.unused_data
        if decoder.eof:  # another stream may follow, padded by zeros
            block = block.lstrip(b"\0") or file.read1(BLOCK_BYTES).lstrip(b"\0")
            if not block:
                return
            decoder = lzma.LZMADecompressor(memlimit=XZ_MEMORY)
        elif decoder.needs_input and not block:
            raise EOFError


def _one_line(error: Exception) -> str:
    words = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return " ".join(str(words).split())
