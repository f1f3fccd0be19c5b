"""Answers, computed by running the engine: quantities of runs and sweeps by name.

A `Bench` makes the runs of one lesson on the modelled GPU (deterministic, so that what the
student sees is what the test saw), keeps them, and answers values. The window makes the same runs
through its engine process and hands the traces in (`adopt`), so nothing runs twice.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from gpu.errors import ParameterError
from gpu.graph import CSRGraph
from gpu.lessons.lesson import Claim, Lesson, Question, RunSpec, Step, SweepSpec, Value
from gpu.lessons.read import value_of
from gpu.trace import Flag, RunSettings, Trace

PLACE = re.compile(r"\{([^{}\n]+)\}")  # a value in Markdown: {run.quantity} or {a.x / b.x}
SIGNIFICANT = 3  # digits of a number in text


def _mean(trace: Trace, column: str) -> float:
    steps = np.diff(trace.samples["t_ns"])
    total = float(steps.sum())
    return float((trace.samples[column][:-1] * steps).sum() / total) if total else 0.0


def _busy_share(trace: Trace) -> float:
    top = float(trace.samples["busy_workers"].max())
    workers = float(trace.settings.parameters.get("workers") or _workers(trace) or top or 1.0)
    return _mean(trace, "busy_workers") / workers


def _workers(trace: Trace) -> int:
    if trace.settings.engine != "model":
        return 0
    from gpu.model.presets import find_preset

    return find_preset(trace.settings.device).workers


def _clipped(trace: Trace) -> float:
    flags = trace.samples["flags"]
    return float((flags & int(Flag.CLIPPED) != 0).mean()) if len(flags) else 0.0


QUANTITIES: dict[str, tuple[str, Callable[[Trace], float]]] = {
    "time_ms": ("modelled time, ms", lambda t: t.time_ns / 1e6),
    "time_us": ("modelled time, µs", lambda t: t.time_ns / 1e3),
    "processed": ("vertices processed", lambda t: t.processed_vertices),
    "relaxed": ("edges relaxed", lambda t: t.relaxed_edges),
    "improved": ("relaxes that lowered a distance", lambda t: int(t.last["improved"])),
    "reached": ("vertices reached", lambda t: t.reached),
    "work": ("vertices processed a vertex reached", lambda t: 1 / max(t.work_efficiency, 1e-12)),
    "efficiency": ("reached over processed", lambda t: t.work_efficiency),
    "supersteps": ("samples, one a superstep", lambda t: len(t.samples) - 1),
    "switches": ("bucket switches", lambda t: int(t.last["bucket_switches"])),
    "delta_start": ("first Δ", lambda t: float(t.samples["delta"][0])),
    "delta_end": ("last Δ", lambda t: float(t.last["delta"])),
    "delta_changes": ("changes of Δ", lambda t: int(t.last["delta_changes"])),
    "parallelism": ("edges assigned, mean over time", lambda t: _mean(t, "assigned_edges")),
    "peak": ("edges assigned, most", lambda t: float(t.samples["assigned_edges"].max())),
    "busy": ("share of the workers busy, mean over time", _busy_share),
    "clipped": ("share of samples in which pushes were clipped", _clipped),
    "buckets_used": (
        "most buckets that held something at once",
        lambda t: int((t.samples["occupancy"] > 0).sum(axis=1).max()),
    ),
}
AT_QUANTITIES = {
    "distance": "distance of the vertex with this id",
    "times_processed": "times that the vertex was processed (probe 2)",
    "bucket": "floor(distance / Δ) of the vertex, with the run's first Δ",
}
SWEEP_QUANTITIES = {
    "best_time": "value with the least time",
    "best_work": "value with the fewest vertices processed",
    "clip": "largest value that clips, 0 where none does",
    "best_time_ms": "least time, ms",
    "best_time_work": "work at the least time",
    "best_work_ms": "time at the least work, ms",
    "best_work_work": "work at the least work",
    "controller_ms": "time of the controller's own run, ms",
}


class Bench:
    """Makes and keeps the runs of one lesson; see the module docstring."""

    def __init__(self, lesson: Lesson, should_stop: Callable[[], bool] | None = None) -> None:
        self.lesson = lesson
        self._should_stop = should_stop
        self._graphs: dict[str, CSRGraph] = {}
        self._traces: dict[str, Trace] = {}
        self._sweeps: dict[str, Any] = {}

    def graph(self, step: Step, spec: RunSpec | SweepSpec | None = None) -> CSRGraph:
        """Return the graph of a run, or of a step: the last one named up to there."""
        import sample_graphs

        steps = self.lesson.steps[: self.lesson.steps.index(step) + 1]
        named = [s.graph for s in steps if s.graph] + ([spec.graph] if spec else [])
        known = [name for name in named if name]
        if not known:
            raise ParameterError(f"step {step.key!r} has no graph, nor has one before it")
        if known[-1] not in self._graphs:
            self._graphs[known[-1]] = sample_graphs.open_sample(known[-1])
        return self._graphs[known[-1]]

    def settings(self, step: Step, spec: RunSpec) -> RunSettings:
        """Return what is run: checked when it runs."""
        import sample_graphs

        graph = self.graph(step, spec)
        steps = self.lesson.steps[: self.lesson.steps.index(step) + 1]
        asked = [s.source for s in steps if s.source and (s.graph or not spec.graph)]
        source = spec.source or (asked[-1] if asked else None)
        index = graph.vertex_of(source) if source else sample_graphs.suggested_source(graph)
        return RunSettings(
            spec.algorithm,
            "model",
            spec.device or "",
            index,
            spec.delta,
            spec.probe,
            parameters=dict(spec.parameters),
        )

    def adopt(self, name: str, trace: Trace) -> None:
        """Take a run that somebody else has made for us."""
        self._traces[name] = trace

    def adopt_sweep(self, name: str, points: list[Any]) -> None:
        """Take the points of a sweep that somebody else has made (`gpu.sweep.SweepPoint`)."""
        self._sweeps[name] = points

    def trace(self, name: str) -> Trace:
        """Return the run called `name`, made now if it was not. ParameterError."""
        if name not in self._traces:
            found = self.lesson.run(name)
            if found is None:
                raise ParameterError(f"lesson {self.lesson.key!r} has no run {name!r}")
            self._traces[name] = self._make(*found)
        return self._traces[name]

    def sweep(self, name: str) -> list[Any]:
        """Return the points of the sweep called `name`, made now if they were not."""
        if name not in self._sweeps:
            found = self.lesson.sweep(name)
            if found is None:
                raise ParameterError(f"lesson {self.lesson.key!r} has no sweep {name!r}")
            self._sweeps[name] = self._make_sweep(*found)
        return self._sweeps[name]

    def sweep_plan(self, step: Step, spec: SweepSpec) -> Any:
        """Return the `gpu.sweep.SweepPlan` of a sweep."""
        from gpu import sweep

        run = RunSpec(spec.name, spec.algorithm, spec.graph, device=spec.device)
        graph = self.graph(step, spec)
        return sweep.make_plan(graph, self.settings(step, run), spec.knob, spec.values or None)

    def value(self, value: Value) -> float:
        """Return a value as a number. ParameterError where there is none such."""
        found = self._plain(value)
        if value.over is None:
            return found
        below = self.value(value.over)
        if not below:
            raise ParameterError(f"{value.of}.{value.quantity} over nothing")
        return found / below

    def holds(self, claim: Claim) -> bool:
        """Whether a claim is true on the engine as it is."""
        left = self.value(claim.left)
        right = claim.right if isinstance(claim.right, float) else self.value(claim.right)
        return {
            "<": left < right,
            "<=": left <= right,
            ">": left > right,
            ">=": left >= right,
            "==": math.isclose(left, right, rel_tol=1e-9),
        }[claim.relation]

    def right_answer(self, question: Question) -> float:
        """Return the answer: a number, the place of a choice, a vertex's index or a bucket."""
        if question.kind == "choice":
            found = [self.value(candidate) for candidate in question.candidates]
            return float(found.index(min(found) if question.pick == "least" else max(found)))
        assert question.answer is not None
        return self.value(question.answer)

    def is_right(self, question: Question, given: float) -> bool:
        """Whether an answer counts as right (curves are scored, see `curve_score`)."""
        right = self.right_answer(question)
        if question.kind == "number":
            return abs(given - right) <= question.tolerance * max(abs(right), 1e-12) + 1e-12
        return given == right

    def curve_score(self, question: Question, heights: list[float]) -> float:
        """Return the rank correlation, -1..1, of dragged heights with the sweep's times."""
        assert question.answer is not None
        times = [p.time_ns for p in self.sweep(question.answer.of) if p.value is not None]
        if len(times) != len(heights) or len(times) < 2:
            raise ParameterError(f"{len(heights)} heights for {len(times)} points")
        ranks = [np.argsort(np.argsort(given)) for given in (heights, times)]
        return float(np.corrcoef(ranks[0], ranks[1])[0, 1])

    def filled(self, text: str) -> str:
        """Replace every {value}, {value / value} or {value %} in a text by its number."""
        return PLACE.sub(lambda match: self._words(match[1]), text)

    def _words(self, inside: str) -> str:
        words, _, style = inside.partition("|")
        percent, words = words.rstrip().endswith("%"), words.rstrip().removesuffix("%")
        parts = [value_of(part.strip(), "{" + inside + "}") for part in words.split(" / ")]
        number = self.value(parts[0])
        for below in parts[1:]:
            number /= self.value(below)
        if percent:
            return f"{100 * number:.0f} %"
        return formatted(number, style.strip())

    def _plain(self, value: Value) -> float:
        if self.lesson.sweep(value.of) is not None:
            return _of_sweep(self.sweep(value.of), value)
        trace = self.trace(value.of)
        if value.quantity in QUANTITIES:
            return float(QUANTITIES[value.quantity][1](trace))
        if value.quantity not in AT_QUANTITIES:
            allowed = ", ".join([*QUANTITIES, *AT_QUANTITIES])
            raise ParameterError(f"no quantity {value.quantity!r}; there are: {allowed}")
        if value.at is None:
            raise ParameterError(f"{value.quantity} needs a vertex: {value.quantity}(id)")
        found = self.lesson.run(value.of)
        assert found is not None
        return self._at(trace, self.graph(*found).vertex_of(value.at), value.quantity)

    def _at(self, trace: Trace, vertex: int, quantity: str) -> float:
        row = trace.dist if trace.dist.ndim == 1 else trace.dist[trace.settings.source]
        if quantity == "distance":
            return float(row[vertex])
        if quantity == "bucket":
            return float(np.floor(row[vertex] / trace.samples["delta"][0]))
        if trace.vertices is None:
            raise ParameterError("times_processed needs probe = 2")
        return float(trace.vertices.times_processed[vertex])

    def _make(self, step: Step, spec: RunSpec) -> Trace:
        from gpu.engine import run

        settings = self.settings(step, spec)
        return run(
            self.graph(step, spec),
            settings.algorithm,
            settings.engine,
            settings.source,
            settings.delta,
            settings.probe,
            device=settings.device or None,
            parameters=settings.parameters,
            should_stop=self._should_stop,
        )

    def _make_sweep(self, step: Step, spec: SweepSpec) -> list[Any]:
        from gpu import sweep

        plan, graph = self.sweep_plan(step, spec), self.graph(step, spec)
        values: list[float | None] = [None] if plan.controller else []
        return [sweep.measure(graph, plan, v, self._should_stop) for v in [*values, *plan.values]]


