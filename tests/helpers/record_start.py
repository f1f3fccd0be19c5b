"""Record what the window opens on, on an NVIDIA GPU: `assets/recordings/`.

    PYTHONPATH=tests/helpers python -m record_start [FOLDER]

Of each graph of STARTS: the run of median time of ADDS and of Near-Far, with a probe of every
vertex (for the maps) and without probes (for the times), each proved. SWEPT also gets a sweep of Δ.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import assets
from gpu.engine import run_named
from gpu.graph import CSRGraph
from gpu.proof.verify import verify
from gpu.record.recording import save_recording
from gpu.record.trace import RECORDED_ON, Probe, RunSettings, Trace
from gpu.study import sweep
from sample_graphs import open_sample, suggested_source

STARTS = {"roads": "sample:city_roads?n=200000", "mesh": "sample:mesh?n=200000"}
SWEPT = "roads"
ALGORITHMS = ("adds", "near_far")  # A and B
KINDS = [(name, level) for level in (Probe.VERTICES, Probe.OFF) for name in ALGORITHMS]
WARM_UPS, RUNS = 2, 9
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
            saved = sweep.SavedSweep(plan, points, graph.name, graph.hash)
            facts = {RECORDED_ON: runs[0].environment[RECORDED_ON], **sweep.sweep_as_dict(saved)}
            text = json.dumps(facts, indent=1) + "\n"
            (target / "sweep.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else TARGET)
