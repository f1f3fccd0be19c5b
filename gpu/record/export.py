"""A trace for other programs: one JSON object, CSV files of samples and of distances.

The JSON object (`summary`) is what `sssp-scope run --json` prints and what goes beside every
picture. Many runs make one table, a row a run or a row a sample; a table within the object gives a
column for each of its keys: `parameters_buckets`, `graph_hash`.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import numpy as np

from gpu.algorithms import ALGORITHMS
from gpu.errors import GpuError
from gpu.files import written_whole
from gpu.graph import CSRGraph
from gpu.record import disorder
from gpu.record.trace import BUCKETS, REASON_WORDS, SAMPLE, Flag, Reason, Trace, reached_mask
from gpu.record.tracefile import plain

CHUNK = 100_000  # rows of distances turned into text at a time
FORMULA = re.compile("'*[=+\\-@\t\r\uff1d\uff0b\uff0d\uff20]")
NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")

_NAMED = {  # columns whose field's name does not say its unit
    "improved": "improved_distances",
    "delta": "delta_weight_units",
    "base": "base_weight_units",
    "band_low": "band_low_edges",
    "band_high": "band_high_edges",
    "clip_share": "clip_share_0_to_1",
    "distance_error": "distance_error_weight_units",
}
_LAST = ("distance_error", "error_vertices")  # a later version added them
_SKIPPED = ("occupancy", "flags", "reason", *_LAST)  # written as words, or elsewhere


def summary(trace: Trace) -> dict[str, Any]:
    """Return a run as one JSON-ready object; NaN, inf and what was not counted become None."""
    settings, last = trace.settings, trace.last
    names = ("delta_changes", "bucket_switches", "processed_vertices", "relaxed_edges", "improved")
    counts = {name: int(last[name]) if trace.counted else None for name in names}
    delta, delta_final = _deltas(trace)
    verification = trace.verification
    policy = settings.policy
    named = {"policy": {"name": policy.name, "digest": policy.digest}} if policy else {}
    return {
        "algorithm": settings.algorithm,
        **named,
        "engine": settings.engine,
        "device": settings.device,
        "clock": trace.clock,
        "time_ns": trace.time_ns,
        "probe": settings.probe,
        "numbers": str(trace.dist.dtype),
        "outcome": trace.outcome,
        "delta": delta,
        "delta_final": delta_final,
        **counts,
        "work_efficiency": trace.work_efficiency if trace.counted else None,
        "disorder": disorder.as_json(trace),
        "verified": None if verification is None else verification.passed,
        "verification": None if verification is None else plain(vars(verification)),
        "distances": plain(trace.distance_summary()),
        "graph": plain(vars(trace.graph)),
        "source": {"id": trace.graph.source_id, "index": settings.source},
        "parameters": plain(settings.parameters),
        "seed": settings.seed,
        "samples": len(trace.samples),
        "environment": plain(trace.environment),
    }


@contextmanager
def _table(path: str | Path, quoting: Literal[0, 1] = csv.QUOTE_MINIMAL) -> Iterator[Any]:
    """Open a CSV file that is written whole or not at all; yield its writer. GpuError."""
    with written_whole(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        yield csv.writer(text, lineterminator="\n", quoting=quoting)
        text.flush()
        text.detach()


def write_table(header: Sequence[str], rows: Iterable[Sequence[Any]], path: str | Path) -> None:
    """Write a CSV file; None becomes an empty cell, words go through `safe_id`.

    Raises GpuError where it cannot be written.
    """
    with _table(path) as table:
        for row in (header, *rows):
            table.writerow([safe_id(cell) if isinstance(cell, str) else cell for cell in row])


def write_csv(trace: Trace, path: str | Path) -> None:
    """Write the samples as CSV, one row each: every field of SAMPLE, flags and reasons in words."""
    write_table(sample_header(), sample_rows(trace), path)


def sample_header() -> list[str]:
    """Return the columns of `sample_rows`; where a field's name lacks its unit, with it."""
    names = [_NAMED.get(name, name) for name in SAMPLE.names or () if name not in _SKIPPED]
    boxes = [f"occupancy_{i}_vertices" for i in range(BUCKETS)]
    errors = [_NAMED.get(name, name) for name in _LAST]
    return [*names, "reason", "flags", *boxes, "clock", "probe", *errors]


