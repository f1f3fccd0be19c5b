"""Arrays that two processes see: named blocks of shared memory, or mapped files.

A *segment* is one block with several arrays in it. It is made by one process
(`Memory.create`), and mapped by the other (`Memory.attach`) from a `SharedArrays`, a
small picklable note of where the arrays lie.

Life        Arrays hold the mapping itself: it is unmapped when the last array over it
            dies, never before, so a picture or a trace may keep its arrays for as long
            as it likes. Only the *name* is given back early, by `Segment.unlink`.
            This is why a segment takes the mapping out of `SharedMemory`: that class
            would refuse to close (BufferError), or leave arrays dangling.

Where       POSIX shared memory or Windows' named mappings; where /dev/shm is missing or
            too small (containers often have 64 MB), or memory itself, a file in the temporary
            folder: so a matrix may be larger than memory.
            Space is compared with what is free *before*, and reserved by the process
            that fills it (`Segment.reserve`): writing past a full tmpfs is a SIGBUS.

Names       begin with `sssp-<pid of the window>-<token>`. Shared memory is known to Python's
            resource tracker from its making to its unlinking, by one process at a
            time: Python before 3.13 registers a second time on attaching, which
            leads to false warnings at exit, so the child's attaching is hidden from it.

Owners      Beside the segments of a prefix lies an empty file, `<prefix>-held`, that every process
            which makes or owns some keeps locked (flock): the system lets go when it dies, however
            it dies. `clean_stale` removes the segments whose lock it gets. A pid would not do: that
            of another container, which shares /dev/shm or the folder, names nobody here.
"""

from __future__ import annotations

import contextlib
import math
import mmap
import os
import re
import secrets
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import Any

import numpy as np

from gpu.errors import MemoryNeededError
from gpu.interpreter import start_tracker
from gpu.locked import lock

SHM_FOLDER = Path("/dev/shm")  # where Linux shows named blocks; absent elsewhere
SPARE_BYTES = 32 << 20  # left free for others in /dev/shm and in the temporary folder
LARGE = 64 << 20  # bytes: from here on memory is asked whether it has them
BOUNDLESS = 2**62
ALIGNMENT = 64  # of every array in its block: a cache line
HELD = "held"  # tag of the file that owners keep locked
NAME_PATTERN = re.compile(rf"(sssp-\d+-[0-9a-f]{{4}})-{HELD}(\.map)?")
_OPEN = os.O_RDWR | getattr(os, "O_CLOEXEC", 0)

_held: dict[Path, int] = {}  # the files that this process keeps locked, and their descriptors
_swept: set[Path] = set()  # names removed while a child that was killed then may have been at work

Shapes = Mapping[str, tuple[Any, tuple[int, ...]]]  # name -> dtype, shape


@dataclass(frozen=True)
class Place:
    """Where one array lies in its block."""

    offset: int  # bytes
    dtype: np.dtype
    shape: tuple[int, ...]


@dataclass(frozen=True)
class SharedArrays:
    """Enough to map a segment in another process; `path` None means shared memory."""

    name: str
    nbytes: int
    places: dict[str, Place]
    path: str | None = None


