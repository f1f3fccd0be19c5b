"""GML, the graph modelling language.

    graph [ directed 1  node [ id 0 ]  edge [ source 0 target 1 weight 2.5 ] ]

Undirected unless `directed 1` stands in it. Vertices are called by their `id`, not by the
`label`. Parallel edges are kept. Text is UTF-8 or else Latin-1. Weights and positions
(`graphics`, `x` and `y`): see `gpu.formats.exchange`.
"""

from __future__ import annotations

import re
from html import unescape
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from gpu.errors import FormatError
from gpu.formats.elements import (
    OTHER_PLACES,
    SENTINEL,
    Declared,
    Surroundings,
    read_elements,
)
from gpu.formats.exchange import (
    BYTES_PER_BYTE,
    WHOLE,
    Attributes,
    Network,
    graph_from_network,
    usual_name,
)
from gpu.graph import CSRGraph
from gpu.parsing.filebytes import FileBytes
from gpu.parsing.reading import Format, Reading, WeightNames, shown
from gpu.parsing.rows import runs_compiled

BEGINNING = re.compile(rb"^[ \t]*+graph\s*+\[", re.MULTILINE)
BEFORE = re.compile(  # what may stand before the graph: comments, keys with their values
    rb"(?:[ \t\r\n]++|#[^\n]*+|(?!graph\b)[A-Za-z]\w*+[ \t]++(?:\"[^\"]*+\"|[-+.\w]++))*+"
)
TOKEN = re.compile(r'\s*+(?:#[^\n]*+\s*+)*+(\[|\]|"[^"]*+"|[^\s\[\]"#]++)(?:\s*+#[^\n]*+)*+')
FLAT = re.compile(r'\s*+\b(node|edge)\s*+\[([^\[\]"#]*+)\]')  # a block of numbers and words alone
OPEN_QUOTE = re.compile(r'\s*+(?:#[^\n]*+\s*+)*+"')
KEY = re.compile(r"[A-Za-z_]\w*+")
MOST_DEPTH = 100
EDGE = re.compile(rb"\bedge\s*+\[([^\[\]]*+)\]")
NUMBER_KEY = re.compile(rb"(?<!\S)([A-Za-z]\w*+)[ \t]++[-+.]?[0-9]")
NOT_WEIGHTS = {"source", "target", "id", "key"}
EDGES_LOOKED_AT = 100
ELEMENTS_BEGIN = re.compile(  # a graph, with nothing but flat keys before its first node or edge
    rb"(?:[^\[\]\"#]|\"[^\"]*+\")*?\bgraph\s*+\[(?:[^\[\]\"#]|\"[^\"]*+\")*?(?=\b(?:node|edge)\s*+\[)"
)
EDGE_KEY = re.compile(rb"(?<!\S)([A-Za-z_]\w*+)[ \t]++(?![\s\]])")
UNWANTED = OTHER_PLACES | {"x", "y", "viz"}  # places that the loops do not read
ASCII = 127
EDGES_PER_REPORT = 20_000


def sniff(head: bytes) -> float:
    """Return 1 for `graph [` after comments and keys, 0.8 for one after something else."""
    if head.lstrip()[:1] in {b"<", b"*", b"%"}:
        return 0.0
    found = BEGINNING.search(head)
    if found is None:
        return 0.0
    return 1.0 if BEGINNING.match(head, BEFORE.match(head).end()) else 0.8  # type: ignore[union-attr]


def read(reading: Reading, data: FileBytes) -> CSRGraph:
    """Read the first graph of a GML file."""
    if runs_compiled(len(data)):
        graph = read_elements(reading, data, AroundGml(reading))
        if graph is not None:
            return graph
    reading.need_memory(BYTES_PER_BYTE * len(data))
    try:
        text = bytes(data).decode()
    except UnicodeDecodeError:
        text = bytes(data).decode("latin-1")
    network = _network(reading, text)
    return graph_from_network(reading, "gml", network, len(data))


class AroundGml(Surroundings):
    """What stands around the nodes and edges of a GML file."""

    key = "gml"
    least_bytes = 10  # node[id 1]
    places, downwards = "graphics", True

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._before = ""

    def first(self, data: FileBytes) -> int:
        """Return where the first element of the graph begins, if all text is UTF-8."""
        found = ELEMENTS_BEGIN.match(data)
        if found is None:
            return -1
        if np.frombuffer(data, np.uint8).max() > ASCII:
            try:
                bytes(data).decode()
            except UnicodeDecodeError:
                return -1
        return found.end()

    def before(self, text: bytes, sample: bytes) -> Declared | None:
        """Return what the first edges have."""
        self._before = text.decode()
        keys: dict[str, None] = {}
        for edge in islice(EDGE.finditer(sample), EDGES_LOOKED_AT):
            keys |= dict.fromkeys(key.decode() for key in EDGE_KEY.findall(edge[1]))
        edges = [key for key in keys if key not in {"source", "target"}]
        if UNWANTED & set(edges):
            return None
        return Declared({key: key for key in edges}, tuple(sorted(UNWANTED)))

    def behind(self, text: bytes) -> Network:
        """Read the rest, with one node before it."""
        return _network(self._reading, f"{self._before} node [ id {SENTINEL} ] {text.decode()}")


