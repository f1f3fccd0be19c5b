"""All runs in one table: a row a run, or a row a sample with the run's number beside it.

Every row carries the clock and the probe level, so that one cut out still says what its time
is. Settings that only some algorithms have get a column each (`set_buckets`), empty elsewhere.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from gpu.export import sample_header, sample_rows, summary
from gpu.trace import Trace
from gpu.wholefile import written_whole

SET = "set_"  # before the key of an algorithm's parameter
TOTALS = (
    "algorithm",
    "engine",
    "device",
    "seed",
    "outcome",
    "clock",
    "probe",
    "time_ns",
    "delta",
    "delta_final",
    "delta_changes",
    "bucket_switches",
    "processed_vertices",
    "relaxed_edges",
    "improved",
    "work_efficiency",
    "verified",
    "samples",
)


def write_table(
    header: Sequence[str], rows: Iterable[Sequence[Any]], path: str | Path, delimiter: str = ","
) -> None:
    """Write a CSV file, whole or not at all; None becomes an empty cell.

    Raises GpuError where it cannot be written.
    """
    with written_whole(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        table = csv.writer(text, delimiter=delimiter, lineterminator="\n")
        table.writerow(header)
        table.writerows(rows)
        text.flush()
        text.detach()


def write_runs(runs: Sequence[tuple[int, Trace]], path: str | Path) -> None:
    """Write one row a run: (number, trace); settings, graph, totals, proof and versions."""
    told = [summary(trace) for _, trace in runs]
    knobs = sorted({key for row in told for key in row["parameters"]})
    around = sorted({key for row in told for key in row["environment"]})
    header = ["run", *TOTALS, "reached", "source_id", "source_index"]
    header += ["graph", "graph_origin", "graph_hash", "vertices", "edges"]
    header += [SET + key for key in knobs] + [f"environment_{key}" for key in around]
    write_table(
        header,
        (
            [
                number,
                *_cells(trace, row),
                *_picked(row["parameters"], knobs),
                *_picked(row["environment"], around),
            ]
            for (number, trace), row in zip(runs, told, strict=True)
        ),
        path,
    )


def write_all_samples(runs: Sequence[tuple[int, Trace]], path: str | Path) -> None:
    """Write every sample of every run, its number and algorithm first; columns of `write_csv`."""
    write_table(
        ["run", "algorithm", *sample_header()],
        (
            [number, trace.settings.algorithm, *row]
            for number, trace in runs
            for row in sample_rows(trace)
        ),
        path,
    )


def _cells(trace: Trace, row: dict[str, Any]) -> list[Any]:
    graph = trace.graph
    cells = [row[key] for key in TOTALS]
    cells += [trace.reached, graph.source_id, trace.settings.source]
    return [*cells, graph.name, graph.origin, graph.hash, graph.n, graph.m]


def _picked(values: dict[str, Any], keys: Sequence[str]) -> list[Any]:
    return [values.get(key) for key in keys]