def sample_rows(trace: Trace) -> Iterator[list[Any]]:
    """Yield one row of `write_csv` for each sample."""
    names = [name for name in SAMPLE.names or () if name not in _SKIPPED]
    kept = [trace.clock, trace.settings.probe]
    for sample in trace.samples:
        row = [sample[name].item() for name in names]
        flags = "|".join(flag.name.lower() for flag in Flag if flag & sample["flags"] and flag.name)
        words = [REASON_WORDS[Reason(sample["reason"])], flags]
        errors = [sample[name].item() for name in _LAST]
        yield [*row, *words, *sample["occupancy"].tolist(), *kept, *errors]


def write_distances(graph: CSRGraph, dist: np.ndarray, path: str | Path) -> None:
    """Write columns id,distance, one row a vertex; an unreached vertex has no distance.

    dist : (n,); written with the shortest digits that read back the same. GpuError.
    """
    if dist.ndim != 1:
        raise GpuError(
            f"distances from {len(dist):,} sources are a matrix, not a column: "
            "write them with sssp-scope apsp FILE -o matrix.npy"
        )
    texts = graph.ids if graph.ids is not None and graph.ids.dtype.kind == "U" else None
    returns = texts is not None and (np.char.find(texts, "\r") >= 0).any()  # csv leaves those bare
    with _table(path, csv.QUOTE_ALL if returns else csv.QUOTE_MINIMAL) as rows:
        rows.writerow(["id", "distance"])
        for begin in range(0, graph.n, CHUNK):
            part = slice(begin, min(begin + CHUNK, graph.n))
            ids = np.arange(part.start, part.stop) + graph.id_base
            names = (ids if graph.ids is None else graph.ids[part]).tolist()
            names = names if texts is None else list(map(safe_id, names))
            values = np.where(reached_mask(dist[part]), dist[part].astype(str), "")
            rows.writerows(zip(names, values.tolist(), strict=True))


def safe_id(name: str) -> str:
    """Return text for a spreadsheet: `'` is put before what looks like a formula, but no number.

    And before `'` with a formula after it, so that two ids stay two.
    """
    return f"'{name}" if FORMULA.match(name) and not NUMBER.fullmatch(name) else name


def _deltas(trace: Trace) -> tuple[float | None, float | None]:
    """Return Δ at the start (given, or what the engine chose) and at the end."""
    row = ALGORITHMS.get(trace.settings.algorithm)
    if row is not None and not row.bucketed:
        return None, None
    delta = trace.settings.delta
    first = float(trace.samples[0]["delta"]) if delta is None else float(delta)
    return plain(first), plain(float(trace.last["delta"]))


def write_runs(runs: Sequence[tuple[int, Trace]], path: str | Path) -> None:
    """Write one row a run: (number, trace); settings, graph, totals, proof and versions."""
    rows = [{"run": number} | _flat(summary(trace)) for number, trace in runs]
    header = list(dict.fromkeys(key for row in rows for key in row))
    write_table(header, ([row.get(key) for key in header] for row in rows), path)


def samples_table(
    runs: Sequence[tuple[int | str, Trace]],
) -> tuple[list[str], Iterable[Sequence[Any]]]:
    """Return every sample of every run, its name and algorithm first; columns of `write_csv`."""
    rows = (
        [name, trace.settings.algorithm, *row] for name, trace in runs for row in sample_rows(trace)
    )
    return ["run", "algorithm", *sample_header()], rows


def _flat(table: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    row: dict[str, Any] = {}
    for key, value in table.items():
        name = f"{prefix}{key}"
        row |= _flat(value, f"{name}_") if isinstance(value, dict) else {name: value}
    return row
