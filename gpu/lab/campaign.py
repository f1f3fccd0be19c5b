"""`lab run`: every code of a suite on every graph, in turns, each distance proved.

On a graph the codes take turns run by run, so that a machine that slows down hurts all of them. A
run that has ended is in the file before the next begins. Killed at any moment, the same command
goes on: it repeats only the run that had not ended, and the warm-ups. What fails costs itself: a
code on a graph, or a graph, is listed with the reason. On a cluster a graph is one piece of work.
"""

from __future__ import annotations

import hashlib
import re
import shlex
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct

from gpu.algorithms import find
from gpu.engine import DEVICES, Observer, run
from gpu.errors import EngineError, GpuError
from gpu.files import temporary_folder
from gpu.formats import load_graph, save_graph
from gpu.graph import CSRGraph
from gpu.interpreter import machine, version
from gpu.lab import records
from gpu.lab.records import Appended, Facts, Failed, Line, Results, Run
from gpu.lab.suite import UNIT_MS, Code, Command, Entry, Suite
from gpu.numbers import unreached
from gpu.policy import Policy
from gpu.proof.distances import read_distances
from gpu.proof.verify import certificate, verify
from gpu.record.disorder import distance_error
from gpu.record.trace import Probe, RunSettings, Trace
from gpu.study.elsewhere import Stop, cluster, map_there, result
from gpu.study.statistics import hops
from sample_graphs import PREFIX, open_sample, suggested_source

PROFILE_POINTS = 300  # of a curve that are kept
WARM_UP, PROFILE = -1, -2  # turns of which no time is kept
FAULTS = GpuError, OSError, MemoryError, subprocess.SubprocessError  # these cost themselves
Progress = Callable[[float, str], object]


class WrongDistancesError(EngineError):
    """A code ended with distances that are not those of shortest paths."""


class Job(Struct, frozen=True):
    """A graph and what is left to do on it, in order: codes and their turns."""

    entry: Entry
    suite: Suite
    runs: list[tuple[Code | Command, int]]


def run_suite(
    suite: Suite,
    entries: Sequence[Entry],
    path: Path,
    progress: Progress = lambda _share, _words: None,
    where: str = "",
) -> Results:
    """Make the runs that are not in `path` yet and append them; return all results.

    where : a cluster, see `gpu.study.elsewhere.cluster`. Raises GpuError.
    """
    with Appended(path) as file:
        results = _begin(suite, len(entries), file)
        jobs = [job for entry in entries if (job := _job(suite, entry, results)).runs]
        places = {job.entry.name: place for place, job in enumerate(jobs, 1)}
        total = sum(turn >= 0 for job in jobs for _, turn in job.runs)
        done, began = 0, time.monotonic()
        with closing(_lines(jobs, where)) as lines:
            for line in lines:
                if isinstance(line, Facts) and line.graph in results.graphs:
                    continue
                file.append(line)
                if isinstance(line, Run):
                    done += 1
                    left = (time.monotonic() - began) * (total - done) / done / 60
                    words = f"graph {places[line.graph]} of {len(jobs)}: {line.graph}, {line.code}"
                    words += f"; {done:,} of {total:,} runs, {left:.1f} minutes left"
                    progress(done / total, words)
    return Results(path)


def _lines(jobs: list[Job], where: str) -> Generator[Line]:
    if not where:
        for job in jobs:
            yield from measured(job)
        return
    nothing = CSRGraph(np.zeros(2, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int32))
    with cluster(where) as client:
        for job, future in map_there(client, _all_measured, nothing, jobs):
            try:
                yield from result(future)
            except EngineError as error:  # its worker died
                yield Failed(job.entry.name, "", str(error))


def _all_measured(_graph: CSRGraph, job: Job, _should_stop: Stop) -> list[Line]:
    return list(measured(job))


# what the file says, and what is left to do


def _begin(suite: Suite, graphs: int, file: Appended) -> Results:
    """Return what is in the file, which now has a head and a session of this process.

    Raises EngineError where an engine cannot run at all.
    """
    results = file.begin()
    left_out, engines = dict[str, str](), dict[str, dict[str, Any]]()
    for code in suite.rows:
        if isinstance(code, Code):
            if why := find(code.algorithm).problem(code.engine):
                left_out[code.name] = why
            elif code.engine == "cuda":
                from gpu.cuda.device import find_device

                engines["cuda"] = find_device().facts()
            else:
                device = code.device or DEVICES.get(code.engine, code.engine)
                engines[code.device or code.engine] = {"engine": code.engine, "device": device}
    if results.head is None:
        names = [row.name for row in suite.rows if row.name not in left_out]
        head = suite.title, suite.digest, suite.engine, names, graphs, left_out
        results.head = records.Head(records.PROGRAM, records.FORMAT, *head)
        file.append(results.head)
    elif results.head.digest != suite.digest:
        words = f"{results.head.suite}, engine {results.head.engine}"
        raise GpuError(f"{file.path}: of another suite ({words}), or one that has changed since")
    date = datetime.now(UTC).isoformat(timespec="seconds")
    file.append(records.Session(date, version(), _commit(), machine(), engines))
    return results


