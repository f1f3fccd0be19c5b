"""Arrays, graphs and run buffers that two processes see: mapped files, in memory where possible.

A *segment* is one file with several arrays in it. One process makes it (`Memory.create`), the other
maps it (`Memory.attach`) from a `SharedArrays`, a small note of where the arrays lie.

Life        Arrays hold the mapping: it is unmapped when the last array over it dies. Only the
            *name* is given back early, by `Segment.unlink`.
Where       /dev/shm, which is memory (Linux). Where that is missing or too small, the temporary
            folder: so a matrix may be larger than memory. Space is compared with what is free
            before a segment is made, and taken at once: writing past a full /dev/shm
            is a SIGBUS.
End         The host removes its segments when it ends (`Memory.sweep`), the child does where the
            host was killed. Where both are killed together, files called sssp-* are left.
"""

from __future__ import annotations

import contextlib
import math
import mmap
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gpu.engine import RunBuffers, result_shape
from gpu.errors import MemoryNeededError
from gpu.files import available_bytes
from gpu.graph import CSRGraph, Provenance
from gpu.record.trace import VERTEX_TYPES, Probe, RunSettings, VertexProbe

SHM_FOLDER = Path("/dev/shm")  # Linux only
SPARE_BYTES = 32 << 20  # left free for others in /dev/shm and in the temporary folder
LARGE = 64 << 20  # bytes: from here on it is asked whether memory itself has them
BOUNDLESS = 2**62
ALIGNMENT = 64  # bytes, of every array in its segment: a cache line
PICTURE = "provisional"  # name of the array of a graph's first picture

Place = tuple[tuple[int, ...], np.dtype, int]  # shape, dtype, offset in a segment, bytes
Shapes = Mapping[str, tuple[Any, tuple[int, ...]]]  # name -> dtype, shape


@dataclass(frozen=True)
class SharedArrays:
    """Enough to map a segment in another process."""

    path: str
    nbytes: int
    places: dict[str, Place]


@dataclass(frozen=True)
class Memory:
    """Makes, maps and removes the segments of one engine host, whose names begin with `prefix`.

    folder : for what does not fit into memory, or for everything (in_memory False)
    """

    prefix: str = field(default_factory=lambda: f"sssp-{os.getpid()}-{secrets.token_hex(2)}")
    folder: str = field(default_factory=tempfile.gettempdir)
    in_memory: bool = True

    def create(self, tag: str, shapes: Shapes, *, whole: bool = True) -> Segment:
        """Make a segment called `tag`, unique in this host; its contents are zeros.

        whole : take its space now (Linux), about 0.3 ms a MB
        Raises MemoryNeededError where neither /dev/shm nor the folder has the space.
        """
        places, nbytes = _plan(shapes)
        where, _ = place_for(nbytes, self.folder)
        is_file = where == "file" or not (self.in_memory and SHM_FOLDER.is_dir())
        folder = Path(self.folder) if is_file else SHM_FOLDER
        if not where:
            raise _too_large(nbytes, folder)
        path = folder / f"{self.prefix}-{tag}"
        with path.open("x+b") as file:
            path.chmod(0o600)
            try:
                file.truncate(nbytes)
                if whole and hasattr(os, "posix_fallocate"):
                    os.posix_fallocate(file.fileno(), 0, nbytes)
                mapping = mmap.mmap(file.fileno(), nbytes)
            except OSError as error:
                path.unlink()
                raise _too_large(nbytes, folder) from error
        return Segment(SharedArrays(str(path), nbytes, places), mapping)

    def attach(self, shared: SharedArrays) -> Segment:
        """Map a segment made elsewhere. FileNotFoundError where the name is gone."""
        with Path(shared.path).open("r+b") as file:
            return Segment(shared, mmap.mmap(file.fileno(), shared.nbytes))

    def sweep(self) -> None:
        """Remove every segment with this host's prefix."""
        self.remove_others(())

    def remove_others(self, kept: Iterable[Segment]) -> None:
        """Remove every segment of this prefix but these."""
        names = {segment.shared.path for segment in kept}
        for folder in {SHM_FOLDER, Path(self.folder)}:
            for path in folder.glob(f"{self.prefix}-*"):
                if str(path) not in names:
                    with contextlib.suppress(OSError):
                        path.unlink(missing_ok=True)


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
            name: np.ndarray(shape, dtype, raw, offset)
            for name, (shape, dtype, offset) in self.shared.places.items()
        }

    def unlink(self) -> None:
        """Give the name back; arrays stay valid. (Windows refuses; then `sweep` does it.)"""
        with contextlib.suppress(OSError):
            Path(self.shared.path).unlink(missing_ok=True)


