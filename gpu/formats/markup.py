"""GraphML, in one pass of expat, and what GEXF (`gpu.formats.gexf`) shares with it.

No tree is built. Namespaces of elements are ignored: programs write files with none. Every error
names its line. A declaration of an entity ends the reading, because a few entities can expand to
gigabytes; nothing is fetched; elements may nest MOST_DEPTH deep. Nested graphs and nodes are
vertices as the others are. Direction, weights and positions: `gpu.formats.exchange`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from xml.parsers import expat

from gpu.formats.exchange import BYTES_PER_BYTE, Attributes, Edge, Network, arcs_of, whole_or_float
from gpu.formats.reading import READ_SHARE, Arcs, Format, Reading, shown

MARK_BYTES = 8192  # how far from the beginning the root element may stand
MOST_DEPTH = 100
CHUNK_BYTES = 1 << 20
PARSE_SHARE = 0.3  # of the progress bar
TRUTH = {"true": True, "false": False}
EDGE_DEFAULTS = {"directed": True, "undirected": False}


def sniff(head: bytes) -> float:
    """Return 1 if the root element is `graphml`."""
    return has_root(head, b"graphml")


def has_root(head: bytes, name: bytes) -> float:
    """Return 1 if the root element has this name, else 0."""
    if not head.lstrip().startswith(b"<"):
        return 0.0
    at = head.find(b"<" + name)
    rest = head[at + 1 + len(name) : at + 2 + len(name)]
    return float(0 <= at < MARK_BYTES and (not rest or rest in b" \t\r\n>/"))


def read(reading: Reading, data: bytearray) -> Arcs:
    """Read the first graph of a GraphML file."""
    return _GraphML(reading).read(data)


class Markup(ABC):
    """One pass over the file that fills `network`; a format says what its elements mean.

    `inside` holds the attributes of the nodes and edges that are open, innermost last.
    """

    root = ""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.network = Network()
        self.graphs = 0
        self.inside: list[Attributes] = []
        self.text: list[str] | None = None  # of the element that is open; None: not needed
        self._open: list[str] = []
        self._graph_depth = 0
        self._expat = expat.ParserCreate()
        self._expat.buffer_text = True
        self._expat.EntityDeclHandler = self._declared
        self._expat.StartElementHandler = self._begun
        self._expat.EndElementHandler = self._ended
        self._expat.CharacterDataHandler = self._characters

    @property
    def line(self) -> int:
        """The 1-based number of the line where the parser stands."""
        return self._expat.CurrentLineNumber

    def read(self, data: bytearray) -> Arcs:
        """Return the edges of the first graph."""
        self.reading.need_memory(BYTES_PER_BYTE * len(data))
        self._parse(data)
        if self.graphs == 0:
            raise self.reading.fault(f"no <graph> element; expected one in <{self.root}>")
        if self.graphs > 1:
            self.reading.note("only the first graph of the file was read")
        return arcs_of(self.reading, self.network, len(data))

    def _parse(self, data: bytearray) -> None:
        try:
            for at in range(0, len(data), CHUNK_BYTES):
                self.reading.report(READ_SHARE + PARSE_SHARE * at / len(data), "parsing")
                self._expat.Parse(bytes(data[at : at + CHUNK_BYTES]), False)
            self._expat.Parse(b"", True)
        except expat.ExpatError as error:
            words = expat.ErrorString(error.code) or "broken"
            raise self.reading.fault(f"no well-formed XML ({words})", error.lineno) from error
        except (ValueError, LookupError) as error:  # an encoding that Python does not know
            words = " ".join(str(error).split())[:80]
            raise self.reading.fault(f"no readable XML ({words})") from error

    def _declared(self, name: str, *_rest: object) -> None:
        raise self.reading.fault(
            f"declares the entity {shown(name.encode())}; expected none: they can blow a file up",
            self.line,
        )

    def _begun(self, name: str, attributes: dict[str, str]) -> None:
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
                self.begin_graph(attributes)
        elif self.graphs <= 1:
            self.begin(name, attributes)

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
        """Take the direction of edges."""

    @abstractmethod
    def begin(self, name: str, attributes: dict[str, str]) -> None:
        """Take an element that begins, of the first graph or outside of any."""

    @abstractmethod
    def end(self, name: str) -> None:
        """Take the end of an element."""

    def begin_node(self, attributes: dict[str, str]) -> None:
        """Add a vertex; the attributes that follow belong to it."""
        node = self.network.add_node(self.reading, attributes.get("id"), self.line)
        self.inside.append(node)

    def begin_edge(self, attributes: dict[str, str]) -> Edge:
        """Add an edge; the attributes that follow belong to it."""
        ends = attributes.get("source"), attributes.get("target")
        edge = self.network.add_edge(self.reading, *ends, self.line)
        self.inside.append(edge.attributes)
        return edge

    def take_place(self, attributes: dict[str, str]) -> None:
        """Place the vertex that is open."""
        self.inside[-1].update({k: attributes[k] for k in ("x", "y") if k in attributes})

    def take_text(self) -> str | None:
        """Return the text of the element that ends, None if it was not needed."""
        pieces, self.text = self.text, None
        return None if pieces is None else "".join(pieces).strip()


class _GraphML(Markup):
    """Attributes are declared by <key>, with a default, and set by <data>."""

    root = "graphml"

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading)
        self._names: dict[str, str] = {}
        self._for: dict[str, str] = {}
        self._key = ""

    def begin_graph(self, attributes: dict[str, str]) -> None:
        default = attributes.get("edgedefault", "")
        if default not in EDGE_DEFAULTS and self.reading.undirected is None:
            raise self.reading.fault(
                f"<graph> with edgedefault={default[:40]!a}; expected 'directed' or 'undirected': "
                "choose a direction (--directed or --undirected)", self.line,
            )  # fmt: skip
        self.network.directed = EDGE_DEFAULTS.get(default, False)

    def begin(self, name: str, attributes: dict[str, str]) -> None:
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
            self.take_place(attributes)

    def end(self, name: str) -> None:
        if name in {"node", "edge"}:
            self.inside.pop()
        elif name in {"data", "default"}:
            words = self.take_text()
            attribute = self._names.get(self._key, self._key)
            if name == "data" and self.inside and words:
                self.inside[-1][attribute] = words
            for_edges = self._for.get(self._key) in {"edge", "all"}
            if name == "default" and words is not None and for_edges:
                self.network.defaults[attribute] = number_or_words(words)


def number_or_words(words: str) -> float | str:
    """Return the number that a default spells, otherwise the words."""
    try:
        return whole_or_float(words)
    except ValueError:
        return words


FORMAT = Format("graphml", "GraphML", (".graphml",), sniff, read, named_weights=True)
