"""From a TOML file and its Markdown to a Lesson, or to everything that is wrong with it.

The keys, their types and ranges are declared in `gpu.lessons.lesson`; the Markdown has one section
"## key" for each step. Unknown keys are errors: a misspelt key that is quietly ignored costs a
teacher an hour.
"""

from __future__ import annotations

import os
import re
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

from msgspec import structs

from gpu.errors import GpuError
from gpu.files import read_regular
from gpu.lessons.lesson import Lesson, LessonFile, Step, Value, own_class
from gpu.schema import SchemaError, checked
from gpu.words import SENTENCE, in_sight

SECTION = re.compile(r"^## +(\S+) *$", re.MULTILINE)
FOLDER = "SSSP_SCOPE_LESSONS"  # environment: a folder of one's own lessons
MOST_BYTES = 1 << 20  # a lesson is text; more is a mistake


class LessonError(GpuError):
    """A lesson file that cannot be used; the message names the file and the place in it."""


def find_lessons(folder: str | Path | None = None) -> list[Path]:
    """Return the TOML files of our own lessons, then those of a user's folder, by name.

    folder : None takes the one that the environment variable SSSP_SCOPE_LESSONS names, if any
    """
    own = Path(str(files("assets"))) / "lessons"
    folder = os.environ.get(FOLDER) or None if folder is None else folder
    folders = [own] if folder is None else [own, Path(folder)]
    rank = lambda path: re.sub(r"^\d(?!\d)", r"0\g<0>", path.name)  # noqa: E731, 10 is after 9
    return [
        p for where in folders if where.is_dir() for p in sorted(where.glob("*.toml"), key=rank)
    ]


def read_lesson(path: str | Path) -> Lesson:
    """Read one lesson. Raises LessonError; `gpu.lessons.check` finds what only a run shows."""
    path = Path(path)
    try:
        written = checked(LessonFile, _toml(path), own_class)
    except SchemaError as error:
        raise LessonError(f"{path}: {error}") from error
    head = written.lesson
    name = head.text or f"{path.stem}.md"
    texts = sections(_text(path.parent / name))
    steps = []
    for step in written.steps:
        if step.key not in texts:
            lost = "## " + step.key
            raise LessonError(f"{path}: step {step.key!r}: the text has no section {lost!r}")
        whole = structs.asdict(step) | {"title": in_sight(step.title or step.key)}
        steps.append(Step(**whole, text=texts.pop(step.key)))
    if texts:
        unused = next(iter(texts))
        raise LessonError(f"{path}: {name} has a section {unused!r} and no step of that key")
    said = {"title": head.title, "idea": head.idea, "figure": head.figure}
    words = {key: in_sight(text, SENTENCE) for key, text in said.items()}
    steps_read, dots = tuple(steps), dict(head.dots)
    return Lesson(
        path.stem, **words, minutes=head.minutes, steps=steps_read, path=str(path), dots=dots
    )


def sections(text: str) -> dict[str, str]:
    """Split Markdown at its "## key" lines: key -> text, stripped."""
    parts = SECTION.split(text)
    return {key: body.strip() for key, body in zip(parts[1::2], parts[2::2], strict=True)}


def value_of(written: Any, where: str) -> Value:
    """Read "run.quantity", "run.quantity(at)" or {value = ..., over = ...}. LessonError."""
    try:
        return Value.read(written)
    except ValueError as error:
        raise LessonError(f"{where}: {error}") from error


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(_text(path))
    except RecursionError as error:
        raise LessonError(f"{path}: nested too deeply; a lesson has tables in [[step]]") from error
    except ValueError as error:  # also a number of more digits than Python reads
        raise LessonError(f"{path}: {error}") from error


def _text(path: Path) -> str:
    try:
        text = read_regular(path, MOST_BYTES).decode("utf-8")
    except UnicodeDecodeError as error:
        raise LessonError(f"{path}: not UTF-8 text ({error.reason})") from error
    except OSError as error:
        raise LessonError(f"{path}: {error.strerror or error}") from error
    except MemoryError as error:
        raise LessonError(f"{path}: memory ran out; close other programs") from error
    if "\0" in text:
        raise LessonError(f"{path}: not text: it holds a NUL")
    return text.replace("\r\n", "\n")
