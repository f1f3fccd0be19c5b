"""Tables with a heading: which columns are the ends of an edge, and which the weight.

    Id,Source,Target,Type,Weight        a table of edges as Gephi writes it
    7,Oslo,"Bergen, west",Undirected,2.5

The parser of edge lists takes two or three columns; this module finds them by the names in
the heading (one column more than the ends is the weight, whatever its name) and rewrites the
rows, each on its own line, so that faults are told with the line of the file. A column "Type"
that says Undirected in every row makes the edges undirected.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpu.formats.base import Reading, WeightNames, shown
from gpu.formats.exchange import choose_name, usual_name
from gpu.formats.filebytes import FileBytes
from gpu.formats.named_edges import is_number, split_line

TAILS = ("source", "from", "tail", "src", "start", "u", "node1", "fromnodeid")
HEADS = ("target", "to", "head", "dst", "dest", "destination", "end", "v", "node2", "tonodeid")
TYPE, UNDIRECTED = "type", b"undirected"
COMMENTS = (b"#", b"%")


@dataclass(frozen=True)
class Picked:
    """A table cut down to its columns.

    data : the rows 'TAIL HEAD [WEIGHT]' parted as before, on their lines
    undirected : whether every row says so
    """

    data: FileBytes
    columns: int
    undirected: bool


def headed(heading: list[bytes]) -> bool:
    """Return whether a heading names both ends of an edge."""
    names = _names(heading)
    return _first(names, TAILS) is not None and _first(names, HEADS) is not None


def weights_of(heading: list[bytes], row: list[bytes]) -> WeightNames:
    """Return the columns beside the ends that hold numbers in the first row."""
    names = _names(heading)
    ends = {_first(names, TAILS), _first(names, HEADS)}
    others = [name for k, name in enumerate(names) if k not in ends]
    numbers = [
        name
        for k, name in enumerate(names)
        if k not in ends and k < len(row) and is_number(row[k].strip(), decimal=True)
    ]
    return WeightNames(
        tuple(numbers), usual_name(others) or (others[0] if len(others) == 1 else None)
    )


def pick(
    reading: Reading, data: FileBytes, start: int, heading: list[bytes], separator: bytes
) -> Picked:
    """Return the rows from `start` on with the columns that the heading names.

    Raises FormatError where `weight_name` is no column, or a row is too short.
    """
    names = _names(heading)
    tail, head = _first(names, TAILS), _first(names, HEADS)
    assert tail is not None
    assert head is not None
    others = [name for k, name in enumerate(names) if k not in {tail, head}]
    chosen = choose_name(reading, others)
    if chosen is None and len(others) == 1:
        chosen = others[0]
    wanted = [tail, head] + ([names.index(chosen)] if chosen is not None else [])
    if chosen is not None:
        reading.note(f"weights from the column {chosen!r}")
    type_at = names.index(TYPE) if TYPE in names else -1
    types: set[bytes] = set()
    lines = [b""] * data.count(b"\n", 0, start)
    for line in bytes(data[start:]).split(b"\n"):
        if not line.strip() or line.lstrip().startswith(COMMENTS):
            lines.append(b"")
            continue
        cells = split_line(line, separator)
        if len(cells) <= max(wanted):
            raise reading.fault(
                f"{len(cells)} columns found {shown(line)}, the heading has {len(names)}",
                len(lines) + 1,
            )
        lines.append((separator or b" ").join([cells[k] for k in wanted]))
        if 0 <= type_at < len(cells):
            types.add(cells[type_at].strip(b'"').lower())
    return Picked(bytearray(b"\n".join(lines)), len(wanted), types == {UNDIRECTED})


def _names(heading: list[bytes]) -> list[str]:
    return [cell.strip(b' "').decode("utf-8", "replace").casefold() for cell in heading]


def _first(names: list[str], known: tuple[str, ...]) -> int | None:
    return next((names.index(name) for name in known if name in names), None)
