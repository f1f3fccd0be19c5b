"""Graph files: `load_graph`, `save_graph`, and the table of formats.

A suffix binds: `.mtx` is Matrix Market or refused. If two formats share one (`.gr` may be DIMACS
text, PACE's tree-width format or a Galois binary), the first unpacked bytes decide. If no suffix
says the format, or one that only says "text", it is guessed from those bytes, and a note says so.

Whatever the bytes, reading ends in a checked CSRGraph or a GpuError in one line: FormatError with
file, line, what was found and what is expected; MemoryNeededError; CancelledByUserError.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from gpu.errors import FormatError, GraphError, MemoryNeededError, ParameterError
from gpu.formats import (
    binary,
    dimacs,
    gexf,
    gml,
    markup,
    matrix_market,
    metis,
    node_link,
    npz,
    pajek,
    tables,
)
from gpu.formats.build import graph_of
from gpu.formats.reading import (
    BLOCK_BYTES,
    NAME,
    UTF8_MARK,
    Format,
    Reading,
    refuse_web_address,
    shown,
    unpacked_name,
)
from gpu.formats.rows import PLAIN_BYTES, warm_up
from gpu.graph import CSRGraph
from gpu.interpreter import early
from gpu.words import did_you_mean

TABLE = (  # a new format: its module, and its row here
    dimacs.FORMAT,
    binary.FORMAT,
    matrix_market.FORMAT,
    metis.FORMAT,
    tables.FORMAT,
    npz.FORMAT,
    pajek.FORMAT,
    gml.FORMAT,
    markup.FORMAT,
    gexf.FORMAT,
    node_link.FORMAT,
)
READERS: dict[str, Format] = {row.key: row for row in TABLE}

OTHERS = (  # (mark near the beginning, name) of files that are not read
    (b"%PDF", "PDF"),
    (b"\x93NUMPY", "a NumPy array (write the edges as .csv)"),
    (b"<osm", "OpenStreetMap (tools such as OSMnx write GraphML of it)"),
    (b"<NUMBER OF ", "TNTP (its links as a table, .csv, are read)"),
    (b"<?xml", "XML"),
    (b"strict graph", "Graphviz"),
    (b"digraph", "Graphviz"),
)
SAYS_NOTHING = {".txt"}  # several formats have it
MARK_BYTES = 1024  # how far from the beginning a mark is looked for
LEAST_CONFIDENCE = 0.15
SURE = 0.7  # confidence that overrules the mark of another kind of file

__all__ = ["READERS", "load_graph", "save_graph", "warm_up", "writer_for"]


def load_graph(
    path: str | Path,
    *,
    undirected: bool | None = None,
    weights: str = "file",
    weight_name: str | None = None,
    format: str | None = None,
    header: bool = True,
    progress: Callable[[float, str], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
    pipe: bool = False,
) -> CSRGraph:
    """Read a graph file.

    Parameters
    ----------
    path : the file; gzip and xz are unpacked
    undirected : None as the format defines (METIS, `p tw` and symmetric matrices are undirected,
        the others directed as written); True adds the reverse of each edge; False adds none
    weights : "file"; "unit", all 1; "random", 1..100 from a fixed seed; "absolute", the file's
        without their signs
    weight_name : the column or attribute that is the weight, in formats with names (GraphML,
        GEXF, GML, edge lists with a heading); None for the usual one
    format : key of READERS, to skip the choice by name and content
    header : whether the first row of a table may be a heading; False: it is an edge
    progress : called with a fraction 0..1 and what is being done
    should_stop : called between pieces of work
    pipe : whether the path may be a pipe or device, for example /dev/stdin; it is read to its end

    Raises
    ------
    FormatError, MemoryNeededError, CancelledByUserError, ParameterError
    """
    refuse_web_address(str(path))
    if format is not None:
        _check_key(format)
    reading = Reading(
        Path(path), undirected, weights, progress, should_stop, weight_name, format, pipe, header
    )
    try:
        row, data = _data_of(reading)
        graph = graph_of(reading, row.key, row.read(reading, data))
    except GraphError as error:
        raise FormatError(reading.path, str(error)) from error
    except MemoryError as error:
        raise MemoryNeededError(
            f"{reading.path}: memory ran out while reading; close other programs"
        ) from error
    reading.report(1.0, "read")
    return graph


def _data_of(reading: Reading) -> tuple[Format, bytearray]:
    """Return the format of a file and its unpacked bytes; text has LF or CRLF at line ends."""
    reading.report(0.0, "opening")
    with reading.opened() as head:
        row = READERS[reading.format] if reading.format else chosen_format(reading, head)
        if not reading.format and not named_formats(reading.path):
            reading.note(f"the suffix names no format; guessed from the content: {row.title}")
        if reading.weight_name is not None and not row.named_weights:
            raise reading.fault(
                f"{row.title} has no names of weights; leave the name out", remedy=NAME
            )
        if row.text and reading.disk_bytes > PLAIN_BYTES:
            early(warm_up)
        data = reading.read_all(text=row.text)
    if row.text:
        if data[: len(UTF8_MARK)] == UTF8_MARK:
            del data[: len(UTF8_MARK)]
        _end_lines_in_newlines(data)
    return row, data


def _end_lines_in_newlines(data: bytearray) -> None:
    """Turn every CR that no LF follows into an LF, in place; a CR before an LF is a blank."""
    letters = np.frombuffer(data, np.uint8)
    blocks = (letters[at : at + BLOCK_BYTES] for at in range(0, len(letters), BLOCK_BYTES))
    if not any((block == ord("\r")).any() for block in blocks):  # without Python's lock
        return
    returns = np.flatnonzero(letters == ord("\r"))
    following = letters[np.minimum(returns + 1, len(letters) - 1)]
    letters[returns[following != ord("\n")]] = ord("\n")


# ---------------------------------------------------------------- what a file is


def chosen_format(reading: Reading, head: bytes) -> Format:
    """Return the format that the name says, otherwise the most confident one of the content.

    Raises FormatError if the content is certainly another format's, or no graph's.
    """
    text = head.removeprefix(UTF8_MARK).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    others = [name for mark, name in OTHERS if mark in head[:MARK_BYTES]]
    named = named_formats(reading.path)
    best = max(named or TABLE, key=lambda row: row.sniff(text))
    score = best.sniff(text)
    if named and score == 0:
        others += [f"{row.title} under this name" for row in TABLE if row.sniff(text) == 1]
    if score >= (SURE if others else LEAST_CONFIDENCE) or (named and (score or not others)):
        return best
    titles = ", ".join(row.title for row in named or TABLE)
    if others:
        raise reading.fault(f"{others[0]} is not read; formats that are: {titles}")
    begins = f"begins {shown(head)}, which is no known graph format"
    if sum(byte < 32 for byte in head[:64] if byte not in b"\t\n\r") > 8:  # text has few
        begins = "holds no text, and is no known graph format"
    raise reading.fault(f"{begins}; these are: {titles}")


def named_formats(path: Path) -> list[Format]:
    """Return the formats that a file's name says it may have, none if it says nothing."""
    suffix = _suffix_of(path)
    if suffix in SAYS_NOTHING:
        return []
    return [row for row in TABLE if suffix in row.suffixes + row.shared]


