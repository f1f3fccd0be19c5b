"""Tables with a heading: which columns are the ends of an edge, and which the weight.

    Id,Source,Target,Type,Weight        a table of edges as Gephi writes it
    7,Oslo,"Bergen, west",Undirected,2.5

The parser of edge lists takes two or three columns; this module finds them by the names in
the heading (one column more than the ends is the weight, whatever its name) and keeps the line of
each row, so that faults are told with it. A column "Type"
that says Undirected in every row makes the edges undirected.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gpu.formats.exchange import choose_name, usual_name
from gpu.formats.named_edges import is_number
from gpu.parsing.reading import Reading, WeightNames, shown

TAILS = ("source", "from", "tail", "src", "start", "u", "node1", "fromnodeid")
HEADS = ("target", "to", "head", "dst", "dest", "destination", "end", "v", "node2", "tonodeid")
TYPE, UNDIRECTED = "type", b"undirected"


@dataclass(frozen=True)
class Picked:
    """A table cut down to its columns.

    rows : 'TAIL HEAD [WEIGHT]' of each row, with its line
    undirected : whether every row says so
    """

    rows: list[tuple[int, list[bytes]]]
    columns: int
    undirected: bool


def type_column(heading: list[bytes]) -> int:
    """Return the column that may say that edges are undirected, -1 where there is none."""
    names = _names(heading)
    return names.index(TYPE) if TYPE in names else -1


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


def wanted(reading: Reading, heading: list[bytes]) -> list[int]:
    """Return the columns of tail, head and, where there is one, of the weight.

    Raises FormatError where `weight_name` is no column.
    """
    names = _names(heading)
    tail, head = _first(names, TAILS), _first(names, HEADS)
    assert tail is not None
    assert head is not None
    others = [name for k, name in enumerate(names) if k not in {tail, head}]
    chosen = choose_name(reading, others)
    others = [name for name in others if name != TYPE]
    if chosen is None and len(others) == 1:
        chosen = others[0]
    if chosen is None:
        return [tail, head]
    reading.note(f"weights from the column {chosen!r}")
    return [tail, head, names.index(chosen)]


def pick(
    reading: Reading,
    rows: Iterable[tuple[int, list[bytes]]],
    heading: list[bytes],
    columns: list[int],
) -> Picked:
    """Return the `columns` of the rows under a heading; raise FormatError for a short row."""
    type_at = type_column(heading)
    types: set[bytes] = set()
    kept: list[tuple[int, list[bytes]]] = []
    for number, cells in rows:
        if len(cells) <= max(columns):
            raise reading.fault(
                f"{len(cells)} columns found {shown(b','.join(cells))}, "
                f"the heading has {len(heading)}",
                number,
            )
        kept.append((number, [cells[k] for k in columns]))
        if 0 <= type_at < len(cells):
            types.add(cells[type_at].lower())
    return Picked(kept, len(columns), types == {UNDIRECTED})


def _names(heading: list[bytes]) -> list[str]:
    return [cell.strip(b' "').decode("utf-8", "replace").casefold() for cell in heading]


def _first(names: list[str], known: tuple[str, ...]) -> int | None:
    return next((names.index(name) for name in known if name in names), None)
