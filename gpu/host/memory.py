"""Arrays that two processes see: mapped files, which lie in memory where the system offers that.

A *segment* is one file with several arrays in it. It is made by one process (`Memory.create`) and
mapped by the other (`Memory.attach`) from a `SharedArrays`, a small picklable note of where the
arrays lie.

Life        Arrays hold the mapping itself: it is unmapped when the last array over it dies, never
            before, so a picture or a trace may keep its arrays for as long as it likes. Only the
            *name* is given back early, by `Segment.unlink`.
Where       /dev/shm, which is memory (Linux). Where that is missing or too small (containers often
            have 64 MB), or memory itself is too small, the temporary folder: so a matrix may be
            larger than memory. Space is compared with what is free before anything is made, and
            reserved by the process that fills it (`Segment.reserve`): writing past a full /dev/shm
            is a SIGBUS.
Owners      Beside the segments of a prefix lies an empty file, `<prefix>-held`, that every process
            which makes or owns some keeps locked: the OS releases the lock when the process dies.
            `clean_stale` removes the segments whose lock it gets. A pid would not do: that of
            another container, which shares /dev/shm or the folder, names no process here.
"""

from __future__ import annotations

import contextlib
import math
import mmap
import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from gpu.errors import MemoryNeededError
from gpu.files import lock

SHM_FOLDER = Path("/dev/shm")  # Linux only
SPARE_BYTES = 32 << 20  # left free for others in /dev/shm and in the temporary folder
LARGE = 64 << 20  # bytes: from here on it is asked whether memory itself has them
BOUNDLESS = 2**62
ALIGNMENT = 64  # bytes, of every array in its segment: a cache line
HELD = "held"  # tag of the file that owners keep locked
NAME_PATTERN = re.compile(rf"(sssp-\d+-[0-9a-f]{{4}})-{HELD}")
_OPEN = os.O_RDWR | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)

_held: dict[Path, int] = {}  # the files that this process keeps locked, and their descriptors

Shapes = Mapping[str, tuple[Any, tuple[int, ...]]]  # name -> dtype, shape


@dataclass(frozen=True)
class Place:
    """Where one array lies in its segment."""

    offset: int  # bytes
    dtype: np.dtype
    shape: tuple[int, ...]


@dataclass(frozen=True)
class SharedArrays:
    """Enough to map a segment in another process."""

    path: str
    nbytes: int
    places: dict[str, Place]


@dataclass(frozen=True)
class Memory:
    """Makes, maps and removes the segments of one engine host.

    prefix : begins every name
    folder : for what does not fit into memory
    in_memory : False puts everything into the folder
    """

    prefix: str = field(default_factory=lambda: f"sssp-{os.getpid()}-{secrets.token_hex(2)}")
    folder: str = field(default_factory=tempfile.gettempdir)
    in_memory: bool = True

    def create(self, tag: str, shapes: Shapes) -> Segment:
        """Make a segment called `tag`, unique in this host; its contents are zeros.

        Raises MemoryNeededError where neither /dev/shm nor the folder has the space.
        """
        places, nbytes = _plan(shapes)
        fits = self.in_memory and SHM_FOLDER.is_dir()
        fits = fits and nbytes + SPARE_BYTES <= shared_free(nbytes)
        folder = SHM_FOLDER if fits else Path(self.folder)
        if not fits and free_bytes(folder) < nbytes + SPARE_BYTES:
            raise _too_large(nbytes, folder)
        path = folder / f"{self.prefix}-{tag}"
        _hold(self._held_beside(path))
        with path.open("x+b") as file:
            path.chmod(0o600)
            file.truncate(nbytes)
            mapping = mmap.mmap(file.fileno(), nbytes)
        return Segment(SharedArrays(str(path), nbytes, places), mapping)

    def attach(self, shared: SharedArrays, *, owner: bool) -> Segment:
        """Map a segment made elsewhere; only its owner may unlink the name.

        Raises FileNotFoundError where the name is gone.
        """
        if owner:
            _hold(self._held_beside(Path(shared.path)))
        with Path(shared.path).open("r+b") as file:
            return Segment(shared, mmap.mmap(file.fileno(), shared.nbytes))

    def remove(self, tag: str) -> None:
        """Give back a name that a killed process may or may not have made."""
        for folder in self._folders():
            with contextlib.suppress(OSError):
                (folder / f"{self.prefix}-{tag}").unlink(missing_ok=True)

    def sweep(self) -> None:
        """Remove whatever still bears this host's prefix."""
        for folder in self._folders():
            held = self._held_beside(folder / self.prefix)
            for path in folder.glob(f"{self.prefix}-*"):
                if path != held:
                    with contextlib.suppress(OSError):
                        path.unlink(missing_ok=True)
            _let_go(held)  # last: as long as a segment is there, so is its lock

    def clean_stale(self) -> None:
        """Remove what processes that are dead by now left behind."""
        for folder in self._folders():
            for held in folder.glob(f"sssp-*-{HELD}"):
                match = NAME_PATTERN.fullmatch(held.name)
                with contextlib.suppress(OSError):  # held, another user's, or (Windows) in use
                    if match:
                        _remove_stale(held, match[1])

    def _folders(self) -> list[Path]:
        return [folder for folder in (SHM_FOLDER, Path(self.folder)) if folder.is_dir()]

    def _held_beside(self, path: Path) -> Path:
        return path.with_name(f"{self.prefix}-{HELD}")


