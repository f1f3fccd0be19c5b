"""Answers, computed by running the engine: quantities of runs and sweeps by name.

A `Bench` makes the runs of one lesson on the modelled GPU, keeps them, and computes values. The
modelled GPU is deterministic, so a student sees the numbers that the tests have seen. The window
makes the same runs through its engine process and passes the traces to `adopt`.

A run with a `variant` is a printed listing with its fault (`gpu.lessons.printed_listings`): no
engine makes it. `trace` wraps its rows as a trace, `fault` returns the fault.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from gpu.errors import ParameterError
from gpu.graph import CSRGraph
from gpu.lessons.lesson import Claim, Lesson, Question, RunSpec, Step, SweepSpec, Value
from gpu.lessons.quantities import (
    AT_QUANTITIES,
    QUANTITIES,
    SENTENCE,
    VERTEX_QUANTITIES,
    at_value,
    fault_value,
    sweep_value,
)  # fmt: skip
from gpu.lessons.read import value_of
from gpu.record.trace import SAMPLE, Flag, RunSettings, Trace

PLACE = re.compile(r"\{([^{}\n]+)\}")  # a value in Markdown: {run.quantity} or {a.x / b.x}
SIGNIFICANT = 3  # digits of a number in text
CURVE_RIGHT = 0.7  # rank correlation from which a dragged curve counts as right
SAMPLES = "sample:"


class Bench:
    """Makes and keeps the runs of one lesson; see the module docstring."""

    def __init__(self, lesson: Lesson, should_stop: Callable[[], bool] | None = None) -> None:
        self.lesson = lesson
        self._should_stop = should_stop
        self._graphs: dict[str, CSRGraph] = {}
        self._traces: dict[str, Trace] = {}
        self._sweeps: dict[str, Any] = {}
        self._faults: dict[str, Any] = {}

    def reference(self, step: Step, spec: RunSpec | SweepSpec | None = None) -> str:
        """Return what names the graph of a run, or of a step: the last one named up to there.

        "sample:..." or the path of a file beside the lesson: what the window can open.
        """
        steps = self.lesson.steps[: self.lesson.steps.index(step) + 1]
        named = [s.graph for s in steps if s.graph] + ([spec.graph] if spec else [])
        names = [name for name in named if name]
        if not names:
            raise ParameterError(f"step {step.key!r} has no graph, nor has one before it")
        if names[-1].startswith(SAMPLES):
            return names[-1]
        if Path(names[-1]).name != names[-1]:
            raise ParameterError(f"graph = {names[-1]!r}; allowed: {SAMPLES}... or a file beside")
        return str(Path(self.lesson.path).parent / names[-1])

    def graph(self, step: Step, spec: RunSpec | SweepSpec | None = None) -> CSRGraph:
        """Return the graph of a run, or of a step; see `reference`."""
        name = self.reference(step, spec)
        if name not in self._graphs:
            self._graphs[name] = _opened(name)
        return self._graphs[name]

    def settings(self, step: Step, spec: RunSpec) -> RunSettings:
        """Return the settings of a run, not yet checked."""
        import sample_graphs

        graph = self.graph(step, spec)
        source = spec.source or (None if spec.graph else self.source(step))
        index = graph.vertex_of(source) if source else sample_graphs.suggested_source(graph)
        return RunSettings(
            spec.algorithm, "model", spec.device or "", index, spec.delta, spec.probe,
            parameters=dict(spec.parameters),
        )  # fmt: skip

    def source(self, step: Step) -> str | None:
        """Return the source id that a step's graph has: the last one named with or after it."""
        source = None
        for one in self.lesson.steps[: self.lesson.steps.index(step) + 1]:
            source = one.source or (None if one.graph else source)
        return source

    def adopt_graph(self, reference: str, graph: CSRGraph) -> None:
        """Keep a graph that the caller has opened under a `reference`."""
        self._graphs[reference] = graph

    def adopt(self, name: str, trace: Trace) -> None:
        """Keep a run that the caller has made."""
        self._traces[name] = trace

    def adopt_sweep(self, name: str, points: list[Any]) -> None:
        """Keep a sweep that the caller has made, `gpu.study.sweep.SweepPoint` in any order."""
        from gpu.study.sweep import in_order

        self._sweeps[name] = in_order(points)

    def trace(self, name: str) -> Trace:
        """Return the run called `name`, made now if it was not. ParameterError."""
        if name not in self._traces:
            step, spec = self._run(name)
            make = self._make_fault if spec.variant else self._make
            self._traces[name] = make(step, spec)
        return self._traces[name]

    def fault(self, name: str) -> Any:
        """Return the `printed_listings.Fault` of a run with a variant. ParameterError."""
        if name not in self._faults:
            self._traces[name] = self._make_fault(*self._run(name))
        return self._faults[name]

    def wrong_entries(self, name: str) -> np.ndarray:
        """Return where the rows of a faulty run are wrong, bool (n, n). ParameterError."""
        from gpu.lessons.printed_listings import right_rows

        wrong: np.ndarray = self.fault(name).rows != right_rows(self.graph(*self._run(name)))
        return wrong

    def dots(self, made: Collection[str]) -> list[tuple[str, float, float]]:
        """Return name, work saved and time won of each dot of the lesson whose runs are made."""
        dots = []
        for name, (run, other) in self.lesson.dots.items():
            if run in made and other in made:
                a, b = self.trace(run), self.trace(other)
                saved = b.processed_vertices / a.processed_vertices
                dots.append((name, saved, b.time_ns / a.time_ns))
        return dots

    def sweep(self, name: str) -> list[Any]:
        """Return the points of the sweep called `name`, made now if they were not."""
        if name not in self._sweeps:
            pair = self.lesson.sweep(name)
            if pair is None:
                raise ParameterError(f"lesson {self.lesson.key!r} has no sweep {name!r}")
            self._sweeps[name] = self._make_sweep(*pair)
        return self._sweeps[name]

    def sweep_plan(self, step: Step, spec: SweepSpec) -> Any:
        """Return the `gpu.study.sweep.SweepPlan` of a sweep."""
        from gpu.study import sweep

        run = RunSpec(spec.name, spec.algorithm, spec.graph, device=spec.device)
        graph = self.graph(step, spec)
        return sweep.make_plan(graph, self.settings(step, run), spec.knob, spec.values or None)

    def value(self, value: Value) -> float:
        """Return a value as a number. ParameterError if it does not exist."""
        number = self._plain(value)
        if value.over is None:
            return number
        below = self.value(value.over)
        if not below:
            raise ParameterError(f"{value.of}.{value.quantity} divided by 0")
        return number / below

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
            values = [self.value(candidate) for candidate in question.candidates]
            return float(values.index(min(values) if question.pick == "least" else max(values)))
        assert question.answer is not None
        return self.value(question.answer)

    def is_right(self, question: Question, answer: float) -> bool:
        """Whether an answer counts as right (curves are scored, see `curve_score`).

        Of vertices, and of choices, that are equally good each is right.
        """
        if question.kind == "choice":
            values = [self.value(candidate) for candidate in question.candidates]
            best = min(values) if question.pick == "least" else max(values)
            return 0 <= answer < len(values) and values[int(answer)] == best
        right = self.right_answer(question)
        if question.kind == "schedule":
            return answer <= right * (1 + question.tolerance) + 1e-9
        if question.kind == "number":
            return abs(answer - right) <= question.tolerance * max(abs(right), 1e-12) + 1e-12
        scores = self.scores(question)
        if scores is not None:
            return 0 <= answer < len(scores) and bool(scores[int(answer)] == scores[int(right)])
        return answer == right

    def curve_score(self, question: Question, heights: list[float]) -> float:
        """Return the rank correlation, -1..1, of dragged heights with the sweep's times.

        One height a value of the sweep, smallest value first (the controller's run has none);
        CURVE_RIGHT or more counts as right.
        """
        times = self.curve_times(question)
        if len(times) != len(heights) or len(times) < 2:
            raise ParameterError(f"{len(heights)} heights for {len(times)} points")
        ranks = [np.argsort(np.argsort(values)) for values in (heights, times)]
        return float(np.corrcoef(ranks[0], ranks[1])[0, 1])

    def curve_times(self, question: Question) -> list[float]:
        """Return the times, ns, that a dragged curve is compared with, smallest value first."""
        assert question.answer is not None
        return [p.time_ns for p in self.sweep(question.answer.of) if p.value is not None]

    def filled(self, text: str) -> str:
        """Replace every {value}, {value / value} or {value %} in a text by its number."""
        return PLACE.sub(lambda match: self._words(match[1]), text)

    def _words(self, inside: str) -> str:
        words, _, style = inside.partition("|")
        percent, parts = words.rstrip().endswith("%"), _parts(inside)
        if len(parts) == 1 and not percent and not style:
            named = self._named(parts[0])
            if named is not None:
                return named
        number = self.value(parts[0])
        for part in parts[1:]:
            below = self.value(part)
            if not below:
                raise ParameterError(f"{{{inside}}}: divided by 0")
            number /= below
        if percent:
            return f"{100 * number:.{0 if abs(number) >= 0.01 else 1}f} %"
        return formatted(number, style.strip())

    def _named(self, value: Value) -> str | None:
        """Return a vertex's id or a fault's sentence; None where the value is a number."""
        if value.quantity == SENTENCE:
            return str(self.fault(value.of).sentence)
        if value.quantity in VERTEX_QUANTITIES:
            return str(self.graph(*self._run(value.of)).id_of(int(self.value(value))))
        return None

    def _run(self, name: str) -> tuple[Step, RunSpec]:
        pair = self.lesson.run(name)
        if pair is None:
            raise ParameterError(f"lesson {self.lesson.key!r} has no run {name!r}")
        return pair

    def _plain(self, value: Value) -> float:
        if self.lesson.sweep(value.of) is not None:
            return sweep_value(self.sweep(value.of), value.of, value.quantity)
        step, spec = self._run(value.of)
        if spec.variant:
            return fault_value(self.fault(value.of), value.quantity)
        trace = self.trace(value.of)
        if value.at is not None and value.quantity not in AT_QUANTITIES:
            raise ParameterError(f"{value.quantity} takes no brackets")
        if value.quantity in QUANTITIES:
            return float(QUANTITIES[value.quantity](trace))
        if value.quantity in VERTEX_QUANTITIES:
            return float(np.argmax(VERTEX_QUANTITIES[value.quantity](trace)))
        if value.quantity not in AT_QUANTITIES:
            allowed = ", ".join([*QUANTITIES, *VERTEX_QUANTITIES, *AT_QUANTITIES])
            raise ParameterError(f"no quantity {value.quantity!r}; there are: {allowed}")
        if value.at is None:
            raise ParameterError(f"{value.quantity} needs something in brackets: (id)")
        return at_value(trace, self.graph(step, spec), value.quantity, value.at)

    def scores(self, question: Question) -> np.ndarray | None:
        """Return what vertices are ranked by, where the answer is one of them; else None."""
        value = question.answer
        if value is None or value.quantity not in VERTEX_QUANTITIES:
            return None
        return VERTEX_QUANTITIES[value.quantity](self.trace(value.of))

    def _make(self, step: Step, spec: RunSpec) -> Trace:
        from gpu.engine import Observer, run

        watch = Observer(should_stop=self._should_stop)
        return run(self.graph(step, spec), self.settings(step, spec), watch)

    def _make_fault(self, step: Step, spec: RunSpec) -> Trace:
        from gpu.engine import checked_settings, graph_reference
        from gpu.lessons.printed_listings import FAULTS

        if spec.variant not in FAULTS:
            allowed = ", ".join(FAULTS)
            raise ParameterError(f"no variant {spec.variant!r}; there are: {allowed}")
        graph = self.graph(step, spec)
        fault = self._faults[spec.name] = FAULTS[spec.variant](graph)
        settings = checked_settings(graph, replace(self.settings(step, spec), probe=1))
        last = np.zeros(1, SAMPLE)
        last["relaxed_edges"], last["flags"] = fault.work, int(Flag.FINISHED)
        environment = {"variant": spec.variant}
        reference = graph_reference(graph, settings.source)
        rows = fault.rows
        return Trace(settings, reference, last, rows, "modelled", "finished", environment)

    def _make_sweep(self, step: Step, spec: SweepSpec) -> list[Any]:
        from gpu.study import sweep

        plan, graph = self.sweep_plan(step, spec), self.graph(step, spec)
        values: list[float | None] = [None] if plan.controller else []
        return [sweep.measure(plan, graph, v, self._should_stop) for v in [*values, *plan.values]]


