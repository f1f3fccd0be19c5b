"""Graph files: `load_graph` by suffix, else by content; `save_graph` by suffix.

A suffix binds: `.mtx` is Matrix Market or refused. Where two formats share one (`.gr` may be
DIMACS text, PACE's tree-width format or a Galois binary) the first decompressed bytes decide.
Only where no suffix says, or one that says no more than "text", is the format guessed from
those bytes, and a note says so. Each format is one
module with one row in READERS; every reader takes its whole input from
`source.Source` (gzip, xz, bz2 unpacked, memory watched), parses text by `rows` and
ends in `build`. Adding a format: a module with a `FORMAT`, and its row below.

Whatever the bytes, a reader returns a checked CSRGraph or raises a GpuError in one
line: FormatError with file, line, found and expected; MemoryNeededError;
CancelledByUserError.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from gpu.errors import FormatError, GraphError, MemoryNeededError, ParameterError
from gpu.formats import (
    dimacs,
    edge_list,
    galois,
    gap,
    gml,
    markup,
    matrix_market,
    metis,
    node_link,
    npz,
    pajek,
    tntp,
)
from gpu.graph import CSRGraph
from gpu.parsing.filebytes import end_lines_in_newlines
from gpu.parsing.reading import COMPRESSIONS, NAME, UTF8_MARK, Format, Reading, shown
from gpu.parsing.source import Source, refuse_web_address
from gpu.parsing.write import write_map
from gpu.words import did_you_mean

READERS: dict[str, Format] = {
    row.key: row
    for row in (
        dimacs.FORMAT,
        galois.FORMAT,
        matrix_market.FORMAT,
        metis.FORMAT,
        edge_list.FORMAT,
        npz.FORMAT,
        npz.ARRAY,
        tntp.FORMAT,
        pajek.FORMAT,
        gml.FORMAT,
        markup.GRAPHML,
        markup.GEXF,
        node_link.FORMAT,
        gap.FORMAT,
    )
}

FORMAT_SUFFIXES: dict[str, tuple[str, ...]] = {
    key: reader.suffixes for key, reader in READERS.items()
}

KNOWN_BUT_NOT_READ = (  # (mark near the beginning, name)
    (b"<?xml", "XML"),
    (b"strict graph", "Graphviz"),
    (b"digraph", "Graphviz"),
)
KNOWN_BEGINNINGS = (
    (b"%PDF", "PDF"),
    (b"\x89PNG", "PNG"),
)
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")
SAYS_NOTHING = {".txt"}  # what is written under it is not the only thing found under it
MARK_BYTES = 1024  # how far from the beginning a mark is looked for
LEAST_CONFIDENCE = 0.15

__all__ = [
    "FORMAT_SUFFIXES",
    "READERS",
    "chosen_reader",
    "load_graph",
    "save_graph",
    "warm_up",
    "writer_for",
]


def load_graph(
    path: str | Path,
    *,
    undirected: bool | None = None,
    weights: str = "file",
    weight_name: str | None = None,
    format: str | None = None,
    progress: Callable[[float, str], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
    pipe: bool = False,
) -> CSRGraph:
    """Read a graph file, whatever it is called.

    Parameters
    ----------
    path : the file; gzip, xz and bz2 are unpacked
    undirected : None by the format's own definition (METIS, `p tw` and symmetric
        matrices are undirected, the others directed as written); True adds the
        reverse of each arc; False adds none
    weights : "file"; "unit", all 1; "random", 1..100 from a fixed seed;
        "absolute", the file's without their signs
    weight_name : which column or attribute is the weight, in formats where they have names
        (TNTP, GraphML, GEXF, GML, edge lists with a heading); None for the usual one
    format : key of READERS to skip the choice by content
    progress : called with a fraction 0..1 and what is being done
    should_stop : asked between pieces of work
    pipe : whether the path may be a pipe or device, /dev/stdin say: it is read until it ends,
        however long that takes; else such a path is refused

    Raises
    ------
    FormatError, MemoryNeededError, CancelledByUserError, ParameterError
    """
    refuse_web_address(str(path))
    reading = Reading(
        Path(path), undirected, weights, progress, should_stop, weight_name, format, pipe
    )
    if format is not None:
        _check_known(format)
    try:
        reading.report(0.0, "opening")
        source = Source(reading)
        try:
            reader = READERS[format] if format else chosen_reader(reading, source.head)
            if not format and not named_formats(reading.path):
                reading.note(f"no suffix says the format: {reader.title}, guessed from the content")
            if weight_name is not None and not reader.named_weights:
                raise reading.fault(
                    f"{reader.title} does not name its weights; ask for none", remedy=NAME
                )
            if reader.promised is not None:
                reading.promised_rows = reader.promised(source.head)
            data = source.read_all(text=reader.text)
        finally:
            source.close()
        if reader.text:
            if data[: len(UTF8_MARK)] == UTF8_MARK:
                data = bytearray(data[len(UTF8_MARK) :])
            end_lines_in_newlines(data)
        graph = reader.read(reading, data)
        if graph.positions is None and not reader.places and _places_beside(reading.path).is_file():
            graph = dimacs.with_places(reading, graph, _places_beside(reading.path))
    except GraphError as error:
        raise FormatError(reading.path, str(error)) from error
    except MemoryError as error:
        raise MemoryNeededError(
            f"{reading.path}: memory ran out while reading; close other programs"
        ) from error
    reading.report(1.0, "read")
    return graph


def chosen_reader(reading: Reading, head: bytes) -> Format:
    """Return the reader that the name says, else the most confident one of the content.

    Raises FormatError where the content is surely another format's, or no graph's.
    """
    _refuse_wide_text(reading, head)
    text = head.removeprefix(UTF8_MARK).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    known = [name for mark, name in KNOWN_BEGINNINGS if head.startswith(mark)]
    known += [name for mark, name in KNOWN_BUT_NOT_READ if mark in head[:MARK_BYTES]]
    named = named_formats(reading.path)
    best = max(named or READERS.values(), key=lambda row: row.sniff(text))
    score = best.sniff(text)
    if named and score == 0:
        known += [
            f"{row.title} under this name" for row in READERS.values() if row.sniff(text) == 1
        ]
    if score >= (0.7 if known else LEAST_CONFIDENCE) or (named and (score or not known)):
        return best
    titles = ", ".join(row.title for row in named or READERS.values())
    if known:
        raise reading.fault(f"{known[0]} is not read; formats that are: {titles}")
    raise reading.fault(f"begins {shown(head)}, no graph format known; those are: {titles}")


def _refuse_wide_text(reading: Reading, head: bytes) -> None:
    """Refuse UTF-16 and UTF-32, with or without their mark."""
    letters = head[:MARK_BYTES]
    wide = head.startswith(UTF16_MARKS)
    for first in (0, 1):
        zeros = letters[first::2].count(0)
        wide |= zeros > 4 and zeros == len(letters[first::2]) and 0 not in letters[1 - first :: 2]
    if wide:
        raise reading.fault("UTF-16 text is not read; save it again as UTF-8")


def named_formats(path: Path) -> list[Format]:
    """Return the formats that a file's name says it may have, none where it says nothing."""
    suffix = _suffix_of(path)
    if suffix in SAYS_NOTHING:
        return []
    return [row for row in READERS.values() if suffix in row.suffixes + row.shared]


