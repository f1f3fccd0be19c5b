"""Results of a class: a folder of small files, as each student saved one, read as a whole.

A file is what the window writes (Help > Save results for the teacher) and a lesson's page: JSON
with `format` 1. The student is the file's name. A file is a stranger's: up to 1 MB, declared here,
and one that cannot be read is named and keeps no other out.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from gpu.errors import GpuError, ParameterError
from gpu.regular import read_regular
from gpu.schema import Count, Number, SchemaError, Text, checked
from gpu.words import in_sight

MOST_BYTES = 1 << 20
MOST_FILES = 2000
MOST_ANSWERS = 500
BARS = 10  # of a histogram of numbers
ROUNDED = 0.02  # of a number, that its words may leave out
SPREAD = 30.0  # largest over smallest answer, from which bars grow by a factor


class AnswerTable(Struct, frozen=True):
    """One answer: `given` is a number, or the heights of a drawn curve."""

    step: Text
    given: Number | Annotated[tuple[Number, ...], Meta(max_length=MOST_ANSWERS)]
    question: Text = ""
    answer: Text = ""
    right: bool | None = None
    seconds: Number = 0.0


class ResultsTable(Struct, frozen=True):
    """One student's file."""

    format: Literal[1]
    lesson: Text
    questions: Count
    answers: Annotated[tuple[AnswerTable, ...], Meta(max_length=MOST_ANSWERS)]
    title: Text = ""
    written: Text = ""


@dataclass(frozen=True)
class Student:
    """One file, read."""

    name: str
    results: ResultsTable

    @property
    def right(self) -> int:
        """How many answers were right."""
        return sum(answer.right is True for answer in self.results.answers)


@dataclass(frozen=True)
class Bar:
    """A bar of a histogram: what was predicted, by how many, and how many of those were right."""

    words: str
    count: int
    right: int


@dataclass(frozen=True)
class AskedOf:
    """One question and what the class predicted."""

    step: str
    question: str
    answered: int
    right: int
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class Class:
    """All students that did one lesson; problems name the files that could not be read."""

    lesson: str
    title: str
    questions: int
    students: tuple[Student, ...]
    problems: tuple[str, ...]

    def asked(self) -> list[AskedOf]:
        """Return every question in the order of the first file that has it."""
        steps = dict.fromkeys(
            answer.step for student in self.students for answer in student.results.answers
        )
        return [_asked_of(self.students, step) for step in steps]

    def table(self) -> tuple[list[str], list[list[Any]]]:
        """Return header and rows: one row a student, one column a question."""
        steps = [asked.step for asked in self.asked()]
        header = ["student", "right", "of", "minutes", *steps]
        rows = []
        for student in self.students:
            by_step = {answer.step: answer for answer in student.results.answers}
            spent = sum(answer.seconds for answer in student.results.answers) / 60
            cells = [_cell(by_step.get(step)) for step in steps]
            rows.append([student.name, student.right, self.questions, round(spent, 1), *cells])
        return header, rows


def read_class(folder: str | Path) -> Class:
    """Read every .json file of a folder. ParameterError where there is none that can be read."""
    try:
        paths = sorted(path for path in Path(folder).iterdir() if path.suffix.lower() == ".json")
    except OSError as error:
        raise ParameterError(f"{folder}: {error.strerror or error}") from error
    if len(paths) > MOST_FILES:
        raise ParameterError(f"{folder}: {len(paths):,} files; allowed: up to {MOST_FILES:,}")
    students, problems = [], []
    for path in paths:
        try:
            students.append(Student(in_sight(path.stem), read_results(path)))
        except GpuError as error:
            problems.append(str(error))
    if not students:
        why = problems[0] if problems else "it has no .json file; students save one each"
        raise ParameterError(f"{folder}: no results in it: {why}")
    lessons = Counter(student.results.lesson for student in students)
    lesson = lessons.most_common(1)[0][0]
    others = [one for one in students if one.results.lesson != lesson]
    problems += [f"{one.name}: of another lesson, {in_sight(one.results.lesson)}" for one in others]
    kept = [one for one in students if one.results.lesson == lesson]
    title = in_sight(kept[0].results.title or lesson)
    count = max(one.results.questions for one in kept)
    return Class(in_sight(lesson), title, count, tuple(kept), tuple(problems))


