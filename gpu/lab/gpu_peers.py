"""The authors' own ADDS beside ours, on one GPU in one run.

    python -m gpu.lab.gpu_peers DIR [--new-york FILE] [--graphs NAMES] [-o OUT.json]

DIR holds `sssp127` and `sssp254`, built from the authors' code for whole numbers (`ads_int` of
their artifact, Zenodo record 4365954; public as UCLA-VAST/adds, first commit) outside this
repository, from all three of its `.cu` files:

    nvcc -O3 -std=c++17 -gencode=arch=compute_90,code=sm_90 -rdc=true -lcudadevrt [-DMAX_TB=256]

with four changes, without which no CUDA of today builds or runs it: the toolkit's CUB instead of
the one in its folder, `get_lane_id` for `cub::LaneId`, no Boost, and as many workers as its arrays
have room for at most (`MAX_TB` - 1: 127, and 254 on an H100), where it starts one a multiprocessor
more than that.

Each program runs a graph eight times and writes the mean time (between two events: mean weight,
queues, search) and the mean number of items that its workers took. Ours runs before and after
each, in turns. Its distances are compared with ours; a run that has not ended after PATIENCE_S has
failed.
"""

from __future__ import annotations

import argparse
import json
import shlex
import statistics
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from gpu.algorithms import find
from gpu.engine import RecordingObserver, RunBuffers, execute
from gpu.formats import galois
from gpu.graph import CSRGraph
from gpu.lab import benchmark_graphs
from gpu.lab.bench_gpu import VARIANTS, measure
from gpu.numbers import unreached
from gpu.record.trace import RunSettings

PROGRAMS = {"authors_127": "sssp127", "authors_254": "sssp254"}
OURS: dict[str, tuple[str, dict[str, Any] | None]] = {"adds": ("adds", None), **VARIANTS}
ROUNDS, RUNS = 3, 9  # ours: of each round
PATIENCE_S = 20.0
MOST_COMPARED = 4_000_000  # vertices: their distances come as text


def main(argv: list[str] | None = None) -> int:
    """Measure, print a line for each code, write them where asked."""
    parser = argparse.ArgumentParser(prog="python -m gpu.lab.gpu_peers", description=__doc__)
    parser.add_argument("programs", type=Path)
    parser.add_argument("--new-york", type=Path)
    parser.add_argument("--graphs", default=",".join(benchmark_graphs.MAKERS))
    parser.add_argument("-o", "--output", type=Path)
    args = parser.parse_args(argv)
    from gpu.cuda.device import find_device

    rows = []
    for name in args.graphs.split(","):
        graph = benchmark_graphs.make(name, args.new_york)
        for row in compare(name, graph, args.programs):
            rows.append(row)
            print(said(row), flush=True)
    if args.output:
        document = {
            "command": f"python -m gpu.lab.gpu_peers {' '.join(sys.argv[1:])}",
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "versions": {"numpy": np.__version__, "python": sys.version.split()[0]},
            **find_device("cuda:0").facts(),
            "rows": rows,
        }
        args.output.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return 0


def compare(name: str, graph: CSRGraph, programs: Path) -> list[dict[str, Any]]:
    """Return a row for each code that is there: ms and vertices processed, medians of rounds."""
    source = benchmark_graphs.source_of(name, graph)
    dist = _distances(graph, source)
    rounds: dict[str, list[dict[str, Any]]] = {}
    with tempfile.TemporaryDirectory(prefix="sssp-scope-peers-") as folder:
        file = Path(folder) / f"{name}.gr"
        galois.write(graph, file)
        for _ in range(ROUNDS):
            for label, (algorithm, parameters) in OURS.items():
                ours = measure(graph, source, algorithm, 0, runs=RUNS, parameters=parameters)
                ms = ours["kernel_ms"]["median"]
                told = {"ms": ms, "processed": ours["processed"], "fault": ours["fault"] or ""}
                rounds.setdefault(label, []).append(told)
            for label, program in PROGRAMS.items():
                if any(one["fault"] for one in rounds.get(label, ())):
                    continue  # once is enough: it was waited for
                if (programs / program).is_file():
                    theirs = authors(programs / program, file, source, dist)
                    rounds.setdefault(label, []).append(theirs)
    return [{"graph": name, "n": graph.n, "m": graph.m, **_row(*told)} for told in rounds.items()]


def authors(program: Path, file: Path, source: int, dist: np.ndarray) -> dict[str, Any]:
    """Return what one call of the authors' program told; `fault` where it failed or is wrong."""
    wanted = len(dist) <= MOST_COMPARED
    found = file.with_suffix(".dist")
    command = [program, "-s", source, *(["-o", found] if wanted else []), file]
    told_at = file.with_suffix(".told")
    told_at.write_text("")
    # its third descriptor is where it writes what it measured
    shell = f"exec 3>>{shlex.quote(str(told_at))}; exec {shlex.join(map(str, command))}"
    try:
        done = subprocess.run(
            ["bash", "-c", shell],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=PATIENCE_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"fault": f"not finished after {PATIENCE_S:.0f} s"}
    words = told_at.read_text().split()
    if done.returncode or len(words) != 3:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        return {"fault": f"exit code {done.returncode} {' '.join(last)}".strip()}
    row = {"ms": float(words[1]), "processed": int(words[2]), "fault": ""}
    if wanted:
        text = found.read_bytes().replace(b"INF", str(unreached(np.int32)).encode())
        theirs = np.array(text.split()[1::2], dtype=np.int64)
        wrong = int(np.count_nonzero(theirs != dist))
        row["fault"] = f"{wrong:,} wrong distances" if wrong else ""
    return row


def _distances(graph: CSRGraph, source: int) -> np.ndarray:
    """Return ours, certified: int64 (n,)."""
    chosen = find("adds").checked_parameters({})
    numbers = str(graph.weights.dtype)
    settings = RunSettings(
        "adds", "cuda", "cuda:0", source, probe=0, parameters=chosen, numbers=numbers
    )
    buffers = RunBuffers.allocate(graph, 0)
    execute(graph, settings, buffers, RecordingObserver())
    fault = benchmark_graphs.certificate(graph, source, buffers.dist)
    if fault:
        raise AssertionError(fault)
    return buffers.dist.astype(np.int64)


def _row(label: str, told: list[dict[str, Any]]) -> dict[str, Any]:
    good = [one for one in told if "ms" in one]
    fault = next((one["fault"] for one in told if one["fault"]), "")
    row: dict[str, Any] = {"code": label, "fault": fault, "rounds": told}
    for key in ("ms", "processed"):
        row[key] = statistics.median(one[key] for one in good) if good else None
    return row


def said(row: dict[str, Any]) -> str:
    """Return one printed line."""
    head = f"{row['graph']:14} {row['code']:18}"
    if row["ms"] is None:
        return f"{head} {row['fault']}"
    return f"{head} {row['ms']:8.2f} ms {row['processed']:14,.0f} vertices {row['fault']}"


if __name__ == "__main__":
    sys.exit(main())
