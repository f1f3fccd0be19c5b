"""Our own `.npz`: the arrays of a CSRGraph and a page of JSON, never pickled.

`indptr`, `indices`, `weights`, where they exist `positions` and `ids`, and `metadata`
(uint8: JSON in UTF-8 with name, id_base, provenance, version). NumPy's loader
allocates what an array's header claims before it looks at the data, so the members
are read here: header by a strict pattern, size against what the archive holds.
"""

from __future__ import annotations

import io
import json
import math
import re
import zipfile
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from gpu.formats.base import COMPRESSIONS, Format, Reading, bare_name
from gpu.formats.build import graph_from_rows
from gpu.formats.filebytes import FileBytes
from gpu.formats.write import write_file
from gpu.graph import CSRGraph
from gpu.memory import require_memory

VERSION = 1
MAGIC = b"PK\x03\x04"
MEMBERS = 32  # our files have six; a trace has more
DEFLATE_RATIO = 1032  # the most that deflate can shrink
NPY_HEADER = re.compile(
    rb"\x93NUMPY\x01\0..\{'descr': '([<|])([iufU])([0-9]{1,4})', 'fortran_order': False, "
    rb"'shape': \(([0-9]{0,18}(?:, ?[0-9]{0,18})?)\), \} *\n",
    re.DOTALL,
)
WANTED = {  # member: kind and size of its items, number of axes
    "indptr": ("i8", 1),
    "indices": ("i4", 1),
    "weights": (None, 1),
    "positions": ("f4", 2),
    "ids": (None, 1),
    "metadata": ("u1", 1),
}
BROKEN = (
    zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, KeyError, IndexError,
    NotImplementedError, RuntimeError, OverflowError, LookupError, AttributeError, TypeError,
)  # fmt: skip


def sniff(head: bytes) -> float:
    """Return 1 for a zip archive: nothing else that we read is one."""
    return float(head.startswith(MAGIC))


def read(reading: Reading, data: FileBytes) -> CSRGraph:
    """Read a graph saved by `write`, with its name, ids, positions and provenance."""
    arrays = _arrays(reading, data)
    for name in ("indptr", "indices", "weights"):
        if name not in arrays:
            kind = "; it looks like a saved run" if "samples" in arrays else ""
            raise reading.fault(f"no array {name!r} in it: not a graph of SSSP Scope{kind}")
    metadata = _metadata(reading, arrays.pop("metadata", None))
    indptr, indices, weights = (arrays[name] for name in ("indptr", "indices", "weights"))
    _check_arrays(reading, arrays)
    graph = graph_from_rows(
        reading, "npz", indptr, indices, weights, integral=weights.dtype.kind == "i",
        positions=arrays.get("positions"), ids=arrays.get("ids"),
        id_base=metadata["id_base"], name=metadata["name"] or bare_name(reading.path),
    )  # fmt: skip
    kept = tuple(f"when saved: {note}" for note in metadata["notes"])
    return replace(graph, provenance=replace(
        graph.provenance, notes=(*graph.provenance.notes, *kept)
    ))  # fmt: skip


def _arrays(reading: Reading, data: FileBytes) -> dict[str, np.ndarray]:
    """Return the members that we know; the names of the others map to empty arrays."""
    found: dict[str, np.ndarray] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            if len(members) > MEMBERS:
                raise reading.fault(f"a zip archive of {len(members)} files; not a graph of ours")
            for member in members:
                name = member.filename.removesuffix(".npy")
                if name in WANTED:
                    found[name] = _array(reading, archive, member, name)
                else:
                    found.setdefault(name, np.empty(0))
    except BROKEN as error:
        words = " ".join(str(error).split())[:100]
        raise reading.fault(f"broken .npz archive ({words or type(error).__name__})") from error
    return found


