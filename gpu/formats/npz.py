"""Our own `.npz`: the arrays of a CSRGraph and a page of JSON, never pickled.

`indptr`, `indices`, `weights`, if they exist `positions` and `ids`, and `metadata` (uint8: JSON in
UTF-8 with name, id_base, provenance, version). Matrices of `scipy.sparse.save_npz` are refused.

NumPy's loader allocates the size that an array's header claims before it reads the data. So the
members are read here: the header by a strict pattern, its size against the archive's.
"""

from __future__ import annotations

import io
import json
import math
import re
import zipfile
import zlib
from pathlib import Path
from typing import BinaryIO, Literal

import numpy as np
from msgspec import Struct

from gpu.formats.reading import PACKINGS, Arcs, Format, Reading
from gpu.formats.write import write_file
from gpu.graph import CSRGraph, check_rows
from gpu.schema import SchemaError, checked

VERSION = 1
MAGIC = b"PK\x03\x04"
MOST_MEMBERS = 32  # our files have six; a trace has more
DEFLATE_RATIO = 1032  # the most that deflate can shrink
NPY_HEADER = re.compile(
    rb"\x93NUMPY\x01\0..\{'descr': '([<|](\w)\d{1,4})', 'fortran_order': (False|True), "
    rb"'shape': \(([0-9]{0,18}(?:, ?[0-9]{0,18})?)\), \} *\n",
    re.DOTALL,
)
MEMBERS = {  # member: types, or kinds, of its items, number of axes
    "indptr": ({"<i8"}, 1),
    "indices": ({"<i4"}, 1),
    "weights": ({"<i4", "<i8", "<f4", "<f8"}, 1),
    "positions": ({"<f4"}, 2),
    "ids": ({"<i8", "U"}, 1),
    "metadata": ({"|u1"}, 1),
}
BROKEN = (
    zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, KeyError, IndexError,
    NotImplementedError, RuntimeError, OverflowError, LookupError, AttributeError, TypeError,
)  # fmt: skip


class _Provenance(Struct):
    notes: list[str] = []


class _Metadata(Struct):
    version: Literal[1] = 1
    name: str = ""
    id_base: int = 0
    provenance: _Provenance | None = None


def sniff(head: bytes) -> float:
    """Return 1 for a zip archive: no other format that is read is one."""
    return float(head.startswith(MAGIC))


def read(reading: Reading, data: bytearray) -> Arcs:
    """Return a graph saved by `write`, with its name, ids, positions and notes."""
    arrays = _arrays(reading, data)
    try:
        page = checked(_Metadata, json.loads(arrays["metadata"].tobytes() or b"{}"))
    except (SchemaError, ValueError, RecursionError) as error:
        raise reading.fault(f"the page of metadata cannot be read: {error}") from error
    notes = page.provenance.notes if page.provenance else []
    indptr, ids, places = arrays["indptr"], arrays.get("ids"), arrays.get("positions")
    check_rows(indptr, arrays["indices"])
    if ids is not None and len(ids) != len(indptr) - 1:
        raise reading.fault(f"{len(ids)} ids for {len(indptr) - 1} vertices")
    if ids is not None and ids.dtype.kind == "U":
        points = np.ascontiguousarray(ids).view("<u4")
        if len(points) and (points.max() > 0x10FFFF or ((points >> 11) == 0x1B).any()):
            raise reading.fault("ids hold characters that do not exist")
    if places is not None and not np.isfinite(places).all():
        raise reading.fault("positions must be finite")
    return Arcs(
        arrays["indices"][:0], arrays["indices"], len(indptr) - 1, arrays["weights"],
        rows=indptr, places=places, ids=ids, id_base=page.id_base,
        name=" ".join(page.name.split())[:200] or None,
        notes=tuple(f"when saved: {' '.join(note.split())}" for note in notes),
    )  # fmt: skip


def _arrays(reading: Reading, data: bytearray) -> dict[str, np.ndarray]:
    arrays = {"metadata": np.zeros(0, np.uint8)}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {one.filename.removesuffix(".npy"): one for one in archive.infolist()}
            for name in ("indptr", "indices", "weights"):
                if name not in members or len(members) > MOST_MEMBERS:
                    kind = "a saved run" if "samples" in members else "no graph of SSSP Scope"
                    kind = "a matrix of SciPy (save it by mmwrite)" if "format" in members else kind
                    raise reading.fault(f"no array {name!r} in it: {kind}")
            reading.check_unpacked(sum(one.file_size for one in members.values()), "the archive")
            for name in MEMBERS.keys() & members.keys():
                arrays[name] = _array(reading, archive, members[name], name)
    except BROKEN as error:
        words = " ".join(str(error).split())[:100]
        raise reading.fault(f"broken .npz archive ({words or type(error).__name__})") from error
    return arrays


def _array(
    reading: Reading, archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str
) -> np.ndarray:
    """Return a member, whose size is checked before it is unpacked."""
    if member.file_size > DEFLATE_RATIO * member.compress_size + 1024:
        raise reading.fault(f"array {name!r} claims {member.file_size} bytes; impossible")
    reading.need_memory(2 * member.file_size)
    with archive.open(member) as file:
        raw = file.read(member.file_size)
        file.read(1)  # the end: checks the sum
    header = NPY_HEADER.match(raw)
    if header is None:
        raise reading.fault(f"array {name!r} has a header that is not read (plain numbers are)")
    kind, letter, turned, axes = (part.decode() for part in header.groups())
    shape = tuple(int(axis) for axis in axes.replace(" ", "").split(",") if axis)
    kinds, dimensions = MEMBERS[name]
    if (kind not in kinds and letter not in kinds) or len(shape) != dimensions:
        raise reading.fault(f"array {name!r} is {kind} of shape {shape}; cannot be read")
    dtype = np.dtype(kind)
    if not dtype.itemsize or math.prod(shape) * dtype.itemsize != len(raw) - header.end():
        raise reading.fault(f"array {name!r} claims shape {shape}; its data have another size")
    flat = np.frombuffer(raw, dtype, offset=header.end())
    return flat.reshape(shape, order="F" if turned == "True" else "C").copy()


def write(graph: CSRGraph, path: Path) -> None:
    """Save everything that a graph holds."""

    def fill(file: BinaryIO) -> None:
        if path.suffix.lower() in PACKINGS:  # zip seeks back
            file.write(packed(graph))
        else:
            write_into(graph, file)

    write_file(path, fill)


def packed(graph: CSRGraph) -> bytes:
    """Return the file that `write` makes."""
    whole = io.BytesIO()
    write_into(graph, whole)
    return whole.getvalue()


def write_into(graph: CSRGraph, file: BinaryIO) -> None:
    """Write a graph into a file that can be sought in."""
    metadata = {
        "version": VERSION,
        "name": graph.name,
        "id_base": graph.id_base,
        "provenance": {
            "origin": graph.provenance.origin,
            "format": graph.provenance.format,
            "options": graph.provenance.options,
            "notes": list(graph.provenance.notes),
        },
    }
    page = np.frombuffer(json.dumps(metadata, default=str).encode(), np.uint8)
    arrays = {"indptr": graph.indptr, "indices": graph.indices, "weights": graph.weights}
    if graph.positions is not None:
        arrays["positions"] = np.ascontiguousarray(graph.positions, np.float32)
    if graph.ids is not None:
        arrays["ids"] = graph.ids
    np.savez(file, metadata=page, **arrays)  # type: ignore[arg-type]


FORMAT = Format("npz", "SSSP Scope graph", (".npz",), sniff, read, write, text=False, places=True)
