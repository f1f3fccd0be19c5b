"""A policy scored: its time on each graph of a suite beside the suite's codes.

Codes with values of `c` are one column, the best of them: what a sweep of a constant delta finds.
Every run is proved by certificate. On the modelled GPU the scores are the same on every computer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from gpu.engine import run
from gpu.errors import EngineError, GpuError
from gpu.graph import CSRGraph
from gpu.lab.campaign import opened, settings_of
from gpu.lab.suite import Code, Entry, Suite
from gpu.policy import Policy
from gpu.proof.verify import certificate
from gpu.record.trace import RunSettings

POLICY, BEST = "policy", "best of sweep"


@dataclass(frozen=True)
class Score:
    """One graph: milliseconds and processed vertices by column; `best_c`: of the sweep.

    failure : why the policy has no time
    """

    graph: str
    ms: dict[str, float] = field(default_factory=dict)
    processed: dict[str, int] = field(default_factory=dict)
    best_c: float = 0.0
    failure: str = ""


def scores(
    policy: Policy,
    suite: Suite,
    entries: Sequence[Entry],
    progress: Callable[[float, str], object] = lambda _share, _words: None,
) -> list[Score]:
    """Run everything. GpuError where a code of the suite fails; a policy's own fault is a score."""
    made = []
    for place, entry in enumerate(entries):
        progress(place / len(entries), entry.name)
        made.append(_score(policy, suite, entry))
    return made


def _score(policy: Policy, suite: Suite, entry: Entry) -> Score:
    graph, source = opened(entry)
    ms, processed, best_c = dict[str, float](), dict[str, int](), 0.0
    codes = [code for code in suite.rows if isinstance(code, Code)]
    for code in codes:
        time_ms, work = _measured(graph, settings_of(code, graph, source, suite.numbers))
        column = BEST if code.c else code.name
        if time_ms < ms.get(column, math.inf):
            ms[column], processed[column] = time_ms, work
            best_c = code.c[0] if code.c else best_c
    try:
        settings = settings_of(
            Code(algorithm="adds", engine=suite.engine), graph, source, suite.numbers
        )
        time_ms, work = _measured(graph, replace(settings, policy=policy))
    except GpuError as error:
        return Score(entry.name, ms, processed, best_c, str(error))
    return Score(entry.name, {POLICY: time_ms, **ms}, {POLICY: work, **processed}, best_c)


def _measured(graph: CSRGraph, settings: RunSettings) -> tuple[float, int]:
    trace = run(graph, settings)
    if wrong := certificate(graph, settings.source, trace.dist):
        raise EngineError(f"wrong distances: {wrong}")
    return trace.time_ns / 1e6, trace.processed_vertices


def totals(made: Sequence[Score]) -> dict[str, tuple[float, int]]:
    """Return by column the mean speedup of the policy, and on how many graphs it was faster.

    The mean is geometric. Empty where the policy failed on a graph.
    """
    if any(one.failure for one in made):
        return {}
    found = {}
    for column in [name for name in made[0].ms if name != POLICY]:
        ratios = [one.ms[column] / one.ms[POLICY] for one in made]
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        found[column] = (mean, sum(ratio > 1 for ratio in ratios))
    return found
