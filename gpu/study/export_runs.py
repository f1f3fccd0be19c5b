"""All runs in one table: a row a run, or a row a sample.

The columns of a run are those of `run --json`; a table within it gives a column for each of its
keys: `parameters_buckets`, `graph_hash`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from gpu.record.export import sample_header, sample_rows, summary, write_table
from gpu.record.trace import Trace


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