class Segment:
    """A mapped file; see the module docstring for how long what lives."""

    def __init__(self, shared: SharedArrays, mapping: mmap.mmap) -> None:
        self.shared = shared
        self._mapping = mapping

    def arrays(self, *, writeable: bool) -> dict[str, np.ndarray]:
        """Return every array by name, as views that keep the segment mapped."""
        buffer = memoryview(self._mapping)
        raw = np.frombuffer(buffer if writeable else buffer.toreadonly(), np.uint8)
        return {
            name: np.ndarray(place.shape, place.dtype, raw, place.offset)
            for name, place in self.shared.places.items()
        }

    def reserve(self) -> None:
        """Take the space now (Linux), so that a full disk is an error and not a SIGBUS.

        Raises MemoryNeededError. It fills nothing, but costs about 0.3 ms a MB.
        """
        if not hasattr(os, "posix_fallocate"):
            return
        path = Path(self.shared.path)
        try:
            descriptor = os.open(path, os.O_RDWR)
        except FileNotFoundError:  # given back already
            return
        try:
            os.posix_fallocate(descriptor, 0, self.shared.nbytes)
        except OSError as error:
            raise _too_large(self.shared.nbytes, path.parent) from error
        finally:
            os.close(descriptor)

    def unlink(self) -> None:
        """Give the name back; arrays stay valid. Only the owner calls this, once or more.

        Windows refuses while arrays are in use; the name then goes with `sweep` or `clean_stale`.
        """
        with contextlib.suppress(OSError):
            Path(self.shared.path).unlink(missing_ok=True)


def share(memory: Memory, tag: str, arrays: Mapping[str, np.ndarray]) -> Segment:
    """Copy arrays into a fresh segment. Raises MemoryNeededError."""
    segment = memory.create(tag, {name: (a.dtype, a.shape) for name, a in arrays.items()})
    try:
        segment.reserve()
        targets = segment.arrays(writeable=True)
        for name, array in arrays.items():
            targets[name][...] = array
    except BaseException:
        segment.unlink()
        raise
    return segment


def shared_free(needed: int) -> int:
    """Return the bytes of shared memory that can still be had; where that is unknown, very many.

    needed : bytes; for few of them, memory itself is not asked
    """
    folder = free_bytes(SHM_FOLDER) if SHM_FOLDER.is_dir() else BOUNDLESS
    if needed < LARGE:
        return folder
    from gpu.files import available_bytes

    available = available_bytes()
    return folder if available is None else min(folder, available)


def place_for(nbytes: int, folder: str | None = None) -> tuple[str, int]:
    """Return where a segment would lie: "memory", "file" or "" (no room), and what is free there.

    folder : for what does not fit into memory; None: the temporary one
    """
    free = shared_free(nbytes)
    if nbytes + SPARE_BYTES <= free:
        return "memory", free
    on_disk = free_bytes(Path(folder or tempfile.gettempdir()))
    return ("file" if nbytes + SPARE_BYTES <= on_disk else ""), max(free, on_disk)


def free_bytes(folder: Path) -> int:
    """Return the space that is free where `folder` lies."""
    return shutil.disk_usage(folder).free


def _plan(shapes: Shapes) -> tuple[dict[str, Place], int]:
    places, end = {}, 0
    for name, (dtype, shape) in shapes.items():
        places[name] = Place(end, np.dtype(dtype), shape)
        nbytes = np.dtype(dtype).itemsize * math.prod(shape)
        end = -(-(end + nbytes) // ALIGNMENT) * ALIGNMENT
    return places, max(end, ALIGNMENT)


def _too_large(nbytes: int, folder: Path) -> MemoryNeededError:
    free = free_bytes(folder)
    return MemoryNeededError(
        f"{nbytes / 2**20:,.0f} MB of shared memory needed; free: {free / 2**20:,.0f} MB in "
        f"{folder}. Close other programs, or set TMPDIR to a folder with more space"
    )


def _hold(path: Path) -> None:
    """Keep a file locked until `_let_go` or the end of this process; make it if need be.

    Where the file system knows no locks no process gets one, so nothing there is ever stale.
    """
    with contextlib.suppress(OSError):
        while path not in _held:
            descriptor = os.open(path, _OPEN | os.O_CREAT, 0o600)
            try:
                lock(descriptor, shared=True, wait=True)
                if _is_still(path, descriptor):  # else it was stale until just now
                    _held[path] = os.dup(descriptor)
            finally:
                os.close(descriptor)


def _let_go(path: Path) -> None:
    if path in _held:
        os.close(_held.pop(path))
    with contextlib.suppress(OSError):
        path.unlink()


def _remove_stale(held: Path, prefix: str) -> None:
    """Remove the segments beside a file that no process keeps locked. OSError where one does."""
    descriptor = os.open(held, _OPEN)
    try:
        lock(descriptor)
        for path in held.parent.glob(f"{prefix}-*"):
            if path != held:
                path.unlink(missing_ok=True)
    finally:
        os.close(descriptor)
    held.unlink(missing_ok=True)


def _is_still(path: Path, descriptor: int) -> bool:
    """Whether a descriptor's file still has its name."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False
