"""GraphML and GEXF, the XML formats of other programs, read through NetworkX.

XML can be made to explode: entities that expand to entities, or that fetch files. So the text
goes through expat once before a tree is built of it: a declaration of an entity ends the
reading, nothing is ever fetched, elements may nest MOST_DEPTH deep, and a fault of the
syntax is told with its line. Direction, weights and positions: see `gpu.formats.exchange`.
"""

from __future__ import annotations

import io
import re
from html import unescape
from typing import Any
from xml.parsers import expat

from gpu.errors import FormatError
from gpu.formats.base import Format, Reading, WeightNames, shown
from gpu.formats.exchange import graph_from_networkx, read_with, usual_name
from gpu.formats.filebytes import FileBytes
from gpu.graph import CSRGraph
from gpu.memory import require_memory

MARK_BYTES = 8192  # how far from the beginning the root element may stand
MOST_DEPTH = 100
CHUNK_BYTES = 1 << 20
ATTRIBUTE = re.compile(rb"([\w.:]+)\s*+=\s*+(?:\"([^\"<]*+)\"|'([^'<]*+)')")
GRAPHML_KEY = re.compile(rb"<key\b([^<>]*+)>")
GEXF_BLOCK = re.compile(rb"<attributes\b([^<>]*+)>(.*?)</attributes>", re.DOTALL)
GEXF_KEY = re.compile(rb"<attribute\b([^<>]*+)>")
GEXF_EDGE = re.compile(rb"<edge\b([^<>]*+)>")
NUMBERS = {"int", "integer", "long", "short", "float", "double", "decimal", ""}
SYNTAX_SHARE = 0.5, 0.1  # of the progress bar: where it begins, and how much it takes


def sniff_graphml(head: bytes) -> float:
    """Return 1 where the root element is `graphml`."""
    return _root(head, b"graphml")


def sniff_gexf(head: bytes) -> float:
    """Return 1 where the root element is `gexf`."""
    return _root(head, b"gexf")


def _root(head: bytes, name: bytes) -> float:
    if not head.lstrip().startswith(b"<"):
        return 0.0
    at = head.find(b"<" + name)
    rest = head[at + 1 + len(name) : at + 2 + len(name)]
    return float(0 <= at < MARK_BYTES and (not rest or rest in b" \t\r\n>/"))


def read_graphml(reading: Reading, data: FileBytes) -> CSRGraph:
    """Read the first graph of a GraphML file."""
    _check_syntax(reading, data)

    def parse() -> Any:
        from networkx import read_graphml

        return read_graphml(io.BytesIO(data), force_multigraph=True)

    graph = read_with(reading, "GraphML", len(data), parse)
    return graph_from_networkx(reading, "graphml", graph, len(data))


def read_gexf(reading: Reading, data: FileBytes) -> CSRGraph:
    """Read a GEXF file of any version."""
    _check_syntax(reading, data)

    def parse() -> Any:
        from networkx import read_gexf

        return read_gexf(io.BytesIO(data))

    graph = read_with(reading, "GEXF", len(data), parse)
    return graph_from_networkx(reading, "gexf", graph, len(data))


def graphml_names(head: bytes) -> WeightNames:
    """Return the attributes of edges that are declared as numbers."""
    keys = [_attributes(found) for found in GRAPHML_KEY.findall(head)]
    names = tuple(
        key["attr.name"]
        for key in keys
        if "attr.name" in key
        and key.get("for", "all") in {"edge", "all"}
        and key.get("attr.type", "") in NUMBERS
    )
    return WeightNames(names, usual_name(names))


def gexf_names(head: bytes) -> WeightNames:
    """Return the edges' own weight and declared numbers; none before the first edge is met."""
    edges = [_attributes(found) for found in GEXF_EDGE.findall(head)]
    if not edges:
        return WeightNames()
    names = ["weight"] if any("weight" in edge for edge in edges) else []
    for attributes, block in GEXF_BLOCK.findall(head):
        if _attributes(attributes).get("class") == "edge":
            keys = [_attributes(found) for found in GEXF_KEY.findall(block)]
            names += [
                key["title"]
                for key in keys
                if "title" in key and key.get("type", "") in NUMBERS - {""}
            ]
    return WeightNames(tuple(dict.fromkeys(names)), usual_name(names))


def _attributes(element: bytes) -> dict[str, str]:
    """Return the attributes in the text of a start tag."""
    return {
        name.decode("utf-8", "replace"): unescape((a or b).decode("utf-8", "replace"))
        for name, a, b in ATTRIBUTE.findall(element)
    }


def _check_syntax(reading: Reading, data: FileBytes) -> None:
    """Refuse XML that is not well formed, declares entities, or nests too deep."""
    require_memory(len(data), str(reading.path))
    parser, depth = expat.ParserCreate(), [0]

    def declared(name: str, *_rest: object) -> None:
        raise reading.fault(
            f"declares the entity {shown(name.encode())}; expected none: they can blow a file up",
            parser.CurrentLineNumber,
        )

    def begun(_name: str, _attributes: object) -> None:
        depth[0] += 1
        if depth[0] > MOST_DEPTH:
            raise reading.fault(
                f"elements nest deeper than {MOST_DEPTH}; a graph needs a few levels",
                parser.CurrentLineNumber,
            )

    def ended(_name: str) -> None:
        depth[0] -= 1

    parser.EntityDeclHandler = declared
    parser.StartElementHandler, parser.EndElementHandler = begun, ended
    low, share = SYNTAX_SHARE
    try:
        for at in range(0, len(data), CHUNK_BYTES):
            reading.report(low, "checking XML")
            parser.Parse(bytes(data[at : at + CHUNK_BYTES]), False)
            low += share * CHUNK_BYTES / len(data) if low < sum(SYNTAX_SHARE) else 0
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        words = expat.ErrorString(error.code) or "broken"
        raise reading.fault(f"no well-formed XML ({words})", error.lineno) from error
    except (ValueError, LookupError) as error:  # an encoding that Python does not know
        words = " ".join(str(error).split())[:80]
        raise FormatError(reading.path, f"no readable XML ({words})") from error


GRAPHML = Format(
    "graphml", "GraphML", (".graphml",), sniff_graphml, read_graphml, weight_names=graphml_names
)
GEXF = Format("gexf", "GEXF", (".gexf",), sniff_gexf, read_gexf, weight_names=gexf_names)
