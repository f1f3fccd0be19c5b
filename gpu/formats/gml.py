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

from gpu.formats.base import Format, Reading, WeightNames, shown
from gpu.formats.exchange import (
    BYTES_PER_BYTE,
    WHOLE,
    Attributes,
    Network,
    graph_from_network,
    usual_name,
)
from gpu.formats.filebytes import FileBytes
from gpu.graph import CSRGraph
from gpu.memory import require_memory

BEGINNING = re.compile(rb"^[ \t]*+graph\s*+\[", re.MULTILINE)
BEFORE = re.compile(  # what may stand before the graph: comments, keys with their values
    rb"(?:[ \t\r\n]++|#[^\n]*+|(?!graph\b)[A-Za-z]\w*+[ \t]++(?:\"[^\"]*+\"|[-+.\w]++))*+"
)
TOKEN = re.compile(r'\s*+(?:#[^\n]*+\s*+)*+(\[|\]|"[^"]*+"|[^\s\[\]"#]++)(?:\s*+#[^\n]*+)*+')
KEY = re.compile(r"[A-Za-z_]\w*+")
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
    """Read the first graph of a GML file."""
    require_memory(BYTES_PER_BYTE * len(data), str(reading.path))
    try:
        text = bytes(data).decode()
    except UnicodeDecodeError:
        text = bytes(data).decode("latin-1")
    network = _network(reading, text)
    return graph_from_network(reading, "gml", network, len(data))


class _Block(NamedTuple):
    """An open bracket: its key, the line where it began, what was found in it so far."""

    key: str
    line: int
    found: Attributes


def _network(reading: Reading, text: str) -> Network:  # noqa: PLR0912 - one loop over tokens
    """Go through the tokens once; raise FormatError with the line of the first fault."""
    network, graphs = Network(), 0
    blocks = [_Block("", 1, {})]
    key, at, line = "", 0, 1
    for token in TOKEN.finditer(text):
        line += text.count("\n", at, token.start(1))
        if token.start() != at:
            raise reading.fault("a quote that never closes", line)
        at = token.start(1)
        line += text.count("\n", at, token.end())
        word, at = token[1], token.end()
        if word == "[" and key:
            blocks.append(_Block(key, line, {}))
            if len(blocks) > MOST_DEPTH:
                raise reading.fault(f"brackets nest deeper than {MOST_DEPTH}", line)
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
            continue
        elif key and word not in {"[", "]"}:
            _give(blocks[-1].found, key, unescape(word[1:-1]) if word[0] == '"' else word)
        else:
            raise reading.fault(f"found {shown(word.encode())}, expected 'KEY VALUE'", line)
        key = ""
    if len(blocks) > 1:
        raise reading.fault(f"the bracket of {blocks[-1].key!r} never closes", blocks[-1].line)
    if not graphs or key or text[at:].strip():
        raise reading.fault("expected 'graph [ ... ]', each key with its value", line)
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
