"""From a TOML file and its Markdown to a Lesson, or to everything that is wrong with it.

    [lesson]  format = 1, title, idea, minutes, figure, text = "file.md" (beside the TOML)
    [[step]]  key, title, graph, source, compare = ["a", "b"], show, seek = {run, to}, panels,
              vertices, colour_by, layout, microscope, drive
    [[step.run]]    name, algorithm, graph, source, delta, device, probe, parameters, variant
    [[step.sweep]]  name, algorithm, graph, knob, values, device
    [step.question] kind, ask, answer, choices, candidates, pick, low, high, tolerance, unit,
                    logarithmic, right, wrong
    [[step.claim]]  left, is, right, words

A value is written "run.quantity", "run.quantity(at)", or {value = "...", over = "..."}. The
Markdown has one section "## key" for each step. Unknown keys are errors: a misspelt key that is
quietly ignored costs a teacher an hour.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator
from dataclasses import MISSING, fields
from importlib.resources import files
from pathlib import Path
from typing import Any

from gpu.errors import GpuError, ParameterError
from gpu.lessons.lesson import (
    LESSON_FORMAT,
    Claim,
    Lesson,
    Question,
    RunSpec,
    Seek,
    Step,
    SweepSpec,
    Value,
)

VALUE = re.compile(r"^([a-z][a-z0-9_]*)\.([a-z_]+)(?:\(([^()]*)\))?$")
SECTION = re.compile(r"^## +(\S+) *$", re.MULTILINE)
FOLDER = "SSSP_SCOPE_LESSONS"  # environment: a folder of one's own lessons
MOST_BYTES = 1 << 20  # a lesson is text; more is a mistake
KINDS = ("number", "choice", "vertex", "bucket", "curve")
LISTS: dict[str, type | tuple[type, ...]] = {
    "panels": str,
    "vertices": str,
    "choices": str,
    "compare": str,
    "values": (int, float),
}
IDS = {"source", "vertices"}  # vertices, by what the file calls them
IN_WORDS = {str: "text in quotes", bool: "true or false", float: "a number", int: "a whole number"}
RELATIONS = ("<", "<=", ">", ">=", "==")


class LessonError(GpuError):
    """A lesson file that cannot be used; the message names the file and the place in it."""


def find_lessons(folder: str | Path | None = None) -> list[Path]:
    """Return the TOML files of our own lessons, then those of a user's folder, by name.

    folder : None takes the one that the environment variable SSSP_SCOPE_LESSONS names, if any
    """
    own = Path(str(files("assets"))) / "lessons"
    folder = os.environ.get(FOLDER) or None if folder is None else folder
    folders = [own] if folder is None else [own, Path(folder)]
    return [path for where in folders if where.is_dir() for path in sorted(where.glob("*.toml"))]


def read_lesson(path: str | Path) -> Lesson:
    """Read one lesson. Raises LessonError; `gpu.lessons.check` finds what only a run shows."""
    path = Path(path)
    table = _toml(path)
    head = _only(table, {"lesson", "step"}, str(path)).get("lesson")
    if not isinstance(head, dict):
        raise LessonError(f"{path}: no [lesson] table")
    _only(head, {"format", "title", "idea", "minutes", "figure", "text"}, f"{path}: [lesson]")
    if head.get("format") != LESSON_FORMAT:
        raise LessonError(f"{path}: format = {head.get('format')!r}; allowed: {LESSON_FORMAT}")
    name = str(head.get("text", f"{path.stem}.md"))
    if Path(name).name != name:
        raise LessonError(f"{path}: text = {name!r}; allowed: a file beside this one")
    texts = sections(_text(path.parent / name))
    steps = tuple(_steps(table, texts, path))
    if not steps:
        raise LessonError(f"{path}: no [[step]]")
    unused = [key for key in texts if key not in {step.key for step in steps}]
    if unused:
        raise LessonError(f"{path}: {name} has a section {unused[0]!r} and no step of that key")
    words = {key: str(head.get(key, "")) for key in ("title", "idea", "figure")}
    return Lesson(path.stem, **words, minutes=_minutes(head, path), steps=steps, path=str(path))


def sections(text: str) -> dict[str, str]:
    """Split Markdown at its "## key" lines: key -> text, stripped."""
    parts = SECTION.split(text)
    return {key: body.strip() for key, body in zip(parts[1::2], parts[2::2], strict=True)}


def value_of(given: Any, where: str) -> Value:
    """Read "run.quantity", "run.quantity(at)" or {value = ..., over = ...}. LessonError."""
    if isinstance(given, dict):
        _only(given, {"value", "over"}, where)
        below = value_of(given["over"], where) if "over" in given else None
        found = value_of(given.get("value"), where)
        return Value(found.of, found.quantity, found.at, below)
    match = VALUE.match(given) if isinstance(given, str) else None
    if match is None:
        raise LessonError(
            f"{where}: {given!r} is no value; write run.quantity or run.quantity(vertex)"
        )
    return Value(match[1], match[2], match[3])


def _steps(table: dict[str, Any], texts: dict[str, str], path: Path) -> Iterator[Step]:
    seen: set[str] = set()
    for number, given in enumerate(_tables(table, "step", str(path)), 1):
        where = f"{path}: step {number}"
        key = given.get("key")
        if not isinstance(key, str) or not key or key in seen:
            raise LessonError(f"{where}: key = {key!r}; allowed: a name of its own")
        seen.add(key)
        where = f"{path}: step {key!r}"
        if key not in texts:
            raise LessonError(f"{where}: the text has no section '## {key}'")
        yield _step(given, texts[key], where)


def _step(given: dict[str, Any], text: str, where: str) -> Step:
    plain = {"run", "sweep", "claim"} | {f.name for f in fields(Step)} - {
        "runs",
        "sweeps",
        "claims",
    }
    _only(given, plain - {"text"}, where)
    runs = tuple(_filled(RunSpec, run, f"{where}, run") for run in _tables(given, "run", where))
    sweeps = tuple(
        _filled(SweepSpec, one, f"{where}, sweep") for one in _tables(given, "sweep", where)
    )
    claims = tuple(_claim(one, f"{where}, claim") for one in _tables(given, "claim", where))
    rest = {k: v for k, v in given.items() if k not in {"run", "sweep", "claim"}}
    if "seek" in rest:
        rest["seek"] = _filled(Seek, rest["seek"], f"{where}, seek")
    if "question" in rest:
        rest["question"] = _question(rest["question"], f"{where}, question")
    rest |= {"text": text, "title": rest.get("title", rest["key"])}
    return _filled(Step, rest | {"runs": runs, "sweeps": sweeps, "claims": claims}, where)


def _question(given: Any, where: str) -> Question:
    if not isinstance(given, dict):
        raise LessonError(f"{where}: not a table")
    rest = dict(given)
    if "answer" in rest:
        rest["answer"] = value_of(rest["answer"], where)
    if "candidates" in rest:
        if not isinstance(rest["candidates"], list):
            raise LessonError(f"{where}: candidates = {rest['candidates']!r}; allowed: a list")
        rest["candidates"] = [value_of(one, where) for one in rest["candidates"]]
    found = _filled(Question, rest, where)
    if found.kind not in KINDS:
        raise LessonError(f"{where}: kind = {found.kind!r}; allowed: {', '.join(KINDS)}")
    if found.kind == "choice":
        if len(found.choices) < 2 or len(found.choices) != len(found.candidates):
            raise LessonError(f"{where}: as many candidates as choices, two at least")
    elif found.answer is None:
        raise LessonError(f"{where}: no answer; it is a value, computed by running")
    if found.kind in ("number", "bucket") and not found.low < found.high:
        raise LessonError(f"{where}: low = {found.low}, high = {found.high}")
    if found.pick not in ("least", "greatest"):
        raise LessonError(f"{where}: pick = {found.pick!r}; allowed: least, greatest")
    return found


def _claim(given: dict[str, Any], where: str) -> Claim:
    _only(given, {"left", "is", "right", "words"}, where)
    if given.get("is") not in RELATIONS:
        raise LessonError(f"{where}: is = {given.get('is')!r}; allowed: {', '.join(RELATIONS)}")
    right = given.get("right")
    number = isinstance(right, int | float) and not isinstance(right, bool)
    return Claim(
        value_of(given.get("left"), where),
        given["is"],
        float(right) if number else value_of(right, where),  # type: ignore[arg-type]
        str(given.get("words", "")),
    )


def _filled(kind: type, given: Any, where: str) -> Any:
    """Make a dataclass from a table; lists become tuples. LessonError."""
    if not isinstance(given, dict):
        raise LessonError(f"{where}: not a table")
    known = {f.name: f for f in fields(kind)}
    _only(given, set(known), where)
    for name, f in known.items():
        required = f.default is MISSING and f.default_factory is MISSING
        if required and name not in given:
            raise LessonError(f"{where}: no {name}")
    made = {k: _ids(v) if k in IDS else v for k, v in given.items()}
    made = {k: tuple(v) if isinstance(v, list) else v for k, v in made.items()}
    for name, value in made.items():
        _check_type(str(known[name].type), name, value, where)
    return kind(**made)


def _check_type(declared: str, name: str, value: Any, where: str) -> None:
    """Compare a TOML value with the annotation of its field, as far as plain types go."""
    if name in LISTS:
        if not isinstance(value, tuple) or not all(isinstance(v, LISTS[name]) for v in value):
            kind = "text" if LISTS[name] is str else "numbers"
            raise LessonError(f"{where}: {name} = {value!r}; allowed: a list of {kind}")
        if name == "compare" and len(value) != 2:
            raise LessonError(f"{where}: compare = {value!r}; allowed: the names of two runs")
        return
    allowed: tuple[type, ...] = ()
    for word, types in (
        ("str", (str,)),
        ("bool", (bool,)),
        ("float", (int, float)),
        ("int", (int,)),
    ):
        if re.search(rf"(^|\W){word}(\W|$)", declared.split("[", maxsplit=1)[0]):
            allowed += types
    if not allowed or value is None:
        return
    wrong = not isinstance(value, allowed) or (isinstance(value, bool) and bool not in allowed)
    if wrong:
        kinds = set(allowed) - ({int} if float in allowed else set())
        names = " or ".join(words for kind, words in IN_WORDS.items() if kind in kinds)
        raise LessonError(f"{where}: {name} = {value!r}; allowed: {names}")


def _ids(given: Any) -> Any:
    """Return a vertex's id, or a list of such, as text: `source = 5` names vertex 5, too."""
    if isinstance(given, list):
        return [_ids(one) for one in given]
    return str(given) if type(given) is int else given


def _only(given: dict[str, Any], allowed: set[str], where: str) -> dict[str, Any]:
    for key in given:
        if key not in allowed:
            raise LessonError(
                f"{where}: unknown key {key!r}; allowed: {', '.join(sorted(allowed))}"
            )
    return given


def _tables(given: dict[str, Any], key: str, where: str) -> list[dict[str, Any]]:
    found = given.get(key, [])
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise LessonError(f"{where}: {key} is written as [[{key}]] tables")
    return found


def _minutes(head: dict[str, Any], path: Path) -> int:
    minutes = head.get("minutes", 0)
    if not isinstance(minutes, int) or not 1 <= minutes <= 60:
        raise LessonError(f"{path}: minutes = {minutes!r}; allowed: 1 to 60")
    return minutes


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(_text(path))
    except tomllib.TOMLDecodeError as error:
        raise LessonError(f"{path}: {error}") from error


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ParameterError(f"{path}: {path.stat().st_size:,} bytes; allowed: {MOST_BYTES:,}")
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise LessonError(f"{path}: not UTF-8 text ({error.reason})") from error
    except OSError as error:
        raise LessonError(f"{path}: {error.strerror or error}") from error