@dataclass(frozen=True)
class Memory:
    """Makes, maps and removes the segments of one engine host.

    prefix : begins every name
    folder : for mapped files
    named : False puts everything into mapped files
    """

    prefix: str = field(default_factory=lambda: f"sssp-{os.getpid()}-{secrets.token_hex(2)}")
    folder: str = field(default_factory=tempfile.gettempdir)
    named: bool = True

    def create(self, tag: str, shapes: Shapes) -> Segment:
        """Make a segment called `tag`, unique in this host; its contents are zeros.

        Raises MemoryNeededError where neither /dev/shm nor the folder has the space.
        """
        places, nbytes = _plan(shapes)
        name = f"{self.prefix}-{tag}"
        if self.named:
            _hold(self._held_beside(named=True))
            if (block := _create_named(name, nbytes)) is not None:
                return Segment(SharedArrays(name, nbytes, places), block.detach(), block)
        path = Path(self.folder) / f"{name}.map"
        _hold(self._held_beside(named=False))
        mapping = _create_file(path, nbytes)
        return Segment(SharedArrays(name, nbytes, places, str(path)), mapping)

    def attach(self, shared: SharedArrays, *, owner: bool) -> Segment:
        """Map a segment made elsewhere; only its owner may unlink the name.

        Raises FileNotFoundError where the name is gone.
        """
        if owner:
            _hold(self._held_beside(named=shared.path is None))
        if shared.path is None:
            block = _attach_named(shared.name, tracked=owner)
            return Segment(shared, block.detach(), block)
        with Path(shared.path).open("r+b") as file:
            return Segment(shared, mmap.mmap(file.fileno(), shared.nbytes))

    def remove(self, tag: str) -> None:
        """Give back a name that a killed process may or may not have made."""
        name = f"{self.prefix}-{tag}"
        with contextlib.suppress(OSError):
            (Path(self.folder) / f"{name}.map").unlink(missing_ok=True)
        with contextlib.suppress(OSError, ValueError):  # ValueError: made, but still empty
            block = _attach_named(name, tracked=True)
            block.detach()
            block.unlink()
        with contextlib.suppress(OSError):
            (SHM_FOLDER / name).unlink(missing_ok=True)

    def sweep(self) -> None:
        """Remove whatever still bears this host's prefix, as far as the system lists it.

        A child may have made a segment, and tell the tracker of it only when the name is gone; so
        the sweep after its death tells the tracker of the names of the one before.
        """
        before = {path for path in _swept if path.name.startswith(f"{self.prefix}-")}
        _swept.difference_update(before)
        for path in before:
            _tell_tracker(path, resource_tracker.register, resource_tracker.unregister)
        held = {self._held_beside(named=named) for named in (True, False)}
        for folder in (SHM_FOLDER, Path(self.folder)):
            for path in folder.glob(f"{self.prefix}-*") if folder.is_dir() else ():
                if path not in held:
                    _swept.add(path)
                    self.remove(path.name.removesuffix(".map").removeprefix(f"{self.prefix}-"))
        for path in held:  # last: while a segment is there, so is what says whether it is stale
            _let_go(path)

    def clean_stale(self) -> None:
        """Remove what processes that are dead by now left behind."""
        for folder in (SHM_FOLDER, Path(self.folder)):
            for held in folder.glob(f"sssp-*-{HELD}*") if folder.is_dir() else ():
                match = NAME_PATTERN.fullmatch(held.name)
                with contextlib.suppress(OSError):  # held, another user's, or (Windows) in use
                    if match:
                        _remove_stale(held, match[1])

    def _held_beside(self, *, named: bool) -> Path:
        """Return the file that is locked where segments lie: in /dev/shm, or mapped files."""
        if named and SHM_FOLDER.is_dir():
            return SHM_FOLDER / f"{self.prefix}-{HELD}"
        return Path(self.folder) / f"{self.prefix}-{HELD}.map"


class Segment:
    """A mapped block; see the module's essay for how long what lives."""

    def __init__(
        self, shared: SharedArrays, mapping: mmap.mmap, block: _Block | None = None
    ) -> None:
        self.shared = shared
        self._mapping = mapping
        self._block = block

    def arrays(self, *, writeable: bool) -> dict[str, np.ndarray]:
        """Return every array by name, as views of the block that keep it mapped."""
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
        path = Path(self.shared.path) if self.shared.path else SHM_FOLDER / self.shared.name
        if not hasattr(os, "posix_fallocate") or not path.exists():
            return
        descriptor = os.open(path, os.O_RDWR)
        try:
            os.posix_fallocate(descriptor, 0, self.shared.nbytes)
        except OSError as error:
            raise _too_large(self.shared.nbytes, path.parent) from error
        finally:
            os.close(descriptor)

    def unlink(self) -> None:
        """Give the name back; arrays stay valid. Only the owner calls this, once or more."""
        with contextlib.suppress(OSError):
            if self.shared.path is not None:
                Path(self.shared.path).unlink(missing_ok=True)
            elif self._block is not None:
                self._block.unlink()
        self._block = None


def share(
    memory: Memory, tag: str, arrays: Mapping[str, np.ndarray], more: Shapes | None = None
) -> Segment:
    """Copy arrays into a fresh segment, with zeros for `more`. Raises MemoryNeededError."""
    shapes = {name: (array.dtype, array.shape) for name, array in arrays.items()}
    segment = memory.create(tag, {**shapes, **(more or {})})
    try:
        segment.reserve()
        targets = segment.arrays(writeable=True)
        for name, array in arrays.items():
            targets[name][...] = array
    except BaseException:
        segment.unlink()
        raise
    return segment


