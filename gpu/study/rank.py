"""Which algorithm is fastest on a graph. Every run is certified and made with probes off."""

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
    """One algorithm on the graph: its time, or why there is none.

    not_ranked : why modelled times of this graph cannot be compared
    """

    title: str
    algorithm: str
    time_ns: int = 0
    clock: str = ""
    processed_vertices: int = 0
    problem: str = ""
    not_ranked: str = ""


def ranked(
    graph: CSRGraph,
    settings: RunSettings,
    keys: Sequence[str],
    progress: Callable[[float, str], object] = lambda _share, _words: None,
) -> list[Rank]:
    """Run each algorithm and return them, the fastest first, failures last.

    keys : of `gpu.algorithms.ALGORITHMS`; everything else is as in `settings`

    Raises CancelledByUserError.
    """
    ranks = []
    for place, key in enumerate(keys):
        progress(place / len(keys), ALGORITHMS[key].title)
        try:
            ranks.append(_rank(graph, replace(settings, algorithm=key, probe=Probe.OFF)))
        except CancelledByUserError:
            raise
        except GpuError as error:
            ranks.append(Rank(ALGORITHMS[key].title, key, problem=str(error)))
    return sorted(ranks, key=lambda rank: (rank.problem != "", rank.time_ns))


def _rank(graph: CSRGraph, settings: RunSettings) -> Rank:
    key, trace = settings.algorithm, made(graph, settings)
    fault = certificate(graph, settings.source, trace.dist)
    if fault is not None:
        return Rank(ALGORITHMS[key].title, key, problem=f"wrong distances: {fault}")
    times = [trace.time_ns]
    if trace.clock == "measured":
        times += [made(graph, settings).time_ns for _ in range(REPEATS - 1)]
    why = str(trace.environment.get(NOT_RANKED, "")) if trace.clock == "modelled" else ""
    work = trace.processed_vertices
    return Rank(ALGORITHMS[key].title, key, min(times), trace.clock, work, not_ranked=why)


def fastest_words(ranks: Sequence[Rank]) -> str:
    """Return one sentence that says which algorithm is fastest, as far as the clock can tell."""
    good = [rank for rank in ranks if not rank.problem]
    if not good:
        return "None of them ran."
    best, others = good[0], good[1:]
    if best.not_ranked and others:
        return f"No order: {best.not_ranked}."
    words = f"Fastest: {best.title}, {brief_time(best.time_ns)} ({best.clock})"
    is_modelled = best.clock == "modelled"
    close = [other.title for other in others if other.time_ns < CLOSE * best.time_ns]
    if is_modelled and close:
        return f"{words}; {' and '.join(close)} within the model's error."
    if others and best.time_ns:
        words += f", {ratio_words(others[0].time_ns / best.time_ns)} faster than the next"
    return f"{words}."
