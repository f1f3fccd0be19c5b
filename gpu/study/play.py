"""Be the scheduler: a person makes every pop of a shortest-path run on a small graph.

    game = Game(graph, source)     the source waits
    game.take(vertex)              relax its edges; heads that improve wait, some of them again
    game.take(vertex, delta=4.0)   the same for all of its bucket at once, as parallel workers do
    game.undo(); game.hint(); game.difference_words(); game.score()

Errors are those of `gpu.record.disorder`: vertices taken at once count one after the other, in the
order in which they began to wait. Time is that of the Classroom GPU: one vertex costs what it costs
the modelled Dijkstra (a trip to memory for each level of the heap, each eight edges and each
improvement), a bucket what a superstep costs the modelled Bellman-Ford. So the closest vertex first
takes Dijkstra's time and everything at once Bellman-Ford's; `rivals` makes the real modelled runs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import fmean
from typing import NamedTuple

import numpy as np

from gpu.devices import find_preset
from gpu.engine import run
from gpu.errors import ParameterError
from gpu.graph import CSRGraph
from gpu.numbers import in_numbers, unreached
from gpu.record.trace import Probe, RunSettings
from gpu.words import distance, in_sight, plural

MOST_VERTICES, MOST_EDGES = 64, 2_000  # that a person can see, and that rivals run on at once
RIVALS = {"adds": "ADDS", "dijkstra": "Dijkstra", "bellman_ford": "Bellman-Ford"}
MS = 1e6  # nanoseconds
GPU = find_preset("Classroom GPU")
IN_FLIGHT = 4  # edges of a lane that do not wait for each other, as in `gpu.model.machine`


class Pop(NamedTuple):
    """One vertex that was taken, with the distance that it had then."""

    vertex: int
    dist: float
    rank_error: int  # vertices that waited and were closer
    distance_error: float  # by how much the closest was closer, weight units


@dataclass(frozen=True)
class Step:
    """What was taken at once, and what holds after it.

    relaxed, improved : edges, and those of them that improved their head
    dist : of every vertex, inf where unreached
    waiting : the longest first
    heap : distance and vertex of every improvement that was not taken, rising; some are stale
    """

    pops: tuple[Pop, ...]
    relaxed: int
    improved: int
    dist: tuple[float, ...]
    waiting: tuple[int, ...]
    heap: list[tuple[float, int]]
    cost_ns: float = 0.0


class Score(NamedTuple):
    """What an order cost, a person's or an algorithm's; errors are means over all pops."""

    title: str
    processed: int
    again: int  # of those, vertices that had been processed before
    relaxed: int
    rank_error: float
    distance_error: float  # weight units
    time_ms: float


class Game:
    """One run in a person's hands; see the module docstring. ParameterError: it is too large."""

    def __init__(self, graph: CSRGraph, source: int) -> None:
        if refusal(graph):
            raise ParameterError(refusal(graph))
        self.graph, self.source = graph, graph.check_source(source)
        self._arcs = [range(*row) for row in pairwise(graph.indptr.tolist())]
        self._heads: list[int] = graph.indices.tolist()
        self._weights: list[float] = graph.weights.tolist()
        dist = tuple(0 if vertex == source else math.inf for vertex in range(graph.n))
        self.steps = [Step((), 0, 0, dist, (source,), [(0, source)])]

    @property
    def now(self) -> Step:
        """The last step."""
        return self.steps[-1]

    @property
    def waiting(self) -> list[int]:
        """The vertices that wait, the closest first."""
        return sorted(self.now.waiting, key=lambda vertex: (self.now.dist[vertex], vertex))

    @property
    def pops(self) -> tuple[Pop, ...]:
        """Every vertex taken so far."""
        return tuple(pop for step in self.steps for pop in step.pops)

    def take(self, vertex: int, delta: float | None = None) -> None:
        """Process a waiting vertex; with `delta`, all that wait in its bucket, so wide, at once.

        All distances are read before any edge is relaxed. ParameterError: the vertex does not wait.
        """
        before = self.now
        if vertex not in before.waiting:
            raise ParameterError(f"vertex {self.name(vertex)} does not wait; take one that does")
        chosen = [vertex]
        if delta is not None:
            number = before.dist[vertex] // delta
            chosen = [one for one in before.waiting if before.dist[one] // delta == number]
        pops = self._pops(chosen)
        dist, heap, relaxed, improved = list(before.dist), set(before.heap), 0, 0
        waiting = dict.fromkeys(one for one in before.waiting if one not in chosen)
        for pop in pops:
            heap.discard((pop.dist, pop.vertex))
            for arc in self._arcs[pop.vertex]:
                head, reach = self._heads[arc], pop.dist + self._weights[arc]
                relaxed += 1
                if reach < dist[head]:
                    improved += 1
                    dist[head] = reach
                    heap.add((reach, head))
                    waiting[head] = None
        step = Step(pops, relaxed, improved, tuple(dist), tuple(waiting), sorted(heap))
        cost = self._sifted(step, before) if delta is None else self._superstep(step)
        self.steps.append(replace(step, cost_ns=cost))

    def undo(self) -> None:
        """Take the last step back; nothing happens where there is none."""
        del self.steps[max(len(self.steps) - 1, 1) :]

    def _pops(self, chosen: Sequence[int]) -> tuple[Pop, ...]:
        dist, waiting, pops = self.now.dist, set(self.now.waiting), []
        for vertex in chosen:
            closer = [dist[one] for one in waiting if dist[one] < dist[vertex]]
            error = dist[vertex] - min(closer, default=dist[vertex])
            pops.append(Pop(vertex, dist[vertex], len(closer), error))
            waiting.discard(vertex)
        return tuple(pops)

    def _sifted(self, step: Step, before: Step) -> float:
        """Return what one vertex costs, ns; stale entries on top of the heap leave it."""
        trips = _levels(before.heap) + step.improved
        trips += max(1, math.ceil(step.relaxed / GPU.worker_threads))
        while step.heap and step.heap[0][0] > step.dist[step.heap[0][1]]:
            trips += _levels(step.heap)
            del step.heap[0]
        return GPU.hop_ns * trips

    def _superstep(self, step: Step) -> float:
        """Return what a bucket costs, ns: a vertex a lane at a time, and their edges."""
        lanes = GPU.worker_threads
        cost = GPU.alone_ns if step.waiting else 2 * GPU.alone_ns  # the last finds nothing to do
        for first in range(0, len(step.pops), lanes):
            arcs = sum(len(self._arcs[pop.vertex]) for pop in step.pops[first : first + lanes])
            cost += GPU.trip_ns * max(math.ceil(arcs / (lanes * IN_FLIGHT)) - 1, 0)
            cost += GPU.round_ns if first else 0.0
        return cost

    # --- what it comes to

    def score(self) -> Score:
        """Return what the order so far cost."""
        pops = self.pops
        ranks, errors = [pop.rank_error for pop in pops], [pop.distance_error for pop in pops]
        relaxed = sum(step.relaxed for step in self.steps)
        time_ms = sum(step.cost_ns for step in self.steps) / MS
        means = fmean(ranks or [0]), fmean(errors or [0])
        again = len(pops) - len({pop.vertex for pop in pops})
        return Score("You", len(pops), again, relaxed, *means, time_ms)

    # --- words

    def name(self, vertex: int) -> str:
        """Return the graph's own name of a vertex."""
        return in_sight(str(self.graph.id_of(vertex)))

    def at(self, vertex: int, dist: float) -> str:
        """Return "C at 4"."""
        return f"{self.name(vertex)} at {distance(dist)}"

    def hint(self) -> str:
        """Return which vertex Dijkstra would take now."""
        words = [self.at(vertex, self.now.dist[vertex]) for vertex in self.waiting[:1]]
        return f"The closest waiting vertex is {words[0]}." if words else "Nothing waits."

    def step_words(self) -> str:
        """Return what the last step did."""
        step = self.now
        if not step.pops:
            return f"Only the source waits. Take {self.name(self.source)}."
        taken = ", ".join(self.at(pop.vertex, pop.dist) for pop in step.pops)
        words = f"{taken}: {plural(step.relaxed, 'edge')} relaxed, {step.improved} improved."
        worst = max(step.pops, key=lambda pop: pop.distance_error)
        closer, error = plural(worst.rank_error, "waiting vertex"), distance(worst.distance_error)
        more = f" {closer} closer than {self.name(worst.vertex)}, by up to {error}."
        return words + more if worst.rank_error else words

    def wasted_words(self) -> str:
        """Return what was done more than once."""
        score, once = self.score(), {pop.vertex for pop in self.pops}
        edges = score.relaxed - sum(len(self._arcs[vertex]) for vertex in once)
        more = f"{plural(score.again, 'vertex')} and {plural(edges, 'edge')} more than needed."
        return more if score.again else "no vertex was processed twice."

    def difference_words(self) -> str:
        """Return where the order first left Dijkstra's, and what it cost."""
        for place, (vertex, dist, rank_error, error) in enumerate(self.pops, 1):
            if rank_error:
                return (
                    f"First different at pop {place}: you took {self.at(vertex, dist)} while a "
                    f"vertex waited at {distance(dist - error)}. In all: {self.wasted_words()}"
                )
        return "So far yours is Dijkstra's order: nothing closer ever waited."

    def end_words(self, others: Sequence[Score]) -> str:
        """Prove the distances of a run that is over; return how it compares with others."""
        from gpu.proof.verify import verify

        graph = in_numbers(self.graph, "int64" if self.graph.integer else "float64")
        dtype, mine = graph.weights.dtype, self.score()
        dist = [unreached(dtype) if math.isinf(reach) else reach for reach in self.now.dist]
        proof = verify(graph, self.source, np.array(dist, dtype))
        words = [f"{one.title}: {one.processed} in {one.time_ms:.3g} ms" for one in others]
        return (
            f"{'Every distance is proved right.' if proof.passed else proof.detail} You processed "
            f"{plural(mine.processed, 'vertex')} in {mine.time_ms:.3g} ms (modelled): "
            f"{self.wasted_words()} {'; '.join(words)}."
        )


def refusal(graph: CSRGraph) -> str:
    """Return why a graph cannot be played, "" where it can."""
    if 0 < graph.n <= MOST_VERTICES and graph.m <= MOST_EDGES:
        return ""
    return (
        f"{graph.name} has {plural(graph.n, 'vertex')} and {plural(graph.m, 'edge')}; a person "
        f"plays up to {MOST_VERTICES} and {MOST_EDGES:,}. Open a smaller sample, or draw a graph."
    )


def rivals(graph: CSRGraph, source: int) -> list[Score]:
    """Return what RIVALS cost on the same graph: modelled runs, made now. Raises GpuError."""
    scores = []
    for key, title in RIVALS.items():
        trace = run(graph, RunSettings(key, "model", GPU.name, source, probe=Probe.EVENTS))
        errors = trace.errors
        assert errors is not None
        processed = trace.processed_vertices
        work = processed, processed - trace.reached, trace.relaxed_edges
        means = float(errors.rank.mean()), float(errors.distance.mean())
        scores.append(Score(title, *work, *means, trace.time_ns / MS))
    return scores


def _levels(heap: Sequence[object]) -> int:
    return math.ceil(math.log2(len(heap) + 1))
