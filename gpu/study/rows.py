"""Rows of distances in files: whoever computes some writes them there.

One file    a `.npy`, (k, n)
Parts       a folder NAME.rows: 000000.npy, 000001.npy and so on, each with the rows of one block
            and an ordinary `.npy`, and `index.json`, which says whose rows they are

    rows = open_rows("far.rows", graph)
    rows.shape, rows.sources, rows[7], rows[100:900]

Why parts   The system gives out a file's pages under locks of that file. Processes that write into
            one wait for each other, those that write into a file each do not.
Space       of rows is taken just before they are written.
Distrust    A folder may come from a stranger. The index is of a declared form, names of parts
            follow from their numbers, so that none leads elsewhere, and links are refused. A part
            is mapped only where its form and its length are those that the index gives it.
"""

from __future__ import annotations

import errno
import io
import json
import math
import os
import shutil
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Meta, Struct, structs

from gpu.algorithms.all_pairs import require_room
from gpu.errors import GpuError
from gpu.graph import CSRGraph
from gpu.regular import open_regular, read_regular
from gpu.schema import Count, SchemaError, Text, checked
from gpu.words import in_sight

SUFFIX = ".rows"  # of a folder of parts
INDEX = "index.json"
MOST_INDEX_BYTES = 1 << 26  # 8 million sources
Some = Annotated[int, Meta(ge=1, le=2**31 - 1, description="a whole number from 1 on")]


class RowsError(GpuError):
    """A folder of rows that is damaged, or of another graph."""


