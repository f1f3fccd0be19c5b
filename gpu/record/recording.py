"""A recording: runs on one graph that travel with the program, small enough for its package.

The graph is a sample, which is made again from its name and seed. What is needed to draw before
that has happened comes along: where the vertices are.

`NAME.npz` is a plain NumPy archive: a header (JSON, uint8) and, with one entry a vertex,

    x, y       uint16: where it is, 1 / POSITION_STEPS of the longer side a step
    dist       the distance, the same in all runs
    first_I, last_I    uint16: when run I reached it first and improved it last, in ticks of
               `tick_ns` counted from 1; 0 for never
    times_I    uint16: how often run I processed it
    samples_I  SAMPLE (k,): what run I reported over time, whole

All but the samples are kept as the difference to the vertex before: neighbours in number are
neighbours on the map, and the archive packs to two thirds. Runs without per-vertex arrays (probe
levels 0 and 1) have their samples alone.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gpu.errors import TraceError
from gpu.files import written_whole
from gpu.record.trace import NEVER, GraphReference, Trace
from gpu.record.tracefile import PARSING, TraceHeader, assembled, header_of
from gpu.schema import checked

FORMAT = "sssp-scope recording"
VERSION = 1
POSITION_STEPS = 16_383  # of the longer side: a quarter of a pixel of a map 4,096 wide
MOST_TICKS = 4_000  # of the longest run: finer than any screen is wide
LATEST = 65_535  # uint16


@dataclass(frozen=True)
class Recording:
    """Runs on one graph, the first the one to be shown, and where its vertices are."""

    runs: tuple[Trace, ...]
    positions: np.ndarray  # float32 (n, 2) in the graph's own unit
    tick_ns: int  # what the times of vertices are rounded to

    @property
    def graph(self) -> GraphReference:
        """The graph of all runs."""
        return self.runs[0].graph


def save_recording(runs: Sequence[Trace], positions: np.ndarray, path: str | Path) -> None:
    """Write runs on one graph, drawn at float32 (n, 2) positions.

    Raises TraceError where their graphs or distances differ.
    """
    first = runs[0]
    for trace in runs[1:]:
        if trace.graph.hash != first.graph.hash or not np.array_equal(trace.dist, first.dist):
            raise TraceError("runs of one recording need one graph, one source, equal distances")
    tick = max(1, math.ceil(max(trace.time_ns for trace in runs) / MOST_TICKS))
    low = positions.min(axis=0)
    step = float((positions.max(axis=0) - low).max()) / POSITION_STEPS or 1.0
    placed = np.rint((positions - low) / step).astype(np.uint16)
    arrays = {"x": placed[:, 0], "y": placed[:, 1], "dist": first.dist}
    for number, trace in enumerate(runs):
        arrays |= _arrays_of(trace, number, tick)
    header = {
        "format": FORMAT,
        "version": VERSION,
        "tick_ns": tick,
        "low": low.tolist(),
        "step": step,
        "runs": [header_of(trace) | {"arrays": []} for trace in runs],
    }
    packed: dict[str, Any] = {"header": np.frombuffer(json.dumps(header).encode(), np.uint8)}
    packed |= {
        name: array if name.startswith("samples") else _steps(array)
        for name, array in arrays.items()
    }
    with written_whole(path) as file:
        np.savez_compressed(file, **packed)


def load_recording(path: str | Path) -> Recording:
    """Read what `save_recording` wrote, a file of ours. Raises TraceError."""
    with PARSING, np.load(path, allow_pickle=False) as archive:
        header: dict[str, Any] = json.loads(archive["header"].tobytes())
        if (header.get("format"), header.get("version")) != (FORMAT, VERSION):
            raise TraceError(f"{path}: not a recording of this version of SSSP Scope")
        arrays = {
            name: archive[name] if name.startswith("samples") else _sums(archive[name])
            for name in archive.files
            if name != "header"
        }
    tick = int(header["tick_ns"])
    placed = np.stack((arrays["x"], arrays["y"]), axis=1)
    positions = (placed * header["step"] + np.array(header["low"])).astype(np.float32)
    runs = tuple(
        assembled(checked(TraceHeader, run), _arrays_for(arrays, number, tick))
        for number, run in enumerate(header["runs"])
    )
    return Recording(runs, positions, tick)


def _arrays_of(trace: Trace, number: int, tick: int) -> dict[str, np.ndarray]:
    arrays = {f"samples_{number}": trace.samples}
    times = trace.vertices
    if times is not None:
        arrays[f"first_{number}"] = _ticks(times.first_reached_ns, tick)
        arrays[f"last_{number}"] = _ticks(times.last_improved_ns, tick)
        arrays[f"times_{number}"] = np.minimum(times.times_processed, LATEST).astype(np.uint16)
    return arrays


def _arrays_for(arrays: dict[str, np.ndarray], number: int, tick: int) -> dict[str, np.ndarray]:
    """Return the arrays of run `number` as a trace has them."""
    own = {"samples": arrays[f"samples_{number}"], "dist": arrays["dist"]}
    if f"first_{number}" in arrays:
        own["first_reached_ns"] = _nanoseconds(arrays[f"first_{number}"], tick)
        own["last_improved_ns"] = _nanoseconds(arrays[f"last_{number}"], tick)
        own["times_processed"] = arrays[f"times_{number}"].astype(np.int32)
    return own


def _ticks(times_ns: np.ndarray, tick: int) -> np.ndarray:
    """Return times, int64 (n,), as ticks from 1, uint16; 0 where there is none."""
    return np.where(times_ns < 0, 0, 1 + times_ns // tick).astype(np.uint16)


def _nanoseconds(ticks: np.ndarray, tick: int) -> np.ndarray:
    return np.where(ticks == 0, np.int64(NEVER), (ticks.astype(np.int64) - 1) * tick)


def _steps(array: np.ndarray) -> np.ndarray:
    """Return each entry less the one before, in the same type: integers wrap around."""
    if array.dtype.kind == "f":
        return array
    return np.diff(array, prepend=array.dtype.type(0))


def _sums(steps: np.ndarray) -> np.ndarray:
    return steps if steps.dtype.kind == "f" else np.cumsum(steps, dtype=steps.dtype)