def answer_words(bench: Bench, step: Step, question: Question) -> str:
    """Return the right answer as a person would give it."""
    if question.kind == "curve":
        return "Lower is faster:"
    right = bench.right_answer(question)
    if question.kind == "choice":
        return question.choices[int(right)]
    if question.kind == "vertex":
        return str(bench.graph(step).id_of(int(right)))
    if question.kind == "bucket":
        return f"Bucket {int(right)}"
    if question.kind == "schedule":
        return f"{formatted(right)} {question.unit} at most"
    space = "" if question.unit in ("x", "%") else " "
    return f"{formatted(right)}{space}{question.unit}".strip()


def formatted(number: float, style: str = "") -> str:
    """Return a number as text has it: three digits, thousands apart; style "x" adds "x"."""
    if not math.isfinite(number):
        return "∞"
    if float(number).is_integer() and abs(number) < 1e15:
        words = f"{int(number):,}"
    else:
        words = f"{number:.{SIGNIFICANT}g}"
        if "e" in words or abs(number) >= 1000:
            words = f"{number:,.0f}"
    return f"{words}{style}"


def values_in(text: str) -> list[Value]:
    """Return every value that a text names. LessonError on one that is none."""
    return [value for inside in PLACE.findall(text) for value in _parts(inside)]


def _parts(inside: str) -> list[Value]:
    """Return the values of "a.x / b.y % | style"."""
    words = inside.partition("|")[0].rstrip().removesuffix("%")
    return [value_of(part.strip(), "{" + inside + "}") for part in words.split(" / ")]


def _opened(name: str) -> CSRGraph:
    if name.startswith(SAMPLES):
        import sample_graphs

        return sample_graphs.open_sample(name)
    from gpu.formats import load_graph

    return load_graph(name)
