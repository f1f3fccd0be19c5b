"""Which algorithm is fastest on a graph. Every run is proved, and made with probes off."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from gpu.algorithms import ALGORITHMS
from gpu.errors import CancelledByUserError, GpuError
from gpu.graph import CSRGraph
from gpu.model.accuracy import CLOSE
from gpu.proof.verify import certificate
from gpu.record.trace import NOT_RANKED, Probe, RunSettings
from gpu.study.sweep import made
from gpu.words import brief_time, ratio_words

REPEATS = 3  # of a measured run; the best time counts


@dataclass(frozen=True)
class Rank:
    """One algorithm on the graph: its time, or why there is none."""

    settings: RunSettings
    time_ns: int = 0
    clock: str = ""
    processed_vertices: int = 0
    problem: str = ""
    not_ranked: str = ""  # why modelled times of this graph cannot be compared


def ranked(
    graph: CSRGraph,
    settings: RunSettings,
    keys: Sequence[str],
    progress: Callable[[float, str], object] = lambda _share, _words: None,
) -> list[Rank]:
    """Run each algorithm with probes off and return them, the fastest first, failures last.

    keys : of `gpu.algorithms.ALGORITHMS`; what differs from `settings` is the algorithm alone
    """
    ranks = []
    for place, key in enumerate(keys):
        progress(place / len(keys), ALGORITHMS[key].title)
        one = replace(settings, algorithm=key, probe=Probe.OFF)
        try:
            ranks.append(_rank(graph, one))
        except CancelledByUserError:
            raise
        except GpuError as error:
            ranks.append(Rank(one, problem=str(error)))
    return sorted(ranks, key=lambda rank: (rank.problem != "", rank.time_ns))


def _rank(graph: CSRGraph, settings: RunSettings) -> Rank:
    trace = made(graph, settings)
    fault = certificate(graph, trace.settings.source, trace.dist)
    if fault is not None:
        return Rank(trace.settings, problem=f"wrong distances: {fault}")
    times = [trace.time_ns]
    if trace.clock == "measured":
        times += [made(graph, settings).time_ns for _ in range(REPEATS - 1)]
    why = str(trace.environment.get(NOT_RANKED, "")) if trace.clock == "modelled" else ""
    return Rank(trace.settings, min(times), trace.clock, trace.processed_vertices, not_ranked=why)


def fastest_words(ranks: Sequence[Rank]) -> str:
    """Return one sentence that says which algorithm is fastest, as far as the clock can tell."""
    good = [rank for rank in ranks if not rank.problem]
    if not good:
        return "None of them ran."
    best = good[0]
    title = ALGORITHMS[best.settings.algorithm].title
    if best.not_ranked and len(good) > 1:
        return f"No order: {best.not_ranked}."
    close = [
        ALGORITHMS[rank.settings.algorithm].title
        for rank in good[1:]
        if best.clock == "modelled" and rank.time_ns < CLOSE * best.time_ns
    ]
    also = f"; {' and '.join(close)} within the model's error" if close else ""
    second = good[1].time_ns / best.time_ns if len(good) > 1 and best.time_ns else 0.0
    ahead = f", {ratio_words(second)} faster than the next" if second and not close else ""
    return f"Fastest: {title}, {brief_time(best.time_ns)} ({best.clock}){ahead}{also}."
