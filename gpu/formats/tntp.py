"""TNTP, the road networks of Transportation Networks for Research.

    <NUMBER OF NODES> 24
    <NUMBER OF LINKS> 76
    <END OF METADATA>
    ~  Init node  Term node  Capacity  Length  Free Flow Time  B  Power  Speed  Toll  Type  ;
       1          2          25900.2   6       6               0.15  4    0     0     1     ;

Links are directed, vertices are numbered from 1. The weight is the free-flow time, unless
`weight_name` chooses "length", "capacity", "speed" or "toll". Coordinates come from
`NAME_node.tntp` beside `NAME_net.tntp`; if they are broken, a note says so.

Vertices below <FIRST THRU NODE> are zones, where trips begin and end: traffic models let no path go
through them. Shortest paths here do, and a note says so.

Source      github.com/bstabler/TransportationNetworks, its README.
"""

from __future__ import annotations

import re

import numpy as np

from gpu.formats.dimacs import noted_positions, placed
from gpu.formats.reading import (
    NAME,
    Arcs,
    Format,
    Reading,
    WeightNames,
    bare_name,
    shown,
    unpacked_name,
)
from gpu.formats.rows import SIGNED, RowRules, line_number, read_rows, value_rule
from gpu.formats.source import Source, beside

COLUMNS = {  # weight_name: column after init and term node
    "free_flow_time": 4,
    "capacity": 2,
    "length": 3,
    "speed": 7,
    "toll": 8,
}
USUAL = "free_flow_time"
SYNONYMS = {"time": "free_flow_time", "fft": "free_flow_time", "free flow time": "free_flow_time"}
LEAST_COLUMNS = 5
TAG = re.compile(rb"^[ \t]*+<([A-Z ]{1,40}+)>[ \t]*+([^\r\n]*+)", re.MULTILINE)
END = b"<END OF METADATA>"
MARKS = (b"<NUMBER OF ZONES>", b"<NUMBER OF NODES>", b"<NUMBER OF LINKS>", END)


def sniff(head: bytes) -> float:
    """Return 1 for the metadata of a network."""
    return float(head.lstrip().startswith(b"<") and any(mark in head for mark in MARKS))


def read(reading: Reading, data: bytearray) -> Arcs:
    """Read a network, and the nodes beside it."""
    end = data.find(END)
    if end < 0:
        raise reading.fault(f"no {END.decode()}; expected it before the links")
    tags = {tag[1]: (tag[2].strip(), tag.start()) for tag in TAG.finditer(data, 0, end)}
    n, n_line = _count(reading, data, tags, b"NUMBER OF NODES")
    links, line = _count(reading, data, tags, b"NUMBER OF LINKS")
    reading.check_promise(n, 0, len(data), n_line)
    reading.check_promise(n, links, len(data), line, 2 * LEAST_COLUMNS)
    name = _weight_name(reading)
    rules = RowRules(
        f"a link 'INIT TERM CAPACITY LENGTH TIME ...;' with its {name}", value_columns=1, low=1,
        high=n, range_words=f"<NUMBER OF NODES> promises 1 to {n}", values=value_rule(reading),
        value_name=name,
    )  # fmt: skip
    rows = read_rows(reading, _links(reading, data, end + len(END), COLUMNS[name]), 0, rules)
    if len(rows) != links:
        raise reading.fault(
            f"<NUMBER OF LINKS> promises {links}, but the file has {len(rows)}", line
        )
    reading.note(f"weights are the {name.replace('_', ' ')} of each link")
    through = tags.get(b"FIRST THRU NODE", (b"1", 0))[0]
    if through not in {b"0", b"1"}:
        reading.note(f"paths go through zones too (vertices below {shown(through)})")
    places = _positions_beside(reading, n)
    name = bare_name(reading.path).removesuffix("_net")
    return Arcs(
        rows.ids[0], rows.ids[1], n, rows.weights, places=places, base=1, id_base=1, name=name
    )


def _count(
    reading: Reading, data: bytearray, tags: dict[bytes, tuple[bytes, int]], tag: bytes
) -> tuple[int, int]:
    """Return the number after a tag, and its line."""
    if tag not in tags:
        raise reading.fault(f"no <{tag.decode()}>; expected a network (NAME_net.tntp)")
    word, at = tags[tag]
    line = line_number(data, at)
    if not word.isdigit() or len(word) > 18:
        raise reading.fault(f"<{tag.decode()}> is {shown(word)}; expected a count", line)
    return int(word), line


def _weight_name(reading: Reading) -> str:
    name = (reading.weight_name or USUAL).casefold()
    name = SYNONYMS.get(name, name)
    if name not in COLUMNS:
        raise reading.fault(
            f"no weights named {reading.weight_name!r}; there are: {', '.join(COLUMNS)}",
            remedy=NAME,
        )
    return name


def weight_names(_head: bytes) -> WeightNames:
    """Return the columns of every network."""
    return WeightNames(tuple(COLUMNS), USUAL)


def _links(reading: Reading, data: bytearray, start: int, column: int) -> bytearray:
    """Return 'INIT TERM VALUE' of each link, on the line where the link stands."""
    lines = [b""] * (line_number(data, start) - 1)
    for line in bytes(data[start:]).split(b"\n"):
        tokens = line.split(b"~", 1)[0].replace(b";", b" ").split()
        if len(tokens) >= LEAST_COLUMNS:
            tokens = tokens[:2] + tokens[column : column + 1]
        lines.append(b" ".join(tokens))
    reading.report(0.5, "parsing")
    return bytearray(b"\n".join(lines))


def _positions_beside(reading: Reading, n: int) -> np.ndarray | None:
    stem = unpacked_name(reading.path).removesuffix(".tntp").removesuffix("_net")
    path = beside(reading.path, stem, "_node.tntp", "_nodes.tntp")
    if path is None:
        reading.note("no coordinates: no NAME_node.tntp beside NAME_net.tntp")
        return None
    return noted_positions(reading, path, n, _read_positions)


def _read_positions(own: Reading, n: int) -> np.ndarray:
    """Read 'NODE X Y ;' lines under a heading."""
    data = Source(own).read_all()
    lines = bytes(data).replace(b";", b" ").split(b"\n")
    if lines and lines[0].split()[:1] and not lines[0].split()[0].isdigit():
        lines[0] = b""
    lines = [b" ".join(line.split()[:3]) for line in lines]
    rules = RowRules(
        "'NODE X Y ;'", id_columns=1, value_columns=2, comments=b"~", low=1, high=n,
        range_words=f"the network has vertices 1 to {n}", values=SIGNED, value_name="coordinate",
    )  # fmt: skip
    return placed(own, read_rows(own, bytearray(b"\n".join(lines)), 0, rules), n, None)


FORMAT = Format("tntp", "TNTP", (".tntp",), sniff, read, weight_names=weight_names)
