"""A trace as one versioned `.npz` file, never pickled.

The file is a plain NumPy archive (`numpy.load` opens it) with one member a NumPy array:

    header     uint8 (bytes,): JSON, see below        samples    SAMPLE (k,), k >= 1
    dist       a number type, (n,) or (k, n)          events     EVENT (e,), probe 3 only
    first_reached_ns, last_improved_ns int64 (n,), times_processed int32 (n,), from probe 2

The header is a `TraceHeader`. A file is read as data from a stranger: sizes are checked before
anything is unpacked, dtypes must match exactly, `gpu.record.assembly` checks whether the parts
agree, and each fault is one TraceError in one line.
"""

from __future__ import annotations

import json
import lzma
import math
import os
import threading
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np
from msgspec import Struct

from gpu.errors import TraceError
from gpu.files import open_regular, require_memory, written_whole
from gpu.graph import NUMBER_TYPES
from gpu.record.assembly import check_trace
from gpu.record.notes import plain_notes, read_notes
from gpu.record.trace import (
    EVENT,
    SAMPLE,
    VERTEX_TYPES,
    GraphReference,
    RunSettings,
    Trace,
    Verification,
    VertexProbe,
)
from gpu.schema import SchemaError, checked
from gpu.words import SENTENCE, in_sight

# NumPy parses headers as Python, and Python 3.11 confuses the depths of two threads' parsers.
PARSING = threading.Lock()
FORMAT = "sssp-scope trace"
VERSION = 1
HEADER_LIMIT = 4 << 20  # bytes of JSON; ours have about 2,000
UNPACKED_PER_BYTE = 300  # zlib at level 1 packs constant arrays at most 230 to 1 (measured)
UNPACKED_SLACK = 1 << 20  # bytes that any file may unpack to

_OLD_SAMPLE = np.dtype(  # of files up to 0.2.0: the last 16 bytes are zero
    [*SAMPLE.descr[:-2], ("reserved", "<u4", (4,))]
)
MEMBERS: dict[str, tuple[np.dtype, ...]] = {
    "samples": (SAMPLE, _OLD_SAMPLE),
    "dist": tuple(map(np.dtype, NUMBER_TYPES)),
    **{name: (kind,) for name, kind in VERTEX_TYPES.items()},
    "events": (EVENT,),
}
_DIMENSIONS = {"dist": (1, 2)}  # of a member, where it is not one
DAMAGED = (  # what reading a broken archive may raise
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    RuntimeError,  # encrypted members; NotImplementedError: unknown compression
    ValueError,
    TypeError,
    KeyError,
    EOFError,
    OverflowError,
    MemoryError,
    RecursionError,
    SyntaxError,  # an array's header that is no Python value
    tokenize.TokenError,
)


class TraceHeader(Struct, frozen=True):
    """The JSON of the member `header`; keys of later versions are passed over."""

    arrays: list[
        Literal[
            "samples", "dist", "first_reached_ns", "last_improved_ns", "times_processed", "events"
        ]
    ]
    settings: RunSettings
    graph: GraphReference
    clock: Literal["modelled", "measured"]
    outcome: Literal["finished", "stopped"]
    environment: dict[str, Any]
    verification: Verification | None
    notes: Any = None  # of `gpu.record.notes`: they never keep a run from being read
    notes_left_out: Any = ""


def save_trace(trace: Trace, path: str | Path) -> None:
    """Write `trace` to `path`, whole or not at all; GpuError where that is refused."""
    with written_whole(path) as file:
        write_trace(trace, file)


def write_trace(trace: Trace, file: IO[bytes]) -> None:
    """Write `trace` into a file, which need not be one that can be sought in."""
    header, arrays = parts(trace)
    text = np.frombuffer(json.dumps(header).encode(), np.uint8)
    arrays = {"header": text, **arrays}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.ascontiguousarray(array), allow_pickle=False)


def parts(trace: Trace) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the header, JSON values, and the arrays that a file holds of a trace."""
    arrays: dict[str, np.ndarray] = {"samples": trace.samples, "dist": trace.dist}
    if trace.vertices is not None:
        arrays |= {name: getattr(trace.vertices, name) for name in VERTEX_TYPES}
    if trace.events is not None:
        arrays["events"] = trace.events
    return header_of(trace) | {"arrays": list(arrays)}, arrays


def load_trace(path: str | Path) -> Trace:
    """Read a trace written by `save_trace`. TraceError, naming the file; MemoryNeededError."""
    try:
        with open_regular(path) as file:
            return read_trace(file, os.fstat(file.fileno()).st_size, str(path))
    except OSError as error:
        raise TraceError(f"{path}: {error.strerror or error}") from error


def read_trace(file: IO[bytes], size: int, name: str) -> Trace:
    """Read a trace of `size` bytes that can be sought in; `name` begins every error's words."""
    try:
        with zipfile.ZipFile(file) as archive:
            return _read(archive, size, name)
    except TraceError as error:
        raise TraceError(f"{name}: {error}") from error
    except DAMAGED as error:
        words = " ".join(str(error).split()) or type(error).__name__
        raise TraceError(f"{name}: not a trace of SSSP Scope, or damaged ({words})") from error


def plain(value: Any) -> Any:
    """Return `value` as JSON knows it: NumPy scalars unwrapped, NaN and infinity as None."""
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, (int, float, str)) else str(value)


