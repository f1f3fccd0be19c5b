"""The numbers behind a panel, as a table: what it draws, with units, clock and probe level.

`panel_table` takes what it needs from the window at once and returns a header and rows that are
made as they are written, in another thread. A panel of another feature may bring its own
(`viewer.feature.HasTable`); a dock with neither gets the samples of its run. A column
whose name does not say its unit carries it at its end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from gpu.algorithms import find
from gpu.errors import GpuError
from gpu.record.export import sample_header, sample_rows
from gpu.record.trace import Trace, reached_mask
from viewer.feature import HasTable, Table, Window
from viewer.models.session import RunRecord

COLUMNS = {  # of the samples, by panel; others have all
    "buckets": ("head_bucket", "open_buckets", "occupancy"),
    "delta": ("delta", "open_buckets", "reason", "flags"),
    "parallelism": ("assigned_vertices", "assigned_edges", "busy_workers", "band"),
    "work": ("processed_vertices", "relaxed_edges", "improved"),
}
ALWAYS = ("t_ns", "clock", "probe")


def panel_table(window: Window, key: str) -> Table:
    """Return header and rows of a panel, "graph" or a dock's key; GpuError where there are none."""
    panel = window.show_dock(key) if key != "graph" else None
    if isinstance(panel, HasTable):
        return panel.paper_table()
    return TABLES.get(key, _samples)(window, key)


def _samples(window: Window, key: str) -> Table:
    trace, header = window.session.finished_trace(), sample_header()
    wanted = (*COLUMNS.get(key, ()), *ALWAYS)
    kept = [
        place
        for place, name in enumerate(header)
        if key not in COLUMNS or any(name == word or name.startswith(f"{word}_") for word in wanted)
    ]
    rows = ([row[place] for place in kept] for row in sample_rows(trace))
    return [header[place] for place in kept], rows


def _settings(window: Window, _key: str) -> Table:
    choices = window.run_panel.choices()
    row = find(choices.algorithm)
    rows: list[tuple[str, Any, str]] = [
        ("algorithm", choices.algorithm, ""),
        ("device", choices.device, ""),
        ("source", window.session.source, "vertex, from 0"),
    ]
    if row.bucketed:
        rows.append(("delta", choices.delta, "weight units; empty: automatic"))
    rows += [("probe", choices.probe, "level"), ("pace", choices.samples_per_second, "samples/s")]
    given = choices.parameters.get(choices.algorithm, {})
    for knob in row.parameters:
        rows.append((knob.key, given.get(knob.key, knob.default), knob.unit))
    graph = window.session.graph
    if graph is not None:
        rows[:0] = [("graph", graph.name, ""), ("graph_origin", graph.provenance.origin, "")]
    return ("setting", "value", "unit"), rows


def _vertices(window: Window, _key: str) -> Table:
    run, graph, places = window.session.current, window.session.graph, window.session.positions
    trace = window.session.finished_trace()
    if run is None or graph is None or run.dist is None or len(run.dist) != graph.n:
        raise GpuError("the graph of this run is not here")
    header = ["id", "distance_weight_units", "x_drawn", "y_drawn", "first_reached_ns"]
    header += ["last_improved_ns", "times_processed", "clock", "probe"]
    return header, _vertex_rows(run, trace, graph, places)


def _vertex_rows(
    run: RunRecord, trace: Trace, graph: Any, places: Any
) -> Iterable[tuple[Any, ...]]:
    dist, probe = run.dist, trace.vertices
    assert dist is not None
    reached, end = reached_mask(dist), (trace.clock, int(trace.settings.probe))
    seen = probe if probe is not None and len(probe.first_reached_ns) == graph.n else None
    for i in range(graph.n):
        x, y = (None, None) if places is None else places[i].tolist()
        row = (graph.id_of(i), dist[i].item() if reached[i] else None, x, y)
        if seen is None:
            yield (*row, None, None, None, *end)
            continue
        yield (
            *row,
            seen.first_reached_ns[i].item(),
            seen.last_improved_ns[i].item(),
            seen.times_processed[i].item(),
            *end,
        )


TABLES: dict[str, Callable[[Window, str], Table]] = {"graph": _vertices, "run": _settings}