class Index(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What stands in `index.json`."""

    format: Literal["sssp-scope rows"] = "sssp-scope rows"
    version: Literal[1] = 1
    graph: Text  # its hash
    algorithm: Text
    type: Literal["int32", "int64", "float32", "float64"]
    vertices: Some
    rows_a_part: Some  # the last one may have fewer
    proved: Count  # rows, by certificate
    sources: Annotated[tuple[Count, ...], Meta(min_length=1)]  # row i is from the i-th, 0-based

    def __post_init__(self) -> None:
        if max(self.sources) >= self.vertices:
            raise ValueError(f"source {max(self.sources)} is none of {self.vertices} vertices")


# written


@dataclass(frozen=True)
class Target:
    """Where the rows of a plan lie until all are done; a worker that sees it writes its own.

    path : the file, or the folder of parts; inode : its own
    begin : byte at which the first row of a file lies
    rows_a_part : None where all rows are in one file
    """

    host: str
    path: str
    inode: int
    begin: int
    type: np.dtype
    shape: tuple[int, ...]
    rows_a_part: int | None

    @classmethod
    def found(
        cls, path: Path, kind: np.dtype, shape: tuple[int, ...], rows_a_part: int | None
    ) -> Target:
        """Return what `make_target` has made. OSError."""
        there, inode = str(path.resolve()), path.stat().st_ino
        begin = len(_header(kind, shape))
        return cls(socket.gethostname(), there, inode, begin, kind, shape, rows_a_part)

    def stripe(self, begin: int, end: int) -> np.ndarray | None:
        """Return the map of some rows, their space taken; None where the file is not seen here.

        Of parts the rows are those of one. Raises GpuError where the disk is full: now, and not as
        a signal while rows are written.
        """
        try:
            if self.host != socket.gethostname() or os.stat(self.path).st_ino != self.inode:
                return None
        except OSError:
            return None
        shape = (end - begin, *self.shape[1:])
        path, place = self.path, self.begin + begin * self._row_bytes
        try:
            if self.rows_a_part is not None:
                path = self.part(begin // self.rows_a_part)
                place = _begin_file(path, self.type, shape)
            _take_space(path, place, (end - begin) * self._row_bytes)
        except OSError as error:
            raise GpuError(f"cannot write {path}: {error.strerror}") from error
        return np.memmap(path, self.type, "r+", place, shape)

    def part(self, number: int) -> str:
        """Return the path of a part."""
        return os.path.join(self.path, part_name(number))

    def has(self, begin: int, end: int) -> bool:
        """Whether there is room for some rows, as there is once they were written."""
        path, shape = self.path, self.shape
        if self.rows_a_part is not None:
            path, shape = self.part(begin // self.rows_a_part), (end - begin, *shape[1:])
        try:
            return os.stat(path).st_size == len(_header(self.type, shape)) + _bytes(
                self.type, shape
            )
        except OSError:
            return False

    @property
    def _row_bytes(self) -> int:
        return _bytes(self.type, self.shape[1:])


def make_target(path: Path, kind: np.dtype, shape: tuple[int, ...], in_parts: bool) -> None:
    """Make the file of all rows, or the folder of their parts, anew. OSError.

    Who still writes rows of what was there before, in another process, writes them nowhere.
    """
    if in_parts:
        if path.is_dir() and not path.is_symlink():
            for old in (*path.glob(f"{'[0-9]' * 6}.npy"), *path.glob(INDEX)):
                old.unlink()
            path.rmdir()
        path.mkdir()
    else:
        path.unlink(missing_ok=True)
        _begin_file(path, kind, shape)


def name_parts(path: Path, index: Index, out: Path) -> Rows:
    """Write a folder's index, and give it its name once all of it is sound and on the disk.

    Raises OSError, RowsError.
    """
    rows = Rows(path, index)
    for number in range(rows.parts):
        flush(rows.part(number))
    del rows  # Windows renames no folder of which a file is mapped
    written = path / INDEX
    written.write_text(json.dumps(structs.asdict(index)), encoding="utf-8")
    flush(written)
    path.rename(out)
    return Rows(out, index)


def flush(path: Path) -> None:
    """Have what was written into a file on the disk. OSError."""
    with path.open("r+b") as file:
        os.fsync(file.fileno())


def part_name(number: int) -> str:
    """Return the name of a part's file."""
    return f"{number:06}.npy"


def _begin_file(path: str | Path, kind: np.dtype, shape: tuple[int, ...]) -> int:
    """Give a `.npy` file its header and its length; return the byte at which its rows begin.

    Rows that another process has written there already stay.
    """
    header = _header(kind, shape)
    how = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
    with open(os.open(path, how, 0o666), "r+b") as file:
        file.write(header)
        file.truncate(len(header) + _bytes(kind, shape))
    return len(header)


def _header(kind: np.dtype, shape: tuple[int, ...]) -> bytes:
    descr = np.lib.format.dtype_to_descr(kind)
    written = io.BytesIO()
    about = {"descr": descr, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(written, about)
    return written.getvalue()


def _bytes(kind: np.dtype, shape: tuple[int, ...]) -> int:
    return kind.itemsize * math.prod(shape)


def _take_space(path: str, begin: int, size: int) -> None:
    """Take the space of a part of a file, so that a full disk is an OSError and no SIGBUS later.

    Of a file in memory it is only asked whether there is so much: to take it lasts as long as to
    write it, and one process at a time does.
    """
    if _in_memory(path):
        if shutil.disk_usage(Path(path).parent).free < size:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    elif hasattr(os, "posix_fallocate"):
        with open(path, "r+b") as file:
            os.posix_fallocate(file.fileno(), begin, size)


def _in_memory(path: str) -> bool:
    """Whether a file lies in memory (Linux; elsewhere unknown, False)."""
    try:
        told = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    mounts = [line.split() for line in told.splitlines()]
    device = os.stat(path).st_dev
    name = f"{os.major(device)}:{os.minor(device)}"
    return any(words[2] == name and words[words.index("-") + 1] == "tmpfs" for words in mounts)


# read


class Rows:
    """The rows (k, n) of a folder of parts, which are mapped, so that none is read unasked."""

    def __init__(self, folder: Path, index: Index) -> None:
        self.folder, self.index = folder, index
        self.shape = (len(index.sources), index.vertices)
        self.dtype = np.dtype(index.type)
        self.nbytes = _bytes(self.dtype, self.shape)
        self.parts = -(-len(index.sources) // index.rows_a_part)
        self._last: tuple[int, np.ndarray] | None = None  # a part's number, and its map

    @property
    def sources(self) -> np.ndarray:
        """The source of each row, int64 (k,), 0-based."""
        return np.array(self.index.sources, np.int64)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, which: int | slice | Sequence[int] | np.ndarray) -> np.ndarray:
        """Return one row (n,), a map of the file, or several (b, n), copied.

        Raises IndexError, MemoryNeededError, RowsError.
        """
        chosen = np.arange(len(self))[which]
        each = self.index.rows_a_part
        if chosen.ndim == 0:
            return self._mapped(int(chosen) // each)[int(chosen) % each]
        require_room(len(chosen), self.shape[1], self.dtype.itemsize)
        found = np.empty((len(chosen), self.shape[1]), self.dtype)
        parts = chosen // each
        for number in np.unique(parts).tolist():
            mine = parts == number
            found[mine] = self._mapped(number)[chosen[mine] - number * each]
        return found

    def part(self, number: int) -> Path:
        """Return the file of a part, once it is found to be sound. RowsError."""
        self._mapped(number)
        return self.folder / part_name(number)

    def _mapped(self, number: int) -> np.ndarray:
        if self._last is None or self._last[0] != number:
            path = self.folder / part_name(number)
            begin = number * self.index.rows_a_part
            shape = (min(self.index.rows_a_part, len(self) - begin), self.shape[1])
            try:
                self._last = number, _map_part(path, self.dtype, shape)
            except (OSError, ValueError) as error:
                words = getattr(error, "strerror", None) or str(error)
                raise RowsError(f"{in_sight(str(path))}: {' '.join(words.split())}") from error
        return self._last[1]


def open_rows(folder: str | Path, graph: CSRGraph | None = None) -> Rows:
    """Return the rows of a folder, all of whose parts are there and whole.

    graph : refuse rows of another one

    Raises RowsError.
    """
    name = in_sight(str(folder))
    try:
        _refuse_link(Path(folder) / INDEX)
        told = json.loads(read_regular(Path(folder) / INDEX, MOST_INDEX_BYTES))
        rows = Rows(Path(folder), checked(Index, told))
    except OSError as error:
        raise RowsError(f"{name}: no folder of rows, {INDEX}: {error.strerror}") from error
    except (SchemaError, ValueError, RecursionError) as error:
        raise RowsError(f"{name}: {INDEX}: {' '.join(str(error).split())}") from error
    if graph is not None and rows.index.graph != graph.hash:
        raise RowsError(
            f"{name}: these are rows of graph {in_sight(rows.index.graph)}; "
            f"{graph.name} is {graph.hash}"
        )
    for number in range(rows.parts):
        rows.part(number)
    return rows


def _map_part(path: Path, kind: np.dtype, shape: tuple[int, int]) -> np.ndarray:
    """Return the map of a part's rows, read-only. OSError, ValueError."""
    _refuse_link(path)
    with open_regular(path) as file:
        if np.lib.format.read_magic(file) != (1, 0):
            raise ValueError("no .npy file of version 1.0")
        form = np.lib.format.read_array_header_1_0(file)
        if form != (shape, False, kind):
            raise ValueError(f"holds {form[2]} {form[0]}; the index says {kind} {shape}")
        expected, size = file.tell() + _bytes(kind, shape), os.fstat(file.fileno()).st_size
        if size != expected:
            raise ValueError(f"has {size:,} bytes; {expected:,} are a whole part")
        mapped: np.memmap[Any, Any] = np.memmap(file, kind, "r", file.tell(), shape)
    return mapped.view(np.ndarray)


def _refuse_link(path: Path) -> None:
    if path.is_symlink():
        raise OSError(errno.ELOOP, "a link; parts lie in the folder itself")
