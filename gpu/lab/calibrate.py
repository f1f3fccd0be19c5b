"""Fit the cost constants of the modelled H100 on half of the benchmark graphs.

    python -m gpu.lab.calibrate NEW_YORK.gr.gz [--steps K] [--every E] [--set NAME=VALUE ...]

The half was named before the fit: one graph of each kind is fitted, roads and the larger
graphs are held out. Held out means of the constants. The *form* was found with open eyes:
the first try was run on NY too, traces of R-MAT 2^22 were read, all measured sweeps were known.

    fitted     grid_1024, mesh_100, rmat_20
    held out   ny, grid_4096, rmat_22

Fitted are six times of `gpu.devices` (CONSTANTS), nothing else: the latencies named there, the
sweep of the manager, the rates of L2 and DRAM and the kernels' own sizes (chunks, queues,
thresholds) are measured or read off the kernels. TOUCHES, trips to L2 of an
arc, was brought in because R-MAT 2^20 was too fast without it, and lowered from 3 when the
kernels became faster there. The values in force were found by hand, a few steps on the
fitted graphs, and rounded: first against the kernels of 03:07, then against those of 04:56.

The error of a set of constants is the root mean square of log2(modelled / measured) over
the fitted sweeps, both algorithms alike. A step changes each constant in turn by STEP up and
down and keeps what lowers the error; without steps the error of the constants as they are
is printed. `gpu.lab.model_error` then judges, on every graph.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from gpu import devices as presets
from gpu.graph import CSRGraph
from gpu.lab import model_error

CONSTANTS = ("round_ns", "trip_ns", "miss_ns", "push_ns", "superstep_ns", "alone_ns")
STEP = 1.2  # factor


def main(argv: list[str] | None = None) -> int:
    """Print the error of the constants, and better ones where steps were asked for."""
    parser = argparse.ArgumentParser(prog="python -m gpu.lab.calibrate", description=__doc__)
    parser.add_argument("new_york", help="USA-road-d.NY.gr[.gz]")
    parser.add_argument("--steps", type=int, default=0, help="how often each constant is tried")
    parser.add_argument("--every", type=int, default=4, help="points of a sweep that are used")
    parser.add_argument("--set", nargs="*", default=[], help="NAME=VALUE, ns: where to begin")
    args = parser.parse_args(argv)
    measured = json.loads(model_error.newest_sweep().read_text(encoding="utf-8"))["rows"]
    graphs = {name: model_error.open_graph(name, args.new_york) for name in model_error.FITTED}
    constants = {name: getattr(presets.PRESETS[model_error.DEVICE], name) for name in CONSTANTS}
    constants.update({name: float(value) for name, value in (s.split("=") for s in args.set)})
    best = error(graphs, measured, constants, args.every)
    print(f"error {best:.3f} (log2), with {words(constants)}", flush=True)
    for _ in range(args.steps):
        for name in CONSTANTS:
            for factor in (STEP, 1.0 / STEP):
                tried = {**constants, name: constants[name] * factor}
                found = error(graphs, measured, tried, args.every)
                print(f"  {name} {tried[name]:7.0f}: {found:.3f}", flush=True)
                if found < best:
                    best, constants = found, tried
                    break
        print(f"error {best:.3f} (log2), with {words(constants)}", flush=True)
    return 0


def error(
    graphs: dict[str, CSRGraph], measured: list[dict], constants: dict[str, float], every: int
) -> float:
    """Return the root mean square of log2(modelled / measured) over the fitted sweeps."""
    squares: list[float] = []
    with constants_set(constants):
        for name, graph in graphs.items():
            for algorithm in model_error.PARAMETERS:
                points = model_error.points_of(measured, name, algorithm, every)
                row = model_error.compare(name, graph, algorithm, points)
                squares += [
                    math.log2(point["modelled_ms"] / point["measured_ms"]) ** 2
                    for point in row["points"]
                ]
    return math.sqrt(sum(squares) / len(squares))


@contextmanager
def constants_set(constants: dict[str, float]) -> Iterator[None]:
    """Give the modelled device other constants for a while."""
    before = presets.PRESETS[model_error.DEVICE]
    presets.PRESETS[model_error.DEVICE] = replace(before, **constants)  # type: ignore[arg-type]
    try:
        yield
    finally:
        presets.PRESETS[model_error.DEVICE] = before


def words(constants: dict[str, float]) -> str:
    """Return the constants in one line, ns."""
    return ", ".join(f"{name} {value:.0f}" for name, value in constants.items())


if __name__ == "__main__":
    sys.exit(main())
