"""Reports every mistake of a lesson, each with its place.

`read_lesson` stops at the first mistake in the files. This module checks the rest in two passes:
first the names (algorithms, devices, graphs, vertices, panels, runs that are used before they are
made); then, if these are right, the runs are made and every number is computed: answers within
their range, values in texts, moments, claims, and the order of times that a question or a claim
relies on.

A text must not give its own question away: a step that asks may not use numbers of the runs that
its button makes. They belong in `right` and `wrong`, or in the next step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

from gpu.errors import GpuError
from gpu.graph import CSRGraph
from gpu.lessons.answers import Bench, values_in
from gpu.lessons.lesson import Claim, Lesson, Question, RunSpec, Step, SweepSpec, Value
from gpu.lessons.quantities import VERTEX_QUANTITIES, moment_ns
from gpu.lessons.read import LessonError, read_lesson
from gpu.record.trace import Trace
from gpu.study.compare import Side
from gpu.study.compare_words import SAME, summarise
from gpu.study.play import rivals
from sample_graphs import suggested_source

TIME = "time_ms"
PANELS = (
    *("run", "buckets", "delta", "parallelism", "work", "timeline", "runs", "sweep", "why"),
    *("microscope", "code"),
)
COLOURS = ("distance", "state", "processed", "bucket", "difference")
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
    """Return the mistakes of the lesson of a bench; runs are made where needed."""
    problems = list(_names(bench))
    return problems or list(_numbers(bench))


def _names(bench: Bench) -> Iterator[str]:
    lesson, made = bench.lesson, set[str]()
    for name in {run for pair in lesson.dots.values() for run in pair}:
        if lesson.run(name) is None:
            yield f"{lesson.path or lesson.key}: dots: there is no run {name!r}"
    for step in lesson.steps:
        before = set(made)
        specs: list[RunSpec | SweepSpec] = [*step.runs, *step.sweeps]
        for spec in specs:
            kind = "run" if isinstance(spec, RunSpec) else "sweep"
            where = f"{_place(lesson, step)}, {kind} {spec.name!r}"
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
    from gpu.lessons.printed_listings import FAULTS

    graph = bench.graph
    yield lambda: _size(graph(step, spec))
    if spec.device is not None:
        yield lambda: find_preset(spec.device or "")
    if isinstance(spec, SweepSpec):
        yield lambda: bench.sweep_plan(step, spec)
        return
    yield lambda: checked_settings(graph(step, spec), bench.settings(step, spec))
    yield lambda: _known(spec.variant, ("", *FAULTS), "variant")


def _size(graph: CSRGraph) -> None:
    if graph.n > MOST_VERTICES or graph.m > MOST_EDGES:
        raise LessonError(
            f"{graph.name} has {graph.n:,} vertices and {graph.m:,} edges; a run should be over "
            f"in a second or two: up to {MOST_VERTICES:,} and {MOST_EDGES:,}, take a smaller graph"
        )


def _shown(bench: Bench, step: Step, made: set[str]) -> Iterator[str]:
    where = _place(bench.lesson, step)
    checks: list[Callable[[], Any]] = [partial(_known, p, PANELS, "panel") for p in step.panels]
    checks.append(partial(_known, step.colour_by, ("", *COLOURS), "colour_by"))
    checks.append(partial(_known, step.layout, ("", *ARRANGEMENTS), "layout"))
    if step.graph:
        checks.append(partial(bench.graph, step))
    if step.source or step.vertices:
        ids = [*step.vertices, *([step.source] if step.source else [])]
        checks += [partial(lambda name: bench.graph(step).vertex_of(name), name) for name in ids]
    yield from _said(where, checks)
    seek = [step.seek.run] if step.seek else []
    for name in (*(step.compare or ()), *([step.show] if step.show else []), *seek):
        if bench.lesson.run(name) is None:
            yield f"{where}: there is no run {name!r}"
        elif name not in made:
            yield f"{where}: run {name!r} is made in a later step"


def _asked(lesson: Lesson, step: Step, before: set[str], made: set[str]) -> Iterator[str]:
    question = step.question
    named: list[tuple[str, str | list[Value], set[str]]] = [
        ("text", step.text, before if question else made),
        *(("claim", _sides(claim), made) for claim in step.claims),
    ]
    if question is not None:
        named.append(("question", _answer_values(question), made))
        named.append(("ask", question.ask, before))
        for name, words in (("right", question.right), ("wrong", question.wrong)):
            named.append((name, words, made))
            if not words:
                yield f"{_place(lesson, step)}: nothing is said when the answer is {name}"
    for name, values, readable in named:
        where = f"{_place(lesson, step)}, {name}"
        try:
            read = values_in(values) if isinstance(values, str) else values
        except LessonError as error:
            yield f"{where}: {error}"
            continue
        for of in (value.of for value in _with_divisors(read)):
            if lesson.run(of) is None and lesson.sweep(of) is None:
                yield f"{where}: there is no run or sweep {of!r}"
            elif of not in readable:
                yield f"{where}: {of!r} has not been made when this is read"


def _answer_values(question: Question) -> list[Value]:
    return [*question.candidates, *([question.answer] if question.answer else [])]


def _sides(claim: Claim) -> list[Value]:
    return [claim.left, *([claim.right] if isinstance(claim.right, Value) else [])]


def _with_divisors(values: list[Value]) -> Iterator[Value]:
    for value in values:
        one: Value | None = value
        while one is not None:
            yield one
            one = one.over


def _numbers(bench: Bench) -> Iterator[str]:
    for step in bench.lesson.steps:
        where, question = _place(bench.lesson, step), step.question
        texts = {"text": step.text}
        if question is not None:
            texts |= {"ask": question.ask, "right": question.right, "wrong": question.wrong}
        for name, text in texts.items():
            yield from _said(f"{where}, {name}", [partial(bench.filled, text)])
        if step.seek is not None:
            check = partial(lambda seek: moment_ns(bench.trace(seek.run), seek.to), step.seek)
            yield from _said(f"{where}, seek", [check])
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
                partial(_ranked, bench, _parts(_sides(claim))),
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
    if question.kind == "schedule":
        graph, source = bench.graph(step), bench.source(step)
        first = graph.vertex_of(source) if source else suggested_source(graph)
        scores = {one.title: getattr(one, question.goal) for one in rivals(graph, first)}
        if len({bench.is_right(question, score) for score in scores.values()}) == 1:
            told = ", ".join(f"{title} {score:g}" for title, score in scores.items())
            raise LessonError(f"{right:g} is for every order or for none: {told}")
    if question.kind == "vertex":
        assert question.answer is not None
        if question.answer.quantity not in VERTEX_QUANTITIES:
            allowed = ", ".join(VERTEX_QUANTITIES)
            raise LessonError(f"{question.answer.quantity} is no vertex; there are: {allowed}")
        n = bench.graph(step).n
        if all(bench.is_right(question, vertex) for vertex in range(n)):
            raise LessonError("every vertex is right")


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


def _known(name: str, allowed: tuple[str, ...], what: str) -> None:
    if name not in allowed:
        words = ", ".join(filter(None, allowed))
        raise LessonError(f"no {what} {name!r}; there are: {words}")


def _place(lesson: Lesson, step: Step) -> str:
    return f"{lesson.path or lesson.key}: step {step.key!r}"
