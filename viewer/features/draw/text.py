"""Edge lists as people write them, in and out: `S -> A 10`, `1 2 7`, `Ulm,Bonn,3`.

One line is one edge: tail, head, weight (1 where there is none); or one vertex by itself. Between
them stands an arrow (`->`, `→`, `=>`), a line for both ways (`--`, `–`, `<->`), a comma, a
semicolon, a tab or blanks; `<-` leads the other way. Names with blanks need quotes or commas.
A colon or `[weight=3]`, as in DOT, may stand before the weight. # % // begin comments. All
mistakes are reported at once, each with its line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from gpu.errors import ParameterError
from viewer.features.draw.drawing import Arc, Drawing
from viewer.features.draw.rules import (
    MOST_ARCS,
    MOST_VERTICES,
    Weight,
    checked_name,
    read_weight,
    weight_words,
)

LONGEST = 1_000_000  # characters of a text
MOST_PROBLEMS = 20  # told one by one
ARROWS = {"->": 1, "-->": 1, "=>": 1, "→": 1, "<-": -1, "←": -1}
LINES = ("--", "–", "—", "<->", "<-->", "↔")
HEADINGS = {"source", "from", "tail", "u", "start", "src"}
HEADINGS_TO = {"target", "to", "head", "v", "end", "dst", "destination"}
_QUOTED = re.compile(r'"([^"]*)"')
_COMMENT = re.compile(r"\s*(?:#|%|//|/\*)")
_FRAME = re.compile(r"(?:strict\s+)?(?:di)?graph\b[^{]*\{|\}", re.IGNORECASE)
_BRACKETS = re.compile(r"\[([^\[\]]*)\]")
_WEIGHT = re.compile(r".*(?:weight|label|len)\s*")
_DECIMAL_COMMA = re.compile(r"\s*(?:\S+\s+){1,2}[+-]?\d+,\d+\s*")  # a weight with a comma in it
_LINK = re.compile(r"(?<!\s)\s*(<-{1,2}>|-{1,2}>|=>|<-{1,2}|→|←|↔|--|–|—)\s*")


@dataclass
class Parsed:
    """What a text says.

    names : of vertices, in the order in which they came
    arcs : (tail, head, weight), indices into names
    problems : sentences that begin with the line's number
    """

    names: dict[str, int] = field(default_factory=dict)
    arcs: list[tuple[int, int, Weight]] = field(default_factory=list)
    undirected: bool | None = None
    problems: list[str] = field(default_factory=list)

    def vertex(self, text: str) -> int:
        """Return the number of a vertex; a name that is new gets the next one."""
        name = checked_name(text, ())
        return self.names.setdefault(name, len(self.names))


def parse_edges(text: str) -> Parsed:
    """Read a text; see the module docstring. Never raises: mistakes are in `problems`."""
    if len(text) > LONGEST:
        words = f"{len(text):,} characters are too many: up to {LONGEST:,}; open it as a file."
        return Parsed(problems=[words])
    parsed = Parsed()
    first = True
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip().removeprefix("\ufeff")
        if not line or _COMMENT.match(line) or _FRAME.fullmatch(line):
            continue
        try:
            if not (first and _is_heading(line)):
                _read_line(parsed, line.rstrip(";").strip())
        except ParameterError as error:
            parsed.problems.append(f"Line {number}: {error}")
        first = False
    if len(parsed.names) > MOST_VERTICES or len(parsed.arcs) > MOST_ARCS:
        parsed.problems.append(
            f"{len(parsed.names):,} vertices and {len(parsed.arcs):,} edges: a drawing holds up to "
            f"{MOST_VERTICES} and {MOST_ARCS:,}; save the text as a file and open that."
        )
    return parsed


def _read_line(parsed: Parsed, line: str) -> None:
    columns, link = _columns(line)
    if not 1 <= len(columns) <= 3 or (link and len(columns) < 2):
        raise ParameterError(
            f"{len(columns)} columns found; expected TAIL HEAD WEIGHT, such as S -> A 10."
        )
    if len(columns) == 1:
        parsed.vertex(columns[0])
        return
    weight = read_weight(columns[2]) if len(columns) == 3 else 1
    for name in columns[:2]:
        checked_name(name, ())
    ends = [parsed.vertex(name) for name in columns[:2]]
    if link in LINES or link in ARROWS:
        both = link in LINES
        if parsed.undirected is not None and parsed.undirected != both:
            raise ParameterError("arrows and lines are mixed; write -> or -- in all lines.")
        parsed.undirected = both
    if ARROWS.get(link, 1) < 0:
        ends.reverse()
    parsed.arcs.append((ends[0], ends[1], weight))


def _columns(line: str) -> tuple[list[str], str]:
    """Return the columns of a line, and the arrow or line between the first two, or ""."""
    kept: list[str] = []

    def keep(match: re.Match[str]) -> str:
        kept.append(match[1])
        return f"\0{len(kept) - 1}\0"

    line = _QUOTED.sub(keep, _BRACKETS.sub(_weight_in, line))
    link = _LINK.search(line)
    if link is not None:
        tail, rest = line[: link.start()], line[link.end() :]
        columns = [tail.strip(), *_parted(rest)]
    else:
        columns = _parted(line)
    return [re.sub(r"\0(\d+)\0", lambda m: kept[int(m[1])], c) for c in columns], (
        link[1] if link is not None else ""
    )


def _weight_in(match: re.Match[str]) -> str:
    """Return what `[3]` or `[weight=3, color=red]` says of the weight; others stay as they are."""
    if "=" not in match[1]:
        return f" {match[1].strip()}"
    for part in match[1].split(","):
        name, _, value = part.partition("=")
        if _WEIGHT.fullmatch(name):
            return " " + value.strip().strip('"')
    return match[0]


def _parted(text: str) -> list[str]:
    if _DECIMAL_COMMA.fullmatch(text):
        return text.split()
    for mark in ("\t", ";", ","):
        if mark in text:
            return [part.strip() for part in text.split(mark)]
    return re.sub(r":\s+|:$", " ", text).split()


def _is_heading(line: str) -> bool:
    columns, _ = _columns(line)
    words = [column.lower() for column in columns[:2]]
    return len(words) == 2 and words[0] in HEADINGS and words[1] in HEADINGS_TO


def edge_text(drawing: Drawing, arcs: tuple[Arc, ...] | None = None) -> str:
    """Return a drawing as lines that `parse_edges` reads back: `S -> A 10`.

    arcs : only these; None for all, and vertices without arcs by themselves
    """
    mark = "->" if drawing.directed else "--"
    names = {vertex.key: _quoted(vertex.name) for vertex in drawing.vertices}
    chosen = drawing.arcs if arcs is None else arcs
    lines = [
        f"{names[arc.tail]} {mark} {names[arc.head]} {weight_words(arc.weight)}" for arc in chosen
    ]
    if arcs is None:
        used = {end for arc in drawing.arcs for end in (arc.tail, arc.head)}
        lines = [names[v.key] for v in drawing.vertices if v.key not in used] + lines
    return "\n".join(lines) + "\n" if lines else ""


def _quoted(name: str) -> str:
    plain = re.fullmatch(r"[\w.]+", name) is not None
    return name if plain else f'"{name}"'
