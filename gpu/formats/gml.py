"""GML, the graph modelling language, read through NetworkX.

    graph [ directed 1  node [ id 0 ]  edge [ source 0 target 1 weight 2.5 ] ]

Undirected unless `directed 1` stands in it. Vertices are called by their `id`, not by the
`label`. Parallel edges are kept: NetworkX wants them announced by `multigraph 1`, so the text
that it gets says so. Text is UTF-8 or else Latin-1. Weights and positions (`graphics`, `x`
and `y`): see `gpu.formats.exchange`.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

from gpu.formats.base import Format, Reading, WeightNames
from gpu.formats.exchange import graph_from_networkx, read_with, usual_name
from gpu.formats.filebytes import FileBytes
from gpu.graph import CSRGraph

BEGINNING = re.compile(rb"^[ \t]*+graph\s*+\[", re.MULTILINE)
BEFORE = re.compile(  # what may stand before the graph: comments, keys with their values
    rb"(?:[ \t\r\n]++|#[^\n]*+|(?!graph\b)[A-Za-z]\w*+[ \t]++(?:\"[^\"]*+\"|[-+.\w]++))*+"
)
MOST_DEPTH = 100
EDGE = re.compile(rb"\bedge\s*+\[([^\[\]]*+)\]")
NUMBER_KEY = re.compile(rb"(?<!\S)([A-Za-z]\w*+)[ \t]++[-+.]?[0-9]")
NOT_WEIGHTS = {"source", "target", "id", "key"}
EDGES_LOOKED_AT = 100


def sniff(head: bytes) -> float:
    """Return 1 for `graph [` after comments and keys, 0.8 for one after something else."""
    if head.lstrip()[:1] in {b"<", b"*", b"%"}:
        return 0.0
    found = BEGINNING.search(head)
    if found is None:
        return 0.0
    return 1.0 if BEGINNING.match(head, BEFORE.match(head).end()) else 0.8  # type: ignore[union-attr]


def read(reading: Reading, data: FileBytes) -> CSRGraph:
    """Read the graph of a GML file."""
    _check_depth(reading, data)

    def parse() -> Any:
        from networkx import parse_gml

        return parse_gml(_text(data), label="id")

    graph = read_with(reading, "GML", len(data), parse)
    return graph_from_networkx(reading, "gml", graph, len(data))


def _text(data: FileBytes) -> str:
    """Return the text with the graph announced as a multigraph, lines unmoved."""
    announced = BEGINNING.sub(lambda found: found[0] + b" multigraph 1 ", bytes(data), count=1)
    try:
        return announced.decode()
    except UnicodeDecodeError:
        return announced.decode("latin-1")


def weight_names(head: bytes) -> WeightNames:
    """Return the keys of the first edges that have numbers."""
    found: dict[str, None] = {}
    for edge in islice(EDGE.finditer(head), EDGES_LOOKED_AT):
        found |= dict.fromkeys(key.decode() for key in NUMBER_KEY.findall(edge[1]))
    names = tuple(name for name in found if name.casefold() not in NOT_WEIGHTS)
    return WeightNames(names, usual_name(names))


def _check_depth(reading: Reading, data: FileBytes) -> None:
    """Refuse brackets deeper than MOST_DEPTH: NetworkX reads them by recursion."""
    depth = deepest = 0
    for bracket in re.finditer(rb"[\[\]]", data):
        depth += 1 if bracket[0] == b"[" else -1
        deepest = max(deepest, depth)
        if deepest > MOST_DEPTH:
            line = data.count(b"\n", 0, bracket.start()) + 1
            raise reading.fault(f"brackets nest deeper than {MOST_DEPTH}", line)


FORMAT = Format("gml", "GML", (".gml",), sniff, read, weight_names=weight_names)