def _suffix_of(path: Path) -> str | None:
    name = unpacked_name(path).lower()
    suffixes = [suffix for row in TABLE for suffix in row.suffixes + row.shared]
    fits = [suffix for suffix in suffixes if name.endswith(suffix)]
    return max(fits, key=len, default=None)


def _check_key(format: str) -> None:
    if format not in READERS:
        raise ParameterError(
            f"format {format!r} is not known{did_you_mean(format, READERS)}; choose "
            f"{', '.join(READERS)}"
        )


# ---------------------------------------------------------------- writing


def save_graph(graph: CSRGraph, path: str | Path, format: str | None = None) -> tuple[str, ...]:
    """Write a graph in the format of the suffix, packed if that ends in .gz or .xz.

    `load_graph` reads the same graph back: weights and their kind, direction, vertices without
    edges. Sentences returned say what is not kept: only `.npz` and `.gr` keep coordinates, and a
    format that numbers its vertices itself loses the ids. `format`, a key of READERS, overrides
    the suffix.

    Raises ParameterError for an unknown suffix, GraphError if the format cannot hold the graph or
    the file cannot be written.
    """
    path = Path(path)
    row = _written_format(path, format)
    try:
        row.write(graph, path)  # type: ignore[misc]
        return _not_kept(graph, row)
    except MemoryError as error:
        raise MemoryNeededError(
            f"cannot write {path}: memory ran out; close other programs"
        ) from error


def _not_kept(graph: CSRGraph, row: Format) -> tuple[str, ...]:
    sentences = []
    if graph.positions is not None and not row.places:
        sentences.append("coordinates are not kept; .npz and .gr keep them")
    base = row.numbered_from(graph) if row.numbered_from else None
    if base is not None and graph.n and (graph.ids is not None or graph.id_base != base):
        names = f"{graph.id_of(0)} to {graph.id_of(graph.n - 1)}"
        sentences.append(f"ids {names} are not kept: vertices are {base} to {base + graph.n - 1}")
    return tuple(sentences)


def writer_for(path: str | Path, format: str | None = None) -> Callable[[CSRGraph, Path], None]:
    """Return the function that writes `path`. Raises ParameterError if there is none."""
    return _written_format(Path(path), format).write  # type: ignore[return-value]


def _written_format(path: Path, format: str | None) -> Format:
    if format is not None:
        _check_key(format)
    suffix = _suffix_of(path)
    by_suffix = next((row for row in TABLE if suffix in row.suffixes), None)
    row = READERS[format] if format else by_suffix
    if row is None or row.write is None:
        rows = [row for row in TABLE if row.write is not None]
        suffixes = ", ".join(suffix for row in rows for suffix in row.suffixes)
        name = repr(format) if format else repr(path.suffix)
        title = f" ({row.title} is only read)" if row is not None else ""
        raise ParameterError(f"{path.name}: no writer for {name}{title}; use {suffixes}")
    if suffix not in row.suffixes + row.shared and (suffix is not None or not row.by_content):
        raise ParameterError(
            f"{path.name}: {row.title} under this name would be read as something else; name it "
            f"{path.name}{row.suffixes[0]}"
        )
    return row
