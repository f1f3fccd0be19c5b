"""A policy scored: its time on each graph of a suite beside the suite's codes.

Codes with values of `c` are one column, the best of them: what a sweep of a constant delta finds.
Every run is proved by certificate. On the modelled GPU the scores are the same on every computer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

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
    """One graph: milliseconds by column; `failure`: why the policy has none."""

    graph: str
    ms: dict[str, float]
    failure: str = ""


def score(policy: Policy, suite: Suite, entry: Entry) -> Score:
    """Run everything on a graph. GpuError where a code of the suite fails; a policy may."""
    graph, source = opened(entry)
    ms: dict[str, float] = {}
    for code in [code for code in suite.rows if isinstance(code, Code)]:
        time_ms = _measured(graph, settings_of(code, graph, source, suite.numbers))
        column = BEST if code.c else code.name
        ms[column] = min(time_ms, ms.get(column, math.inf))
    adds = Code(algorithm="adds", engine=suite.engine)
    settings = settings_of(adds, graph, source, suite.numbers)
    try:
        return Score(entry.name, {POLICY: _measured(graph, replace(settings, policy=policy)), **ms})
    except GpuError as error:
        return Score(entry.name, ms, str(error))


def _measured(graph: CSRGraph, settings: RunSettings) -> float:
    trace = run(graph, settings)
    if wrong := certificate(graph, settings.source, trace.dist):
        raise EngineError(f"wrong distances: {wrong}")
    return trace.time_ns / 1e6


def speedups(made: Sequence[Score]) -> dict[str, float]:
    """Return by column how often as fast the policy was, the geometric mean; {} if it failed."""
    if any(one.failure for one in made):
        return {}
    return {
        column: math.prod(one.ms[column] / one.ms[POLICY] for one in made) ** (1 / len(made))
        for column in made[0].ms
        if column != POLICY
    }
