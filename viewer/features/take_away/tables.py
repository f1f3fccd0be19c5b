"""The numbers behind a panel, as a table: what it draws, with units, clock and probe level.

`panel_table` takes what it needs from the window at once and returns a header and rows that are
made as they are written, in another thread. A panel of another feature may bring its own, as a
method `paper_table() -> (header, rows)`; a dock with neither gets the samples of its run. A column
whose name does not say its unit carries it at its end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from gpu.algorithms import find
from gpu.errors import GpuError
from gpu.record.events import EventKind
from gpu.record.export import sample_header, sample_rows
from gpu.record.trace import Trace, reached_mask
from gpu.study.export_runs import runs_table, sweep_table
from viewer.models.session import RunRecord

if TYPE_CHECKING:
    from viewer.features.window import Window

Table = tuple[Sequence[str], Iterable[Sequence[Any]]]

COLUMNS = {  # of the samples, by panel; others have all
    "buckets": ("head_bucket", "open_buckets", "occupancy"),
    "delta": ("delta", "open_buckets", "reason", "flags"),
    "parallelism": ("assigned_vertices", "assigned_edges", "busy_workers", "band"),
    "work": ("processed_vertices", "relaxed_edges", "improved"),
}
DECISION = (  # of Decision, in the order of the columns
    *("sample", "t_ns", "what", "why", "before", "after"),
    *("heads_before", "heads", "changes", "assigned"),
)
ALWAYS = ("t_ns", "clock", "probe")
NO_RUN = "there is no finished run whose numbers could be written"


def panel_table(window: Window, key: str) -> Table:
    """Return header and rows of a panel, "graph" or a dock's key; GpuError where there are none."""
    panel = window.show_dock(key) if key != "graph" else None
    own: Callable[[], Table] | None = getattr(panel, "paper_table", None)
    if own is not None:
        return own()
    return TABLES.get(key, _samples)(window, key)


def _trace(window: Window) -> Trace:
    run = window.session.current
    if run is None or run.trace is None:
        raise GpuError(NO_RUN)
    return run.trace


def _samples(window: Window, key: str) -> Table:
    trace, header = _trace(window), sample_header()
    wanted = (*COLUMNS.get(key, ()), *ALWAYS)
    kept = [
        place
        for place, name in enumerate(header)
        if key not in COLUMNS or any(name == word or name.startswith(f"{word}_") for word in wanted)
    ]
    rows = ([row[place] for place in kept] for row in sample_rows(trace))
    return [header[place] for place in kept], rows


def _runs(window: Window, _key: str) -> Table:
    runs = [(place, run.trace) for place, run in enumerate(window.session.runs, 1)]
    whole = [(place, trace) for place, trace in runs if trace is not None]
    if not whole:
        raise GpuError(NO_RUN)
    return runs_table(whole)


def _sweep(window: Window, _key: str) -> Table:
    model = window.features.sweep.model
    if model.plan is None or not model.points:
        raise GpuError("there is no sweep yet: press Sweep")
    return sweep_table(model.plan, list(model.points), model.graph_name)


def _decisions(window: Window, _key: str) -> Table:
    from viewer.models.decisions import decisions

    trace = _trace(window)
    header = ["sample", "t_ns", "what", "why", "delta_before_weight_units", "delta_weight_units"]
    header += ["open_buckets_before", "open_buckets", "delta_changes", "assigned_edges"]
    header += ["band_low_edges", "band_high_edges", "clip_share_0_to_1", "clock", "probe"]
    end = trace.clock, int(trace.settings.probe)
    rows = (
        [*(getattr(one, name) for name in DECISION), *one.band, one.clip_share, *end]
        for one in decisions(trace.samples)
    )
    return header, rows


def _events(window: Window, _key: str) -> Table:
    trace = _trace(window)
    if trace.events is None:
        raise GpuError("this run recorded no events: choose Record, Every event, then Run")
    names = {int(kind): kind.name.lower() for kind in EventKind}
    header = ("event", "t_ns", "kind", "worker", "a", "b", "c", "clock", "probe")
    rows = (
        (place, t_ns, names.get(kind, str(kind)), worker, a, b, c, trace.clock, 3)
        for place, (t_ns, kind, worker, a, b, c) in enumerate(trace.events.tolist())
    )
    return header, rows


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


def _lesson(window: Window, _key: str) -> Table:
    from gpu.lessons.read import find_lessons, read_lesson

    model = window.features.lessons.model
    header = ("lesson", "step", "question", "answer", "right", "time_s")
    if model.lesson is not None:
        lesson, told = model.lesson, {row["step"]: row for row in model.results()["answers"]}
        empty: dict[str, Any] = {}
        rows = [
            [lesson.key, step.key, step.question.ask if step.question else ""]
            + [told.get(step.key, empty).get(name) for name in ("answer", "right", "seconds")]
            for step in lesson.steps
        ]
        return header, rows
    found = [read_lesson(path) for path in find_lessons()]
    return ("lesson", "title", "time_minutes"), [(one.key, one.title, one.minutes) for one in found]


def _vertices(window: Window, _key: str) -> Table:
    run, graph, places = window.session.current, window.session.graph, window.session.positions
    if run is None or run.trace is None:
        raise GpuError(NO_RUN)
    if graph is None or run.dist is None or len(run.dist) != graph.n:
        raise GpuError("the graph of this run is not here")
    header = ["id", "distance_weight_units", "x_drawn", "y_drawn", "first_reached_ns"]
    header += ["last_improved_ns", "times_processed", "clock", "probe"]
    return header, _vertex_rows(run, run.trace, graph, places)


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


TABLES: dict[str, Callable[[Any, str], Table]] = {
    "graph": _vertices,
    "runs": _runs,
    "sweep": _sweep,
    "why": _decisions,
    "microscope": _events,
    "code": _events,
    "run": _settings,
    "lesson": _lesson,
}