def _array(
    reading: Reading, archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str
) -> np.ndarray:
    if member.file_size > DEFLATE_RATIO * member.compress_size + 1024:
        raise reading.fault(f"array {name!r} claims {member.file_size} bytes; impossible")
    require_memory(2 * member.file_size, str(reading.path))
    with archive.open(member) as file:
        raw = file.read(member.file_size)
        file.read(1)  # the end: checks the sum
    header = NPY_HEADER.match(raw)
    if header is None:
        raise reading.fault(f"array {name!r} has a header that we do not write")
    order, kind, size, shape_words = (part.decode() for part in header.groups())
    shape = tuple(int(axis) for axis in shape_words.replace(" ", "").split(",") if axis)
    wanted, axes = WANTED[name]
    text = kind == "U" and name == "ids"
    allowed = {wanted} if wanted else ({"i4", "f4"} if name == "weights" else {"i8"})
    if (f"{kind}{size}" not in allowed and not text) or len(shape) != axes:
        raise reading.fault(f"array {name!r} is {kind}{size} of shape {shape}; cannot be read")
    dtype = np.dtype(f"{order}{kind}{size}")
    if math.prod(shape) * dtype.itemsize != len(raw) - header.end():
        raise reading.fault(f"array {name!r} claims shape {shape}; its data have another size")
    if not dtype.itemsize:
        raise reading.fault(f"array {name!r} has items of no size")
    return np.frombuffer(raw, dtype, offset=header.end()).reshape(shape).copy()


def _check_arrays(reading: Reading, arrays: dict[str, np.ndarray]) -> None:
    """Refuse what CSRGraph's own checks do not see."""
    n, ids, positions = len(arrays["indptr"]) - 1, arrays.get("ids"), arrays.get("positions")
    indptr, m = arrays["indptr"], len(arrays["indices"])
    if n < 0 or indptr[0] != 0 or indptr[-1] != m or (indptr[1:] < indptr[:-1]).any():
        raise reading.fault(f"indptr must rise from 0 to the {m} arcs and never fall")
    if len(arrays["weights"]) != m:
        raise reading.fault(f"{len(arrays['weights'])} weights for {m} arcs")
    if ids is not None and len(ids) != n:
        raise reading.fault(f"{len(ids)} ids for {n} vertices")
    if ids is not None and ids.dtype.kind == "U":
        points = np.ascontiguousarray(ids).view("<u4")
        if len(points) and (points.max() > 0x10FFFF or ((points >> 11) == 0x1B).any()):
            raise reading.fault("ids hold characters that do not exist")
    if positions is not None and not np.isfinite(positions).all():
        raise reading.fault("positions must be finite")


def _metadata(reading: Reading, raw: np.ndarray | None) -> dict[str, Any]:
    """Return name, id_base and notes, each of the right type."""
    try:
        told = json.loads(raw.tobytes()) if raw is not None else {}
    except (ValueError, RecursionError) as error:
        raise reading.fault("the page of metadata is not JSON") from error
    if not isinstance(told, dict):
        raise reading.fault("the page of metadata is not a JSON object")
    if told.get("version", VERSION) != VERSION:
        raise reading.fault(f"saved by version {str(told['version'])[:20]}; {VERSION} is read")
    name, base = told.get("name", ""), told.get("id_base", 0)
    provenance = told.get("provenance")
    notes = provenance.get("notes", []) if isinstance(provenance, dict) else []
    return {
        "name": " ".join(name.split())[:200] if isinstance(name, str) else "",
        "id_base": base if type(base) is int and abs(base) < 2**31 else 0,
        "notes": [" ".join(note.split()) for note in notes if isinstance(note, str)]
        if isinstance(notes, list)
        else [],
    }


def write(graph: CSRGraph, path: Path) -> None:
    """Save everything that a graph holds."""
    told = {
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
    page = np.frombuffer(json.dumps(told, default=str).encode(), np.uint8)
    arrays = {"indptr": graph.indptr, "indices": graph.indices, "weights": graph.weights}
    if graph.positions is not None:
        arrays["positions"] = np.ascontiguousarray(graph.positions, np.float32)
    if graph.ids is not None:
        arrays["ids"] = graph.ids

    def fill(file: BinaryIO) -> None:
        whole = io.BytesIO() if path.suffix.lower() in COMPRESSIONS else file  # zip seeks back
        np.savez(whole, metadata=page, **arrays)  # type: ignore[arg-type]
        if whole is not file:
            file.write(whole.getbuffer())  # type: ignore[attr-defined]

    write_file(path, fill)


FORMAT = Format("npz", "SSSP Scope graph", (".npz",), sniff, read, write, text=False, places=True)
