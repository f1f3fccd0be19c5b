"""Node-link JSON, as NetworkX and D3 write it.

    {"directed": true, "nodes": [{"id": "a"}, {"id": "b"}],
     "links": [{"source": "a", "target": "b", "weight": 2.5}]}

The edges stand under `links` or `edges`. If no node has an `id`, nodes are named by their places,
as in D3. Parsed JSON has no lines: an error names the ends of a link.
"""

from __future__ import annotations

import json
from typing import Any

from gpu.formats.exchange import BYTES_PER_BYTE, Attributes, Network, arcs_of
from gpu.formats.reading import Arcs, Format, Reading

LINKS = ("links", "edges")
ENDS = ("source", "target")


def sniff(head: bytes) -> float:
    """Return 1 for an object with nodes, links or edges."""
    keys = [b'"nodes"', b'"links"', b'"edges"', b'"directed"']
    return float(head.lstrip()[:1] == b"{" and any(key in head for key in keys))


def read(reading: Reading, data: bytearray) -> Arcs:
    """Read the graph of a node-link object."""
    reading.need_memory(BYTES_PER_BYTE * len(data))
    try:
        content = json.loads(bytes(data).decode())
    except json.JSONDecodeError as error:
        raise reading.fault(f"no JSON ({error.msg})", error.lineno) from error
    except (UnicodeDecodeError, RecursionError, ValueError) as error:
        words = " ".join(str(error).split())[:80]
        raise reading.fault(f"no JSON that can be read ({words})") from error
    links = next((key for key in LINKS if isinstance(content, dict) and key in content), None)
    if links is None or not isinstance(content.get("nodes"), list):
        raise reading.fault("expected an object with the lists 'nodes' and 'links' (or 'edges')")
    network = Network(directed=content.get("directed") is True)
    nodes = [_object(reading, "nodes", k, node) for k, node in enumerate(content["nodes"])]
    counted = not any("id" in node for node in nodes)
    for k, node in enumerate(nodes):
        name = str(k) if counted else _name(node.get("id"))
        network.add_node(reading, name, None).update(node)
    if not isinstance(content[links], list):
        raise reading.fault(f"{links!r} is no list")
    for k, entry in enumerate(content[links]):
        link = _object(reading, links, k, entry)
        tail, head = (_name(link.get(end)) for end in ENDS)
        edge = network.add_edge(reading, tail, head, None)
        edge.attributes = {name: link[name] for name in link if name not in ENDS}
    return arcs_of(reading, network, len(data))


def _object(reading: Reading, key: str, k: int, entry: Any) -> Attributes:
    if not isinstance(entry, dict):
        raise reading.fault(f"{key}[{k}] is {str(entry)[:40]!a}; expected an object")
    return entry


def _name(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value)


FORMAT = Format("node_link", "node-link JSON", (".json",), sniff, read, named_weights=True)
