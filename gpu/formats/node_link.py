"""Node-link JSON, as NetworkX and D3 write it.

    {"directed": true, "nodes": [{"id": "a"}, {"id": "b"}],
     "links": [{"source": "a", "target": "b", "weight": 2.5}]}

The edges stand under `links` or `edges`. Nodes without any `id` are called by their places, as
D3 did. JSON has no lines once it is read: a fault names the place of the node or link instead.
"""

from __future__ import annotations

import json
from typing import Any

from gpu.formats.exchange import BYTES_PER_BYTE, Attributes, Network, graph_from_network
from gpu.graph import CSRGraph
from gpu.parsing.filebytes import FileBytes
from gpu.parsing.reading import Format, Reading, WeightNames

LINKS = ("links", "edges")
ENDS = ("source", "target")


def sniff(head: bytes) -> float:
    """Return 1 for an object that speaks of nodes and of links or edges."""
    keys = [b'"nodes"', b'"links"', b'"edges"', b'"directed"']
    return float(head.lstrip()[:1] == b"{" and any(key in head for key in keys))


def read(reading: Reading, data: FileBytes) -> CSRGraph:
    """Read the graph of a node-link object."""
    reading.need_memory(BYTES_PER_BYTE * len(data))
    try:
        told = json.loads(bytes(data).decode())
    except json.JSONDecodeError as error:
        raise reading.fault(f"no JSON ({error.msg})", error.lineno) from error
    except (UnicodeDecodeError, RecursionError, ValueError) as error:
        words = " ".join(str(error).split())[:80]
        raise reading.fault(f"no JSON that can be read ({words})") from error
    links = next((key for key in LINKS if isinstance(told, dict) and key in told), None)
    if links is None or not isinstance(told.get("nodes"), list):
        raise reading.fault("expected an object with the lists 'nodes' and 'links' (or 'edges')")
    network = Network(directed=told.get("directed") is True)
    nodes = [_object(reading, "nodes", k, node) for k, node in enumerate(told["nodes"])]
    counted = not any("id" in node for node in nodes)
    for k, node in enumerate(nodes):
        name = str(k) if counted else _name(node.get("id"))
        network.add_node(reading, name, None).update(node)
    if not isinstance(told[links], list):
        raise reading.fault(f"{links!r} is no list")
    for k, found in enumerate(told[links]):
        link = _object(reading, links, k, found)
        tail, head = (_name(link.get(end)) for end in ENDS)
        edge = network.add_edge(reading, tail, head, None, where=f"{links}[{k}]")
        edge.attributes = {name: link[name] for name in link if name not in ENDS}
    return graph_from_network(reading, "node_link", network, len(data))


def _object(reading: Reading, key: str, k: int, found: Any) -> Attributes:
    if not isinstance(found, dict):
        raise reading.fault(f"{key}[{k}] is {str(found)[:40]!a}; expected an object")
    return found


def _name(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value)


def weight_names(_head: bytes) -> WeightNames:
    """Return no names: the beginning of the file tells of nodes, seldom of links."""
    return WeightNames()


FORMAT = Format("node_link", "node-link JSON", (".json",), sniff, read, weight_names=weight_names)
