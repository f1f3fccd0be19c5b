"""An engine on another computer, live: what arrives while it runs, how soon Stop and Δ by hand act.

    python -m gpu.lab.far_live OUT.json [--engine cuda] [--n 1000000 | --chain 3000000]

The other computer is this one, behind a stand-in for ssh on PATH, so no network is measured: all
else is the real thing (two processes, frames, the device). Of each algorithm, on a grid, or, where
runs are to last a microsecond a vertex, on a lone chain:

cold     the first, which waits for compilers; proved
whole    with the automatic delta, proved
by_hand  begun with DELTA, so that it lasts; after HOLD_S another delta is set by hand; proved
stopped  begun the same; after HOLD_S it is stopped

At last the command `run --on` makes and proves a run on the grid.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from gpu.graph import CSRGraph
from gpu.host import EngineHost, EngineLost, Failed, RunFinished
from gpu.interpreter import module_command
from gpu.lab.cluster_scale import about
from gpu.proof.verify import certificate
from gpu.record.trace import RunSettings
from gpu.remote import Elsewhere
from sample_graphs import make

SSH = """#!/bin/sh
while [ "$1" != "--" ]; do shift; done
shift 2
exec sh -c "$*"
"""
ADDRESS = "somebody@elsewhere"
ALGORITHMS = ("adds", "near_far")
DELTA = 1.0  # weight units: many thousand buckets
HOLD_S = 0.5  # after the first sample
FRAME_S = 1 / 60  # between two looks, as a window takes them
MOST_S = 60.0  # of one run, compilers included


def main(argv: list[str] | None = None) -> int:
    """Measure, print, write JSON; return 0, or 1 where a run was wrong or did not end."""
    parser = argparse.ArgumentParser(prog="python -m gpu.lab.far_live", description=__doc__)
    parser.add_argument("output", type=Path)
    parser.add_argument("--engine", choices=("cuda", "model"), default="cuda")
    parser.add_argument("--n", type=int, default=1_000_000, help="vertices of the grid")
    parser.add_argument("--chain", type=int, help="vertices of a chain instead")
    parser.add_argument("--algorithms", default=",".join(ALGORITHMS), help="which [both]")
    args = parser.parse_args(argv)
    told = about("far_live")
    with tempfile.TemporaryDirectory() as folder:
        ssh = Path(folder, "ssh")
        ssh.write_text(SSH)
        ssh.chmod(0o700)
        os.environ["PATH"] = f"{folder}{os.pathsep}{os.environ['PATH']}"
        command = shlex.join(module_command("gpu.cli", "engine", "--stdio"))
        graph = make("grid", n=args.n) if args.chain is None else _chain(args.chain)
        told["graph"] = {"name": graph.name, "n": graph.n, "m": graph.m, "hash": graph.hash}
        told["runs"] = _runs(graph, args, Elsewhere(ADDRESS, command))
        if args.chain is None:
            told["command_line"] = _command_line(args, command)
    args.output.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    return 1 if any(run["problem"] for run in told["runs"]) else 0


def _chain(n: int) -> CSRGraph:
    """Return vertices in a row from vertex 0 on, weights 1 to 100."""
    tails = np.arange(n - 1)
    weights = np.random.default_rng(1).integers(1, 101, n - 1).astype(np.int32)
    return CSRGraph.from_arcs(tails, tails + 1, weights, n, name=f"chain_{n}")


def _runs(graph: CSRGraph, args: argparse.Namespace, there: Elsewhere) -> list[dict[str, Any]]:
    host = EngineHost(spawn=there.spawn)
    wide = 64 * graph.mean_weight
    acts: dict[str, tuple[float | None, Callable[[], object] | None]] = {
        "cold": (None, None),
        "whole": (None, None),
        "by_hand": (DELTA, lambda: host.set_delta(wide)),
        "stopped": (DELTA, host.stop),
    }
    found = []
    try:
        host.put_graph(graph)
        host.start()
        for algorithm in args.algorithms.split(","):
            for name, (delta, act) in acts.items():
                run = Watched(host, graph, RunSettings(algorithm, args.engine, "", 0, delta))
                told = {"algorithm": algorithm, "what": name, **run.watch(delta, act, wide)}
                print(json.dumps(told), flush=True)
                found.append(told)
    finally:
        host.close()
    return found


class Watched:
    """One run, looked at FRAME_S after FRAME_S."""

    def __init__(self, host: EngineHost, graph: CSRGraph, settings: RunSettings) -> None:
        self._host, self._graph, self._settings = host, graph, settings
        self._samples: list[np.ndarray] = []
        self._since: dict[str, float] = {}  # ms from the asking, or from the act

    def watch(
        self, held: float | None, act: Callable[[], object] | None, wide: float
    ) -> dict[str, Any]:
        """Return what arrived and when. `held`: delta by hand from the start; `act`: then this."""
        host, begun = self._host, time.monotonic()
        run_id = host.run(self._settings, verify=False)
        if held is not None:
            host.set_delta(held)
        acted, finished, problem = None, None, ""
        while finished is None and not problem:
            host.wait(FRAME_S)
            messages, now = host.poll(), time.monotonic()
            samples = host.take_samples()
            if len(samples):
                self._samples.append(samples)
                self._note("first_sample", begun)
                if acted is not None and (samples["delta"] == wide).any():
                    self._note("obeyed", acted)
            if act is not None and acted is None and self._is_long_enough(now - begun):
                act()
                acted = now
            for message in messages:
                if isinstance(message, RunFinished) and message.run_id == run_id:
                    finished = message.trace
                elif isinstance(message, EngineLost | Failed):
                    problem = str(getattr(message, "words", "") or getattr(message, "error", ""))
            if now - begun > MOST_S:
                host.stop()
                problem = f"not over after {MOST_S:g} s"
        self._note("finished", begun)
        if acted is not None:
            self._note("finished_after_act", acted)
        told: dict[str, Any] = {"frames": len(self._samples)}
        told["samples"] = sum(map(len, self._samples))
        told |= {f"{name}_ms": since for name, since in self._since.items()}
        if finished is not None:
            told |= {"outcome": finished.outcome, "device": finished.settings.device}
            told |= {"clock": finished.clock, "time_ms": finished.time_ns / 1e6}
            if finished.outcome == "finished":
                problem = certificate(self._graph, 0, finished.dist) or ""
        return told | {"problem": problem}

    def _note(self, what: str, begun: float) -> None:
        self._since.setdefault(what, (time.monotonic() - begun) * 1e3)

    def _is_long_enough(self, elapsed_s: float) -> bool:
        first = self._since.get("first_sample")
        return first is not None and elapsed_s * 1e3 > first + HOLD_S * 1e3


def _command_line(args: argparse.Namespace, command: str) -> dict[str, Any]:
    """Make a run by the command, as a person does."""
    line = ["run", f"sample:grid?n={args.n}", "--algorithm", "adds", "--engine", args.engine]
    line += ["--on", f"{ADDRESS} {command}", "--verify", "--json"]
    begun = time.monotonic()
    ended = subprocess.run(
        module_command("gpu.cli", *line), capture_output=True, text=True, timeout=120, check=False
    )
    told: dict[str, Any] = {"exit_code": ended.returncode, "s": time.monotonic() - begun}
    if ended.returncode == 0:
        answer = json.loads(ended.stdout)
        told |= {key: answer.get(key) for key in ("device", "clock", "time_ns", "verified")}
    else:
        told["stderr"] = ended.stderr[-2000:]
    print(json.dumps(told), flush=True)
    return told


if __name__ == "__main__":
    sys.exit(main())
