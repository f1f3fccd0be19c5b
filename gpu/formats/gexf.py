"""GEXF, Gephi's own format, of any version.

    <graph defaultedgetype="directed">
      <nodes><node id="a"/><node id="b"/></nodes>
      <edges><edge source="a" target="b" weight="2.5"/></edges>

Undirected unless the graph or the edge says so; `mutual` is undirected. Vertices are named by their
`id`. The weight is the edge's `weight`, or an attribute of its own, declared by class and id and
set by <attvalue>. A weight that changes over time is refused: such a file holds many graphs.

NetworkX's reader is not used: it refuses namespaces that Gephi writes, and an edge whose end is no
node makes one.
"""

from __future__ import annotations

from gpu.formats.exchange import choose_name
from gpu.formats.markup import Markup, has_root, number_or_words
from gpu.formats.reading import NAME, Arcs, Format, Reading

DIRECTED = {"directed": True, "undirected": False, "mutual": False}


def sniff(head: bytes) -> float:
    """Return 1 if the root element is `gexf`."""
    return has_root(head, b"gexf")


def read(reading: Reading, data: bytearray) -> Arcs:
    """Read the first graph of a GEXF file."""
    return _Gexf(reading).read(data)


class _Gexf(Markup):
    """`_kind` is that of the element, or of the declaration, that is open: node or edge."""

    root = "gexf"

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading)
        self._kind = "node"
        self._names: dict[tuple[str, str], str] = {}
        self._key = ""
        self._changes: dict[str, int] = {}  # attribute of edges: where one has a second value

    def begin_graph(self, attributes: dict[str, str]) -> None:
        if attributes.get("mode") == "dynamic":
            self.reading.note("a graph over time: the edges of all times were read")
        self.network.directed = DIRECTED.get(attributes.get("defaultedgetype", "").lower(), False)

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        if name == "node":
            self._kind = "node"
            self.begin_node(attributes)
        elif name == "edge":
            self._kind = "edge"
            edge = self.begin_edge(attributes)
            edge.directed = DIRECTED.get(attributes.get("type", "").lower())
            if "weight" in attributes:
                edge.attributes["weight"] = attributes["weight"]
        elif name == "attributes":
            self._kind = attributes.get("class", "node")
        elif name == "attribute":
            self._key = attributes.get("id", "")
            self._names[self._kind, self._key] = attributes.get("title", self._key)
        elif name == "default":
            self.text = []
        elif name == "attvalue" and self.inside:
            self._set(attributes)
        elif name == "position" and self.inside:
            self.take_place(attributes)

    def _set(self, attributes: dict[str, str]) -> None:
        """Set an attribute; remember where an edge gets a second value."""
        key, value = attributes.get("for", attributes.get("id", "")), attributes.get("value")
        name = self._names.get((self._kind, key), key)
        if self._kind == "edge" and name.casefold() == "weight":
            name = "weight"
        if self.inside[-1].setdefault(name, value) != value and self._kind == "edge":
            self._changes.setdefault(name, self.line)

    def end(self, name: str) -> None:
        if name in {"node", "edge"}:
            self.inside.pop()
            self._kind = "node"
        elif name == "default":
            words = self.take_text()
            if words is not None and self._kind == "edge":
                attribute = self._names.get((self._kind, self._key), self._key)
                self.network.defaults[attribute] = number_or_words(words)

    def read(self, data: bytearray) -> Arcs:
        """Return the edges. Raises FormatError if their weights change over time."""
        arcs = super().read(data)
        names = dict.fromkeys(name for edge in self.network.edges for name in edge.attributes)
        chosen = choose_name(self.reading, [*names, *self.network.defaults])
        if chosen in self._changes and self.reading.needs_weights:
            raise self.reading.fault(
                f"an edge with several values of {chosen!r}, of several times; expected one: save "
                "the graph of one moment, choose another attribute, or read with --weights unit",
                self._changes[chosen], NAME,
            )  # fmt: skip
        return arcs


FORMAT = Format("gexf", "GEXF", (".gexf",), sniff, read, named_weights=True)