def warm_up() -> None:
    """Load the compiled parser and sorter, so that the first large file does not wait for them.

    For a process that stays, in the background: about 0.3 s after Numba is imported, some
    seconds where nothing is in the cache yet. Without Numba it does nothing.
    """
    from gpu.formats.warm import compile_all
    from gpu.parsing.csr import have_numba

    if have_numba():
        compile_all()


def save_graph(
    graph: CSRGraph, path: str | Path, format: str | None = None, *, id_map: bool = False
) -> tuple[str, ...]:
    """Write a graph in the format of the suffix, packed if that ends in .gz, .xz, .bz2.

    `load_graph` reads the same graph back: weights and their kind, direction, vertices without
    arcs, coordinates. `.npz` keeps everything in one file; for the others coordinates stand in
    a `.co` file beside. Where a format numbers its vertices itself, the ids are lost: that is
    returned in sentences, and with `id_map` a table of both stands beside, in PATH.ids.csv.
    `format`, a key of READERS, overrides the suffix.

    Raises ParameterError for an unknown suffix, GraphError where the format cannot
    hold the graph or the file cannot be written.
    """
    path = Path(path)
    try:
        return _saved(graph, path, _written_format(path, format), id_map)
    except MemoryError as error:
        raise MemoryNeededError(
            f"cannot write {path}: memory ran out; close other programs"
        ) from error