def share(memory: Memory, tag: str, arrays: Mapping[str, np.ndarray]) -> Segment:
    """Copy arrays into a fresh segment. Raises MemoryNeededError."""
    segment = memory.create(tag, {name: (a.dtype, a.shape) for name, a in arrays.items()})
    targets = segment.arrays(writeable=True)
    for name, array in arrays.items():
        targets[name][...] = array
    return segment


class GraphHandle(NamedTuple):
    """A graph in shared memory; `token` is the run_id of the request that made it."""

    token: int
    shared: SharedArrays
    id_base: int
    name: str
    provenance: Provenance


@dataclass(frozen=True)
class SharedGraph:
    """A mapped graph; `picture` is float32 (n, 2), or None."""

    handle: GraphHandle
    segment: Segment
    graph: CSRGraph
    picture: np.ndarray | None


def share_graph(
    memory: Memory, token: int, graph: CSRGraph, picture: np.ndarray | None = None
) -> SharedGraph:
    """Copy a graph into a fresh segment. MemoryNeededError."""
    names = ("indptr", "indices", "weights", "positions", "ids")
    parts = {name: getattr(graph, name) for name in names} | {PICTURE: picture}
    arrays = {name: np.asarray(array) for name, array in parts.items() if array is not None}
    segment = share(memory, f"g{token}", arrays)
    handle = GraphHandle(token, segment.shared, graph.id_base, graph.name, graph.provenance)
    return open_graph(handle, segment, writeable=True)


def open_graph(handle: GraphHandle, segment: Segment, *, writeable: bool) -> SharedGraph:
    """Return the graph that lies in a mapped segment.

    writeable : Numba compiles a second version of every loop for arrays that are not
    """
    arrays = segment.arrays(writeable=writeable)
    picture = arrays.pop(PICTURE, None)
    graph = CSRGraph(
        **arrays, id_base=handle.id_base, name=handle.name, provenance=handle.provenance
    )
    return SharedGraph(handle, segment, graph, picture)


def buffer_shapes(graph: CSRGraph, settings: RunSettings) -> Shapes:
    """Return what a run writes on `graph`, whose weights have the type of the run."""
    shapes: dict[str, tuple[object, tuple[int, ...]]] = {
        "dist": (graph.weights.dtype, result_shape(graph, settings))
    }
    if settings.probe >= Probe.VERTICES:
        shapes |= {name: (kind, (graph.n,)) for name, kind in VERTEX_TYPES.items()}
    return shapes


def open_buffers(segment: Segment, *, writeable: bool) -> RunBuffers:
    """Return the run buffers that lie in a mapped segment."""
    arrays = segment.arrays(writeable=writeable)
    dist = arrays.pop("dist")
    return RunBuffers(dist, VertexProbe(**arrays) if arrays else None)


def place_for(nbytes: int, folder: str | None = None) -> tuple[str, int]:
    """Return where a segment would lie: "memory", "file" or "" (no room), and the free bytes there.

    folder : for segments that do not fit into memory; None: the temporary one
    """
    free = free_bytes(SHM_FOLDER) if SHM_FOLDER.is_dir() else BOUNDLESS
    if nbytes >= LARGE and (available := available_bytes()) is not None:
        free = min(free, available)
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
        places[name] = shape, np.dtype(dtype), end
        nbytes = np.dtype(dtype).itemsize * math.prod(shape)
        end = -(-(end + nbytes) // ALIGNMENT) * ALIGNMENT
    return places, max(end, ALIGNMENT)


def _too_large(nbytes: int, folder: Path) -> MemoryNeededError:
    free = free_bytes(folder)
    return MemoryNeededError(
        f"{nbytes / 2**20:,.0f} MB of shared memory needed; free: {free / 2**20:,.0f} MB in "
        f"{folder}. Close other programs, or set TMPDIR to a folder with more space"
    )