def formatted(number: float, style: str = "") -> str:
    """Return a number as text has it: three digits, thousands apart; style "x" adds "x"."""
    if not math.isfinite(number):
        return "∞"
    if float(number).is_integer() and abs(number) < 1e15:
        words = f"{int(number):,}".replace(",", "\u202f")
    else:
        words = f"{number:.{SIGNIFICANT}g}"
        if "e" in words:
            words = f"{number:,.0f}".replace(",", "\u202f")
    return f"{words}{style}"


def values_in(text: str) -> list[Value]:
    """Return every value that a text names. LessonError on one that is none."""
    found = []
    for inside in PLACE.findall(text):
        words = inside.partition("|")[0].rstrip().removesuffix("%")
        found += [value_of(part.strip(), "{" + inside + "}") for part in words.split(" / ")]
    return found


def _of_sweep(points: list[Any], value: Value) -> float:
    from gpu import sweep

    found = sweep.findings(points)
    best, least = found.best_time, found.best_work
    if best is None or least is None:
        raise ParameterError(f"sweep {value.of!r} has no good point")
    clip, own = found.clip, found.controller
    numbers = {
        "best_time": best.value,
        "best_work": least.value,
        "clip": clip.value if clip else 0.0,
        "best_time_ms": best.time_ns / 1e6,
        "best_time_work": best.work,
        "best_work_ms": least.time_ns / 1e6,
        "best_work_work": least.work,
        "controller_ms": own.time_ns / 1e6 if own else math.nan,
        "curve": 0.0,
    }
    number = numbers.get(value.quantity)
    if number is None:
        allowed = ", ".join(SWEEP_QUANTITIES)
        raise ParameterError(f"no quantity {value.quantity!r} of a sweep; there are: {allowed}")
    return float(number)