def _saved(graph: CSRGraph, path: Path, row: Format, id_map: bool) -> tuple[str, ...]:
    """Write a graph and what stands beside it; return what is not kept."""
    row.write(graph, path)  # type: ignore[misc]
    told = []
    if graph.positions is None and not row.places:
        _places_beside(path).unlink(missing_ok=True)  # of the file that was replaced
    elif graph.positions is not None and not row.places:
        order = row.read_order(graph, path) if row.read_order else None
        dimacs.write_positions(
            _places_beside(path), graph.positions if order is None else graph.positions[order]
        )
        told.append(f"coordinates are in {_places_beside(path).name}")
    base = row.numbered_from(graph, path) if row.numbered_from else None
    if base is not None and graph.n and (graph.ids is not None or graph.id_base != base):
        names = f"{graph.id_of(0)} to {graph.id_of(graph.n - 1)}"
        told.append(f"ids {names} are not kept: vertices are {base} to {base + graph.n - 1}")
        if id_map:
            beside = path.with_name(f"{path.name}.ids.csv")
            ids = graph.ids if graph.ids is not None else np.arange(graph.n) + graph.id_base
            write_map(beside, base, ids)
            told.append(f"which vertex was which is in {beside.name}")
    return tuple(told)


def _check_known(format: str) -> None:
    if format not in READERS:
        raise ParameterError(
            f"format {format!r} is not known{did_you_mean(format, READERS)}; choose "
            f"{', '.join(READERS)}"
        )


def _places_beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.co")


def writer_for(path: str | Path, format: str | None = None) -> Callable[[CSRGraph, Path], None]:
    """Return what would write `path`; raise ParameterError where nothing can."""
    return _written_format(Path(path), format).write  # type: ignore[return-value]


def _written_format(path: Path, format: str | None) -> Format:
    suffix = _suffix_of(path)
    if format is not None:
        _check_known(format)
    row = READERS[format] if format else _format_of(suffix)
    if row is None or row.write is None:
        rows = [row for row in READERS.values() if row.write is not None]
        known = ", ".join(suffix for row in rows for suffix in row.suffixes)
        said = repr(format) if format else repr(path.suffix)
        title = f" ({row.title} is only read)" if row is not None else ""
        raise ParameterError(f"{path.name}: no writer for {said}{title}; use {known}")
    if suffix not in row.suffixes + row.shared and (suffix is not None or not row.told_by_content):
        raise ParameterError(
            f"{path.name}: {row.title} under this name would be read as something else; name it "
            f"{path.name}{row.suffixes[0]}"
        )
    return row


def _format_of(suffix: str | None) -> Format | None:
    return next((row for row in READERS.values() if suffix in row.suffixes), None)


def _suffix_of(path: Path) -> str | None:
    """Return the longest suffix of a name that any format has; packing is looked through."""
    name = path.name.lower()
    for packing in COMPRESSIONS:
        name = name.removesuffix(packing)
    fits = [suffix for row in READERS.values() for suffix in row.suffixes if name.endswith(suffix)]
    return max(fits, key=len, default=None)
