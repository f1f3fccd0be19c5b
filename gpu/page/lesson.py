"""A lesson as a page that asks: steps, questions, answers checked in the page.

    lesson_page(Bench(lesson), progress)

What counts as right is computed by the engine when the page is made and travels with it: the number
and its tolerance, the places of all choices or vertices that are equally good, the times that a
drawn curve is ranked against. Runs are shown once the question is answered, as a page of runs shows
them; of a sweep its curve and a slider through its runs, each recorded again for the page: all of
them, or evenly chosen ones where the page would be larger than MOST_BYTES. What needs the window (a
step that is driven by hand, the microscope) is said in words.

Answers stay in the browser's storage.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any

import numpy as np

from gpu.algorithms import find
from gpu.errors import GpuError
from gpu.graph import CSRGraph
from gpu.lessons.answers import CURVE_RIGHT, Bench, answer_words
from gpu.lessons.lesson import Question, RunSpec, Step, SweepSpec, shown_runs
from gpu.lessons.markdown import inline, to_html
from gpu.lessons.moments import moment_ns
from gpu.lessons.quantities import VERTEX_QUANTITIES, decimals_of
from gpu.page.graph import placed
from gpu.page.html import page_text
from gpu.page.runs import Scene, pair_tree
from gpu.page.sweep import curve_tree, run_again
from gpu.proof.verify import verify
from gpu.record.trace import Trace
from gpu.study.compare import CompareError
from gpu.study.sweep import SweepPoint

MOST_BYTES = 2_000_000  # of a page
MOST_RECORDED = (32, 16, 8, 4, 2, 1)  # runs of each sweep, tried until the page is small enough
PLAIN_MOST = 2000  # vertices of a graph that is shown before anything has run
PANELS = ("buckets", "delta", "parallelism", "work")  # of a step's panels, those that a page has


def lesson_page(bench: Bench, progress: Callable[[float], None] | None = None) -> str:
    """Return the lesson of a bench as a page; its runs are made where needed. ParameterError."""
    runs = _Runs(bench)
    for most in MOST_RECORDED:
        text = _page(runs, most, progress)
        if len(text) <= MOST_BYTES:
            break
    return text


def _page(runs: _Runs, most: int, progress: Callable[[float], None] | None) -> str:
    """Return the page with at most so many recorded runs of each sweep."""
    lesson = runs.bench.lesson
    scene = Scene.empty()
    maker = _Maker(runs, scene, most)
    steps = []
    for place, step in enumerate(lesson.steps, 1):
        steps.append(maker.step(step))
        if progress is not None:
            progress(place / len(lesson.steps))
    paper = " of the ADDS paper" if lesson.figure.startswith(("figure", "section")) else ""
    data = {
        "kind": "lesson",
        "title": lesson.title,
        "key": lesson.key,
        "idea_html": inline(lesson.idea),
        "about": f"About {lesson.minutes} minutes · {lesson.figure}{paper}. "
        "Every number was computed by a run on the modelled GPU.",
        "steps": steps,
    }
    return page_text(lesson.title, scene.pack, data | scene.tree())


class _Runs:
    """What a page shows of a bench's runs: each made and proved once, with its placed graph."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self._proved: dict[Hashable, Trace] = {}
        self._graphs: dict[str, CSRGraph] = {}

    def graph(self, graph: CSRGraph) -> CSRGraph:
        """Return a graph with positions, found once."""
        if graph.hash not in self._graphs:
            self._graphs[graph.hash] = placed(graph)
        return self._graphs[graph.hash]

    def named(self, name: str) -> tuple[Trace, CSRGraph] | None:
        """Return a run of the lesson, proved, with its graph; None of a faulty listing."""
        pairs = self.bench.lesson.run(name)
        if pairs is None or pairs[1].variant:
            return None
        graph = self.graph(self.bench.graph(*pairs))
        return self._once(name, graph, lambda: self.bench.trace(name)), graph

    def swept(self, step: Step, spec: SweepSpec, point: SweepPoint) -> tuple[Trace, CSRGraph]:
        """Return the run of a point, recorded for the page and proved, with its graph."""
        graph = self.graph(self.bench.graph(step, spec))
        made = self._once((spec.name, point.value), graph, lambda: run_again(graph, point.settings))
        return made, graph

    def _once(self, key: Hashable, graph: CSRGraph, make: Callable[[], Trace]) -> Trace:
        if key not in self._proved:
            trace = make()
            proofs = verify(graph, trace.settings.source, trace.dist)
            self._proved[key] = replace(trace, verification=proofs)
        return self._proved[key]


