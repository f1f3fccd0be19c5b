"""Graph files: `load_graph` by content, `save_graph` by suffix.

A reader is chosen by the first decompressed bytes, never by the name: `.gr` alone may
be DIMACS text, PACE's tree-width format or a Galois binary. Each format is one
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

from gpu.errors import FormatError, GraphError, MemoryNeededError, ParameterError
from gpu.formats import (
    dimacs,
    edge_list,
    galois,
    gml,
    markup,
    matrix_market,
    metis,
    npz,
    pajek,
    tntp,
)
from gpu.formats.base import COMPRESSIONS, NAME, UTF8_MARK, Format, Reading, shown
from gpu.formats.source import Source
from gpu.graph import CSRGraph

READERS: dict[str, Format] = {
    row.key: row
    for row in (
        dimacs.FORMAT,
        galois.FORMAT,
        matrix_market.FORMAT,
        metis.FORMAT,
        edge_list.FORMAT,
        npz.FORMAT,
        tntp.FORMAT,
        pajek.FORMAT,
        gml.FORMAT,
        markup.GRAPHML,
        markup.GEXF,
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
    (b"\xff\xfe", "UTF-16 text"),
    (b"\xfe\xff", "UTF-16 text"),
)
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

    Raises
    ------
    FormatError, MemoryNeededError, CancelledByUserError, ParameterError
    """
    reading = Reading(Path(path), undirected, weights, progress, should_stop, weight_name)
    if format is not None and format not in READERS:
        raise ParameterError(f"format {format!r} is not known; choose {', '.join(READERS)}")
    try:
        reading.report(0.0, "opening")
        source = Source(reading)
        try:
            reader = READERS[format] if format else chosen_reader(reading, source.head)
            if weight_name is not None and not reader.named_weights:
                raise reading.fault(
                    f"{reader.title} does not name its weights; ask for none", remedy=NAME
                )
            data = source.read_all()
        finally:
            source.close()
        if data[: len(UTF8_MARK)] == UTF8_MARK:
            data = bytearray(data[len(UTF8_MARK) :])
        graph = reader.read(reading, data)
    except GraphError as error:
        raise FormatError(reading.path, str(error)) from error
    except MemoryError as error:
        raise MemoryNeededError(
            f"{reading.path}: memory ran out while reading; close other programs"
        ) from error
    reading.report(1.0, "read")
    return graph


def chosen_reader(reading: Reading, head: bytes) -> Format:
    """Return the most confident reader; raise FormatError where there is none."""
    text = head.removeprefix(UTF8_MARK)
    known = [name for mark, name in KNOWN_BEGINNINGS if head.startswith(mark)]
    known += [name for mark, name in KNOWN_BUT_NOT_READ if mark in head[:MARK_BYTES]]
    scores = {key: reader.sniff(text) for key, reader in READERS.items()}
    best = max(scores, key=lambda key: scores[key])
    if scores[best] >= (0.7 if known else LEAST_CONFIDENCE):
        return READERS[best]
    titles = ", ".join(reader.title for reader in READERS.values())
    if known:
        raise reading.fault(f"{known[0]} is not read; formats that are: {titles}")
    raise reading.fault(f"begins {shown(head)}, no graph format known; those are: {titles}")


def warm_up() -> None:
    """Load the compiled parser and sorter, so that the first large file does not wait for them.

    For a process that stays, in the background: about 0.3 s after Numba is imported, some
    seconds where nothing is in the cache yet. Without Numba it does nothing.
    """
    from gpu.formats.csr import have_numba
    from gpu.formats.warm import compile_all

    if have_numba():
        compile_all()


def save_graph(graph: CSRGraph, path: str | Path, format: str | None = None) -> None:
    """Write a graph in the format of the suffix, packed if that ends in .gz, .xz, .bz2.

    `.npz` keeps everything; DIMACS writes positions to `.co` beside it; edge
    lists keep the ids. `format`, a key of READERS, overrides the suffix.

    Raises ParameterError for an unknown suffix, GraphError where the format cannot
    hold the graph or the file cannot be written.
    """
    writer_for(path, format)(graph, Path(path))


def writer_for(path: str | Path, format: str | None = None) -> Callable[[CSRGraph, Path], None]:
    """Return what would write `path`; raise ParameterError where nothing can."""
    path = Path(path)
    key = format or _format_of(path)
    writer = READERS[key].write if key in READERS else None
    if writer is None:
        rows = [row for row in READERS.values() if row.write is not None]
        known = ", ".join(suffix for row in rows for suffix in row.suffixes)
        said = repr(format) if format else repr(path.suffix)
        title = f" ({READERS[key].title} is only read)" if key in READERS else ""
        raise ParameterError(f"{path.name}: no writer for {said}{title}; use {known}")
    return writer


def _format_of(path: Path) -> str | None:
    name = path.name.lower()
    for packing in COMPRESSIONS:
        name = name.removesuffix(packing)
    fits = [
        (len(suffix), key)
        for key, suffixes in FORMAT_SUFFIXES.items()
        for suffix in suffixes
        if name.endswith(suffix)
    ]
    return max(fits)[1] if fits else None
