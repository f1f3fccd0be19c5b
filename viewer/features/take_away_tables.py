"""The numbers behind a panel, as CSV: what it draws, with the clock and the probe level."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from gpu import sweep
from gpu.errors import GpuError
from gpu.export import sample_header, sample_rows
from gpu.export_runs import write_runs, write_table
from viewer.models.session import RunRecord

if TYPE_CHECKING:
    from viewer.features.base import Window

COLUMNS = {  # of the samples, by panel; others have all
    "buckets": ("head_bucket", "open_buckets", "occupancy"),
    "delta": ("delta", "open_buckets", "reason", "flags"),
    "parallelism": ("assigned_vertices", "assigned_edges", "busy_workers"),
    "work": ("processed_vertices", "relaxed_edges", "improved"),
    "why": ("delta", "open_buckets", "assigned_edges", "reason", "flags"),
}
ALWAYS = ("t_ns", "clock", "probe")


def write_panel(window: Window, key: str, path: str) -> None:
    """Write the numbers of one panel; GpuError where there are none or they cannot be written."""
    run = window.session.current
    if key == "runs":
        runs = [(place, run.trace) for place, run in enumerate(window.session.runs, 1)]
        write_runs([(place, trace) for place, trace in runs if trace is not None], path)
    elif key == "sweep":
        points = [sweep.as_dict(point) or {} for point in window.features.sweep.model.points]
        if not points:
            raise GpuError("there is no sweep yet")
        header = list(dict.fromkeys(name for point in points for name in point))
        write_table(header, ([point.get(name) for name in header] for point in points), path)
    elif run is None or run.trace is None:
        raise GpuError("there is no finished run whose numbers could be written")
    elif key == "graph":
        write_table(*_vertices(window, run), path)
    else:
        write_table(*_samples(run, key), path)


def _samples(run: RunRecord, key: str) -> tuple[Sequence[str], Iterable[Sequence[Any]]]:
    assert run.trace is not None
    header = sample_header()
    wanted = (*COLUMNS.get(key, ()), *ALWAYS)
    kept = [
        place
        for place, name in enumerate(header)
        if key not in COLUMNS or name in wanted or name.rpartition("_")[0] in wanted
    ]
    rows = ([row[place] for place in kept] for row in sample_rows(run.trace))
    return [header[place] for place in kept], rows


def _vertices(window: Window, run: RunRecord) -> tuple[Sequence[str], Iterable[Sequence[Any]]]:
    graph, dist, probe = window.session.graph, run.dist, run.vertices
    if graph is None or dist is None or len(dist) != graph.n:
        raise GpuError("the graph of this run is not here")
    places = window.session.positions
    header = ["id", "distance", "x", "y", "first_reached_ns", "last_improved_ns"]
    header += ["times_processed", "clock", "probe"]

    def rows() -> Iterable[Sequence[Any]]:
        for i in range(graph.n):
            x, y = (None, None) if places is None else places[i].tolist()
            reached = dist[i] < (2**31 - 1 if dist.dtype.kind == "i" else float("inf"))
            row = [graph.id_of(i), dist[i].item() if reached else None, x, y]
            if probe is None or len(probe.first_reached_ns) != graph.n:
                row += [None, None, None]
            else:
                row += [probe.first_reached_ns[i].item(), probe.last_improved_ns[i].item()]
                row += [probe.times_processed[i].item()]
            yield [*row, run.clock, int(run.settings.probe)]

    return header, rows()
