"""Distances from all vertices, or from a range of them: a matrix in a `.npy` file, or a table.

Rows are computed in blocks, so that a matrix may be larger than memory. A block is one run of an
algorithm for all pairs, or one run a row, in this process or on a worker of a cluster, which sends
its rows back. The first row of each block is proved by certificate where it was computed; with
`verify` as many rows as `gpu.proof.verify` chooses. A file gets its name when it is whole.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, nullcontext
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
from gpu.interpreter import cores
from gpu.numbers import type_for, wider
from gpu.proof.verify import certificate, chosen_rows
from gpu.record.export import write_table
from gpu.record.trace import Probe, RunSettings, reached_mask
from gpu.study.elsewhere import Stop, map_there, never, result
from gpu.study.sweep import made
from gpu.words import size_words

Progress = Callable[[float, str], object]
SPARE_BYTES = 32 << 20  # left free on the disk
BLOCK_BYTES = 1 << 28  # of the rows that one task computes
CUDA_ROWS = 264  # a block has a multiple of this: a multiprocessor takes a row, many GPUs have 132
REDUCERS = 4  # threads that reduce rows
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
    """What is computed: rows from `count` sources, the first `first`, in blocks of `rows`."""

    settings: RunSettings
    first: int
    count: int
    rows: int
    reduced: bool = False
    verify: bool = False

    @property
    def blocks(self) -> int:
        """How many blocks there are."""
        return -(-self.count // self.rows)

    def span(self, number: int) -> slice:
        """Return the rows of a block."""
        return slice(number * self.rows, min((number + 1) * self.rows, self.count))


@dataclass(frozen=True)
class Computed:
    """What came of a plan, or of a block: the time of all runs on `clock`, and proved rows.

    rows : of a block distances (b, n), or ROW (b,) of a reduced plan; of a plan ROW or None
    """

    plan: SourcesPlan
    rows: Any
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
    should_stop: Stop = never,
    **fields: Any,
) -> np.ndarray:
    """Write distances from all vertices to all into a `.npy` file; return its memory map.

    algorithm : a key of the registry; None: the last of `matrix_algorithms()`
    sources : as `source_slice` reads them; verify : prove as many rows as `gpu.proof.verify` says
    fields : other fields of `RunSettings`: engine, device, delta, numbers

    Raises as `from_sources` does.
    """
    settings = RunSettings(algorithm or matrix_algorithms()[-1], **fields)
    plan = make_plan(graph, settings, sources, verify=verify)
    from_sources(graph, plan, out, progress=progress, should_stop=should_stop)
    return np.load(out, mmap_mode="r")


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
            f"to {n}, for the first K"
        )
    return first, last - first


def make_plan(
    graph: CSRGraph,
    settings: RunSettings,
    sources: str = ":",
    *,
    rows: int | None = None,
    least: int = 1,
    reduced: bool = False,
    verify: bool = False,
) -> SourcesPlan:
    """Return a checked plan. ParameterError.

    rows : of a block; None: as many as BLOCK_BYTES hold, in at least `least` blocks
    """
    first, count = source_slice(sources, graph.n)
    settings = replace(settings, probe=Probe.OFF, source=0)
    settings = replace(settings, device=checked_settings(graph, settings).device)
    row = max(graph.n, 1) * type_for(graph, settings.numbers).itemsize
    each = max(1, min(BLOCK_BYTES // row, -(-count // least)))
    if settings.engine == "cuda":
        each = CUDA_ROWS * max(1, each // CUDA_ROWS)
    return SourcesPlan(settings, first, count, min(rows or each, count), reduced, verify)


def from_sources(
    graph: CSRGraph,
    plan: SourcesPlan,
    out: str | Path,
    *,
    there: Any = None,
    progress: Progress = lambda _share, _words: None,
    should_stop: Stop = never,
) -> Computed:
    """Compute a plan into a `.npy` file (k, n); of a reduced plan into a CSV table, a row a source.

    there : the client of a cluster; None: in this process

    Raises ProofError, CancelledByUserError, GpuError (a full disk) and what `gpu.run` raises.
    """
    check_writable(out)
    while True:
        numbers = str(type_for(graph, plan.settings.numbers))
        fixed = replace(plan, settings=replace(plan.settings, numbers=numbers))
        try:
            return _computed(graph, fixed, out, _blocks(graph, fixed, there, should_stop), progress)
        except DistanceRangeError:
            choice = wider(graph, plan.settings.numbers)
            if choice is None:
                raise
            plan = replace(plan, settings=replace(plan.settings, numbers=choice))


def _computed(
    graph: CSRGraph,
    plan: SourcesPlan,
    out: str | Path,
    blocks: Iterator[tuple[int, Computed]],
    progress: Progress,
) -> Computed:
    """Write the rows of all blocks as they come."""
    done, parts = 0, list[Computed]()
    table = np.zeros(plan.count, ROW) if plan.reduced else None
    progress(0.0, f"0 of {plan.count:,} sources")
    shape = plan.count, graph.n
    kind = np.dtype(plan.settings.numbers)
    target: Any
    with nullcontext(table) if plan.reduced else matrix_file(out, shape, kind) as target:
        for number, block in blocks:
            target[plan.span(number)] = block.rows
            done += len(block.rows)
            parts.append(replace(block, rows=None))
            progress(done / plan.count, f"{done:,} of {plan.count:,} sources")
    if table is not None:
        ids = [graph.id_of(vertex) for vertex in table["source"].tolist()]
        columns = [table[name].tolist() for name in ROW.names or ()]
        write_table(["source_id", *(ROW.names or ())], zip(ids, *columns, strict=True), out)
    proved, time_ns = sum(part.proved for part in parts), sum(part.time_ns for part in parts)
    return Computed(plan, table, proved, time_ns, parts[0].clock)


@contextmanager
def matrix_file(
    path: str | Path, shape: tuple[int, ...], dtype: np.dtype
) -> Iterator[np.memmap[Any, Any]]:
    """Give a writable map of a new `.npy` file that gets its name when the block ends well.

    Raises GpuError where there is no space, or the file cannot be written.
    """
    check_writable(path)
    rows, n = shape
    needed = matrix_bytes(rows, n, dtype.itemsize)
    free = shutil.disk_usage(Path(os.path.realpath(path)).parent).free
    if needed + SPARE_BYTES > free:
        raise GpuError(
            f"cannot write {path}: {rows:,} rows of {n:,} distances need {size_words(needed)}, "
            f"{size_words(free)} are free there: take fewer sources, another disk, or --reduce"
        )
    with written_whole(path) as file:
        if not hasattr(file, "name") or not Path(file.name).is_file():
            raise GpuError(f"cannot write {path}: a matrix needs a file of its own")
        mapped = np.lib.format.open_memmap(file.name, "w+", dtype, shape)
        if hasattr(os, "posix_fallocate"):  # a full disk is an error now and no SIGBUS later
            os.posix_fallocate(file.fileno(), 0, os.fstat(file.fileno()).st_size)
        yield mapped
        mapped.flush()


def _blocks(
    graph: CSRGraph, plan: SourcesPlan, there: Any, should_stop: Stop
) -> Iterator[tuple[int, Computed]]:
    """Yield each block with its number, as it is ready."""
    work = partial(block, plan)
    if there is None:
        for number in range(plan.blocks):
            yield number, work(graph, number, should_stop)
        return
    with closing(map_there(there, work, graph, range(plan.blocks), should_stop)) as futures:
        for number, future in futures:
            yield number, result(future)


def block(plan: SourcesPlan, graph: CSRGraph, number: int, should_stop: Stop) -> Computed:
    """Compute and prove one block. ProofError."""
    span = plan.span(number)
    first, count = plan.first + span.start, span.stop - span.start
    dist, time_ns, clock = _rows(graph, plan.settings, first, count, should_stop)
    chosen = chosen_rows(graph, count, None, 1) if plan.verify else np.zeros(1, np.int64)
    for row in chosen.tolist():
        fault = certificate(graph, first + row, dist[row])
        if fault is not None:
            raise ProofError(f"row {span.start + row}: {fault}; nothing was written")
    rows = reduce_rows(dist, first) if plan.reduced else dist
    return Computed(plan, rows, len(chosen), time_ns, clock)


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


def reduce_rows(dist: np.ndarray, first: int) -> np.ndarray:
    """Return ROW (b,) of distances (b, n) from the sources from `first` on."""
    rows = np.zeros(len(dist), ROW)
    rows["source"] = first + np.arange(len(dist))
    with ThreadPoolExecutor(min(REDUCERS, cores())) as pool:  # NumPy computes without the GIL
        for _ in pool.map(_reduce, rows, dist):
            pass
    return rows


def _reduce(row: np.void, line: np.ndarray) -> None:
    """Fill a row of ROW from its distances (n,)."""
    mask = reached_mask(line.max(keepdims=True))  # an unreached vertex is the farthest
    finite = line if mask.all() else line[reached_mask(line)]
    total = float(finite.sum(dtype=np.float64))
    row["reached"], row["eccentricity"] = len(finite), finite.max()
    if total > 0:
        row["closeness"] = (len(finite) - 1) ** 2 / ((len(line) - 1) * total)
