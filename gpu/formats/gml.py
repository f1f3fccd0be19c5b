"""GML, the graph modelling language.

    graph [ directed 1  node [ id 0 ]  edge [ source 0 target 1 weight 2.5 ] ]

Undirected unless `directed 1` stands in it. Vertices are named by their `id`, not by the `label`.
Repeated edges are kept. Text is UTF-8, otherwise Latin-1. Weights and positions (`graphics`, `x`
and `y`): `gpu.formats.exchange`.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Any, NamedTuple

from gpu.errors import FormatError
from gpu.formats.exchange import BYTES_PER_BYTE, WHOLE, Attributes, Network, arcs_of
from gpu.formats.reading import Arcs, Format, Reading, shown

BEGINNING = re.compile(rb"^[ \t]*+graph\s*+\[", re.MULTILINE)
BEFORE = re.compile(  # what may stand before the graph. No *+ around it: see tables.OPEN_LINE
    rb"(?:[ \t\r\n]++|#[^\n]*+|(?!graph\b)[A-Za-z]\w*+[ \t]++(?:\"[^\"]*+\"|[-+.\w]++))*"
)
TOKEN = re.compile(r'\s*+(?:#[^\n]*+\s*+)*+(\[|\]|"[^"]*+"|[^\s\[\]"#]++)(?:\s*+#[^\n]*+)*+')
OPEN_QUOTE = re.compile(r'\s*+(?:#[^\n]*+\s*+)*+"')
KEY = re.compile(r"[A-Za-z_]\w*+")
MOST_DEPTH = 100
EDGES_PER_REPORT = 20_000


def sniff(head: bytes) -> float:
    """Return 1 for `graph [` after comments and keys, 0.8 for one after something else."""
    if head.lstrip()[:1] in {b"<", b"*", b"%"}:
        return 0.0
    if BEGINNING.search(head) is None:
        return 0.0
    return 1.0 if BEGINNING.match(head, BEFORE.match(head).end()) else 0.8  # type: ignore[union-attr]


def read(reading: Reading, data: bytearray) -> Arcs:
    """Read the first graph of a GML file."""
    reading.need_memory(BYTES_PER_BYTE * len(data))
    try:
        text = bytes(data).decode()
    except UnicodeDecodeError:
        text = bytes(data).decode("latin-1")
    return arcs_of(reading, _network(reading, text), len(data))


class _Block(NamedTuple):
    """An open bracket: its key, the line where it begins, its keys and values so far."""

    key: str
    line: int
    values: Attributes


def _network(reading: Reading, text: str) -> Network:  # noqa: PLR0912 - one loop
    """Go through the tokens once; raise FormatError with the line of the first fault."""
    network, graphs = Network(), 0
    blocks = [_Block("", 1, {})]
    key, at = "", 0
    line, counted = 1, 0  # where the last bracket began

    def fault(problem: str) -> FormatError:
        return reading.fault(problem, text.count("\n", 0, at) + 1)

    while at < len(text):
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
                network.directed = block.values.get("directed") == "1"
            else:
                _set(blocks[-1].values, block.key, block.values)
        elif not key and KEY.fullmatch(word):
            key = word
        elif key and word not in {"[", "]"}:
            _set(blocks[-1].values, key, unescape(word[1:-1]) if word[0] == '"' else word)
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


def _set(values: Attributes, key: str, value: Any) -> None:
    """Set a value; a key that stands twice has a list of them."""
    if key in values:
        before = values[key]
        value = [*before, value] if isinstance(before, list) else [before, value]
    values[key] = value


def _take(reading: Reading, network: Network, block: _Block) -> None:
    values = block.values
    if len(network.edges) % EDGES_PER_REPORT == 0:
        reading.report(0.5, "parsing")
    if block.key == "node":
        network.add_node(reading, _name(values.get("id")), block.line).update(values)
    elif block.key == "edge":
        ends = _name(values.pop("source", None)), _name(values.pop("target", None))
        network.add_edge(reading, *ends, block.line).attributes = values


def _name(value: Any) -> str | None:
    """Return an identifier; 007 and 7 are the same number."""
    if value is None:
        return None
    text = str(value)
    plain = not WHOLE.fullmatch(text) or text[0] in "123456789"
    return text if plain else str(int(text))


FORMAT = Format("gml", "GML", (".gml",), sniff, read, named_weights=True)
