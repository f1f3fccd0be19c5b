"""GraphML and GEXF, the XML formats of other programs, in one pass of expat.

No tree is built. Elements are known by their names without a namespace: GEXF has had five, and
programs write files with none. Every fault names its line.

XML can be made to explode: entities that expand to entities, or that fetch files. So a
declaration of an entity ends the reading, nothing is ever fetched, and elements may nest
MOST_DEPTH deep. Nested graphs and nodes are vertices as the others are. Direction, weights and
positions: see `gpu.formats.exchange`.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from html import unescape

import numpy as np

from gpu.formats.elements import (
    OTHER_PLACES,
    SENTINEL,
    Declared,
    Surroundings,
    read_elements,
)
from gpu.formats.exchange import (
    BYTES_PER_BYTE,
    Attributes,
    Edge,
    Network,
    graph_from_network,
    usual_name,
    whole_or_float,
)
from gpu.formats.xml_pass import XmlPass
from gpu.graph import CSRGraph
from gpu.parsing.filebytes import FileBytes
from gpu.parsing.reading import Format, Reading, WeightNames
from gpu.parsing.rows import runs_compiled

MARK_BYTES = 8192  # how far from the beginning the root element may stand
MOST_DEPTH = 100
ATTRIBUTE = re.compile(rb"([\w.:]+)\s*+=\s*+(?:\"([^\"<]*+)\"|'([^'<]*+)')")
GRAPHML_KEY = re.compile(rb"<key\b([^<>]*+)>")
GEXF_BLOCK = re.compile(rb"<attributes\b([^<>]*+)>(.*?)</attributes>", re.DOTALL)
GEXF_KEY = re.compile(rb"<attribute\b([^<>]*+)>")
GEXF_EDGE = re.compile(rb"<edge\b([^<>]*+)>")
NUMBERS = {"int", "integer", "long", "short", "float", "double", "decimal", ""}
READ_SHARE, PARSE_SHARE = 0.5, 0.3  # of the progress bar
GRAPH_TAG, ELEMENT_TAG = re.compile(rb"<graph[\s>]"), re.compile(rb"<(?:node|edge)[\s/>]")
CODING = re.compile(rb"^<\?xml[^>]*?encoding=[\"']([^\"']*)")
NO_LETTER = b"\xef\xbf"  # begins two that no XML may hold
ASCII = 127
TRUTH = {"true": True, "false": False}
GEXF_DIRECTED = {"directed": True, "undirected": False, "mutual": False}


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
    if runs_compiled(len(data)):
        graph = read_elements(reading, data, AroundGraphML(reading))
        if graph is not None:
            return graph
    return _read(reading, "graphml", GraphML(reading), data)


def read_gexf(reading: Reading, data: FileBytes) -> CSRGraph:
    """Read a GEXF file of any version."""
    return _read(reading, "gexf", Gexf(reading), data)


def _read(reading: Reading, key: str, parser: Markup, data: FileBytes) -> CSRGraph:
    reading.need_memory(BYTES_PER_BYTE * len(data))
    parser.parse(data)
    if parser.graphs == 0:
        raise reading.fault(f"no <graph> element; expected one in <{key}>")
    if parser.graphs > 1:
        reading.note("only the first graph of the file was read")
    return graph_from_network(reading, key, parser.network, len(data))


class Markup(XmlPass):
    """One pass over XML that fills `network`; a format says what its elements mean.

    `inside` holds what node or edge is open, innermost last, and where its attributes go.
    """

    FIRST_SHARE, SHARE = READ_SHARE, PARSE_SHARE

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading)
        self.network = Network()
        self.graphs = 0
        self._open: list[str] = []
        self._graph_depth = 0
        self.inside: list[Attributes] = []
        self.edge: Edge | None = None
        self.text: list[str] | None = None  # of the element that is open, None: not wanted
        self._expat.buffer_text = True
        self._expat.CharacterDataHandler = self._characters

    def _begun(self, name: str, given: dict[str, str]) -> None:
        name = name.rpartition(":")[2]
        self._open.append(name)
        if len(self._open) > MOST_DEPTH:
            raise self.reading.fault(
                f"elements nest deeper than {MOST_DEPTH}; a graph needs a few levels", self.line
            )
        if name == "graph" and not self._graph_depth:
            self.graphs += 1
            self._graph_depth = len(self._open)
            if self.graphs == 1:
                self.begin_graph(given)
        elif self.graphs <= 1:
            self.begin(name, given)

    def _ended(self, name: str) -> None:
        if self.graphs <= 1:
            self.end(self._open[-1])
        if len(self._open) == self._graph_depth:
            self._graph_depth = 0
        self._open.pop()

    def _characters(self, text: str) -> None:
        if self.text is not None:
            self.text.append(text)

    @abstractmethod
    def begin_graph(self, attributes: dict[str, str]) -> None:
        """Take the attributes of the graph's element."""

    @abstractmethod
    def begin(self, name: str, attributes: dict[str, str]) -> None:
        """Take an element that begins, of the first graph or outside of any."""

    @abstractmethod
    def end(self, name: str) -> None:
        """Take the end of an element."""

    def begin_node(self, attributes: dict[str, str]) -> None:
        """Add a vertex, to which the attributes that follow belong."""
        node = self.network.add_node(self.reading, attributes.get("id"), self.line)
        self.inside.append(node)

    def begin_edge(self, attributes: dict[str, str]) -> Edge:
        """Add an edge, to which the attributes that follow belong."""
        ends = attributes.get("source"), attributes.get("target")
        edge = self.network.add_edge(self.reading, *ends, self.line)
        self.inside.append(edge.attributes)
        return edge


