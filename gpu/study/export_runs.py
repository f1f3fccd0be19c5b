"""All runs in one table: a row a run, or a row a sample.

Every row has the clock and the probe level. A column's name ends in its unit, or names what it
counts. Settings of some algorithms get a column each (`set_buckets`), empty elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from gpu.record.export import sample_header, sample_rows, summary, write_table
from gpu.record.trace import Trace

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
UNITS = {  # names that lack their unit
    "delta": "delta_weight_units",
    "delta_final": "delta_final_weight_units",
    "improved": "improved_distances",
    "work_efficiency": "work_efficiency_0_to_1",
}


def write_runs(runs: Sequence[tuple[int, Trace]], path: str | Path) -> None:
    """Write one row a run: (number, trace); settings, graph, totals, proof and versions."""
    write_table(*runs_table(runs), path)


def runs_table(runs: Sequence[tuple[int, Trace]]) -> tuple[list[str], list[list[Any]]]:
    """Return header and rows of `write_runs`."""
    totals = [summary(trace) for _, trace in runs]
    knobs = sorted({key for row in totals for key in row["parameters"]})
    around = sorted({key for row in totals for key in row["environment"]})
    header = ["run", *(UNITS.get(key, key) for key in TOTALS), "reached_vertices"]
    header += ["source_id", "source_index"]
    header += ["graph", "graph_origin", "graph_hash", "vertices", "edges"]
    header += [SET + key for key in knobs] + [f"environment_{key}" for key in around]
    rows = [
        [
            number,
            *_cells(trace, row),
            *_picked(row["parameters"], knobs),
            *_picked(row["environment"], around),
        ]
        for (number, trace), row in zip(runs, totals, strict=True)
    ]
    return header, rows


def samples_table(
    runs: Sequence[tuple[int | str, Trace]],
) -> tuple[list[str], Iterable[Sequence[Any]]]:
    """Return every sample of every run, its name and algorithm first; columns of `write_csv`."""
    rows = (
        [name, trace.settings.algorithm, *row] for name, trace in runs for row in sample_rows(trace)
    )
    return ["run", "algorithm", *sample_header()], rows


def _cells(trace: Trace, row: dict[str, Any]) -> list[Any]:
    graph = trace.graph
    cells = [row[key] for key in TOTALS]
    cells += [trace.reached, graph.source_id, trace.settings.source]
    return [*cells, graph.name, graph.origin, graph.hash, graph.n, graph.m]


def _picked(values: dict[str, Any], keys: Sequence[str]) -> list[Any]:
    return [values.get(key) for key in keys]