class _Block(SharedMemory):
    """Shared memory whose mapping can be taken out, to be kept by arrays alone."""

    _buf: Any
    _mmap: Any

    def detach(self) -> mmap.mmap:
        """Return the mapping; of the block only its name is left."""
        mapping: mmap.mmap = self._mmap
        self._buf.release()
        self._buf = self._mmap = None
        self.close()  # the descriptor: the mapping has its own
        return mapping


def shared_free(wanted: int) -> int:
    """Return the bytes of shared memory that can still be had; where nobody knows, very many.

    wanted : bytes; of few, memory itself is not asked
    """
    folder = free_bytes(SHM_FOLDER) if SHM_FOLDER.is_dir() else BOUNDLESS
    if wanted < LARGE:
        return folder
    from gpu.memory import available_bytes

    known = available_bytes()
    return folder if known is None else min(folder, known)


def place_for(nbytes: int, folder: str | None = None) -> tuple[str, int]:
    """Return where a segment would lie: "memory", "file" or "" (no room), and what is free there.

    folder : for mapped files; None: the temporary one
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


def _create_named(name: str, nbytes: int) -> _Block | None:
    """Make a block of shared memory, or return None where it does not fit."""
    if shared_free(nbytes) < nbytes + SPARE_BYTES:
        return None
    start_tracker()
    try:
        return _Block(name, create=True, size=nbytes)
    except FileExistsError:
        raise
    except OSError:  # no /dev/shm, or the system's own limit
        return None


def _create_file(path: Path, nbytes: int) -> mmap.mmap:
    if free_bytes(path.parent) < nbytes + SPARE_BYTES:
        raise _too_large(nbytes, path.parent)
    with path.open("x+b") as file:
        path.chmod(0o600)
        file.truncate(nbytes)
        return mmap.mmap(file.fileno(), nbytes)


def _attach_named(name: str, *, tracked: bool) -> _Block:
    if sys.version_info >= (3, 13):
        return _Block(name, track=tracked)
    if tracked:
        return _Block(name)
    with _unregistered():
        return _Block(name)


@contextlib.contextmanager
def _unregistered() -> Iterator[None]:
    """Keep the resource tracker from hearing of what is opened meanwhile (before 3.13)."""
    register = resource_tracker.register
    resource_tracker.register = lambda *_: None
    try:
        yield
    finally:
        resource_tracker.register = register


def _too_large(nbytes: int, folder: Path) -> MemoryNeededError:
    free = free_bytes(folder)
    return MemoryNeededError(
        f"{nbytes / 2**20:,.0f} MB of shared memory needed; free: {free / 2**20:,.0f} MB in "
        f"{folder}. Close other programs, or set TMPDIR to a folder with more space"
    )


def _hold(path: Path) -> None:
    """Keep a file locked until `_let_go` or the end of this process; it is made if need be.

    Where the file system knows no locks nobody gets one, so nothing there is ever stale.
    """
    with contextlib.suppress(OSError):
        while path not in _held:
            descriptor = os.open(path, _OPEN | os.O_CREAT, 0o600)
            try:
                lock(descriptor, shared=True, wait=True)
                if _is_still(path, descriptor):  # else it was stale until just now
                    _held[path] = os.dup(descriptor)
                    if path.name.startswith(f"sssp-{os.getpid()}-"):
                        _tell_tracker(path, resource_tracker.register)
            finally:
                os.close(descriptor)


def _tell_tracker(path: Path, *news: Callable[[str, str], None]) -> None:
    """Tell who removes shared memory of a process that dies, where nobody else is left to."""
    if path.parent == SHM_FOLDER:
        start_tracker()
        for tell in news:
            tell(f"/{path.name}", "shared_memory")


def _let_go(path: Path) -> None:
    if path in _held:
        os.close(_held.pop(path))
    with contextlib.suppress(OSError):
        path.unlink()  # only who removes it tells: a name may be unregistered once
        _tell_tracker(path, resource_tracker.register, resource_tracker.unregister)


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
