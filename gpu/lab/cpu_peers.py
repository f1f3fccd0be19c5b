"""Other people's shortest paths on the same cores: programs that `bench cpu --peers DIR` runs.

DIR holds what was built from public sources, outside this repository; any may be missing:

    gap_sssp   sbeamer/gapbs:    g++ -std=c++17 -O3 -march=x86-64-v3 -fopenmp -static src/sssp.cc
    wasp       DIPSA-QUB/wasp:   g++ -std=c++17 -O3 -march=x86-64-v3 -fopenmp -static -DUSE_INT32
               -DNDEBUG -Iinclude -Iextern src/sssp.cc -lnuma

Both read GAP's `.wsg`, take a delta (-d), a source (-r) and a number of runs (-n), and print the
seconds of each. What they time begins with the graph in memory, as our whole run does.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from pathlib import Path

import numpy as np

from gpu.errors import GpuError
from gpu.graph import CSRGraph

PROGRAMS = {"GAP": "gap_sssp", "Wasp": "wasp"}
TIME = re.compile(r"Trial Time:?\s+([\d.]+)", re.IGNORECASE)
MOST_SECONDS = 120  # of one call


def programs(folder: Path | None) -> dict[str, Path]:
    """Return those of the folder by name; GpuError where a folder has none."""
    if folder is None:
        return {}
    found = {name: folder / file for name, file in PROGRAMS.items() if (folder / file).is_file()}
    if not found:
        names = ", ".join(PROGRAMS.values())
        raise GpuError(f"{folder} has none of {names}; build them as gpu/lab/cpu_peers.py says")
    return found


def version(program: Path) -> str:
    """Return 12 digits over the program: which build it was."""
    return hashlib.sha256(program.read_bytes()).hexdigest()[:12]


def write_graph(graph: CSRGraph, path: Path) -> None:
    """Write a graph as GAP keeps it: directed, so every arc both ways round."""
    tails = np.repeat(np.arange(graph.n, dtype=np.int32), np.diff(graph.indptr))
    order = np.argsort(graph.indices, kind="stable")
    arriving = np.concatenate(([0], np.cumsum(np.bincount(graph.indices, minlength=graph.n))))
    with path.open("wb") as file:
        file.write(b"\1" + np.array([graph.m, graph.n], "<i8").tobytes())
        for bounds, ends, weights in (
            (graph.indptr, graph.indices, graph.weights),
            (arriving, tails[order], graph.weights[order]),
        ):
            file.write(bounds.astype("<i8").tobytes())
            file.write(np.column_stack((ends, weights)).astype("<i4").tobytes())


def times(
    program: Path, graph: Path, source: int, *, delta: float, threads: int, runs: int
) -> list[float]:
    """Return the times of some runs of a program, ms; none where it took MOST_SECONDS."""
    words = [program, "-f", graph, "-r", source, "-n", runs, "-d", round(delta)]
    try:
        done = subprocess.run(
            [str(word) for word in words],
            capture_output=True,
            text=True,
            timeout=MOST_SECONDS,
            env={**os.environ, "OMP_NUM_THREADS": str(threads)},
            check=False,
        )
    except subprocess.TimeoutExpired:
        return []
    return [float(seconds) * 1e3 for seconds in TIME.findall(done.stdout)]
