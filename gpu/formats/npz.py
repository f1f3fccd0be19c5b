"""Archives of NumPy: our own `.npz`, SciPy's sparse matrices.

Ours holds the arrays of a CSRGraph and a page of JSON, never pickled: `indptr`, `indices`,
`weights`, if they exist `positions` and `ids`, and `metadata` (uint8: JSON in UTF-8 with name,
id_base, provenance, version).

`scipy.sparse.save_npz` writes `format`, `shape`, `data` and the indices of csr, csc or coo: entry
(i, j) of a square matrix is the edge i -> j.

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
from typing import Any, BinaryIO

import numpy as np

from gpu.formats.binary import check_rows
from gpu.formats.build import tails_of
from gpu.formats.reading import PACKINGS, SIGNS, Arcs, Format, Reading
from gpu.formats.rows import FLOAT_MAX, INT64_MAX
from gpu.formats.write import write_file
from gpu.graph import MAX_COUNT, CSRGraph

VERSION = 1
MAGIC = b"PK\x03\x04"
MOST_MEMBERS = 32  # our files have six; a trace has more
DEFLATE_RATIO = 1032  # the most that deflate can shrink
NPY_HEADER = re.compile(
    rb"\x93NUMPY\x01\0..\{'descr': '([<|])([biufUS])([0-9]{1,4})', 'fortran_order': (False|True), "
    rb"'shape': \(([0-9]{0,18}(?:, ?[0-9]{0,18})?)\), \} *\n",
    re.DOTALL,
)
OUR_MEMBERS = {  # member: kinds and sizes of its items, number of axes
    "indptr": ({"i8"}, 1),
    "indices": ({"i4"}, 1),
    "weights": ({"i4", "i8", "f4", "f8"}, 1),
    "positions": ({"f4"}, 2),
    "ids": ({"i8", "U"}, 1),
    "metadata": ({"u1"}, 1),
}
NUMBERS = {"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"}
SPARSE = {"format", "shape", "data", "indptr", "indices", "row", "col"}
LAYOUTS = {"csr": ("indptr", "indices"), "csc": ("indptr", "indices"), "coo": ("row", "col")}
BROKEN = (
    zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, KeyError, IndexError,
    NotImplementedError, RuntimeError, OverflowError, LookupError, AttributeError, TypeError,
)  # fmt: skip


def sniff(head: bytes) -> float:
    """Return 1 for a zip archive: no other format that is read is one."""
    return float(head.startswith(MAGIC))


def read(reading: Reading, data: bytearray) -> Arcs:
    """Read a graph of ours, a sparse matrix, an archive of one array."""
    arrays = _arrays(reading, data)
    if "format" in arrays and "shape" in arrays:
        return _from_sparse(reading, arrays)
    return _from_ours(reading, arrays)


def _from_ours(reading: Reading, arrays: dict[str, np.ndarray]) -> Arcs:
    """Return a graph saved by `write`, with its name, ids, positions and notes."""
    for name in ("indptr", "indices", "weights"):
        if name not in arrays:
            kind = "; it looks like a saved run" if "samples" in arrays else ""
            raise reading.fault(f"no array {name!r} in it: not a graph of SSSP Scope{kind}")
    for name, array in arrays.items():
        kinds, axes = OUR_MEMBERS.get(name, (set(), 0))
        kind = f"{array.dtype.kind}{array.dtype.itemsize}"
        fits = (kind in kinds or kind[0] in kinds) and array.ndim == axes
        if name in OUR_MEMBERS and not fits:
            raise reading.fault(f"array {name!r} is {kind} of shape {array.shape}; cannot be read")
    metadata = _metadata(reading, arrays.pop("metadata", None))
    indptr, indices, weights = (arrays[name] for name in ("indptr", "indices", "weights"))
    _check_arrays(reading, arrays)
    return Arcs(
        tails_of(indptr), indices, len(indptr) - 1, weights,
        places=arrays.get("positions"), ids=arrays.get("ids"),
        id_base=metadata["id_base"], name=metadata["name"] or None,
        notes=tuple(f"when saved: {note}" for note in metadata["notes"]),
    )  # fmt: skip


def _from_sparse(reading: Reading, arrays: dict[str, np.ndarray]) -> Arcs:
    """Return the graph of a matrix that `scipy.sparse.save_npz` wrote."""
    layout = arrays["format"].tobytes().rstrip(b"\0").decode("ascii", "replace")
    if layout not in LAYOUTS:
        raise reading.fault(f"a sparse matrix in {layout!a}; expected csr, csc or coo: tocsr()")
    shape = arrays["shape"].ravel().tolist()
    if len(shape) != 2 or shape[0] != shape[1] or not 0 <= shape[0] <= MAX_COUNT:
        raise reading.fault(f"a matrix of shape {shape}; a graph needs as many rows as columns")
    names = (*LAYOUTS[layout], "data")
    for name in names:
        if name not in arrays or arrays[name].ndim != 1 or arrays[name].dtype.kind not in "biuf":
            raise reading.fault(f"no array {name!r} of numbers in the sparse matrix")
    first, second, values = (arrays[name] for name in names)
    n, m = int(shape[0]), len(second)
    reading.check_promise(n, m, m * 8 + first.nbytes, None)
    if first.dtype.kind not in "iu" or second.dtype.kind not in "iu" or len(values) != m:
        raise reading.fault(f"{len(values)} values for {m} indices, which must be whole numbers")
    if layout != "coo":
        rises = len(first) == n + 1 and first[0] == 0 and first[-1] == m
        if not rises or (first[1:] < first[:-1]).any():
            raise reading.fault(f"indptr must rise from 0 to the {m} entries and never fall")
        first = tails_of(first.astype(np.int64))
    tails, heads = (second, first) if layout == "csc" else (first, second)
    reading.note(f"a sparse matrix ({layout}) of SciPy: entry (i, j) is the edge i -> j")
    return Arcs(tails, heads, n, _checked_values(reading, values))


def _checked_values(reading: Reading, values: np.ndarray) -> np.ndarray:
    """Return int64 or float64; raise FormatError for weights that no graph may have."""
    whole = values.dtype.kind != "f" and values.max(initial=0) <= INT64_MAX
    values = values.astype(np.int64 if whole else np.float64)
    finite = np.isfinite(values) & (np.abs(values) <= FLOAT_MAX)
    if not finite.all() and reading.needs_weights:
        bad = values[~finite][0]
        raise reading.fault(f"an entry is {bad:g}; weights are finite, {FLOAT_MAX:.3g} at most")
    if values.min(initial=0) < 0 and not reading.allows_negative:
        words = f"an entry is {values.min():g}, below zero; weights must be >= 0"
        raise reading.fault(words, remedy=SIGNS)
    return values


def _arrays(reading: Reading, data: bytearray) -> dict[str, np.ndarray]:
    """Return the members that are read; the names of the others map to empty arrays."""
    arrays: dict[str, np.ndarray] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            if len(members) > MOST_MEMBERS:
                raise reading.fault(f"a zip archive of {len(members)} files; not a graph of ours")
            reading.check_unpacked(sum(member.file_size for member in members), "the archive")
            for member in members:
                name = member.filename.removesuffix(".npy")
                if name in OUR_MEMBERS or name in SPARSE:
                    arrays[name] = _array(reading, archive, member, name)
                else:
                    arrays.setdefault(name, np.empty(0))
    except BROKEN as error:
        words = " ".join(str(error).split())[:100]
        raise reading.fault(f"broken .npz archive ({words or type(error).__name__})") from error
    return arrays


def _array(
    reading: Reading, archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str
) -> np.ndarray:
    if member.file_size > DEFLATE_RATIO * member.compress_size + 1024:
        raise reading.fault(f"array {name!r} claims {member.file_size} bytes; impossible")
    reading.need_memory(2 * member.file_size)
    with archive.open(member) as file:
        raw = file.read(member.file_size)
        file.read(1)  # the end: checks the sum
    return _parsed(reading, raw, repr(name))


def _parsed(reading: Reading, raw: bytes, name: str) -> np.ndarray:
    """Return the array of a `.npy` file; `name` is for errors."""
    header = NPY_HEADER.match(raw)
    if header is None:
        raise reading.fault(f"array {name} has a header that is not read (plain numbers are)")
    order, kind, size, turned, shape_words = (part.decode() for part in header.groups())
    shape = tuple(int(axis) for axis in shape_words.replace(" ", "").split(",") if axis)
    if f"{kind}{size}" not in NUMBERS and kind not in "US":
        raise reading.fault(f"array {name} is {kind}{size} of shape {shape}; cannot be read")
    dtype = np.dtype(f"{order}{kind}{size}")
    if math.prod(shape) * dtype.itemsize != len(raw) - header.end():
        raise reading.fault(f"array {name} claims shape {shape}; its data have another size")
    if not dtype.itemsize:
        raise reading.fault(f"array {name} has items of no size")
    flat = np.frombuffer(raw, dtype, offset=header.end())
    return flat.reshape(shape, order="F" if turned == "True" else "C").copy()


def _check_arrays(reading: Reading, arrays: dict[str, np.ndarray]) -> None:
    """Refuse what CSRGraph's own checks do not see."""
    n, ids, positions = len(arrays["indptr"]) - 1, arrays.get("ids"), arrays.get("positions")
    m, weights = len(arrays["indices"]), arrays["weights"]
    if n < 0:
        raise reading.fault(f"indptr is empty; it must rise from 0 to the {m} edges")
    check_rows(reading, arrays["indptr"], arrays["indices"])
    if len(weights) != m:
        raise reading.fault(f"{len(weights)} weights for {m} edges")
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
        page = json.loads(raw.tobytes()) if raw is not None else {}
    except (ValueError, RecursionError) as error:
        raise reading.fault("the page of metadata is not JSON") from error
    if not isinstance(page, dict):
        raise reading.fault("the page of metadata is not a JSON object")
    if page.get("version", VERSION) != VERSION:
        raise reading.fault(f"saved by version {str(page['version'])[:20]}; {VERSION} is read")
    name, base = page.get("name", ""), page.get("id_base", 0)
    provenance = page.get("provenance")
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


FORMAT = Format(
    "npz", "SSSP Scope graph, SciPy matrix", (".npz",), sniff, read, write, text=False, places=True
)
