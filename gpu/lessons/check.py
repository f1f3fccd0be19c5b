"""Reports every mistake of a lesson, each with its place.

`read_lesson` stops at the first mistake in the files. This module checks the rest in two passes:
first the names (algorithms, devices, graphs, vertices, panels, quantities, runs that are used
before they are made); then, if these are right, the runs are made and every number is computed:
answers within their range, values in texts, moments, claims, and the order of times that a question
or a claim relies on.

A text must not give its own question away: a step that asks may not use numbers of the runs that
its button makes. They belong in `right` and `wrong`, or in the next step.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

from gpu.errors import GpuError
from gpu.graph import CSRGraph
from gpu.lessons.answers import Bench, values_in
from gpu.lessons.lesson import Claim, Lesson, Question, RunSpec, Seek, Step, SweepSpec, Value
from gpu.lessons.quantities import (
    AT_QUANTITIES,
    FAULT_QUANTITIES,
    QUANTITIES,
    SENTENCE,
    SWEEP_QUANTITIES,
    VERTEX_QUANTITIES,
    moment_ns,
)
from gpu.lessons.read import LessonError, read_lesson
from gpu.record.trace import Trace
from gpu.study.compare import Side
from gpu.study.compare_words import SAME, summarise

TIME = "time_ms"
LISTED = re.compile(r"^\s*\{[^{}|%]*\}\. ", re.MULTILINE)  # "4. So": a list, to Markdown
PANELS = (
    "run",
    "buckets",
    "delta",
    "parallelism",
    "work",
    "timeline",
    "runs",
    "sweep",
    "why",
    "microscope",
    "code",
)
COLOURS = (
    "distance",
    "state",
    "processed",
    "bucket",
    "difference",
)
MOST_VERTICES, MOST_EDGES = 300_000, 3_000_000  # more, and a run takes too long to wait for
ARRANGEMENTS = ("explore", "compare", "sweep", "lesson", "present", "pairs", "microscope")


def check_file(path: str | Path) -> list[str]:
    """Return everything that is wrong with a lesson's files, one sentence each."""
    try:
        lesson = read_lesson(path)
    except LessonError as error:
        return [str(error)]
    return check_lesson(Bench(lesson))


def check_lesson(bench: Bench) -> list[str]:
    """Return what is wrong with the lesson of a bench, whose runs are made where needed."""
    problems = list(_names(bench))
    return problems or list(_numbers(bench))


def _names(bench: Bench) -> Iterator[str]:
    lesson, made = bench.lesson, set[str]()
    for step in lesson.steps:
        before = set(made)
        specs: list[RunSpec | SweepSpec] = [*step.runs, *step.sweeps]
        for spec in specs:
            where = f"{_place(lesson, step)}, {_kind(spec)} {spec.name!r}"
            if spec.name in made:
                yield f"{where}: there is another run or sweep of that name"
            made.add(spec.name)
            yield from _said(where, _set_up(bench, step, spec))
        yield from _shown(bench, step, made)
        yield from _asked(lesson, step, before, made)


def _set_up(bench: Bench, step: Step, spec: RunSpec | SweepSpec) -> Iterator[Callable[[], Any]]:
    """Yield what must not raise: the graph, the source, the settings."""
    from gpu.devices import find_preset
    from gpu.engine import checked_settings

    graph = bench.graph
    yield lambda: _size(graph(step, spec))
    if spec.device is not None:
        yield lambda: find_preset(spec.device or "")
    if isinstance(spec, SweepSpec):
        yield lambda: bench.sweep_plan(step, spec)
        return
    yield lambda: checked_settings(graph(step, spec), bench.settings(step, spec))
    yield lambda: _known(spec.variant, ("", *_faults()), "variant")


def _size(graph: CSRGraph) -> None:
    if graph.n > MOST_VERTICES or graph.m > MOST_EDGES:
        raise LessonError(
            f"{graph.name} has {graph.n:,} vertices and {graph.m:,} edges; a run should be over "
            f"in a second or two: up to {MOST_VERTICES:,} and {MOST_EDGES:,}, take a smaller graph"
        )


def _faults() -> tuple[str, ...]:
    from gpu.lessons.printed_listings import FAULTS

    return tuple(FAULTS)


