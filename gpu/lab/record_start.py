"""What the window opens on: runs and a sweep, measured on this GPU, cut to what a start needs.

    python -m gpu.lab.record_start [--device cuda:0] [--to FOLDER]

For each graph of STARTS, ADDS and Near-Far run from the suggested source at probe level 2 (for the
maps) and 0 (for the times), in turns, RUNS times each after WARM_UPS; the run of median time is
kept. SWEPT also gets a sweep over Δ. The files do not hold the graphs: these are made from their
names and seeds. Every run is proved before it is kept.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import assets
from gpu.engine import run_named as run
from gpu.errors import GpuError, TraceError
from gpu.graph import CSRGraph
from gpu.proof.verify import verify
from gpu.record.recording import save_recording
from gpu.record.trace import RECORDED_ON, Probe, RunSettings, Trace
from gpu.study import sweep
from sample_graphs import open_sample, suggested_source

STARTS = {  # name of the recording: its graph
    "roads": "sample:city_roads?n=200000",
    "mesh": "sample:mesh?n=200000",
}
SWEPT = "roads"
ALGORITHMS = ("adds", "near_far")  # A and B
LEVELS = (Probe.VERTICES, Probe.OFF)
WARM_UPS, RUNS = 2, 9
TARGET = Path(assets.__file__).parent / "recordings"


def measured(graph: CSRGraph, device: str) -> list[Trace]:
    """Return the run of median time of each algorithm, at each level, proved."""
    kinds = [(algorithm, level) for level in LEVELS for algorithm in ALGORITHMS]
    done: dict[tuple[str, Probe], list[Trace]] = {kind: [] for kind in kinds}
    source = suggested_source(graph)
    for turn in range(WARM_UPS + RUNS):
        for algorithm, level in kinds:
            trace = run(graph, algorithm, "cuda", source, probe=level, device=device)
            if turn >= WARM_UPS:
                done[algorithm, level].append(trace)
    medians = [
        sorted(traces, key=lambda t: t.time_ns)[len(traces) // 2] for traces in done.values()
    ]
    return [proved(graph, trace) for trace in medians]


def proved(graph: CSRGraph, trace: Trace) -> Trace:
    """Return the trace with the outcome of both proofs, marked as recorded. TraceError."""
    verdict = verify(graph, trace.settings.source, trace.dist)
    if not verdict.passed:
        raise TraceError(f"the distances of {trace.settings.algorithm} are wrong: {verdict.detail}")
    device = re.split(r" \d+GB", str(trace.environment["device"]))[0]  # its memory left out
    facts = trace.environment | {RECORDED_ON: device}
    return replace(trace, verification=verdict, environment=facts)


def record(name: str, device: str, target: Path) -> None:
    """Write one recording: A and B as the maps show them, then their runs with probes off."""
    graph = open_sample(STARTS[name])
    runs = measured(graph, device)
    assert graph.positions is not None
    path = target / f"{name}.npz"
    save_recording(runs, graph.positions, path)
    times = ", ".join(f"{t.settings.algorithm} {t.time_ns / 1e6:.3f} ms" for t in runs)
    print(f"{path}: {path.stat().st_size:,} bytes; {times}")
    if name == SWEPT:
        settings = RunSettings(ALGORITHMS[0], "cuda", device, suggested_source(graph))
        plan = sweep.make_plan(graph, settings)
        points = tuple(sweep.run_sweep(graph, plan))
        saved = sweep.SavedSweep(plan, points, graph.name, graph.hash)
        facts = {RECORDED_ON: runs[0].environment[RECORDED_ON], **sweep.sweep_as_dict(saved)}
        text = json.dumps(facts, indent=1) + "\n"
        (target / "sweep.json").write_text(text, encoding="utf-8")


def main(argv: list[str] | None = None) -> int:
    """Record; 0 on success, 1 on a reported error."""
    parser = argparse.ArgumentParser(prog="python -m gpu.lab.record_start", description=__doc__)
    parser.add_argument("--device", default="cuda:0", help="[cuda:0]")
    parser.add_argument("--to", type=Path, default=TARGET, metavar="FOLDER", help=f"[{TARGET}]")
    args = parser.parse_args(argv)
    try:
        args.to.mkdir(parents=True, exist_ok=True)
        for name in STARTS:
            record(name, args.device, args.to)
    except GpuError as error:
        print(f"sssp-scope: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
