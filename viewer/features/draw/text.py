"""Edge lists as text, pasted and copied: `S -> A 10`, `1 2 7`, `Ulm, New York, 3`.

One line is one edge: tail, head, weight (1 if it is missing). An arrow (->), a line for both ways
(--), tabs, semicolons, commas or blanks separate them; a name with blanks needs one of the others.
Blank lines, comments (# % //) and a heading such as "source,target,weight" are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from gpu.errors import ParameterError
from viewer.features.draw.drawing import Arc, Drawing, Vertex
from viewer.features.draw.rules import Weight, check_counts, checked_name, read_weight, weight_words

LONGEST = 1_000_000  # characters of a text
EXPECTED = "expected TAIL HEAD WEIGHT, such as S -> A 10"
LINKS = {"": None, "->": True, "-->": True, "=>": True, "→": True}  # whether it leads one way
LINKS |= {"--": False, "–": False, "—": False, "<->": False, "↔": False}
COMMENTS = ("#", "%", "//")
_HEADING = re.compile(r"(?:source|from|tail|u)\b", re.IGNORECASE)
_LINK = re.compile(r"\s*(<-+>?|-+>|=>|→|↔|--|–|—)\s*")
_DECIMAL_COMMA = re.compile(r"\s*(?:\S+\s+){1,2}[+-]?\d+,\d+\s*")  # a weight with a comma in it


def parse_edges(text: str, name: str = "Pasted graph") -> Drawing:
    """Return the drawing that a text describes, without places.

    Raises ParameterError for the first line that cannot be read.
    """
    if len(text) > LONGEST:
        raise ParameterError(f"{len(text):,} characters are too many: open the text as a file.")
    keys: dict[str, int] = {}
    rows: list[tuple[int, int, Weight]] = []
    ways = set[bool]()
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip().removeprefix("\ufeff").rstrip("; ")
        if not line or line.startswith(COMMENTS) or (not rows and _HEADING.match(line)):
            continue
        try:
            columns, one_way = columns_of(line)
            weight = read_weight(columns[2]) if len(columns) == 3 else 1
            ends = [checked_name(column, ()) for column in columns[:2]]
            ways |= set() if one_way is None else {one_way}
            if len(ways) > 1:
                raise ParameterError("arrows and lines are mixed; write -> or -- in all lines.")
        except ParameterError as error:
            raise ParameterError(f"Line {number}: {error}") from None
        tail, head = (keys.setdefault(end, len(keys) + 1) for end in ends)
        rows.append((tail, head, weight))
    if not rows:
        raise ParameterError(f"There is no edge list on the clipboard: {EXPECTED}.")
    check_counts(len(keys), len(rows))
    first = len(keys) + 1
    arcs = (Arc(first + k, *row) for k, row in enumerate(rows))
    vertices = (Vertex(key, word, 0.0, 0.0) for word, key in keys.items())
    return Drawing(name, tuple(vertices), tuple(arcs), False not in ways)


def columns_of(line: str) -> tuple[list[str], bool | None]:
    """Return the two or three columns of a line; whether its mark leads one way, None for none."""
    link = _LINK.search(line)
    tail, mark, rest = ("", "", line) if link is None else _LINK.split(line, maxsplit=1)
    if mark not in LINKS:
        raise ParameterError(f"{mark} is not read; write -> or --.")
    separator = None
    if not _DECIMAL_COMMA.fullmatch(rest):
        separator = next((one for one in "\t;," if one in rest), None)
    columns = [tail] * bool(mark) + rest.split(separator)
    if not 2 <= len(columns) <= 3:
        raise ParameterError(f"{len(columns)} columns found; {EXPECTED}.")
    return columns, LINKS[mark]


def edge_text(drawing: Drawing, arcs: Iterable[Arc]) -> str:
    """Return arcs as lines that `parse_edges` reads back, a tab before the weight."""
    mark = "->" if drawing.directed else "--"
    names = {vertex.key: vertex.name for vertex in drawing.vertices}
    return "".join(
        f"{names[arc.tail]} {mark} {names[arc.head]}\t{weight_words(arc.weight)}\n" for arc in arcs
    )
