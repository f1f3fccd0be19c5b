"""Distances from all vertices, or many: a matrix in a `.npy` file, or a table.

    all_pairs(graph, "matrix.npy")
    from_sources(graph, make_plan(graph, settings, chosen_sources("random:1000", graph)), "far.npy")

Rows are computed in blocks, so that a matrix may be larger than memory. A block is one run of an
algorithm for all pairs, or one run a row. Blocks are computed in this process, or by the workers of
a cluster (`gpu.study.elsewhere`), which send their rows back. The bytes are the same.

Order   Sources may come in any order: the graph is numbered anew with the sources first, so that
        a run finds them side by side. Columns go back to the numbers of the graph.
Proof   The first row of each block is proved by certificate where it was computed; with `verify`
        as many rows as `gpu.proof.verify` chooses.
File    It gets its name only when it is whole and proved.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from gpu.algorithms import ALGORITHMS, find
from gpu.algorithms.all_pairs import matrix_bytes
from gpu.engine import checked_settings
from gpu.errors import DistanceRangeError, GpuError, ParameterError
from gpu.files import check_writable, written_whole
from gpu.graph import CSRGraph
from gpu.numbers import type_for, wider
from gpu.proof.verify import certificate, chosen_rows
from gpu.record.export import write_table
from gpu.record.trace import Probe, RunSettings, reached_mask
from gpu.study.elsewhere import Cluster, Stop, result
from gpu.study.sweep import made
from gpu.words import size_words

Progress = Callable[[float, str], object]
SPARE_BYTES = 32 << 20  # left free on the disk
BLOCK_BYTES = 1 << 28  # of the rows that one task computes
CUDA_ROWS = 264  # a block has a multiple of this: a multiprocessor takes a row, many GPUs have 132
SHARED_BLOCKS = 32  # at least, so that workers end together
ROW = np.dtype(
    [
        ("source", "<i8"),  # 0-based index
        ("reached", "<i8"),  # vertices, the source too
        ("eccentricity", "<f8"),  # the farthest reached vertex, weight units
        ("closeness", "<f8"),  # (r - 1)^2 / ((n - 1) x sum), as Wasserman and Faust; 0 for r = 1
    ]
)


class ProofError(GpuError):
    """Distances that a proof found wrong."""


@dataclass(frozen=True)
class SourcesPlan:
    """What is computed: row i from the i-th of `sources` (0-based), in blocks of `rows`."""

    settings: RunSettings
    sources: tuple[int, ...]
    rows: int
    reduced: bool = False
    verify: bool = False

    @property
    def blocks(self) -> int:
        """How many blocks there are."""
        return -(-len(self.sources) // self.rows)

    def span(self, number: int) -> tuple[int, int]:
        """Return the first row of a block and the one after its last."""
        return number * self.rows, min((number + 1) * self.rows, len(self.sources))


@dataclass(frozen=True)
class FromSources:
    """The result: how many rows were proved, and ROW (k,) of a reduced plan."""

    plan: SourcesPlan
    dtype: str
    time_ns: int  # of all runs together, on `clock`
    clock: str
    proved: int
    rows: np.ndarray | None = None


@dataclass(frozen=True)
class Block:
    """Rows (b, n) or ROW (b,), how many of them were proved, and the time of their runs."""

    rows: np.ndarray
    proved: int
    time_ns: int
    clock: str


def matrix_algorithms() -> list[str]:
    """Return the keys of all rows whose result is a matrix; the last is the default."""
    return [key for key, row in ALGORITHMS.items() if row.result == "matrix"]


def all_pairs(
    graph: CSRGraph,
    out: str | Path,
    *,
    algorithm: str | None = None,
    sources: str = ":",
    verify: bool = False,
    progress: Progress = lambda _share, _words: None,
    should_stop: Stop = lambda: False,
    **fields: Any,
) -> np.ndarray:
    """Write distances from all vertices to all into a `.npy` file; return its memory map.

    algorithm : a key of the registry; None: the last of `matrix_algorithms()`
    sources : as `chosen_sources` reads them; verify : prove as many rows as `gpu.proof.verify` says
    fields : other fields of `RunSettings`: engine, device, delta, numbers

    Raises as `from_sources` does.
    """
    settings = RunSettings(algorithm or matrix_algorithms()[-1], **fields)
    plan = make_plan(graph, settings, chosen_sources(sources, graph), verify=verify)
    from_sources(graph, plan, out, progress=progress, should_stop=should_stop)
    return np.load(out, mmap_mode="r")


def chosen_sources(text: str, graph: CSRGraph) -> tuple[int, ...]:
    """Return the sources that a person names: "A:B", "K", "random:K", or a FILE of ids.

    Raises ParameterError, SourceError (no such vertex).
    """
    n = graph.n
    if text.startswith("random:"):
        number = text.removeprefix("random:")
        count = int(number) if number.isdecimal() else 0
        if not 1 <= count <= n:
            raise ParameterError(f"--sources {text}; allowed: random:1 to random:{n}")
        return tuple(np.random.default_rng(1).choice(n, count, replace=False).tolist())
    if not Path(text).is_file():
        first, count = source_slice(text, n)
        return tuple(range(first, first + count))
    words = Path(text).read_text(encoding="utf-8", errors="replace").split()
    vertices = [graph.vertex_of(word) for word in words]
    if not vertices:
        raise ParameterError(f"--sources {text}: the file names no vertex")
    if len(set(vertices)) < len(vertices):
        twice = next(word for word in words if words.count(word) > 1)
        raise ParameterError(f"--sources {text}: vertex {twice} stands in it twice")
    return tuple(vertices)


def source_slice(text: str, n: int) -> tuple[int, int]:
    """Return first source and count of "A:B", as in Python's slices, or "K"; ParameterError."""
    begin, colon, end = text.partition(":")
    try:
        first = int(begin or 0) if colon else 0
        last = int(end or n) if colon else int(begin)
    except ValueError:
        first, last = -1, -1
    if not 0 <= first < last <= n:
        raise ParameterError(
            f"--sources {text}; allowed: A:B with 0 <= A < B <= {n}, as in 7:8 for one; K from 1 "
            f"to {n}, for the first K; random:K; a file of ids"
        )
    return first, last - first