def _commit() -> str:
    """Return the commit of the checkout that runs, "" where there is none."""
    words = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"]
    with suppress(OSError, subprocess.SubprocessError):
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    return ""


def _job(suite: Suite, entry: Entry, results: Results) -> Job:
    """Return what is left to do on a graph: warm-ups, then the codes in turns, then profiles."""
    name, out = entry.name, set(results.head.left_out if results.head else ())
    out |= {code for graph, code in results.failed if graph == name}
    rows = [row for row in suite.rows if not {"", row.name} & out]
    done = {(run.code, run.turn) for run in results.runs if run.graph == name}
    done |= {(code, PROFILE) for graph, code in results.profiles if graph == name}
    runs = [
        (row, turn)
        for turn in range(max(row.runs or 0 for row in suite.rows))
        for row in rows
        if name in (row.only or (name,)) and turn < (row.runs or 0)
    ]
    ours = [row for row in rows if isinstance(row, Code)]
    if name in suite.profiles:
        runs += [(row, PROFILE) for row in ours if not row.c]
    left = [(row, turn) for row, turn in runs if (row.name, turn) not in done]
    cold = {row.name for row, _ in left}
    warm_ups = [(row, WARM_UP) for row in ours if row.name in cold] * suite.warm_ups
    return Job(entry, suite, [*warm_ups, *left])


# one graph


def measured(job: Job) -> Generator[Line]:
    """Run what is left to do on one graph; yield a line for each thing that is known."""
    name, failed = job.entry.name, set[str]()
    try:
        graph, source = opened(job.entry)
        yield _within_the_rule(job.suite, facts_of(job.entry, graph, source))
    except FAULTS as error:
        yield Failed(name, "", _sentence(error))
        return
    with temporary_folder() as folder:
        bench = Bench(job, graph, source, folder)
        for row, turn in job.runs:
            if row.name in failed:
                continue
            try:
                line = bench.ours(row, turn) if isinstance(row, Code) else bench.other(row, turn)
            except FAULTS as error:
                failed.add(row.name)
                wrong = isinstance(error, WrongDistancesError)
                yield Failed(name, row.name, _sentence(error), wrong)
            else:
                if turn != WARM_UP:
                    yield line


def opened(entry: Entry) -> tuple[CSRGraph, int]:
    """Open a graph and find its source. Raises GpuError."""
    is_sample = entry.place.startswith(PREFIX)
    graph = open_sample(entry.place) if is_sample else load_graph(entry.place, **entry.options)
    index = suggested_source(graph) if entry.index is None else entry.index
    if entry.source is not None:
        index = graph.vertex_of(entry.source)
    return graph, graph.check_source(index)


def settings_of(code: Code, graph: CSRGraph, source: int, numbers: str) -> RunSettings:
    """Return the settings of a code's run on a graph."""
    delta = code.delta
    if code.c:
        delta = code.c[0] * graph.mean_weight / max(graph.mean_degree, 1e-9)
    return RunSettings(
        *(code.algorithm, code.engine, code.device, source, delta, code.probe),
        parameters=dict(code.set),
        numbers=numbers,
    )


def facts_of(entry: Entry, graph: CSRGraph, source: int) -> Facts:
    """Return what is known of a graph."""
    edges = hops(graph, source)
    diameter = max(int(edges.max()), int(hops(graph, int(np.argmax(edges))).max()))
    reached = round(float(np.count_nonzero(edges >= 0)) / graph.n, 4)
    what, kind = (entry.name, entry.place, source), str(graph.weights.dtype)
    n, m, options = graph.n, graph.m, entry.options
    return Facts(*what, n, m, kind, diameter, reached, graph.hash, options)


def _within_the_rule(suite: Suite, facts: Facts) -> Facts:
    few = facts.n < suite.least_vertices or facts.m < suite.least_arcs
    if few or facts.reached < suite.least_reached:
        words = f"{facts.n:,} vertices, {facts.m:,} edges, {facts.reached:.0%} reached"
        raise GpuError(f"left out by the rule of the suite: {words}")
    return facts


