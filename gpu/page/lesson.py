"""A lesson as a page that asks: steps, questions, answers checked in the page.

    lesson_page(Bench(lesson), progress)

The engine computes the right answers when the page is made: a number with its tolerance, the
places of choices or vertices that are equally good, or the times that a drawn curve is ranked
against. Runs are shown once the question is answered. A sweep has its curve and a slider through at
most MOST_RECORDED of its runs. Steps that need the window (driven by hand, the microscope) say so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from gpu.algorithms import find
from gpu.errors import GpuError
from gpu.graph import CSRGraph
from gpu.lessons.answers import CURVE_RIGHT, Bench, answer_words
from gpu.lessons.figures import figures
from gpu.lessons.lesson import Question, Step, SweepSpec, shown_runs
from gpu.lessons.markdown import inline, to_html
from gpu.lessons.quantities import decimals_of, moment_ns
from gpu.page.graph import placed
from gpu.page.html import page_text
from gpu.page.runs import Scene, pair_tree
from gpu.page.sweep import curve_tree, made_points, run_again
from gpu.proof.verify import verify
from gpu.record.trace import Trace
from gpu.study.compare import CompareError
from gpu.study.sweep import SweepPoint

MOST_RECORDED = 8  # runs of a sweep
PLAIN_MOST = 2000  # vertices of a graph that is shown before anything has run
PANELS = ("buckets", "delta", "parallelism", "work")  # of a step's panels, those that a page has


def lesson_page(bench: Bench, progress: Callable[[float], None] | None = None) -> str:
    """Return the lesson of a bench as a page; its runs are made where needed. ParameterError."""
    lesson = bench.lesson
    maker = _Maker(bench)
    steps = []
    for place, step in enumerate(lesson.steps, 1):
        steps.append(maker.step(step))
        if progress is not None:
            progress(place / len(lesson.steps))
    paper = " of the ADDS paper" if lesson.figure.startswith(("figure", "section")) else ""
    data = {
        "kind": "lesson",
        "title": lesson.title,
        "idea_html": inline(lesson.idea),
        "about": f"About {lesson.minutes} minutes · {lesson.figure}{paper}. "
        "Every number was computed by a run on the modelled GPU.",
        "steps": steps,
    }
    return page_text(lesson.title, maker.scene.pack, data | maker.scene.tree())


class _Maker:
    def __init__(self, bench: Bench) -> None:
        self.scene = Scene()
        self._bench = bench
        self._proved: dict[str, Trace] = {}
        self._graphs: dict[str, CSRGraph] = {}
        self._made: set[str] = set()

    def step(self, step: Step) -> dict[str, Any]:
        """Return one step as JSON values."""
        bench = self._bench
        question, text, played = step.question, bench.filled(step.text), False
        if question is not None and question.kind == "schedule":  # asked, and played elsewhere
            text, question, played = f"{text}\n\n{bench.filled(question.ask)}", None, True
        self._made |= {run.name for run in step.runs}
        return {
            "title_html": inline(step.title),
            "html": to_html(text),
            "question": None if question is None else self._question(step, question),
            "graph": self._plain_graph(step),
            "rings": self._rings(step),
            "shows": self._shows(step),
            "sweeps": [self._sweep(step, spec) for spec in step.sweeps],
            "figures": [figure._asdict() for figure in figures(bench, step, self._made)],
            "panels": [name for name in step.panels if name in PANELS],
            "way": step.colour_by,
            "driven": step.drive or played,
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
            "right_html": to_html(bench.filled(question.right)),
            "wrong_html": to_html(bench.filled(question.wrong or question.right)),
            "answer_html": inline(answer_words(bench, step, question)),
            **right_answers(bench, question),
        }

    def _plain_graph(self, step: Step) -> dict[str, Any] | None:
        """Return which graph a step looks at, and its source, where it has one."""
        try:
            graph = self._placed(self._bench.graph(step))
            source = self._bench.source(step)
        except GpuError:
            return None
        if graph.n > PLAIN_MOST and not (step.question and step.question.kind == "vertex"):
            return None
        self.scene.add_graph(graph)
        if graph.hash not in self.scene.graphs:  # too large to draw
            return None
        index = graph.vertex_of(source) if source is not None else -1
        return {"graph": list(self.scene.graphs).index(graph.hash), "source": index}

    def _rings(self, step: Step) -> list[int]:
        return [self._bench.graph(step).vertex_of(name) for name in step.vertices]

    def _shows(self, step: Step) -> list[dict[str, Any]]:
        """Return the runs that a step shows: two on one clock, else each by itself."""
        names = [name for name in shown_runs(step) if not step.drive]
        pairs = [self._run(name) for name in names]
        runs = [one for one in pairs if one is not None]
        if len(runs) == 2:
            (a, graph), (b, _) = runs
            try:
                return [pair_tree(self.scene, a, b, graph) | {"seek": self._seek(step, names[0])}]
            except CompareError:
                pass
        return [
            {"shown": [self.scene.add_run(*one)], "seek": self._seek(step, name)}
            for name, one in zip(names, pairs, strict=True)
            if one is not None
        ]

    def _seek(self, step: Step, name: str) -> int | None:
        if step.seek is None or step.seek.run != name:
            return None
        return moment_ns(self._bench.trace(name), step.seek.to)

    def _sweep(self, step: Step, spec: SweepSpec) -> dict[str, Any]:
        points = self._bench.sweep(spec.name)
        graph = self._placed(self._bench.graph(step, spec))
        places = {
            point.value: self.scene.add_run(run_again(graph, point.settings), graph)
            for point in _chosen(made_points(points))
        }
        title = f"{find(spec.algorithm).title} on {graph.name}"
        return curve_tree(points, spec.algorithm, spec.knob, title, places)

    def _placed(self, graph: CSRGraph) -> CSRGraph:
        if graph.hash not in self._graphs:
            self._graphs[graph.hash] = placed(graph)
        return self._graphs[graph.hash]

    def _run(self, name: str) -> tuple[Trace, CSRGraph] | None:
        """Return a run of the lesson, proved once, with its graph; None of a faulty listing."""
        pair = self._bench.lesson.run(name)
        if pair is None or pair[1].variant:
            return None
        graph = self._placed(self._bench.graph(*pair))
        if name not in self._proved:
            trace = self._bench.trace(name)
            proofs = verify(graph, trace.settings.source, trace.dist)
            self._proved[name] = replace(trace, verification=proofs)
        return self._proved[name], graph


def _chosen(points: list[SweepPoint]) -> list[SweepPoint]:
    """Return at most MOST_RECORDED points, evenly chosen, the fastest among them."""
    if len(points) <= MOST_RECORDED:
        return points
    fastest = min(range(len(points)), key=lambda place: points[place].time_ns)
    places = set(np.linspace(0, len(points) - 1, MOST_RECORDED).round().astype(int).tolist())
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
    scores = bench.scores(question)
    if scores is not None:
        return {"places": np.flatnonzero(scores == scores[int(right)]).tolist()}
    if question.kind in ("vertex", "bucket"):
        return {"places": [int(right)]}
    return {"value": right}
