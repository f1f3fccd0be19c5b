"""A scout looks at the graph's shape, and the run goes on in the form that fits it.

Returns     dist, the shortest distance from the source to every vertex.

The idea    No scheduler is the fastest on every graph. A wide, shallow graph wants supersteps; a
            deep, narrow one wants no barriers; hubs want to be cut into pieces. Which it is
            shows within eight hops of the source: a block looks at them, breadth first, while
            the others set the distances up, and counts how many vertices each hop reaches. What
            was known of the graph when it was loaded (arcs a vertex, its largest hub, how
            unequal the weights are) does the rest, and `choose` names a row of the registry:

            hubs       a vertex joined with a quarter of all, or hubs and many arcs: ADDS
            shallow    each hop reaches a multiple of the one before: supersteps, ordered
                       (Near-Far) where paths of light arcs undo much, else Bellman-Ford
            a path     hops that do not grow, of more arcs than a warp has lanes: one block's
                       supersteps, for there is nothing to share
            deep       else: without barriers (Asynchronous Near-Far), and where each vertex has
                       many arcs, or the graph is too large for the cache, ADDS

Not done    Changing the form again in mid-run, and more than eight hops of scouting: a graph that
            changes its nature far from the source is taken for what it is near it. What the
            scout has seen is not used but for the choice. No weight is looked at from the
            source on: whether order pays is told by a sample of all weights.

To tune     `Limits`, measured on an H100; which graphs they are from stands in gpu/lab/LOG.md.

The form of a run stands in its trace (`environment`: form, form_why), and so does everything
that the window and the tables show of it: they are that form's.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gpu.algorithms import bellman_ford, near_far
from gpu.algorithms.async_near_far import strides_of
from gpu.algorithms.registry import Algorithm
from gpu.delta import near_far_delta
from gpu.graph import CSRGraph

HOPS = 8  # that the scout goes, as SCOUT_HOPS in scout.cuh
BACK = 4  # hops over which growth is taken
SAMPLED = 4096  # weights that are looked at


@dataclass(frozen=True)
class Limits:
    """Where one form ends and the next begins, measured on an H100.

    hub_share : a vertex joined with so many of all is a hub for all
    skew : a graph has hubs where the largest degree is so many times the mean
    hub_arcs : with hubs, ADDS from so many arcs on
    growth : a graph is shallow where a hop reaches so many times what it did BACK hops before
    still : a path's next BACK hops reach at most so many times the vertices of the first
    lanes : arcs of a hop from which one block has more than one warp at work
    ordered_degree : arcs a vertex from which shallow graphs are ordered
    dense_degree : from here on deep graphs go to ADDS
    many_arcs : the same, too large for the cache
    unequal : weights are unequal where the median is below this share of the mean
    """

    hub_share: float = 0.25
    skew: float = 64.0
    hub_arcs: int = 10_000_000
    growth: float = 8.0
    still: float = 1.25
    lanes: int = 32
    ordered_degree: float = 6.0
    dense_degree: float = 10.0
    many_arcs: int = 50_000_000
    unequal: float = 1 / 16


LIMITS = Limits()


@dataclass(frozen=True)
class Facts:
    """What is known of a graph before any run.

    largest_degree : arcs of its largest hub
    median_weight, equal_weights : of a sample of SAMPLED weights, evenly from all
    """

    n: int
    m: int
    mean_degree: float
    largest_degree: int
    mean_weight: float
    median_weight: float
    equal_weights: bool
    integer: bool


@dataclass(frozen=True)
class Scouted:
    """What a scout has seen from the source.

    levels : vertices first reached by each whole hop, from hop 0 (the source) to at most HOPS
    arcs : of the last of these levels
    wide : it stopped before HOPS, because there was too much to look at
    """

    levels: tuple[int, ...]
    arcs: int
    wide: bool


@dataclass(frozen=True)
class Choice:
    """The form that a run takes: a key of the registry, its delta (None: its own), and why."""

    form: str
    why: str
    delta: float | None = None


_FACTS: weakref.WeakKeyDictionary[CSRGraph, Facts] = weakref.WeakKeyDictionary()


def facts_of(graph: CSRGraph) -> Facts:
    """Return what is known of a graph; looked at once a graph."""
    if graph not in _FACTS:
        sample = graph.weights[:: max(graph.m // SAMPLED, 1)]
        _FACTS[graph] = Facts(
            n=graph.n,
            m=graph.m,
            mean_degree=graph.mean_degree,
            largest_degree=int(np.diff(graph.indptr).max(initial=0)),
            mean_weight=graph.mean_weight,
            median_weight=float(np.median(sample)) if graph.m else 0.0,
            equal_weights=bool(sample.max(initial=0) == sample.min()) if graph.m else True,
            integer=graph.integer,
        )
    return _FACTS[graph]


def choose_unscouted(facts: Facts, limits: Limits = LIMITS) -> Choice | None:
    """Return the form where the graph alone says it, None where a scout has to look."""
    degree = facts.largest_degree
    if degree >= max(limits.hub_share * facts.n, limits.skew):
        return Choice("adds", f"a hub for all: a vertex of {degree:,} arcs")
    if _has_hubs(facts, limits) and facts.m >= limits.hub_arcs:
        return Choice("adds", f"hubs of up to {degree:,} arcs, {facts.m:,} arcs in all")
    return None


def choose(facts: Facts, seen: Scouted, limits: Limits = LIMITS) -> Choice:
    """Return the form for what a scout has seen; the same for the same every time."""
    hops = len(seen.levels) - 1
    told = f"{seen.levels[-1]:,} at hop {hops}"
    if is_shallow(seen, limits):
        beyond = f"too many at hop {hops + 1}" if seen.wide else told
        return Choice(_supersteps(facts, limits), f"hops reach multiples of vertices: {beyond}")
    if seen.levels[-1] == 0:
        return Choice(_supersteps(facts, limits), f"no vertex is further than hop {hops - 1}")
    first, then = sum(seen.levels[1 : BACK + 1]), sum(seen.levels[BACK + 1 :])
    if then <= limits.still * first and seen.arcs >= limits.lanes:
        return Choice(
            _supersteps(facts, limits, deep=True), f"a path: as many vertices at each hop, {told}"
        )
    return _deep(
        facts, f"hops grow slowly: {told}, with {facts.mean_degree:.3g} arcs a vertex", limits
    )


def forms(facts: Facts, limits: Limits = LIMITS) -> tuple[Choice, ...]:
    """Return every form that `choose` may return for a graph, each once, without a why."""
    steps = {_supersteps(facts, limits), _supersteps(facts, limits, deep=True)}
    return (*(Choice(form, "") for form in sorted(steps)), _deep(facts, "", limits))


def is_shallow(seen: Scouted, limits: Limits = LIMITS) -> bool:
    """Whether hops grow by multiples, as they do where everything is near everything."""
    last = len(seen.levels) - 1
    if seen.wide and last <= BACK:
        return True
    return last > BACK and seen.levels[last] >= limits.growth * seen.levels[last - BACK] > 0


def _deep(facts: Facts, why: str, limits: Limits) -> Choice:
    if facts.mean_degree >= limits.dense_degree or facts.m >= limits.many_arcs:
        return Choice("adds", why)
    return Choice("async_near_far", why, _typical_stride(facts, limits))


def _has_hubs(facts: Facts, limits: Limits) -> bool:
    return facts.largest_degree > limits.skew * max(facts.mean_degree, 1.0)


def _supersteps(facts: Facts, limits: Limits, deep: bool = False) -> str:
    """Return which supersteps: order pays where the same vertex has several ways of many arcs."""
    few_ways = facts.mean_degree <= (2.0 if deep else limits.ordered_degree)
    free = not deep and (facts.equal_weights or _unequal(facts, limits))
    if few_ways or free or (not deep and _has_hubs(facts, limits)):
        return "bellman_ford"
    return "near_far"


def _unequal(facts: Facts, limits: Limits) -> bool:
    return facts.median_weight < limits.unequal * facts.mean_weight


def _typical_stride(facts: Facts, limits: Limits) -> float | None:
    """Return delta by the median weight where a few heavy arcs make the mean, else None."""
    if facts.median_weight <= 0 or not _unequal(facts, limits):
        return None
    wanted = strides_of(facts.mean_degree) * facts.median_weight / max(facts.mean_degree, 1e-9)
    return max(wanted, 1.0) if facts.integer else wanted


def scout(
    indptr: Sequence[int] | np.ndarray,
    indices: Sequence[int] | np.ndarray,
    source: int,
    most_vertices: int = 4096,
    most_arcs: int = 32_768,
) -> Scouted:
    """Return what lies within HOPS of the source, breadth first; the limits are scout.cuh's."""
    seen, levels = {source}, [[source]]
    while True:
        arcs = sum(int(indptr[v + 1] - indptr[v]) for v in levels[-1])
        if len(levels) > HOPS or not levels[-1]:
            return Scouted(tuple(map(len, levels)), arcs, wide=False)
        if arcs > most_arcs:
            return Scouted(tuple(map(len, levels)), arcs, wide=True)
        heads = {
            int(v) for u in levels[-1] for v in indices[int(indptr[u]) : int(indptr[u + 1])]
        } - seen
        if len(seen) + len(heads) > most_vertices:
            return Scouted(tuple(map(len, levels)), arcs, wide=True)
        seen |= heads
        levels.append(sorted(heads))


def reference(
    indptr: Sequence[int], indices: Sequence[int], weights: Sequence[float], source: int
) -> list[float]:
    """Return dist, inf where unreachable: look first, then go with order or without."""
    n, m = len(indptr) - 1, len(indices)
    total = float(sum(weights))
    if is_shallow(scout(indptr, indices, source)) and m <= LIMITS.ordered_degree * n:
        return bellman_ford.reference(indptr, indices, weights, source)
    delta = near_far_delta(total / max(m, 1), m / n, integer=False)
    return near_far.reference(indptr, indices, weights, source, max(delta, 1e-9))


ALGORITHM = Algorithm(
    key="adaptive",
    title="Adaptive",
    summary="a scout of eight hops chooses the form that fits the graph",
    engines={"model": "gpu.model.adaptive:run", "cuda": "gpu.cuda.adaptive:run"},
    source="SSSP Scope; the forms are the other rows",
)
