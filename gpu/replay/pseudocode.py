"""Pseudocode as data, beside the kernel's own source: which event lights which line of both.

`assets/pseudocode/<algorithm>.toml` holds lines; a line has its text, the kinds of event that light
it (with `a`, only those whose a is that; with `reasons`, changes of Δ for these reasons only; with
`begins`, also the first item of the run, its source) and an anchor, "file: words", which is found
in the source when it is read. Every line that an event concerns counts it; the one of the fewest
kinds is lit, of equal ones the first.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from gpu.errors import ParameterError
from gpu.record.events import EventKind
from gpu.record.trace import Reason

KERNELS = "gpu.cuda.kernels"  # the package whose files anchors name, unless another is said


@dataclass(frozen=True)
class Line:
    """One line of pseudocode; `file` and `row` (from 0) are where the source does it."""

    text: str
    kinds: frozenset[EventKind]
    file: str
    row: int
    only: frozenset[int] | None = None  # events whose a is one of these, None any
    begins: bool = False  # the source, first item of the run, enters a work list here

    def concerns(self, kind: EventKind, a: int = 0) -> bool:
        """Whether an event is done by this line."""
        return kind in self.kinds and (self.only is None or a in self.only)


@dataclass(frozen=True)
class Pseudocode:
    """The lines of one algorithm, and the sources that they name: file -> lines."""

    title: str
    lines: tuple[Line, ...]
    sources: dict[str, tuple[str, ...]]

    @property
    def begins_at(self) -> int:
        """The place of the line in which the source enters, -1 where no line is that alone."""
        return next((k for k, line in enumerate(self.lines) if line.begins), -1)

    def counts(self, so_far: Callable[[Line], int]) -> list[int]:
        """Return how often each line has run; `so_far` counts events that a line concerns."""
        counts, begins = [so_far(line) for line in self.lines], self.begins_at
        for k, line in enumerate(self.lines):
            if begins >= 0 and EventKind.PUSH in line.kinds and counts[k]:
                counts[k] -= 1
                counts[begins] = 1
        return counts

    def lit_by(self, kind: EventKind, a: int = 0, first: bool = False) -> int:
        """Return the place of the line that an event lights, -1 where none does.

        first : it is the first of its kind in the run
        """
        if first and kind == EventKind.PUSH and self.begins_at >= 0:
            return self.begins_at
        places = [k for k, line in enumerate(self.lines) if line.concerns(kind, a)]
        return min(places, key=lambda k: len(self.lines[k].kinds), default=-1)


@cache
def pseudocode_of(algorithm: str) -> Pseudocode | None:
    """Return the pseudocode of a key of `gpu.algorithms`, or None where nobody wrote one.

    Raises ParameterError for a kind that does not exist, or words that no line has.
    """
    for entry in sorted(files("assets.pseudocode").iterdir(), key=lambda entry: entry.name):
        if entry.name.endswith(".toml"):
            data = tomllib.loads(entry.read_text(encoding="utf-8"))
            if algorithm in data.get("algorithms", [entry.name.removesuffix(".toml")]):
                return _read(entry.name, data)
    return None


def _read(name: str, data: dict[str, Any]) -> Pseudocode:
    sources: dict[str, tuple[str, ...]] = {}
    lines = []
    for line in data["lines"]:
        file, words = line["at"].split(": ", 1)
        if file not in sources:
            package = line.get("package", data.get("package", KERNELS))
            text = (files(package) / file).read_text(encoding="utf-8")
            sources[file] = tuple(text.splitlines())
        row = next((k for k, line in enumerate(sources[file]) if words in line), None)
        if row is None:
            raise ParameterError(f"{name}: no line of {file} has {words!r}; the source changed")
        kinds = frozenset(EventKind[kind] for kind in line.get("kinds", ()))
        only = frozenset(Reason[reason] for reason in line.get("reasons", ())) or None
        if "a" in line:
            only = frozenset([line["a"]])
        lines.append(Line(line["text"], kinds, file, row, only, line.get("begins", False)))
    return Pseudocode(data["title"], tuple(lines), sources)