def read_results(path: Path) -> ResultsTable:
    """Read one file. ParameterError, naming it."""
    name = in_sight(path.name)
    try:
        return checked(ResultsTable, json.loads(read_regular(path, MOST_BYTES)))
    except OSError as error:
        raise ParameterError(f"{name}: {error.strerror or error}") from error
    except SchemaError as error:
        raise ParameterError(f"{name}: {error}") from error
    except (ValueError, RecursionError) as error:
        raise ParameterError(f"{name}: no JSON ({' '.join(str(error).split())})") from error


def _asked_of(students: Sequence[Student], step: str) -> AskedOf:
    answers = [a for student in students for a in student.results.answers if a.step == step]
    words = next((in_sight(a.question, 600) for a in answers if a.question), step)
    right = sum(answer.right is True for answer in answers)
    return AskedOf(in_sight(step), words, len(answers), right, tuple(_bars(answers)))


def _bars(answers: Sequence[AnswerTable]) -> list[Bar]:
    numbers = [a for a in answers if isinstance(a.given, float | int)]
    if len(numbers) < len(answers):  # drawn curves
        return [Bar(words, *_counted(answers, right)) for words, right in _VERDICTS.items()]
    if any(not _is_number(answer) for answer in answers) or len({a.given for a in answers}) <= 2:
        return _named_bars(answers)
    return _number_bars(answers)


_VERDICTS = {"right": True, "not right": False}


def _counted(answers: Sequence[AnswerTable], right: bool) -> tuple[int, int]:
    count = sum((answer.right is True) == right for answer in answers)
    return count, count if right else 0


def _is_number(answer: AnswerTable) -> bool:
    """Whether the answer in words begins with its number: a choice's words do not."""
    begun = answer.answer.split(" ")[0].replace(",", "")
    try:
        return not answer.answer or math.isclose(float(begun), _given(answer), rel_tol=ROUNDED)
    except ValueError:
        return False


def _given(answer: AnswerTable) -> float:
    assert isinstance(answer.given, float | int)
    return float(answer.given)


def _named_bars(answers: Sequence[AnswerTable]) -> list[Bar]:
    counts = Counter(answer.answer or f"{_given(answer):g}" for answer in answers)
    good = Counter(a.answer or f"{_given(a):g}" for a in answers if a.right is True)
    return [Bar(in_sight(words), count, good[words]) for words, count in counts.most_common(20)]


def _number_bars(answers: Sequence[AnswerTable]) -> list[Bar]:
    """Return BARS bars of equal width, or of equal factor where answers spread far."""
    values = [_given(answer) for answer in answers]
    low, high = min(values), max(values)
    grown = low > 0 and high / low >= SPREAD
    place = [math.log(value / low) / math.log(high / low) for value in values] if grown else None
    share = place or [(value - low) / ((high - low) or 1) for value in values]
    at = [min(int(one * BARS), BARS - 1) for one in share]
    edges = [
        low * (high / low) ** (k / BARS) if grown else low + (high - low) * k / BARS
        for k in range(BARS + 1)
    ]
    bars = []
    for k in range(BARS):
        inside = [answer for answer, where in zip(answers, at, strict=True) if where == k]
        right = sum(answer.right is True for answer in inside)
        bars.append(Bar(f"{edges[k]:.3g} to {edges[k + 1]:.3g}", len(inside), right))
    return bars


def _cell(answer: AnswerTable | None) -> str:
    if answer is None:
        return ""
    words = answer.answer or ("a curve" if isinstance(answer.given, tuple) else f"{answer.given:g}")
    sign = {True: "✓", False: "✗", None: "?"}[answer.right]
    return f"{sign} {in_sight(words)}"
