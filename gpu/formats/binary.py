"""Binary graphs of Galois, `.gr`, versions 1 and 2, little-endian.

uint64 version, bytes of each edge's data, n, m; n uint64 ends of rows; m targets, uint32 in version
1 (4 bytes of padding follow if m is odd), uint64 in version 2; m edge data of 0, 4 or 8 bytes.
Vertices count from 0. The file does not say whether the data are integers or floats. Bits that are
all ordinary floats (or zero), and would be integers from about 9e8 to 1.4e9 (4 bytes) or past 4e18
(8 bytes), are read as floats, everything else as integers. A note says so.
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import numpy as np

from gpu.errors import GraphError
from gpu.formats.reading import SIGNS, Arcs, Format, Reading, bare_name
from gpu.formats.write import write_file
from gpu.graph import CSRGraph, check_rows

HEADER_BYTES = 32
TARGET_BYTES = {1: 4, 2: 8}
DATA_BYTES = (0, 4, 8)
FLOAT_BITS = {  # lowest and highest bits, as integers, that are read as floats
    4: tuple(int(np.float32(x).view(np.int32)) for x in (2.0**-20, 2.0**40)),
    8: tuple(int(np.float64(x).view(np.int64)) for x in (2.0**-20, 2.0**40)),
}


def sniff(head: bytes) -> float:
    """Return 1 for a header of version 1 or 2 with edge data of 0, 4 or 8 bytes."""
    if len(head) < 16:
        return 0.0
    version, data_bytes = np.frombuffer(head[:16], "<u8").tolist()
    if version not in TARGET_BYTES:
        return 0.0
    return 1.0 if data_bytes in DATA_BYTES else 0.3


def read(reading: Reading, data: bytearray) -> Arcs:
    """Read a whole Galois binary file."""
    version, n, m, data_bytes = _layout(reading, data)
    reading.need_memory(8 * n + 24 * m)
    indptr = np.frombuffer(data, "<i8", n + 1, HEADER_BYTES - 8).copy()  # m stands before the ends
    indptr[0] = 0
    heads = np.frombuffer(data, f"<i{TARGET_BYTES[version]}", m, HEADER_BYTES + 8 * n)
    check_rows(indptr, heads)
    weights = None
    if data_bytes:
        bits = np.frombuffer(data, f"<i{data_bytes}", m, len(data) - data_bytes * m)
        weights = _weights(reading, bits)
    name = bare_name(reading.path).removesuffix(".galois")
    return Arcs(heads[:0], heads, n, weights, name=name, rows=indptr)


def _layout(reading: Reading, data: bytearray) -> tuple[int, int, int, int]:
    """Return version, n, m and bytes of edge data, checked against the file's size."""
    size = len(data)
    if size < HEADER_BYTES:
        raise reading.fault(f"{size} bytes; a Galois header has {HEADER_BYTES}")
    version, data_bytes, n, m = np.frombuffer(data, "<u8", 4).tolist()
    if version not in TARGET_BYTES:
        raise reading.fault(f"Galois version {version}; versions 1 and 2 are read")
    if data_bytes not in DATA_BYTES:
        raise reading.fault(f"edge data of {data_bytes} bytes; 0, 4 or 8 are read")
    reading.check_promise(n, m, size, None)
    needed = HEADER_BYTES + 8 * n + (TARGET_BYTES[version] + data_bytes) * m
    padding = 4 if version == 1 and m % 2 else 0
    unaligned = size == needed and not data_bytes  # some writers leave the padding out
    if size == needed + padding or unaligned:
        return version, n, m, data_bytes
    raise reading.fault(
        f"the header promises {n} vertices and {m} edges, {needed + padding} bytes; "
        f"the file has {size}"
    )


def _weights(reading: Reading, bits: np.ndarray) -> np.ndarray:
    """Return the weights, as integers or as floats. Raises FormatError for one below zero."""
    if not reading.needs_weights or not len(bits):
        return bits
    size = bits.dtype.itemsize
    low, high = FLOAT_BITS[size]
    if low <= bits.max() <= high and bits[bits != 0].min() >= low:
        reading.note(f"edge data of {size} bytes look like floats: read as such")
        return bits.view(f"<f{size}").astype(np.float64)
    if bits.min() >= 0:
        return bits
    if not reading.allows_negative:
        edge = int(np.flatnonzero(bits < 0)[0])
        raise reading.fault(
            f"edge {edge} has weight {bits[edge]}, below zero; weights must be >= 0", remedy=SIGNS
        )
    return bits.astype(np.int64)


def write(graph: CSRGraph, path: Path) -> None:
    """Write version 1 with edge data of the weights' own type, 4 or 8 bytes."""
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
    text=False, numbered_from=lambda _: 0,
)  # fmt: skip
