"""GraphML, in one pass of expat.

No tree is built. Namespaces of elements are ignored: programs write files with none. Every error
names its line. A declaration of an entity ends the reading, because a few entities can expand to
gigabytes; nothing is fetched; elements may nest MOST_DEPTH deep. Nested graphs and nodes are
vertices as the others are. Direction, weights and positions: `gpu.formats.exchange`.
"""

from __future__ import annotations

from xml.parsers import expat

from gpu.formats.exchange import BYTES_PER_BYTE, Attributes, Network, arcs_of, whole_or_float
from gpu.formats.reading import Arcs, Format, Reading, shown

MARK_BYTES = 8192  # how far from the beginning the root element may stand
MOST_DEPTH = 100
CHUNK_BYTES = 1 << 20
READ_SHARE, PARSE_SHARE = 0.5, 0.3  # of the progress bar
TRUTH = {"true": True, "false": False}
EDGE_DEFAULTS = {"directed": True, "undirected": False}


def sniff(head: bytes) -> float:
    """Return 1 if the root element is `graphml`."""
    if not head.lstrip().startswith(b"<"):
        return 0.0
    at = head.find(b"<graphml")
    rest = head[at + 8 : at + 9]
    return float(0 <= at < MARK_BYTES and (not rest or rest in b" \t\r\n>/"))


def read(reading: Reading, data: bytearray) -> Arcs:
    """Read the first graph of a GraphML file."""
    reading.need_memory(BYTES_PER_BYTE * len(data))
    markup = _GraphML(reading)
    markup.parse(data)
    if markup.graphs == 0:
        raise reading.fault("no <graph> element; expected one in <graphml>")
    if markup.graphs > 1:
        reading.note("only the first graph of the file was read")
    return arcs_of(reading, markup.network, len(data))


class _GraphML:
    """One pass over the file that fills `network`.

    Attributes are declared by <key>, with a default, and set by <data>. `inside` holds the
    attributes of the nodes and edges that are open, innermost last.
    """

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.network = Network()
        self.graphs = 0
        self.inside: list[Attributes] = []
        self.text: list[str] | None = None  # of the element that is open; None: not needed
        self._names: dict[str, str] = {}
        self._for: dict[str, str] = {}
        self._key = ""
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
        return self._expat.CurrentLineNumber

    def parse(self, data: bytearray) -> None:
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
            node = self.network.add_node(self.reading, attributes.get("id"), self.line)
            self.inside.append(node)
        elif name == "edge":
            ends = attributes.get("source"), attributes.get("target")
            edge = self.network.add_edge(self.reading, *ends, self.line)
            self.inside.append(edge.attributes)
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

    def end(self, name: str) -> None:
        if name in {"node", "edge"}:
            self.inside.pop()
        elif name in {"data", "default"}:
            pieces, self.text = self.text, None
            words = None if pieces is None else "".join(pieces).strip()
            attribute = self._names.get(self._key, self._key)
            if name == "data" and self.inside and words:
                self.inside[-1][attribute] = words
            for_edges = self._for.get(self._key) in {"edge", "all"}
            if name == "default" and words is not None and for_edges:
                self.network.defaults[attribute] = _number_or_words(words)


def _number_or_words(words: str) -> float | str:
    try:
        return whole_or_float(words)
    except ValueError:
        return words


FORMAT = Format("graphml", "GraphML", (".graphml",), sniff, read, named_weights=True)
