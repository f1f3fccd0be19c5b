"""All pairs: the door to a matrix, in memory or in a file larger than memory.

    all_pairs(graph)                          -> Trace, dist of shape (n, n)
    all_pairs(graph, "matrix.npy", ...)       -> the same, written row by row

A file is an ordinary `.npy` (`numpy.load(path, mmap_mode="r")` opens it). Its space is taken
first, then rows go into a memory map of it as they are computed; it gets its name only when it is
whole, and proved if that was asked. Stop, Ctrl-C, an error or a failed proof leave nothing.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from gpu.algorithms import ALGORITHMS, find
from gpu.algorithms.all_pairs import matrix_bytes
from gpu.engine import (
    CallingObserver,
    RecordingObserver,
    RunBuffers,
    again_wider,
    checked_settings,
    execute,
    make_trace,
    result_shape,
)
from gpu.errors import CancelledByUserError, DistanceRangeError, GpuError, ParameterError
from gpu.graph import CSRGraph
from gpu.numbers import AUTO, in_numbers
from gpu.record.trace import (
    NEVER,
    Probe,
    RunSettings,
    Trace,
    VertexProbe,
)
from gpu.wholefile import check_writable, written_whole
from gpu.words import size_words

SPARE_BYTES = 32 << 20  # left free on the disk
Progress = Callable[[float, str], object]


class ProofError(GpuError):
    """Distances that a proof found wrong."""


def matrix_algorithms() -> list[str]:
    """Return the keys of all rows whose result is a matrix, the one to take first last."""
    return [key for key, row in ALGORITHMS.items() if row.result == "matrix"]


def all_pairs(
    graph: CSRGraph,
    out: str | Path | None = None,
    *,
    algorithm: str | None = None,
    engine: str = "model",
    first_source: int = 0,
    sources: int | None = None,
    delta: float | None = None,
    probe: int = Probe.SAMPLES,
    device: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    numbers: str = AUTO,
    verify: bool = False,
    progress: Progress | None = None,
    should_stop: Callable[[], bool] | None = None,
    run: Callable[..., Trace] | None = None,
) -> Trace:
    """Return distances from `sources` vertices, from `first_source` on, to all.

    Parameters
    ----------
    out : a `.npy` file to write, None for an array in memory
    algorithm : a key of `matrix_algorithms()`; None: the last of them, our own
    sources : how many rows; None: all the rest
    delta, probe, device, parameters, numbers : as in `gpu.run`
    verify : prove rows by certificate (`gpu.proof.verify`), before the file gets its name
    progress : told 0..1 and words, often; should_stop : asked often
    run : as `gpu.run`, but on another computer; the proof is made here all the same

    Returns
    -------
    Trace
        `dist` is (sources, n) in the run's type, a read-only memory map where `out` was given

    Raises
    ------
    ParameterError, MemoryNeededError, WeightError, EngineError; CancelledByUserError where
    should_stop said so; ProofError where `out` was given and a proof fails; GpuError where
    the file cannot be written
    """
    known = matrix_algorithms()
    chosen = known[-1] if algorithm is None else algorithm
    if find(chosen).result != "matrix":
        raise ParameterError(f"{chosen} has one source; from many run: {', '.join(known)}")
    given = {**(parameters or {}), "first_source": first_source, "sources": sources}
    settings = checked_settings(
        graph,
        RunSettings(
            chosen, engine, device or "", 0, delta, probe, parameters=given, numbers=numbers
        ),
    )
    shape = result_shape(graph, settings)
    told = _Told(progress or (lambda *_: None), should_stop or (lambda: False), shape[0])
    if run is not None:
        return _from_elsewhere(graph, settings, out, told, verify, run)
    try:
        return _matrix(graph, settings, out, shape, told, verify)
    except DistanceRangeError as error:
        wide = again_wider(graph, settings, error)
    return _matrix(graph, wide, out, shape, told, verify)


def _matrix(
    graph: CSRGraph,
    settings: RunSettings,
    out: str | Path | None,
    shape: tuple[int, ...],
    told: _Told,
    verify: bool,
) -> Trace:
    """Run and prove, in memory or into a file that gets its name when all is well."""
    in_type, probe = in_numbers(graph, settings.numbers), settings.probe
    if out is None:
        return _run(graph, settings, RunBuffers.allocate(in_type, probe, shape), told, verify)
    with matrix_file(out, shape, in_type.weights.dtype) as rows:
        trace = _run(graph, settings, RunBuffers(rows, _probe_arrays(graph, probe)), told, verify)
        _refuse_wrong(trace, out)
        rows.flush()
    return replace(trace, dist=np.load(out, mmap_mode="r"))


def _from_elsewhere(
    graph: CSRGraph,
    settings: RunSettings,
    out: str | Path | None,
    told: _Told,
    verify: bool,
    run: Callable[..., Trace],
) -> Trace:
    """Have it computed on another computer; prove it here, and write it."""
    trace = run(graph, settings, CallingObserver(told.on_samples, told.should_stop))
    trace = _whole(trace)
    trace = _proved(graph, trace, told) if verify else trace
    if out is None:
        return trace
    with matrix_file(out, trace.dist.shape, trace.dist.dtype) as rows:
        _refuse_wrong(trace, out)
        rows[:] = trace.dist
        rows.flush()
    return replace(trace, dist=np.load(out, mmap_mode="r"))


@contextmanager
def matrix_file(
    path: str | Path, shape: tuple[int, ...], dtype: np.dtype
) -> Iterator[np.memmap[Any, Any]]:
    """Give a writable map of a new `.npy` file that gets its name when the block ends well.

    Raises GpuError where there is no space, or the file cannot be written.
    """
    check_writable(path)
    rows, n = shape
    needed = matrix_bytes(rows, n, np.dtype(dtype).itemsize)
    free = shutil.disk_usage(Path(os.path.realpath(path)).parent).free
    if needed + SPARE_BYTES > free:
        raise GpuError(
            f"cannot write {path}: {rows:,} rows of {n:,} distances are "
            f"{size_words(needed)}, {size_words(free)} are free there: take fewer sources, or "
            "another disk"
        )
    with written_whole(path) as file:
        if not hasattr(file, "name") or not Path(file.name).is_file():
            raise GpuError(f"cannot write {path}: a matrix needs a file of its own")
        kind = np.dtype(dtype)
        header = {"descr": kind.str, "fortran_order": False, "shape": tuple(shape)}
        np.lib.format.write_array_header_1_0(file, header)
        file.flush()
        begin = file.tell()
        if hasattr(os, "posix_fallocate"):  # a full disk is an error now and no SIGBUS later
            os.posix_fallocate(file.fileno(), 0, begin + needed)
        else:
            file.truncate(begin + needed)
        yield np.memmap(file.name, kind, "r+", begin, tuple(shape))


class _Told:
    """Passes samples on as progress."""

    def __init__(self, progress: Progress, should_stop: Callable[[], bool], rows: int) -> None:
        self.progress, self.should_stop, self._rows = progress, should_stop, rows

    def on_samples(self, samples: np.ndarray) -> None:
        """Say how many sources are done."""
        done = int(samples[-1]["occupancy"][2])
        self.progress(done / self._rows, f"{done:,} of {self._rows:,} sources")


def _run(
    graph: CSRGraph, settings: RunSettings, buffers: RunBuffers, told: _Told, verify: bool
) -> Trace:
    observer = RecordingObserver(told.on_samples, told.should_stop)
    outcome = execute(graph, settings, buffers, observer)
    trace = _whole(make_trace(graph, settings, buffers, outcome, observer.samples()))
    return _proved(graph, trace, told) if verify else trace


def _whole(trace: Trace) -> Trace:
    if trace.outcome == "stopped":
        raise CancelledByUserError("stopped before every source was done; nothing was written")
    return trace


def _proved(graph: CSRGraph, trace: Trace, told: _Told) -> Trace:
    from gpu.proof.verify import verify_rows

    proved = verify_rows(
        graph,
        trace.settings.source,
        trace.dist,
        progress=told.progress,
        should_stop=told.should_stop,
    )
    return replace(trace, verification=proved)


def _refuse_wrong(trace: Trace, out: str | Path) -> None:
    proof = trace.verification
    if proof is not None and not proof.passed:
        raise ProofError(f"{proof.detail}; {out} was not written")


def _probe_arrays(graph: CSRGraph, probe: int) -> VertexProbe | None:
    if probe < Probe.VERTICES:
        return None
    begun, ended = np.full(graph.n, NEVER, np.int64), np.full(graph.n, NEVER, np.int64)
    return VertexProbe(begun, ended, np.zeros(graph.n, np.int32))
