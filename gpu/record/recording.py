"""A recording: runs on one graph that travel with the program, small enough for its package.

The graph is a sample, which is made again from its name and seed. What is needed to draw before
that has happened comes along: where the vertices are.

`NAME.npz` is a plain NumPy archive: a header (JSON, uint8) and, with one entry a vertex,

    x, y       uint16: where it is, in steps of the longer side / 16,383
    dist       the distance, the same in all runs
    first_I, last_I    uint16: when run I reached it first and improved it last, in ticks of
               `tick_ns` counted from 1; 0 for never
    times_I    uint16: how often run I processed it
    samples_I  SAMPLE (k,): what run I reported over time, whole

`tests/helpers/record_start.py` writes them. All but the samples are kept as the difference to the
vertex before: neighbours in number are neighbours on the map, and the archive packs to two thirds.
Runs without per-vertex arrays (probe levels 0 and 1) have their samples alone.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gpu.errors import TraceError
from gpu.record.trace import NEVER, GraphReference, Trace
from gpu.record.tracefile import PARSING, TraceHeader, assembled
from gpu.schema import checked

FORMAT = "sssp-scope recording"
VERSION = 1


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


def load_recording(path: str | Path) -> Recording:
    """Read a recording, a file of ours. Raises TraceError."""
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


def _arrays_for(arrays: dict[str, np.ndarray], number: int, tick: int) -> dict[str, np.ndarray]:
    """Return the arrays of run `number` as a trace has them."""
    own = {"samples": arrays[f"samples_{number}"], "dist": arrays["dist"]}
    if f"first_{number}" in arrays:
        own["first_reached_ns"] = _nanoseconds(arrays[f"first_{number}"], tick)
        own["last_improved_ns"] = _nanoseconds(arrays[f"last_{number}"], tick)
        own["times_processed"] = arrays[f"times_{number}"].astype(np.int32)
    return own


def _nanoseconds(ticks: np.ndarray, tick: int) -> np.ndarray:
    return np.where(ticks == 0, np.int64(NEVER), (ticks.astype(np.int64) - 1) * tick)


def _sums(steps: np.ndarray) -> np.ndarray:
    return steps if steps.dtype.kind == "f" else np.cumsum(steps, dtype=steps.dtype)