class GraphML(Markup):
    """Attributes are declared by <key>, with a default, and given by <data>."""

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading)
        self._names: dict[str, str] = {}
        self._for: dict[str, str] = {}
        self._key = ""

    def begin_graph(self, attributes: dict[str, str]) -> None:
        """Take the direction of edges."""
        self.network.directed = attributes.get("edgedefault") == "directed"

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        """Take a node, an edge, a key, a piece of data."""
        if name == "node":
            self.begin_node(attributes)
        elif name == "edge":
            edge = self.begin_edge(attributes)
            edge.directed = TRUTH.get(attributes.get("directed", ""))
        elif name == "hyperedge":
            raise self.reading.fault("a hyperedge; expected edges of two ends", self.line)
        elif name == "key":
            self._key = attributes.get("id", "")
            self._names[self._key] = attributes.get("attr.name", self._key)
            self._for[self._key] = attributes.get("for", "all")
        elif name == "data":
            self._key, self.text = attributes.get("key", ""), []
        elif name == "default":
            self.text = []
        elif name == "Geometry" and self.inside:  # yEd's
            self.inside[-1].update({k: attributes[k] for k in ("x", "y") if k in attributes})

    def declared(self) -> Declared | None:
        """Return the attributes that were declared so far, None where names stand twice."""
        edges = {key: name for key, name in self._names.items() if self._for[key] != "node"}
        nodes = {name: key for key, name in self._names.items() if self._for[key] != "edge"}
        others = [key for key in self._names if self._for[key] == "node"]
        if len(nodes) + len(edges) < len(self._names) or OTHER_PLACES & set(nodes):
            return None
        return Declared(edges, tuple(others), nodes.get("x"), nodes.get("y"), self.network.defaults)

    def end(self, name: str) -> None:
        """Give what an element held to whom it belongs."""
        if name in {"node", "edge"}:
            self.inside.pop()
        elif name in {"data", "default"} and self.text is not None:
            words, self.text = "".join(self.text).strip(), None
            attribute = self._names.get(self._key, self._key)
            if name == "data" and self.inside and words:
                self.inside[-1][attribute] = words
            elif name == "default" and self._for.get(self._key) in {"edge", "all"}:
                self.network.defaults[attribute] = _number_or_words(words)


class AroundGraphML(Surroundings):
    """What stands around the nodes and edges of a GraphML file."""

    key = "graphml"
    least_bytes = 14  # <node id="1"/>

    def __init__(self, reading: Reading) -> None:
        self._parser = GraphML(reading)

    def first(self, data: FileBytes) -> int:
        """Return where the first element of the graph begins, if all text is plain UTF-8."""
        graph = GRAPH_TAG.search(data)
        element = graph and ELEMENT_TAG.search(data, graph.end())
        head = bytes(data[:MARK_BYTES])
        coding = CODING.search(head)
        if not element or (coding is not None and coding[1].lower() != b"utf-8"):
            return -1
        if not head.isascii() or np.frombuffer(data, np.uint8).max() > ASCII:
            try:
                bytes(data).decode()
            except UnicodeDecodeError:
                return -1
            if data.find(NO_LETTER) >= 0:
                return -1
        return element.start()

    def before(self, text: bytes, sample: bytes) -> Declared | None:
        """Return the declared attributes."""
        parser = self._parser
        parser.parse(text, last=False)
        return parser.declared()

    def behind(self, text: bytes) -> Network:
        """Read the rest, with one node before it."""
        self._parser.parse(b'<node id="%b"/>' % SENTINEL.encode() + text)
        if self._parser.graphs > 1:
            self._parser.reading.note("only the first graph of the file was read")
        return self._parser.network


def _number_or_words(words: str) -> float | str:
    try:
        return whole_or_float(words)
    except ValueError:
        return words


class Gexf(Markup):
    """Attributes are declared by class and id, and given by <attvalue>."""

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading)
        self._class = "node"
        self._names: dict[tuple[str, str], str] = {}
        self._key = ""

    def begin_graph(self, attributes: dict[str, str]) -> None:
        """Take the direction of edges."""
        self.network.directed = GEXF_DIRECTED.get(attributes.get("defaultedgetype", ""), False)

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        """Take a node, an edge, the declaration of an attribute or its value."""
        if name == "node":
            self._class = "node"
            self.begin_node(attributes)
        elif name == "edge":
            self._class = "edge"
            edge = self.begin_edge(attributes)
            edge.directed = GEXF_DIRECTED.get(attributes.get("type", "").lower())
            if "weight" in attributes:
                edge.attributes["weight"] = attributes["weight"]
        elif name == "attributes":
            self._class = attributes.get("class", "node")
        elif name == "attribute":
            self._key = attributes.get("id", "")
            self._names[self._class, self._key] = attributes.get("title", self._key)
        elif name == "default":
            self.text = []
        elif name == "attvalue" and self.inside:
            key = attributes.get("for", attributes.get("id", ""))
            attribute = self._names.get((self._class, key), key)
            self.inside[-1].setdefault(attribute, attributes.get("value"))
        elif name == "position" and self.inside:
            self.inside[-1]["viz"] = {"position": attributes}

    def end(self, name: str) -> None:
        """Leave a node or an edge; keep a default."""
        if name in {"node", "edge"}:
            self.inside.pop()
            self._class = "node"
        elif name == "default" and self.text is not None:
            words, self.text = "".join(self.text).strip(), None
            if self._class == "edge":
                attribute = self._names[self._class, self._key]
                self.network.defaults[attribute] = _number_or_words(words)


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


GRAPHML = Format(
    "graphml", "GraphML", (".graphml",), sniff_graphml, read_graphml, weight_names=graphml_names
)
GEXF = Format("gexf", "GEXF", (".gexf",), sniff_gexf, read_gexf, weight_names=gexf_names)