class Bench(Struct):
    """One graph in memory: runs codes on it and proves what they return.

    folder : for files of commands
    proved : digests of distances that are right
    """

    job: Job
    graph: CSRGraph
    source: int
    folder: Path = Path()
    proved: set[bytes] = set()

    def ours(self, code: Code, turn: int, policy: Policy | None = None) -> Run | records.Profile:
        """Run a code of ours once, with a policy in place of its controller. Raises GpuError."""
        settings = settings_of(code, self.graph, self.source, self.job.suite.numbers)
        settings = replace(settings, policy=policy)
        if turn == PROFILE:
            settings = replace(settings, probe=Probe.SAMPLES)
        limit_s, began = self.job.suite.limit_s, time.monotonic()
        observer = Observer(should_stop=lambda: time.monotonic() > began + limit_s)
        trace = run(self.graph, settings, observer)
        whole_ms = (time.monotonic() - began) * 1e3
        if trace.outcome != "finished":
            raise EngineError(f"stopped after {limit_s:g} s, the limit of a run")
        digest = _digest(trace.dist)
        if digest not in self.proved:
            if fault := certificate(self.graph, self.source, trace.dist):
                raise WrongDistancesError(f"wrong distances: {fault}")
            self.proved.add(digest)
        if turn == PROFILE:
            return self._profile(code.name, trace)
        facts = trace.environment
        names = ("algorithm", "engine", "device", "delta", "parameters", "numbers")
        return Run(
            *(self.job.entry.name, code.name, turn),
            round(facts.get("kernel_ms", trace.time_ns / 1e6), 6),
            round(facts.get("end_to_end_ms", whole_ms), 3),
            trace.clock,
            trace.processed_vertices,
            trace.relaxed_edges,
            float(trace.last["delta"]) if find(code.algorithm).bucketed else 0.0,
            proved=True,
            settings={name: getattr(settings, name) for name in names} if turn == 0 else {},
        )

    def _profile(self, code: str, trace: Trace) -> records.Profile:
        """Return the mean parallelism in PROFILE_POINTS equal parts of a run, and its order."""
        times, edges = trace.samples["t_ns"].astype(np.float64), trace.samples["assigned_edges"]
        marks = np.linspace(0, times[-1], PROFILE_POINTS + 1)
        work = np.concatenate([[0.0], np.cumsum(np.diff(times) * edges[:-1])])
        means = np.diff(np.interp(marks, times, work)) / max(marks[1], 1e-9)
        error = distance_error(trace)
        return records.Profile(
            *(self.job.entry.name, code),
            np.round(marks[:-1] / 1e3, 3).tolist(),
            np.round(means, 1).tolist(),
            error=None if error is None else error / (self.graph.mean_weight or 1.0),
            work=trace.processed_vertices / max(trace.reached, 1),
            ms=trace.time_ns / 1e6,
        )

    def other(self, command: Command, turn: int) -> Run:
        """Run another program once. Raises GpuError; OSError; what `subprocess` raises."""
        file, out = self.folder / f"graph{command.format}", self.folder / "distances"
        if not file.exists():
            save_graph(self.graph, file)
        out.unlink(missing_ok=True)
        names = {"graph": file, "distances": out, "python": sys.executable}
        names |= {"source": self.source, "source_id": self.source + 1}
        words = [word.format(**names) for word in shlex.split(command.line)]
        limit_s, began = self.job.suite.limit_s, time.monotonic()
        ended = subprocess.run(words, capture_output=True, timeout=limit_s, check=False)
        whole_ms = (time.monotonic() - began) * 1e3
        text = (ended.stdout + ended.stderr).decode("utf-8", "replace")
        times = [float(number) for number in re.findall(command.time, text)]
        if ended.returncode or not times:
            last = (text.split("\n")[-2:] or [""])[0][:200]
            raise EngineError(f"{words[0]} ended with {ended.returncode}, no time found: {last}")
        if "{distances}" in command.line:
            self._prove_table(file, out)
        counts = re.findall(command.processed, text) if command.processed else []
        ms = statistics.median(times) * UNIT_MS[command.unit]
        work = int(float(counts[-1])) if counts else 0
        where = self.job.entry.name, command.name, turn
        return Run(*where, ms, whole_ms, "measured", work, proved=out.exists())

    def _prove_table(self, file: Path, out: Path) -> None:
        """Prove what a command wrote for the graph in `file`. Raises GpuError."""
        if not (out.exists() and out.stat().st_size):
            raise EngineError("ended without the distances that its line asks for")
        with suppress(ValueError):  # the usual table, of numbers that are proved: a look is enough
            table = np.loadtxt(out, "i8,f8", ndmin=1)
            in_order = len(table) == self.graph.n and (np.diff(table["f0"]) == 1).all()
            if in_order and _digest(table["f1"]) in self.proved:
                return
        graph = load_graph(file)  # its vertices as the command numbers them
        readings = read_distances(out, graph, self.source).readings()
        proofs = [verify(graph, self.source, dist, stored=by) for dist, by in readings]
        if not any(proof.passed for proof in proofs):
            raise WrongDistancesError(f"wrong distances: {proofs[0].detail}")


def _digest(dist: np.ndarray) -> bytes:
    """Return the same of the same distances in any number type; int64 has more digits than one."""
    if dist.dtype != np.int64:
        dist = np.where(dist == unreached(dist.dtype), np.inf, dist).astype(np.float64)
    return hashlib.sha256(dist.data).digest()


def _sentence(error: BaseException) -> str:
    if isinstance(error, subprocess.TimeoutExpired):
        return f"stopped after {error.timeout:g} s, the limit of a run"
    return " ".join(str(error).split()) or type(error).__name__