def header_of(trace: Trace) -> dict[str, Any]:
    """Return all of a trace that is no array, as JSON values."""
    settings, policy = asdict(trace.settings), trace.settings.policy
    del settings["policy"]
    if policy is not None:  # its text, which no reader runs
        settings["policy"] = {"name": policy.name, "source": policy.source}
    header = {
        "format": FORMAT,
        "version": VERSION,
        "settings": settings,
        "graph": asdict(trace.graph),
        "clock": trace.clock,
        "outcome": trace.outcome,
        "environment": trace.environment,
        "verification": None if trace.verification is None else asdict(trace.verification),
    }
    if trace.notes:
        header["notes"] = plain_notes(trace.notes)
    if trace.notes_left_out:
        header["notes_left_out"] = trace.notes_left_out
    clean: dict[str, Any] = plain(header)
    return clean


def _read(archive: zipfile.ZipFile, size: int, path: str) -> Trace:
    members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
    if "header" not in members or len(members) != len(archive.infolist()):
        raise TraceError("not a trace of SSSP Scope: it has no header")
    if members["header"].file_size > HEADER_LIMIT:
        raise TraceError(f"damaged: its header is over {HEADER_LIMIT} bytes")
    header = _read_header(archive.read(members["header"]))
    unpacked = sum(info.file_size for info in members.values())
    if unpacked > size * UNPACKED_PER_BYTE + UNPACKED_SLACK:
        raise TraceError(f"refused: {size} bytes would unpack to {unpacked}; not a trace of ours")
    require_memory(unpacked, path)
    lost = next((name for name in header.arrays if name not in members), None)
    if lost is not None:
        raise TraceError(f"damaged: its array {lost!r} is missing")
    arrays: dict[str, np.ndarray] = {
        name: _read_array(archive, members[name], name) for name in header.arrays
    }
    try:
        return assembled(header, arrays)
    except TraceError as error:
        raise TraceError(f"damaged: {error}") from error


def _read_header(raw: bytes) -> TraceHeader:
    _, _, text = raw.partition(b"\n")  # the npy header ends at its first newline
    header = json.loads(text.decode("utf-8"))
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise TraceError("not a trace of SSSP Scope: another kind of header")
    if header.get("version") != VERSION:
        raise TraceError(
            f"trace version {header.get('version')!r}; this program reads version {VERSION}: "
            "update SSSP Scope, or make the run again"
        )
    try:
        return checked(TraceHeader, _without_adaptive(header))
    except SchemaError as error:
        raise TraceError(f"damaged: {error}") from error


def _without_adaptive(header: dict[str, Any]) -> dict[str, Any]:
    """Rename a run of the removed algorithm "adaptive" to the algorithm that it chose to run."""
    settings, environment = header.get("settings"), header.get("environment")
    if not isinstance(settings, dict) or settings.get("algorithm") != "adaptive":
        return header
    form = environment.get("form") if isinstance(environment, dict) else None
    return header | {"settings": settings | {"algorithm": form or "adds"}}


def _read_array(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str) -> np.ndarray:
    """Return one member, read-only; its header cannot make it larger than its bytes."""
    with archive.open(info) as member:
        version = np.lib.format.read_magic(member)
        if version != (1, 0):
            raise TraceError(f"damaged: {name} has array version {version}")
        with PARSING:
            shape, by_columns, dtype = np.lib.format.read_array_header_1_0(member)
        dimensions = _DIMENSIONS.get(name, (1,))
        if dtype not in MEMBERS[name] or len(shape) not in dimensions:
            raise TraceError(f"damaged: {name} is {dtype} of shape {shape}")
        if by_columns and len(shape) > 1:
            raise TraceError(f"damaged: {name} is stored by columns")
        content = np.frombuffer(member.read(), np.uint8)
    if min(shape) < 0 or math.prod(shape) * dtype.itemsize != len(content):
        raise TraceError(f"damaged: {name} is not the {' x '.join(map(str, shape))} it claims")
    array: np.ndarray = content.view(dtype).reshape(shape)
    return array


def assembled(header: TraceHeader, arrays: Mapping[str, np.ndarray]) -> Trace:
    """Return a trace of its header and arrays; TraceError where the parts do not agree."""
    for name in ("samples", "dist"):
        if name not in arrays:
            raise TraceError(f"it has no {name}")
    vertices = [arrays[name] for name in VERTEX_TYPES if name in arrays]
    if len(vertices) not in (0, len(VERTEX_TYPES)):
        there = ", ".join(name for name in VERTEX_TYPES if name in arrays)
        raise TraceError(f"of the per-vertex arrays it has only {there}")
    samples = arrays["samples"].view(SAMPLE)
    length = int(samples["t_ns"][-1]) if len(samples) else 0
    notes, left_out = read_notes(header.notes, header.graph.n, length)
    trace = Trace(
        settings=header.settings,
        graph=header.graph,
        samples=samples,
        dist=arrays["dist"],
        clock=header.clock,
        outcome=header.outcome,
        environment=header.environment,
        vertices=VertexProbe(*vertices) if vertices else None,
        events=arrays.get("events"),
        verification=header.verification,
        notes=notes,
        notes_left_out=left_out or in_sight(str(header.notes_left_out), SENTENCE),
    )
    check_trace(trace)
    return trace
