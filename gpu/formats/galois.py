"""Galois binary graphs (`.gr` too: told apart by content), versions 1 and 2.

Little-endian: uint64 version, bytes of each arc's data, n, m; n uint64 ends of rows;
m targets, uint32 in version 1 (4 bytes of padding follow if m is odd), uint64 in
version 2; m arc data of 0, 4 or 8 bytes. Vertices are numbered from 0.

The file does not say whether the arc data are integers or floats. Bits that are
all ordinary floats (or zero) and would be integers from about 9e8 to 1.4e9 (4 bytes)
or past 4e18 (8 bytes) are read as floats, everything else as integers: such
integers could not be added up twice anyway. A note says which was taken.
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import numpy as np

from gpu.errors import GraphError
from gpu.graph import CSRGraph
from gpu.parsing.build import graph_from_rows
from gpu.parsing.filebytes import FileBytes
from gpu.parsing.reading import SIGNS, Format, Reading, bare_name, counts_from
from gpu.parsing.write import write_file

HEADER_BYTES = 32
TARGET_BYTES = {1: 4, 2: 8}
DATA_BYTES = (0, 4, 8)
FLOAT_BITS = {  # lowest and highest bits, as integers, that are taken for floats
    4: tuple(int(np.float32(x).view(np.int32)) for x in (2.0**-20, 2.0**40)),
    8: tuple(int(np.float64(x).view(np.int64)) for x in (2.0**-20, 2.0**40)),
}


def sniff(head: bytes) -> float:
    """Return 1 for a header of version 1 or 2 with arc data of 0, 4 or 8 bytes."""
    if len(head) < 16:
        return 0.0
    version, data_bytes = np.frombuffer(head[:16], "<u8").tolist()
    if version not in TARGET_BYTES:
        return 0.0
    return 1.0 if data_bytes in DATA_BYTES else 0.3


def read(reading: Reading, data: FileBytes) -> CSRGraph:
    """Read a whole Galois binary file."""
    version, n, m, data_bytes = _layout(reading, data)
    reading.need_memory(8 * n + 24 * m)
    indptr = np.frombuffer(data, "<i8", n + 1, HEADER_BYTES - 8)  # the ends, and m before them
    indptr[0] = 0
    targets = np.frombuffer(data, f"<i{TARGET_BYTES[version]}", m, HEADER_BYTES + 8 * n)
    if version == 2 or reading.undirected or reading.weights == "random":
        _check_rows(reading, indptr, targets)
    values, integral, bits = None, True, np.empty(0, np.int32)
    if data_bytes:
        bits = np.frombuffer(data, f"<i{data_bytes}", m, len(data) - data_bytes * m)
        values, integral = _values(reading, bits)
    reading.report(0.9, "checking")
    try:
        return graph_from_rows(
            reading, "galois", indptr.astype(np.int64, copy=False), targets, values,
            integral=integral,
            name=_name(reading.path),
        )  # fmt: skip
    except GraphError:
        _check_rows(reading, indptr, targets)  # the file's words, if that is what is wrong
        _check_signs(reading, bits)
        raise


def _layout(reading: Reading, data: FileBytes) -> tuple[int, int, int, int]:
    """Return version, n, m and bytes of arc data, checked against the file's size."""
    size = len(data)
    if size < HEADER_BYTES:
        raise reading.fault(f"{size} bytes; a Galois header has {HEADER_BYTES}")
    version, data_bytes, n, m = np.frombuffer(data, "<u8", 4).tolist()
    if version not in TARGET_BYTES:
        raise reading.fault(f"Galois version {version}; versions 1 and 2 are read")
    if data_bytes not in DATA_BYTES:
        raise reading.fault(f"arc data of {data_bytes} bytes; 0, 4 or 8 are read")
    reading.check_promise(n, m, size, None)
    needed = HEADER_BYTES + 8 * n + (TARGET_BYTES[version] + data_bytes) * m
    padding = 4 if version == 1 and m % 2 else 0
    unaligned = size == needed and not data_bytes  # some writers leave the padding out
    if size == needed + padding or unaligned:
        return version, n, m, data_bytes
    raise reading.fault(
        f"the header promises {n} vertices and {m} arcs, {needed + padding} bytes; "
        f"the file has {size}"
    )


def _check_rows(reading: Reading, indptr: np.ndarray, targets: np.ndarray) -> None:
    """Refuse rows that fall and targets that are no vertices, before they are worked with.

    Where the arrays become the graph as they are, that comes after one look at all of it.
    """
    n, m = len(indptr) - 1, len(targets)
    if indptr[-1] != m or (indptr[1:] < indptr[:-1]).any():
        raise reading.fault(f"the ends of rows must rise to the {m} arcs; the last is {indptr[-1]}")
    if m and (targets.min() < 0 or targets.max() >= n):
        bad = targets.min() if targets.min() < 0 else targets.max()
        raise reading.fault(f"an arc ends at {bad}; vertices are 0 to {n - 1}")


def _values(reading: Reading, bits: np.ndarray) -> tuple[np.ndarray, bool]:
    """Return the weights and whether they are integers; say what they were taken for."""
    size = bits.dtype.itemsize
    low, high = FLOAT_BITS[size]
    if reading.weights in {"unit", "random"} or not len(bits):
        return bits, True
    if low <= bits.max() <= high and bits[bits != 0].min() >= low:
        reading.note(f"arc data of {size} bytes look like floats: read as such")
        return bits.view(f"<f{size}").astype(np.float64), False
    if size > 4:
        _check_signs(reading, bits)
    return bits.astype(np.int64) if reading.weights == "absolute" else bits, True


def _check_signs(reading: Reading, bits: np.ndarray) -> None:
    """Refuse a weight below zero, unless that was asked for, and say what could be."""
    if reading.weights == "file" and len(bits) and bits.min() < 0:
        arc = int(np.flatnonzero(bits < 0)[0])
        raise reading.fault(
            f"arc {arc} has weight {bits[arc]}, below zero; weights must be >= 0", remedy=SIGNS
        )


def _name(path: Path) -> str:
    return bare_name(path).removesuffix(".galois")


def write(graph: CSRGraph, path: Path) -> None:
    """Write version 1 with arc data of the weights' own type, 4 or 8 bytes."""
    size = graph.weights.itemsize
    if graph.m:
        low, high = FLOAT_BITS[size]
        used = graph.weights[graph.weights != 0].view(f"i{size}")
        floats = len(used) > 0 and used.min() >= low and used.max() <= high
        if floats and graph.integer:
            raise GraphError(
                f"integer weights that are all 0 or {low} to {high} would be read back as floats "
                "from a Galois file, which has no mark for their type; write .npz or .gr"
            )
        if not floats and not graph.integer:
            raise GraphError(
                "float weights beyond 1e-6 .. 1e12 would be read back as integers from a "
                "Galois file, which has no mark for their type; write .npz or .gr"
            )

    def fill(file: BinaryIO) -> None:
        file.write(np.array([1, size, graph.n, graph.m], "<u8").tobytes())
        file.write(graph.indptr[1:].astype("<u8").tobytes())
        file.write(graph.indices.astype("<u4").tobytes())
        file.write(b"\0" * (4 * (graph.m % 2)))
        file.write(graph.weights.astype(graph.weights.dtype.newbyteorder("<")).tobytes())

    write_file(path, fill)


FORMAT = Format(
    "galois", "Galois binary", (".galois.gr", ".galois"), sniff, read, write, shared=(".gr",),
    text=False, numbered_from=counts_from(0),
)  # fmt: skip
