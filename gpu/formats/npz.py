"""Arrays of NumPy: our own `.npz`, SciPy's sparse matrices, plain arrays in `.npy` or `.npz`.

Ours holds the arrays of a CSRGraph and a page of JSON, never pickled: `indptr`, `indices`,
`weights`, where they exist `positions` and `ids`, and `metadata` (uint8: JSON in UTF-8 with name,
id_base, provenance, version).

`scipy.sparse.save_npz` writes `format`, `shape`, `data` and the indices of csr, csc or coo: entry
(i, j) of a square matrix is the arc i -> j. One array without such names is a dense matrix where it
is square, else rows 'TAIL HEAD [WEIGHT]'; 0 in a dense matrix is no arc. A square array of 2 or 3
rows could be either, and is refused.

NumPy's loader allocates what an array's header claims before it looks at the data, so the members
are read here: header by a strict pattern, size against what the archive holds and the budget of
`Reading`.
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

from gpu.graph import MAX_COUNT, CSRGraph
from gpu.parsing.build import graph_from_arcs, graph_from_rows, value_rule
from gpu.parsing.csr import tails_of
from gpu.parsing.filebytes import FileBytes
from gpu.parsing.numbering import number_vertices
from gpu.parsing.reading import COMPRESSIONS, SIGNS, Format, Reading, bare_name
from gpu.parsing.row_rules import FLOAT_MAX, INT64_MAX, NOT_NEGATIVE, SKIPPED
from gpu.parsing.rows import Rows
from gpu.parsing.write import write_file

VERSION = 1
MAGIC = b"PK\x03\x04"
MEMBERS = 32  # our files have six; a trace has more
DEFLATE_RATIO = 1032  # the most that deflate can shrink
NPY_HEADER = re.compile(
    rb"\x93NUMPY\x01\0..\{'descr': '([<|])([biufUS])([0-9]{1,4})', 'fortran_order': (False|True), "
    rb"'shape': \(([0-9]{0,18}(?:, ?[0-9]{0,18})?)\), \} *\n",
    re.DOTALL,
)
NPY_MAGIC = b"\x93NUMPY"
WANTED = {  # member: kinds and sizes of its items, number of axes
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
    """Return 1 for a zip archive: nothing else that we read is one."""
    return float(head.startswith(MAGIC))


def sniff_array(head: bytes) -> float:
    """Return 1 for a `.npy` file."""
    return float(head.startswith(NPY_MAGIC))


def read(reading: Reading, data: FileBytes) -> CSRGraph:
    """Read a graph of ours, a sparse matrix, an archive of one array."""
    arrays = _arrays(reading, data)
    if "format" in arrays and "shape" in arrays:
        return _from_sparse(reading, arrays)
    if len(arrays) == 1 and not set(arrays) & set(WANTED):
        return _from_array(reading, "npz", next(iter(arrays.values())))
    return _from_ours(reading, arrays)


def read_array(reading: Reading, data: FileBytes) -> CSRGraph:
    """Read one array."""
    return _from_array(reading, "numpy", _parsed(reading, bytes(data), "in the file"))


def _from_ours(reading: Reading, arrays: dict[str, np.ndarray]) -> CSRGraph:
    """Return a graph saved by `write`, with its name, ids, positions and provenance."""
    for name in ("indptr", "indices", "weights"):
        if name not in arrays:
            kind = "; it looks like a saved run" if "samples" in arrays else ""
            raise reading.fault(f"no array {name!r} in it: not a graph of SSSP Scope{kind}")
    for name, array in arrays.items():
        kinds, axes = WANTED.get(name, (set(), 0))
        kind = f"{array.dtype.kind}{array.dtype.itemsize}"
        if name in WANTED and ((kind not in kinds and kind[0] not in kinds) or array.ndim != axes):
            raise reading.fault(f"array {name!r} is {kind} of shape {array.shape}; cannot be read")
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


def _from_sparse(reading: Reading, arrays: dict[str, np.ndarray]) -> CSRGraph:
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
    reading.note(f"a sparse matrix ({layout}) of SciPy: entry (i, j) is the arc i -> j")
    return _from_entries(reading, "npz", tails, heads, values, n)


def _from_array(reading: Reading, key: str, array: np.ndarray) -> CSRGraph:
    """Return the graph of a dense square matrix or of rows 'TAIL HEAD [WEIGHT]'."""
    shape = array.shape
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise reading.fault(
            f"an array of {array.dtype} and shape {shape}; expected numbers, n x n or m x 2 or 3"
        )
    if shape[0] == shape[1] and shape[0] in {2, 3}:
        raise reading.fault(
            f"an array of {shape[0]} x {shape[0]} is a matrix or a list of arcs; save it by "
            "scipy.sparse.save_npz, or as .csv"
        )
    if shape[0] == shape[1]:
        tails, heads = np.nonzero(array)
        reading.note(f"a dense matrix: {len(tails)} of {array.size} values are not 0")
        return _from_entries(reading, key, tails, heads, array[tails, heads], shape[0])
    if shape[1] not in {2, 3}:
        raise reading.fault(f"an array of {shape[0]} x {shape[1]}; expected n x n or m x 2 or 3")
    ends = array[:, :2]
    whole = (
        ends.astype(np.int64)
        if np.isfinite(ends).all() and abs(ends).max(initial=0) < 2**62
        else None
    )
    if whole is None or (whole != ends).any():
        raise reading.fault("the first two columns must be whole numbers, the ends of arcs")
    rows = Rows(np.ascontiguousarray(whole.T), np.empty((0, len(array))), True, 0)
    n, base, ids = number_vertices(reading, rows)
    values = array[:, 2] if shape[1] == 3 else None
    return _from_entries(
        reading, key, rows.ids[0], rows.ids[1], values, n, base=0 if ids is not None else base,
        ids=ids, id_base=base,
    )  # fmt: skip


def _from_entries(
    reading: Reading,
    key: str,
    tails: np.ndarray,
    heads: np.ndarray,
    values: np.ndarray | None,
    n: int,
    **kept: Any,
) -> CSRGraph:
    """Return the graph of entries; raise FormatError for weights that no graph may have."""
    integral = values is None or values.dtype.kind != "f"
    if values is not None:
        fits = integral and (values.dtype != np.uint64 or not (values > INT64_MAX).any())
        values = values.astype(np.int64 if fits else np.float64)
        finite = np.isfinite(values) & (np.abs(values) <= FLOAT_MAX)
        if not finite.all() and value_rule(reading) != SKIPPED:
            bad = values[~finite][0]
            raise reading.fault(f"an entry is {bad:g}; weights are finite, {FLOAT_MAX:.3g} at most")
        if value_rule(reading) == NOT_NEGATIVE and len(values) and values.min() < 0:
            words = f"an entry is {values.min():g}, below zero; weights must be >= 0"
            raise reading.fault(words, remedy=SIGNS)
    return graph_from_arcs(
        reading, key, np.asarray(tails, np.int64), np.asarray(heads, np.int64), values, n,
        integral=integral, name=bare_name(reading.path), **kept,
    )  # fmt: skip


def _arrays(reading: Reading, data: FileBytes) -> dict[str, np.ndarray]:
    """Return the members that we know; the names of the others map to empty arrays."""
    found: dict[str, np.ndarray] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            if len(members) > MEMBERS:
                raise reading.fault(f"a zip archive of {len(members)} files; not a graph of ours")
            reading.check_unpacked(sum(member.file_size for member in members), "the archive")
            for member in members:
                name = member.filename.removesuffix(".npy")
                if name in WANTED or name in SPARSE or len(members) == 1:
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

    def fill(file: BinaryIO) -> None:
        if path.suffix.lower() in COMPRESSIONS:  # zip seeks back
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
    np.savez(file, metadata=page, **arrays)  # type: ignore[arg-type]


FORMAT = Format(
    "npz", "SSSP Scope graph, SciPy matrix", (".npz",), sniff, read, write, text=False, places=True
)
ARRAY = Format("numpy", "NumPy array", (".npy",), sniff_array, read_array, text=False)
