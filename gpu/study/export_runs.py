"""All runs in one table: a row a run, or a row a sample; a sweep as a row a point.

Every row has the clock and the probe level. A column's name ends in its unit, or names what it
counts. Settings of some algorithms get a column each (`set_buckets`), empty elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isnan
from pathlib import Path
from typing import Any

from gpu.record.export import sample_header, sample_rows, summary, write_table
from gpu.record.trace import Trace
from gpu.study.sweep import (
    SweepPlan,
    SweepPoint,
    findings,
    unit_of,
)

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
SWEEP = (
    "knob",
    "value",
    "value_unit",
    "delta_weight_units",
    "clock",
    "time_ns",
    "processed_vertices",
    "relaxed_edges",
    "improved_distances",
    "reached_vertices",
    "mean_parallelism_edges",
    "clip_share_0_to_1",
    "work_processed_per_reached",
    "marks",
    "verified",
    "problem",
    "path_ns",
    "path_delta_weight_units",
    "probe",
    "seed",
    "algorithm",
    "engine",
    "device",
    "graph",
    "source_index",
)


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


def sweep_table(
    plan: SweepPlan, points: Sequence[SweepPoint], graph: str
) -> tuple[list[str], list[list[Any]]]:
    """Return a sweep as a table: a row a point, the controller's own run without a value.

    `marks` says which points are the best; `path_ns` and `path_delta_weight_units` hold the
    controller's Δ over time, with spaces between.
    """
    marked, settings = findings(points), plan.settings
    marks = {
        "best time": marked.best_time,
        "least work": marked.best_work,
        "clips up to here": marked.clip,
        "controller": marked.controller,
    }
    unit = unit_of(settings.algorithm, plan.knob)
    fixed = [settings.algorithm, settings.engine, settings.device, graph, settings.source]
    rows = []
    for point in points:
        words = ", ".join(name for name, marked in marks.items() if marked is point)
        failed = bool(point.failure)
        counts: list[Any] = [point.clock, point.time_ns, point.processed_vertices]
        counts += [point.relaxed_edges, point.improved, point.reached, point.mean_parallelism]
        counts += [point.clip_share, point.work]
        proved = None if failed else point.certificate is None
        row: list[Any] = [plan.knob, point.value, unit, None if isnan(point.delta) else point.delta]
        row += [None] * len(counts) if failed else counts
        row += [words, proved, point.failure or point.certificate]
        row += [" ".join(map(str, path)) for path in (point.path_ns, point.path_delta)]
        rows.append([*row, int(settings.probe), settings.seed, *fixed])
    return list(SWEEP), rows


def samples_table(
    runs: Sequence[tuple[int | str, Trace]],
) -> tuple[list[str], Iterable[Sequence[Any]]]:
    """Return every sample of every run, its name and algorithm first; columns of `write_csv`."""
    rows = (
        [name, trace.settings.algorithm, *row] for name, trace in runs for row in sample_rows(trace)
    )
    return ["run", "algorithm", *sample_header()], rows


def write_all_samples(runs: Sequence[tuple[int, Trace]], path: str | Path) -> None:
    """Write `samples_table` as a CSV file."""
    write_table(*samples_table(runs), path)


def _cells(trace: Trace, row: dict[str, Any]) -> list[Any]:
    graph = trace.graph
    cells = [row[key] for key in TOTALS]
    cells += [trace.reached, graph.source_id, trace.settings.source]
    return [*cells, graph.name, graph.origin, graph.hash, graph.n, graph.m]


def _picked(values: dict[str, Any], keys: Sequence[str]) -> list[Any]:
    return [values.get(key) for key in keys]
