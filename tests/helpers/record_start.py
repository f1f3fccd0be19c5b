"""Record what the window opens on, on an NVIDIA GPU: `assets/recordings/`.

    PYTHONPATH=tests/helpers python -m record_start [FOLDER]

Of each graph of STARTS: the run of median time of ADDS and of Near-Far, with a probe of every
vertex (for the maps) and without probes (for the times), each proved. SWEPT also gets a sweep of Δ.
"""

import json
import math
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import assets
from gpu.engine import run_named
from gpu.files import written_whole
from gpu.graph import CSRGraph
from gpu.proof.verify import verify
from gpu.record.recording import FORMAT, VERSION
from gpu.record.trace import RECORDED_ON, Probe, RunSettings, Trace
from gpu.record.tracefile import header_of
from gpu.study import sweep
from sample_graphs import open_sample, suggested_source

STARTS = {"roads": "sample:city_roads?n=200000", "mesh": "sample:mesh?n=200000"}
SWEPT = "roads"
ALGORITHMS = ("adds", "near_far")  # A and B
KINDS = [(name, level) for level in (Probe.VERTICES, Probe.OFF) for name in ALGORITHMS]
WARM_UPS, RUNS = 2, 9
POSITION_STEPS = 16_383  # of the longer side: a quarter of a pixel of a map 4,096 wide
MOST_TICKS = 4_000  # of the longest run: finer than any screen is wide
LATEST = 65_535  # uint16
TARGET = Path(assets.__file__).parent / "recordings"


def medians(graph: CSRGraph, source: int) -> list[Trace]:
    """Run all KINDS in turns; return the run of median time of each, proved."""
    turns = [
        [run_named(graph, name, "cuda", source, probe=level) for name, level in KINDS]
        for _ in range(WARM_UPS + RUNS)
    ]
    found = []
    for traces in zip(*turns[WARM_UPS:], strict=True):
        trace = sorted(traces, key=lambda trace: trace.time_ns)[RUNS // 2]
        verdict = verify(graph, source, trace.dist)
        assert verdict.passed, verdict.detail
        device = re.split(r" \d+GB", str(trace.environment["device"]))[0]  # its memory left out
        facts = trace.environment | {RECORDED_ON: device}
        found.append(replace(trace, verification=verdict, environment=facts))
    return found


def save_recording(runs: Sequence[Trace], positions: np.ndarray, path: str | Path) -> None:
    """Write runs on one graph, of equal distances, drawn at float32 (n, 2) positions."""
    first = runs[0]
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


def _arrays_of(trace: Trace, number: int, tick: int) -> dict[str, np.ndarray]:
    arrays = {f"samples_{number}": trace.samples}
    times = trace.vertices
    if times is not None:
        arrays[f"first_{number}"] = _ticks(times.first_reached_ns, tick)
        arrays[f"last_{number}"] = _ticks(times.last_improved_ns, tick)
        arrays[f"times_{number}"] = np.minimum(times.times_processed, LATEST).astype(np.uint16)
    return arrays


def _ticks(times_ns: np.ndarray, tick: int) -> np.ndarray:
    """Return times, int64 (n,), as ticks from 1, uint16; 0 where there is none."""
    return np.where(times_ns < 0, 0, 1 + times_ns // tick).astype(np.uint16)


def _steps(array: np.ndarray) -> np.ndarray:
    """Return each entry less the one before, in the same type: integers wrap around."""
    if array.dtype.kind == "f":
        return array
    return np.diff(array, prepend=array.dtype.type(0))


def main(target: Path) -> None:
    """Write all recordings, and the sweep."""
    for name, sample in STARTS.items():
        graph = open_sample(sample)
        source = suggested_source(graph)
        runs = medians(graph, source)
        assert graph.positions is not None
        save_recording(runs, graph.positions, target / f"{name}.npz")
        if name == SWEPT:
            plan = sweep.make_plan(graph, RunSettings(ALGORITHMS[0], "cuda", "", source))
            points = tuple(sweep.run_sweep(graph, plan))
            saved = sweep.SavedSweep(*vars(plan).values(), points, graph.name, graph.hash)
            facts = {RECORDED_ON: runs[0].environment[RECORDED_ON], **sweep.sweep_as_dict(saved)}
            text = json.dumps(facts, indent=1) + "\n"
            (target / "sweep.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else TARGET)