class _Maker:
    """Makes the steps of one page, with at most `most` recorded runs of each sweep."""

    def __init__(self, runs: _Runs, scene: Scene, most: int) -> None:
        self._runs, self._scene, self._most = runs, scene, most
        self._bench = runs.bench

    def step(self, step: Step) -> dict[str, Any]:
        """Return one step as JSON values."""
        bench = self._bench
        question = step.question
        return {
            "key": step.key,
            "title_html": inline(step.title),
            "html": to_html(bench.filled(step.text)),
            "question": None if question is None else self._question(step, question),
            "graph": self._plain_graph(step),
            "rings": self._rings(step),
            "shows": self._shows(step),
            "sweeps": [self._sweep(step, spec) for spec in step.sweeps],
            "faults": [self._fault(run) for run in step.runs if run.variant],
            "panels": [name for name in step.panels if name in PANELS],
            "way": step.colour_by,
            "driven": step.drive,
        }

    def _question(self, step: Step, question: Question) -> dict[str, Any]:
        bench = self._bench
        return {
            "kind": question.kind,
            "ask_html": inline(bench.filled(question.ask)),
            "choices": [inline(choice) for choice in question.choices],
            "low": question.low,
            "high": question.high,
            "tolerance": question.tolerance,
            "unit": question.unit,
            "decimals": decimals_of(question.answer),
            "logarithmic": question.logarithmic,
            "right_html": to_html(bench.filled(question.right)),
            "wrong_html": to_html(bench.filled(question.wrong or question.right)),
            "answer_html": inline(answer_words(bench, step, question)),
            **right_answers(bench, question),
        }

    def _plain_graph(self, step: Step) -> dict[str, Any] | None:
        """Return which graph a step looks at, and its source, where it has one."""
        try:
            graph = self._runs.graph(self._bench.graph(step))
            source = self._bench.source(step)
        except GpuError:
            return None
        if graph.n > PLAIN_MOST and not (step.question and step.question.kind == "vertex"):
            return None
        self._scene.add_graph(graph)
        index = graph.vertex_of(source) if source is not None else -1
        return {"graph": list(self._scene.graphs).index(graph.hash), "source": index}

    def _rings(self, step: Step) -> list[int]:
        if not step.vertices:
            return []
        graph = self._bench.graph(step)
        return [graph.vertex_of(name) for name in step.vertices]

    def _shows(self, step: Step) -> list[dict[str, Any]]:
        """Return what is shown of a step's runs: two on one clock, else each by itself."""
        names = [name for name in shown_runs(step) if not step.drive]
        pairs = [self._runs.named(name) for name in names]
        runs = [one for one in pairs if one is not None]
        if len(runs) == 2:
            (a, graph), (b, _) = runs
            try:
                return [pair_tree(self._scene, a, b, graph) | {"seek": self._seek(step, names[0])}]
            except CompareError:
                pass
        return [
            {"shown": [self._scene.add_run(*one)], "seek": self._seek(step, name)}
            for name, one in zip(names, pairs, strict=True)
            if one is not None
        ]

    def _seek(self, step: Step, name: str) -> int | None:
        if step.seek is None or step.seek.run != name:
            return None
        return moment_ns(self._bench.trace(name), step.seek.to)

    def _sweep(self, step: Step, spec: SweepSpec) -> dict[str, Any]:
        """Return a sweep's curve, with the places of its recorded runs."""
        points = self._bench.sweep(spec.name)
        good = [point for point in points if point.value is not None and not point.failure]
        places = {
            point.value: self._scene.add_run(*self._runs.swept(step, spec, point))
            for point in _chosen(good, self._most)
        }
        title = f"{find(spec.algorithm).title} on {self._bench.graph(step, spec).name}"
        return curve_tree(points, spec.algorithm, spec.knob, title, places)

    def _fault(self, run: RunSpec) -> dict[str, Any]:
        wrong = self._bench.wrong_entries(run.name)
        fault = self._bench.fault(run.name)
        title = run.variant.replace("_", " ").replace("arcs", "edges")
        return {
            "title": f"{title[0].upper()}{title[1:]}",
            "words": f"{int(wrong.sum()):,} of {wrong.size:,} entries are wrong (a row for each "
            f"source): {fault.sentence}.",
            "rows": wrong.shape[0],
            "columns": wrong.shape[1],
            "wrong": self._scene.pack.add(wrong.astype(np.uint8)),
        }


def _chosen(points: list[SweepPoint], most: int) -> list[SweepPoint]:
    """Return at most `most` points, evenly chosen, the fastest among them."""
    if len(points) <= most:
        return points
    fastest = min(range(len(points)), key=lambda place: points[place].time_ns)
    places = set(np.linspace(0, len(points) - 1, most).round().astype(int).tolist())
    nearest = min(places, key=lambda place: abs(place - fastest))
    return [points[place] for place in sorted(places - {nearest} | {fastest})]


def right_answers(bench: Bench, question: Question) -> dict[str, Any]:
    """Return what counts as right: "value", "places" that are equally good, or "times"."""
    if question.kind == "curve":
        assert question.answer is not None
        values = [p.value for p in bench.sweep(question.answer.of) if p.value is not None]
        return {"times": bench.curve_times(question), "values": values, "enough": CURVE_RIGHT}
    if question.kind == "choice":
        places = range(len(question.choices))
        return {"places": [place for place in places if bench.is_right(question, place)]}
    right = bench.right_answer(question)
    value = question.answer
    if value is not None and value.quantity in VERTEX_QUANTITIES:
        scores = VERTEX_QUANTITIES[value.quantity][1](bench.trace(value.of))
        return {"places": np.flatnonzero(scores == scores[int(right)]).tolist()}
    if question.kind in ("vertex", "bucket"):
        return {"places": [int(right)]}
    return {"value": right}