def make_plan(
    graph: CSRGraph,
    settings: RunSettings,
    sources: Sequence[int],
    *,
    rows: int | None = None,
    least: int = 1,
    reduced: bool = False,
    verify: bool = False,
) -> SourcesPlan:
    """Return a checked plan. ParameterError.

    rows : of a block; None: as many as BLOCK_BYTES hold, in at least `least` blocks
    """
    settings = replace(settings, probe=Probe.OFF, source=0)
    settings = replace(settings, device=checked_settings(graph, settings).device)
    row = max(graph.n, 1) * type_for(graph, settings.numbers).itemsize
    each = max(1, min(BLOCK_BYTES // row, -(-len(sources) // least)))
    if settings.engine == "cuda":
        each = CUDA_ROWS * max(1, each // CUDA_ROWS)
    return SourcesPlan(settings, tuple(sources), min(rows or each, len(sources)), reduced, verify)


def from_sources(
    graph: CSRGraph,
    plan: SourcesPlan,
    out: str | Path,
    *,
    there: Cluster | None = None,
    progress: Progress = lambda _share, _words: None,
    should_stop: Stop = lambda: False,
) -> FromSources:
    """Compute a plan into a `.npy` file (k, n); of a reduced plan into a CSV table, a row a source.

    Raises ProofError, CancelledByUserError, GpuError (a full disk) and what `gpu.run` raises.
    """
    check_writable(out)
    while True:
        numbers = str(type_for(graph, plan.settings.numbers))
        fixed = replace(plan, settings=replace(plan.settings, numbers=numbers))
        try:
            return _computed(graph, fixed, out, there, progress, should_stop)
        except DistanceRangeError:
            choice = wider(graph, plan.settings.numbers)
            if choice is None:
                raise
            plan = replace(plan, settings=replace(plan.settings, numbers=choice))


def _computed(
    graph: CSRGraph,
    plan: SourcesPlan,
    out: str | Path,
    there: Cluster | None,
    progress: Progress,
    should_stop: Stop,
) -> FromSources:
    count, done, proved, times, clocks = len(plan.sources), 0, 0, 0, set[str]()
    progress(0.0, f"0 of {count:,} sources")

    def blocks() -> Iterator[tuple[slice, np.ndarray]]:
        nonlocal done, proved, times
        for number, block in _blocks(graph, plan, there, should_stop):
            begin, end = plan.span(number)
            yield slice(begin, end), block.rows
            done, proved, times = done + end - begin, proved + block.proved, times + block.time_ns
            clocks.add(block.clock)
            progress(done / count, f"{done:,} of {count:,} sources")

    table = np.zeros(count, ROW) if plan.reduced else None
    if table is not None:
        for place, rows in blocks():
            table[place] = rows
        ids = [graph.id_of(vertex) for vertex in plan.sources]
        columns = [table[name].tolist() for name in ROW.names or ()]
        write_table(["source_id", *(ROW.names or ())], zip(ids, *columns, strict=True), out)
    else:
        kind = np.dtype(plan.settings.numbers)
        with matrix_file(out, (count, graph.n), kind) as file:
            for place, rows in blocks():
                file[place] = rows
    return FromSources(plan, plan.settings.numbers, times, clocks.pop(), proved, table)


@contextmanager
def matrix_file(
    path: str | Path, shape: tuple[int, ...], dtype: np.dtype
) -> Iterator[np.memmap[Any, Any]]:
    """Give a writable map of a new `.npy` file that gets its name when the block ends well.

    Raises GpuError where there is no space, or the file cannot be written.
    """
    check_writable(path)
    rows, n = shape
    kind = np.dtype(dtype)
    needed = matrix_bytes(rows, n, kind.itemsize)
    free = shutil.disk_usage(Path(os.path.realpath(path)).parent).free
    if needed + SPARE_BYTES > free:
        raise GpuError(
            f"cannot write {path}: {rows:,} rows of {n:,} distances need {size_words(needed)}, "
            f"{size_words(free)} are free there: take fewer sources, another disk, or --reduce"
        )
    with written_whole(path) as file:
        if not hasattr(file, "name") or not Path(file.name).is_file():
            raise GpuError(f"cannot write {path}: a matrix needs a file of its own")
        header = {"descr": kind.str, "fortran_order": False, "shape": tuple(shape)}
        np.lib.format.write_array_header_1_0(file, header)
        file.flush()
        begin = file.tell()
        if hasattr(os, "posix_fallocate"):  # a full disk is an error now and no SIGBUS later
            os.posix_fallocate(file.fileno(), 0, begin + needed)
        else:
            file.truncate(begin + needed)
        mapped = np.memmap(file.name, kind, "r+", begin, tuple(shape))
        yield mapped
        mapped.flush()


def _blocks(
    graph: CSRGraph, plan: SourcesPlan, there: Cluster | None, should_stop: Stop
) -> Iterator[tuple[int, Block]]:
    """Yield each block with its number, as it is ready."""
    ordered, place = _sources_first(graph, np.array(plan.sources))
    work = partial(block, plan=plan, place=place)
    if there is None:
        for number in range(plan.blocks):
            yield number, work(ordered, number, should_stop)
        return
    for number, future in there.map(work, ordered, range(plan.blocks), should_stop):
        yield number, result(future)


def block(
    graph: CSRGraph,
    number: int,
    should_stop: Stop,
    *,
    plan: SourcesPlan,
    place: np.ndarray | None,
) -> Block:
    """Compute and prove one block; `place`: the column of each vertex of the graph as it was."""
    begin, end = plan.span(number)
    first = begin if place is not None else plan.sources[begin]
    dist, time_ns, clock = _rows(graph, plan.settings, first, end - begin, should_stop)
    chosen = chosen_rows(graph, end - begin, None, 1) if plan.verify else np.zeros(1, np.int64)
    for row in chosen.tolist():
        fault = certificate(graph, first + row, dist[row])
        if fault is not None:
            raise ProofError(f"row {begin + row}: {fault}; nothing was written")
    if plan.reduced:
        rows = reduce_rows(dist, np.array(plan.sources[begin:end]))
    else:
        rows = dist if place is None else dist[:, place]
    return Block(rows, len(chosen), time_ns, clock)


def _rows(
    graph: CSRGraph, settings: RunSettings, first: int, count: int, should_stop: Stop
) -> tuple[np.ndarray, int, str]:
    """Return distances (count, n) from the sources from `first` on, and the time of the runs."""
    if find(settings.algorithm).result == "matrix":
        rows = {**settings.parameters, "first_source": first, "sources": count}
        trace = made(graph, replace(settings, parameters=rows), should_stop)
        return trace.dist, trace.time_ns, trace.clock
    dist, times = np.empty((count, graph.n), settings.numbers), 0
    for row in range(count):
        trace = made(graph, replace(settings, source=first + row), should_stop)
        dist[row] = trace.dist
        times += trace.time_ns
    return dist, times, trace.clock


def reduce_rows(dist: np.ndarray, sources: np.ndarray) -> np.ndarray:
    """Return ROW (b,) of distances (b, n)."""
    rows = np.zeros(len(dist), ROW)
    rows["source"] = sources
    for row, line in zip(rows, dist, strict=True):
        finite = line[reached_mask(line)]
        total = float(finite.sum(dtype=np.float64))
        row["reached"], row["eccentricity"] = len(finite), finite.max()
        if total > 0:
            row["closeness"] = (len(finite) - 1) ** 2 / ((len(line) - 1) * total)
    return rows


def _sources_first(graph: CSRGraph, sources: np.ndarray) -> tuple[CSRGraph, np.ndarray | None]:
    """Return the graph numbered anew, and the new number of each vertex; None: as it was."""
    if np.array_equal(sources, np.arange(sources[0], sources[0] + len(sources))):
        return graph, None
    rest = np.ones(graph.n, bool)
    rest[sources] = False
    order = np.concatenate([sources, np.flatnonzero(rest)])
    place = np.empty(graph.n, np.int64)
    place[order] = np.arange(graph.n)
    degrees = np.diff(graph.indptr)[order]
    indptr = np.concatenate([[0], np.cumsum(degrees)]).astype(graph.indptr.dtype)
    arcs = np.repeat(graph.indptr[order] - indptr[:-1], degrees) + np.arange(graph.m)
    heads = place[graph.indices[arcs]].astype(graph.indices.dtype)
    ids = order + graph.id_base if graph.ids is None else graph.ids[order]
    return CSRGraph(indptr, heads, graph.weights[arcs], ids=ids, name=graph.name), place
