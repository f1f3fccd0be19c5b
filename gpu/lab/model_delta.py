"""Where the controller takes delta: on the modelled H100, and as it was measured on one.

    python -m gpu.lab.model_delta NEW_YORK.gr.gz [-o FILE.json]

ADDS at its own rule, and by the published one. Two kinds of measured runs are at hand:

- the recordings that the window opens on (`record_start`): every change of delta was counted;
  the model runs on the same graph, from the same vertex;
- the benchmark graphs (the newest files of `bench_gpu` with both rules): their last delta, and
  the changes in files that count them; the model runs on graphs of the same families and sizes,
  which NumPy draws where CuPy did.

The first delta follows from the graph, so it is computed. The controller doubles or halves: from
first to last delta it needs at least as many changes as there are doublings between them. Both
numbers are said; only a counted one is called changes. Two devices are alike where the last delta
is the same, or, where measured runs differ among themselves, one of theirs.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import assets
import gpu
from gpu.graph import CSRGraph
from gpu.lab import benchmark_graphs
from gpu.lab.bench_gpu import PUBLISHED, VARIANTS
from gpu.lab.model_error import DEVICE, kernel_ms
from gpu.lab.model_rows import numpy_for_cupy
from gpu.lab.tables import RESULTS, dated
from gpu.model.machine import controller_for, device_for
from gpu.record.recording import load_recording
from gpu.record.trace import Probe
from sample_graphs import open_reference

KINDS = ("bench_gpu", "bench_gpu_held_out")
RULES: dict[str, dict[str, Any]] = {"adds": {}, PUBLISHED: VARIANTS[PUBLISHED][1]}
RECORDINGS = Path(assets.__file__).parent / "recordings"


def main(argv: list[str] | None = None) -> int:
    """Model every run, print a line each, write them where asked."""
    parser = argparse.ArgumentParser(prog="python -m gpu.lab.model_delta", description=__doc__)
    parser.add_argument("new_york", type=Path, help="USA-road-d.NY.gr[.gz]")
    parser.add_argument("-o", "--output", type=Path)
    args = parser.parse_args(argv)
    rows = []
    for row in chain(recorded(), benchmarked(args.new_york)):
        rows.append(row)
        print(json.dumps(row), flush=True)
    if args.output:
        document = {
            "device": DEVICE,
            "command": "python -m gpu.lab.model_delta NEW_YORK",
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "versions": {"numpy": np.__version__, "python": sys.version.split()[0]},
            "measured": sources(),
            "rows": rows,
        }
        args.output.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return 0


def sources() -> list[dict[str, Any]]:
    """Return of each measured file: its name, card, driver, date and command."""
    facts = {path: load_recording(path).runs[0].environment for path in recordings()}
    facts |= {path: json.loads(path.read_text(encoding="utf-8")) for path in map(measured, KINDS)}
    keys = ("device", "driver", "date", "command")
    return [
        {"file": path.name, **{key: told[key] for key in keys if key in told}}
        for path, told in facts.items()
    ]


def measured(kind: str) -> Path:
    """Return the newest file of a kind in which both rules were run."""
    for path in reversed(dated(kind)):
        told = json.loads(path.read_text(encoding="utf-8"))
        if {row["algorithm"] for row in told["rows"]} >= set(RULES):
            return path
    raise FileNotFoundError(f"no {kind}_<date>.json in {RESULTS} with {' and '.join(RULES)}")


def recordings() -> list[Path]:
    """Return the files that the window opens on."""
    return sorted(RECORDINGS.glob("*.npz"))


def recorded() -> Iterator[dict[str, Any]]:
    """Yield a row for each recording, its runs of ADDS taken together."""
    for path in recordings():
        recording = load_recording(path)
        graph = open_reference(recording.graph.origin, recording.graph.options)
        traces = [trace for trace in recording.runs if trace.settings.algorithm == "adds"]
        measured = [
            {
                "probe": int(trace.settings.probe),
                "kernel_ms": {"median": trace.environment["kernel_ms"]},
                "processed": int(trace.last["processed_vertices"]),
                "delta": float(trace.last["delta"]),
                "delta_changes": int(trace.last["delta_changes"]),
            }
            for trace in traces
        ]
        yield compare(graph, traces[0].settings.source, "adds", graph.name, measured)


def benchmarked(new_york: Path) -> Iterator[dict[str, Any]]:
    """Yield a row for each benchmark graph and rule, all measured levels taken together."""
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for kind in KINDS:
        for row in json.loads(measured(kind).read_text(encoding="utf-8"))["rows"]:
            if row["algorithm"] in RULES and row["fault"] is None:
                found.setdefault((row["graph"], row["algorithm"]), []).append(row)
    for name in dict.fromkeys(name for name, _ in found):
        with numpy_for_cupy():
            graph = benchmark_graphs.make(name, new_york)
        source = benchmark_graphs.source_of(name, graph)
        for rule in RULES:
            if (name, rule) in found:
                yield compare(graph, source, rule, name, found[name, rule])


def compare(
    graph: CSRGraph, source: int, rule: str, name: str, measured: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return one graph's row: deltas in weight units, times in ms, of level 0 alone.

    measured : as `bench_gpu` writes its rows; `delta_changes` may be missing
    """
    trace = gpu.run(
        graph, "adds", source=source, device=DEVICE, probe=Probe.OFF, parameters=RULES[rule]
    )
    device = device_for(graph, trace.settings)
    first = float(controller_for(graph, device, trace.settings)[0].delta)
    deltas = [float(row["delta"]) for row in measured]
    last = float(trace.last["delta"])
    return {
        "graph": name,
        "n": graph.n,
        "m": graph.m,
        "rule": rule,
        "series": len(measured),
        "first_delta": first,
        "measured_delta": sorted(set(deltas)),
        "modelled_delta": last,
        "alike": last in deltas,
        "measured_doublings": sorted({doublings(first, delta) for delta in deltas}),
        "modelled_doublings": doublings(first, last),
        "measured_changes": sorted(
            {row["delta_changes"] for row in measured if "delta_changes" in row}
        ),
        "modelled_changes": int(trace.last["delta_changes"]),
        "measured_processed": median(row["processed"] for row in measured),
        "modelled_processed": int(trace.last["processed_vertices"]),
        "measured_ms": median(row["kernel_ms"]["median"] for row in measured if not row["probe"]),
        "modelled_ms": kernel_ms(trace),
    }


def doublings(first: float, last: float) -> int:
    """Return how many times delta doubled more often than it halved."""
    return round(math.log2(last / first))


if __name__ == "__main__":
    sys.exit(main())
