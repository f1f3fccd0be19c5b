"""All pairs: a matrix of distances, in memory or in a `.npy` file.

    all_pairs(graph)                          -> Trace, dist of shape (n, n)
    all_pairs(graph, "matrix.npy", ...)       -> the same, dist a read-only memory map of the file

The file gets its name only when it is whole and, with `verify`, proved. A matrix that is larger
than memory is written block by block by `gpu.study.sources`.
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
from gpu.errors import GpuError, ParameterError
from gpu.files import check_writable, written_whole
from gpu.graph import CSRGraph
from gpu.record.trace import RunSettings, Trace
from gpu.study.sweep import made
from gpu.words import size_words

SPARE_BYTES = 32 << 20  # left free on the disk
Progress = Callable[[float, str], object]


class ProofError(GpuError):
    """Distances that a proof found wrong."""


def matrix_algorithms() -> list[str]:
    """Return the keys of all rows whose result is a matrix; the last is the default."""
    return [key for key, row in ALGORITHMS.items() if row.result == "matrix"]


def all_pairs(
    graph: CSRGraph,
    out: str | Path | None = None,
    *,
    algorithm: str | None = None,
    first_source: int = 0,
    sources: int | None = None,
    parameters: Mapping[str, Any] | None = None,
    verify: bool = False,
    progress: Progress | None = None,
    should_stop: Callable[[], bool] | None = None,
    **fields: Any,
) -> Trace:
    """Return distances from `sources` vertices (None: all), from `first_source` on, to all.

    out : a `.npy` file to write; algorithm : a key of `matrix_algorithms()`; None: the last of them
    verify : prove rows by certificate (`gpu.proof.verify`), before the file gets its name
    progress : called often with 0..1 and words; should_stop : called often
    fields : other fields of `RunSettings`: engine, device, delta, probe, numbers

    Raises ParameterError, MemoryNeededError, WeightError, EngineError; CancelledByUserError;
    ProofError where a proof fails; GpuError where the file cannot be written.
    """
    chosen = algorithm or matrix_algorithms()[-1]
    if find(chosen).result != "matrix":
        keys = ", ".join(matrix_algorithms())
        raise ParameterError(f"{chosen} has one source; algorithms for many sources: {keys}")
    if out is not None:
        check_writable(out)
    rows = {**(parameters or {}), "first_source": first_source, "sources": sources}
    settings = RunSettings(chosen, parameters=rows, **fields)
    show = progress or (lambda *_: None)

    def on_samples(samples: np.ndarray) -> None:
        occupancy = samples[-1]["occupancy"]
        done, count = int(occupancy[2]), int(occupancy[:3].sum())
        show(done / count, f"{done:,} of {count:,} sources")

    trace = made(graph, settings, should_stop, on_samples)
    if verify:
        from gpu.proof.verify import verify_rows

        first, stop = trace.settings.source, should_stop
        proof = verify_rows(graph, first, trace.dist, progress=progress, should_stop=stop)
        trace = replace(trace, verification=proof)
        if out is not None and not proof.passed:
            raise ProofError(f"{proof.detail}; {out} was not written")
    if out is None:
        return trace
    with matrix_file(out, trace.dist.shape, trace.dist.dtype) as file:
        file[:] = trace.dist
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