class _Block(NamedTuple):
    """An open bracket: its key, the line where it began, what was found in it so far."""

    key: str
    line: int
    found: Attributes


def _network(reading: Reading, text: str) -> Network:  # noqa: PLR0912, PLR0915 - one loop
    """Go through the tokens once; raise FormatError with the line of the first fault."""
    network, graphs = Network(), 0
    blocks = [_Block("", 1, {})]
    key, at = "", 0
    line, counted = 1, 0  # where the last bracket began

    def fault(problem: str) -> FormatError:
        return reading.fault(problem, text.count("\n", 0, at) + 1)

    while at < len(text):
        flat = FLAT.match(text, at) if len(blocks) == 2 and not key else None
        if flat is not None and blocks[1].key == "graph" and not graphs:
            words = flat[2].split()
            found = dict(zip(words[::2], words[1::2], strict=False))
            if 2 * len(found) == len(words) and all(map(str.isidentifier, found)):
                line, counted = line + text.count("\n", counted, flat.start(1)), flat.start(1)
                _take(reading, network, _Block(flat[1], line, found))
                at = flat.end()
                continue
        token = TOKEN.match(text, at)
        if token is None:
            break
        word, at = token[1], token.start(1)
        if word == "[" and key:
            line, counted = line + text.count("\n", counted, at), at
            blocks.append(_Block(key, line, {}))
            if len(blocks) > MOST_DEPTH:
                raise fault(f"brackets nest deeper than {MOST_DEPTH}")
            key = ""
        elif word == "]" and len(blocks) > 1 and not key:
            block = blocks.pop()
            graphs += block.key == "graph" and len(blocks) == 1
            if not graphs and len(blocks) == 2 and blocks[1].key == "graph":
                _take(reading, network, block)
            elif graphs == 1 and len(blocks) == 1 and block.key == "graph":
                network.directed = block.found.get("directed") == "1"
            else:
                _give(blocks[-1].found, block.key, block.found)
        elif not key and KEY.fullmatch(word):
            key = word
        elif key and word not in {"[", "]"}:
            _give(blocks[-1].found, key, unescape(word[1:-1]) if word[0] == '"' else word)
            key = ""
        else:
            raise fault(f"found {shown(word.encode())}, expected 'KEY VALUE'")
        at = token.end()
    if OPEN_QUOTE.match(text, at):
        raise fault("a quote that never closes")
    if len(blocks) > 1:
        raise reading.fault(f"the bracket of {blocks[-1].key!r} never closes", blocks[-1].line)
    if not graphs or key:
        raise fault("expected 'graph [ ... ]', each key with its value")
    if graphs > 1:
        reading.note("only the first graph of the file was read")
    return network


def _give(found: Attributes, key: str, value: Any) -> None:
    """Add a value; a key that stands twice has a list of them."""
    if key in found:
        before = found[key]
        value = [*before, value] if isinstance(before, list) else [before, value]
    found[key] = value


def _take(reading: Reading, network: Network, block: _Block) -> None:
    """Add a node or an edge of the graph."""
    found = block.found
    if len(network.edges) % EDGES_PER_REPORT == 0:
        reading.report(0.5, "parsing")
    if block.key == "node":
        network.add_node(reading, _name(found.get("id")), block.line).update(found)
    elif block.key == "edge":
        ends = _name(found.pop("source", None)), _name(found.pop("target", None))
        network.add_edge(reading, *ends, block.line).attributes = found


def _name(value: Any) -> str | None:
    """Return an identifier; 007 and 7 are the same number."""
    if value is None:
        return None
    text = str(value)
    return str(int(text)) if WHOLE.fullmatch(text) else text


def weight_names(head: bytes) -> WeightNames:
    """Return the keys of the first edges that have numbers."""
    found: dict[str, None] = {}
    for edge in islice(EDGE.finditer(head), EDGES_LOOKED_AT):
        found |= dict.fromkeys(key.decode() for key in NUMBER_KEY.findall(edge[1]))
    names = tuple(name for name in found if name.casefold() not in NOT_WEIGHTS)
    return WeightNames(names, usual_name(names))


FORMAT = Format("gml", "GML", (".gml",), sniff, read, weight_names=weight_names)
