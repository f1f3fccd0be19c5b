"""Two algorithms on many graphs: a row of numbers a graph, each run proved.

A row is what `gpu.study.compare_words` says of two runs in numbers, and how many edges were under
way on average. Where times are measured, each side runs once more with probes off, and those times
are compared. Rows are made here, one after the other, or on a cluster (`Cluster.compare`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from gpu.engine import checked_settings, run
from gpu.graph import CSRGraph
from gpu.proof.verify import certificate
from gpu.record.trace import Probe, RunSettings, Trace, mean_over_time
from gpu.study.compare import CompareError, Side, obstacle
from gpu.study.compare_words import summarise
from gpu.study.sweep import made

Stop = Callable[[], bool]
Open = Callable[[int], tuple[CSRGraph, int]]  # number of a graph -> the graph and its source
Row = dict[str, Any]


@dataclass(frozen=True)
class Pair:
    """The two sides; the sources in them mean nothing, each graph has its own."""

    a: RunSettings
    b: RunSettings


def compared(
    graph: CSRGraph,
    source: int,
    pair: Pair,
    should_stop: Stop = lambda: False,
    run: Callable[..., Trace] = run,
) -> Row:
    """Return the row of one graph; `run` as `gpu.engine.run`, which may go elsewhere.

    Raises CompareError, CancelledByUserError, and what `gpu.run` raises.
    """
    sides: dict[str, tuple[Trace, Side]] = {}
    again: list[Side | None] = []
    for name, asked in (("a", pair.a), ("b", pair.b)):
        settings = checked_settings(graph, replace(asked, source=source))
        trace = made(graph, settings, should_stop, run)
        sides[name] = trace, Side.of(trace)
        is_probed = trace.clock == "measured" and settings.probe > Probe.OFF
        quick = replace(settings, probe=Probe.OFF)
        again.append(Side.of(made(graph, quick, should_stop, run)) if is_probed else None)
    problem = obstacle(sides["a"][1], sides["b"][1])
    if problem:
        raise CompareError(problem)
    row: Row = dict(summarise(sides["a"][1], sides["b"][1], (again[0], again[1])).numbers)
    for name, (trace, _side) in sides.items():
        fault = certificate(graph, trace.settings.source, trace.dist)
        parallelism = mean_over_time(trace.samples, "assigned_edges")
        row[name] |= {"mean_parallelism": parallelism, "verified": fault is None, "fault": fault}
    return row


def one_by_one(
    open_graph: Open,
    count: int,
    pair: Pair,
    should_stop: Stop = lambda: False,
    run: Callable[..., Trace] = run,
) -> Iterator[tuple[int, Row]]:
    """Yield the number of each graph and its row, made by `run`."""
    for number in range(count):
        graph, source = open_graph(number)
        yield number, compared(graph, source, pair, should_stop, run)