def _shown(bench: Bench, step: Step, made: set[str]) -> Iterator[str]:
    where = _place(bench.lesson, step)
    checks: list[Callable[[], Any]] = [partial(_known, p, PANELS, "panel") for p in step.panels]
    checks.append(partial(_known, step.colour_by, ("", *COLOURS), "colour_by"))
    checks.append(partial(_known, step.layout, ("", *ARRANGEMENTS), "layout"))
    if step.graph:
        checks.append(partial(bench.graph, step))
    if step.source or step.vertices:
        ids = [*step.vertices, *([step.source] if step.source else [])]
        checks += [partial(_vertex, bench, step, v) for v in ids]
    yield from _said(where, checks)
    seek = [step.seek.run] if step.seek else []
    for name in (*(step.compare or ()), *([step.show] if step.show else []), *seek):
        if bench.lesson.run(name) is None:
            yield f"{where}: there is no run {name!r}"
        elif name not in made:
            yield f"{where}: run {name!r} is made in a later step"


def _asked(lesson: Lesson, step: Step, before: set[str], made: set[str]) -> Iterator[str]:
    """Check every value that a step names, and whether it is known when it is told."""
    where, question = _place(lesson, step), step.question
    texts = (step.text, question.ask, question.right, question.wrong) if question else (step.text,)
    for line in (match[0] for text in texts for match in LISTED.finditer(text)):
        yield f"{where}: a line begins with {line.strip()!r}: it would be read as a numbered list"
    readable = before if question else made
    yield from _values(lesson, f"{where}, text", _named(step.text), readable)
    for claim in step.claims:
        sides = [claim.left, *([claim.right] if isinstance(claim.right, Value) else [])]
        yield from _values(lesson, f"{where}, claim", partial(list, sides), made)
    if question is None:
        return
    yield from _values(lesson, f"{where}, question", partial(_answer_values, question), made)
    yield from _values(lesson, f"{where}, ask", _named(question.ask), before)
    for name, words in (("right", question.right), ("wrong", question.wrong)):
        if not words:
            yield f"{where}, question: nothing is said when the answer is {name}"
        yield from _values(lesson, f"{where}, {name}", _named(words), made)


def _named(text: str) -> Callable[[], list[Value]]:
    return partial(values_in, text)


def _answer_values(question: Question) -> list[Value]:
    return [*question.candidates, *([question.answer] if question.answer else [])]


def _values(
    lesson: Lesson, where: str, named: Callable[[], list[Value]], readable: set[str]
) -> Iterator[str]:
    try:
        values = named()
    except LessonError as error:
        yield f"{where}: {error}"
        return
    for value in _with_divisors(values):
        words = f"{{{value.of}.{value.quantity}}}"
        run, sweep = lesson.run(value.of), lesson.sweep(value.of)
        if run is None and sweep is None:
            yield f"{where}: {words}: there is no run or sweep {value.of!r}"
            continue
        if value.of not in readable:
            yield f"{where}: {words}: {value.of!r} has not been made when this is read"
        allowed = _quantities(run[1] if run else None)
        if value.quantity not in allowed:
            there = ", ".join(allowed)
            yield f"{where}: {words}: no quantity {value.quantity!r}; there are: {there}"
        elif (value.quantity in AT_QUANTITIES) != (value.at is not None):
            more = "needs something in brackets" if value.at is None else "takes no brackets"
            yield f"{where}: {words}: {value.quantity} {more}"


def _quantities(run: RunSpec | None) -> tuple[str, ...]:
    if run is None:
        return tuple(SWEEP_QUANTITIES)
    if run.variant:
        return (*FAULT_QUANTITIES, SENTENCE)
    return (*QUANTITIES, *AT_QUANTITIES, *VERTEX_QUANTITIES)


def _with_divisors(values: list[Value]) -> Iterator[Value]:
    for value in values:
        one: Value | None = value
        while one is not None:
            yield one
            one = one.over


def _numbers(bench: Bench) -> Iterator[str]:
    """Make the runs and compute what stands in the lesson."""
    for step in bench.lesson.steps:
        where, question = _place(bench.lesson, step), step.question
        texts = {"text": step.text}
        if question is not None:
            texts |= {"ask": question.ask, "right": question.right, "wrong": question.wrong}
        for name, text in texts.items():
            yield from _said(f"{where}, {name}", [partial(bench.filled, text)])
        if step.seek is not None:
            yield from _said(f"{where}, seek", [partial(_check_seek, bench, step.seek)])
        if question is not None:
            graded = _parts(_answer_values(question))
            checks = [
                partial(_check_answer, bench, step, question),
                partial(_ranked, bench, graded),
            ]
            yield from _said(f"{where}, question", checks)
        for claim in step.claims:
            checks = [
                partial(_check_claim, bench, claim),
                partial(_ranked, bench, _compared(claim)),
            ]
            yield from _said(f"{where}, claim", checks)


