"""Questions of a lesson as Moodle XML [1], and the sheet with their answers.

    asked = asked_of(lesson, seeds)   every question on every seed; the engine runs
    quiz_of(lesson, asked)            one XML document: a category a question, a variant a seed
    sheet_of(asked)                   header and rows: step, seed, graph, question, answer

In Moodle a test takes a random question from each category, so neighbours get different graphs.
Numbers and buckets become numerical questions with their tolerance, choices multiple choice, a
vertex a short answer in which each vertex that is as good counts. A curve is drawn by hand: it has
no such question, and is left out. Every answer is computed by the engine for its own graph.

What a lesson says afterwards was written for its own graph: where another choice is right on
another seed, only the right answer is said.

What Moodle's importer asks of a file [2] is kept: some answer of each question has the whole mark,
a star in a short answer is no wildcard, and no character is written that XML does not know, for
which all of a file would be refused.

[1] "Moodle XML format", Moodle documentation.
[2] Moodle 4, question/format/xml/format.php, question/type/*/questiontype.php.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from gpu.errors import GpuError
from gpu.lessons.answers import Bench
from gpu.lessons.html import answer_words
from gpu.lessons.lesson import Lesson, Question, Step
from gpu.lessons.markdown import inline, to_html
from gpu.lessons.quantities import VERTEX_QUANTITIES
from gpu.lessons.seeded import with_seed

NUMERICAL, CHOICE, SHORT = "numerical", "multichoice", "shortanswer"
LEAST_ROOM = 1e-9  # tolerance of a whole number, which must be hit
MOST_SEEDS = 200
NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")  # characters that XML 1.0 forbids
PENALTY = "0.3333333"  # of the mark, for each wrong try

Progress = Callable[[float], None]


@dataclass(frozen=True)
class Asked:
    """One question on one graph. answers : (text, tolerance, whether it is right)."""

    step: Step
    seed: int
    kind: str
    graph: str
    words: str  # HTML
    answers: tuple[tuple[str, float, bool], ...]
    said: str  # HTML, afterwards
    right: str  # as a person would give it


def quiz_of(lesson: Lesson, asked: Sequence[Asked]) -> bytes:
    """Return questions as Moodle XML, UTF-8."""
    root = Element("quiz")
    category = ""
    for one in asked:
        path = f"$course$/top/{_plain(lesson.title)}/{_plain(one.step.title)}"
        if path != category:
            category = path
            _text(SubElement(root, "question", type="category"), "category", path)
        _add(root, one)
    ElementTree.indent(root)
    made = ElementTree.tostring(root, encoding="unicode")
    return f"<?xml version='1.0' encoding='utf-8'?>\n{NO_XML.sub('', made)}".encode()


def sheet_of(asked: Sequence[Asked]) -> tuple[list[str], list[list[Any]]]:
    """Return header and rows of the sheet with the answers."""
    header = ["step", "seed", "graph", "question", "answer"]
    rows = [[one.step.title, one.seed, one.graph, _ask(one.step).ask, one.right] for one in asked]
    return header, rows


def asked_of(lesson: Lesson, seeds: Sequence[int], progress: Progress | None = None) -> list[Asked]:
    """Return every question on every seed, step by step; the engine runs. ParameterError."""
    found: list[Asked] = []
    own = Bench(lesson)
    for place, seed in enumerate(seeds, 1):
        found += _on_seed(lesson, own, seed)
        if progress is not None:
            progress(place / len(seeds))
    order = {step.key: at for at, step in enumerate(lesson.steps)}
    found.sort(key=lambda one: order[one.step.key])
    return _without_twins(found)


def _on_seed(lesson: Lesson, own: Bench, seed: int) -> Iterator[Asked]:
    bench = Bench(with_seed(lesson, seed))
    for step in bench.lesson.steps:
        asked = step.question
        if asked is None or asked.kind == "curve":
            continue
        yield _asked(bench, own, step, asked, seed)


def _asked(bench: Bench, own: Bench, step: Step, asked: Question, seed: int) -> Asked:
    answers = _answers(bench, step, asked)
    same = asked.kind != "choice" or own.right_answer(_ask(_of(own, step))) == bench.right_answer(
        asked
    )
    said = to_html(bench.filled(asked.wrong or asked.right)) if same else ""
    graph = _graph_words(bench, step)
    unit = f" (in {inline(asked.unit)})" if asked.unit and asked.kind == "number" else ""
    words = f"{to_html(bench.filled(step.text))}<p>{inline(bench.filled(asked.ask))}{unit}</p>"
    if graph:
        words += f"<p><small>{inline(graph)}</small></p>"
    right = answer_words(bench, step, asked)
    return Asked(step, seed, _KINDS[asked.kind], graph, words, answers, said, right)


_KINDS = {"number": NUMERICAL, "bucket": NUMERICAL, "choice": CHOICE, "vertex": SHORT}


def _answers(bench: Bench, step: Step, asked: Question) -> tuple[tuple[str, float, bool], ...]:
    if asked.kind == "choice":
        return tuple(
            (choice, 0.0, bench.is_right(asked, place))
            for place, choice in enumerate(asked.choices)
        )
    right = bench.right_answer(asked)
    if asked.kind == "vertex":
        graph, value = bench.graph(step), asked.answer
        assert value is not None
        scores = VERTEX_QUANTITIES[value.quantity][1](bench.trace(value.of))
        good = np.flatnonzero(scores == scores[int(right)]).tolist()
        names = (str(graph.id_of(vertex)).replace("*", r"\*") for vertex in good)
        return tuple((name, 0.0, True) for name in names)
    room = asked.tolerance * abs(right) if asked.kind == "number" else 0.0
    return ((repr(right), max(room, LEAST_ROOM), True),)


def _graph_words(bench: Bench, step: Step) -> str:
    """Return which graph a step is about, as one opens it; "" where it has none."""
    try:
        reference = bench.reference(step)
    except GpuError:
        return ""
    return f"Graph: {reference.rpartition('/')[2]}"


def _without_twins(asked: list[Asked]) -> list[Asked]:
    """Return the questions that differ: on a graph that has no seed all would be the same."""
    known: set[tuple[str, str, tuple[Any, ...]]] = set()
    found = []
    for one in asked:
        key = one.step.key, one.words, one.answers
        if key not in known:
            known.add(key)
            found.append(one)
    return found


def _add(root: Element, asked: Asked) -> None:
    question = SubElement(root, "question", type=asked.kind)
    _text(question, "name", f"{_plain(asked.step.title)} (seed {asked.seed})")
    _text(question, "questiontext", asked.words, format="html")
    _text(question, "generalfeedback", asked.said, format="html")
    SubElement(question, "defaultgrade").text = "1"
    SubElement(question, "penalty").text = PENALTY
    SubElement(question, "hidden").text = "0"
    if asked.kind == CHOICE:
        SubElement(question, "single").text = "true"
        SubElement(question, "shuffleanswers").text = "true"
        SubElement(question, "answernumbering").text = "none"
    if asked.kind == SHORT:
        SubElement(question, "usecase").text = "1"
    for words, room, right in asked.answers:
        _answer(question, asked.kind, words, room, right)


def _answer(question: Element, kind: str, words: str, room: float, right: bool) -> None:
    manner = "html" if kind == CHOICE else "moodle_auto_format"
    fraction = "100" if right else "0"
    answer = SubElement(question, "answer", fraction=fraction, format=manner)
    SubElement(answer, "text").text = inline(words) if kind == CHOICE else words
    if kind == NUMERICAL:
        SubElement(answer, "tolerance").text = repr(room)


def _text(parent: Element, name: str, words: str, **attributes: str) -> None:
    SubElement(SubElement(parent, name, attributes), "text").text = words


def _of(bench: Bench, step: Step) -> Step:
    return next(one for one in bench.lesson.steps if one.key == step.key)


def _ask(step: Step) -> Question:
    assert step.question is not None
    return step.question


def _plain(title: str) -> str:
    """Return a title that is no path: a slash would begin another category."""
    return title.replace("/", "-")