def _check_answer(bench: Bench, step: Step, question: Question) -> None:
    if question.kind == "curve":
        times = bench.curve_times(question)
        if len(times) < 3:
            raise LessonError(f"a curve over {len(times)} values; allowed: 3 or more")
        return
    right = bench.right_answer(question)
    if question.kind in ("number", "bucket") and not question.low <= right <= question.high:
        raise LessonError(f"the answer is {right:g}, out of {question.low:g} to {question.high:g}")
    if question.kind == "number" and question.logarithmic and question.low <= 0:
        raise LessonError(f"a logarithmic slider from {question.low:g}; allowed: above 0")
    ends = (question.low, question.high)
    if question.kind == "number" and all(bench.is_right(question, end) for end in ends):
        raise LessonError(f"every answer is right: tolerance = {question.tolerance:g} is too large")
    if question.kind == "vertex":
        assert question.answer is not None
        if question.answer.quantity not in VERTEX_QUANTITIES:
            allowed = ", ".join(VERTEX_QUANTITIES)
            raise LessonError(f"{question.answer.quantity} is no vertex; there are: {allowed}")
        n = bench.graph(step).n
        if all(bench.is_right(question, vertex) for vertex in range(n)):
            raise LessonError("every vertex is right")


def _check_seek(bench: Bench, seek: Seek) -> None:
    moment_ns(bench.trace(seek.run), seek.to)


def _check_claim(bench: Bench, claim: Claim) -> None:
    if bench.holds(claim):
        return
    left = bench.value(claim.left)
    right = claim.right if isinstance(claim.right, float) else bench.value(claim.right)
    words = f" ({claim.words})" if claim.words else ""
    raise LessonError(f"does not hold{words}: {left:g} {claim.relation} {right:g}")


def _ranked(bench: Bench, values: list[Value]) -> None:
    """Raise LessonError where times put two runs in an order that `compare` does not state."""
    timed = [value.of for value in values if value.quantity == TIME and value.over is None]
    timed = [name for name in timed if bench.lesson.run(name) is not None]
    for first, second in combinations(dict.fromkeys(timed), 2):
        words = order_problem(bench.trace(first), bench.trace(second))
        if words:
            raise LessonError(f"{first} and {second} are put in order by their times: {words}")


def order_problem(a: Trace, b: Trace) -> str:
    """Return why `compare` does not say which of two runs was faster, "" where it does."""
    numbers = summarise(Side.of(a), Side.of(b)).numbers
    ratio = numbers.get("b_time_over_a")
    if ratio is None:
        return "the model does not rank them on this graph"
    if numbers["too_close"] or abs(ratio - 1) < SAME:
        return f"a factor of {max(ratio, 1 / ratio):.2f} is too close for the model to rank them"
    return ""


def _compared(claim: Claim) -> list[Value]:
    """Return the values that a claim compares, its ratios taken apart."""
    sides = [claim.left, *([claim.right] if isinstance(claim.right, Value) else [])]
    return _parts(sides)


def _parts(values: Iterable[Value]) -> list[Value]:
    return [Value(one.of, one.quantity, one.at) for one in _with_divisors(list(values))]


def _said(where: str, checks: Iterable[Callable[[], Any]]) -> Iterator[str]:
    """Yield a sentence for the first check that raises an error of ours."""
    for check in checks:
        try:
            check()
        except GpuError as error:
            yield f"{where}: {error}"
            return
        except OSError as error:
            yield f"{where}: {error.filename}: {error.strerror or error}"
            return


def _vertex(bench: Bench, step: Step, name: str) -> int:
    return bench.graph(step).vertex_of(name)


def _known(name: str, allowed: tuple[str, ...], what: str) -> None:
    if name not in allowed:
        words = ", ".join(filter(None, allowed))
        raise LessonError(f"no {what} {name!r}; there are: {words}")


def _kind(spec: RunSpec | SweepSpec) -> str:
    return "run" if isinstance(spec, RunSpec) else "sweep"


def _place(lesson: Lesson, step: Step) -> str:
    return f"{lesson.path or lesson.key}: step {step.key!r}"
