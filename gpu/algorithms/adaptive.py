"""Another row's run: of the row that fits the graph, by scouts, and on a GPU by a race.

Returns     dist, the shortest distance from the source to every vertex.

The idea    No scheduler is the fastest on every graph. A wide, shallow graph wants supersteps; a
            deep, narrow one wants no barriers; hubs want to be cut into pieces. Which it is
            shows within ten hops of a vertex: a scout counts how many vertices each hop
            reaches, breadth first. What was known of the graph when it was loaded (arcs a
            vertex, its largest hub, how unequal the weights are) does the rest, and `choose`
            names a row of the registry:

            hubs       a vertex joined with most others, or hubs and many arcs: ADDS
            shallow    each hop reaches a multiple of the one before: supersteps, ordered
                       (Near-Far) where there is much to undo, else Bellman-Ford; ADDS where
                       supersteps are many, as in a small clustered graph
            a path     hops that do not grow, of vertices for a block: one block's supersteps,
                       for there is nothing to share; chains: Bellman-Ford
            deep       else: without barriers (Asynchronous Near-Far), and where each vertex has
                       many arcs, or the graph is too large for the cache, ADDS

When        A run goes everywhere, and most graphs are alike everywhere. So sixteen scouts look
            once, from vertices all over the graph, before its first run, and one from its
            largest hub, for runs from hubs. What three fifths of them say is the graph's form.
            Where fewer agree, a scout goes from the source.

The race    A rule knows the graphs and the card that it was made with. So on a GPU the forms run
            once each, before the first run on a graph, and are stopped when they are behind; the
            scouts' choice starts. The first one's delta is then halved and doubled as long as
            that pays. A race takes some dozens of runs, 0.04 to 1.3 s on an H100, and is no
            part of any run's time (`race_ms` in the trace). On the modelled GPU nothing is
            raced: its times are not measured, so the scouts have the word.

Not done    Changing the form in mid-run, and more than ten hops of scouting: a graph that
            changes its nature far away is taken for what it is near its scouts. What they have
            seen is not used but for the choice. No weight is looked at on the way: whether
            order pays is told by a sample of all weights. A race's outcome is not kept beyond
            the process.

To tune     `Limits`, measured on an H100; which graphs they are from stands in gpu/lab/LOG.md.

The form of a run stands in its trace (`environment`: form, form_why), and so does everything
that the window and the tables show of it: they are that form's.
"""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gpu.algorithms import bellman_ford, near_far
from gpu.algorithms.async_near_far import strides_of
from gpu.algorithms.registry import Algorithm
from gpu.delta import near_far_delta
from gpu.graph import HUBS, CSRGraph, are_hubs

HOPS = 10  # that a scout goes at most
MOST_VERTICES, MOST_ARCS = 2048, 12_288  # that it reaches in all, and looks at in one hop
MANY = 64  # vertices of a hop from which its growth says enough
SURE = 5  # hops from which two that grew say enough
BACK = 4  # hops over which a last hop's growth is taken
SAMPLED = 4096  # weights that are looked at
SCOUTS = 16  # that look once a graph, from vertices with arcs
ENOUGH = 4  # of them have to see something
AGREED = 0.6  # of these have to say the same
HOST_ARCS = 65_536  # that they look at in one hop
TRIED = 64  # ids from each scout's place on, until one has arcs
ORDINARY = 3.9  # arcs of a source, x mean degree, up to which it is like others


@dataclass(frozen=True)
class Limits:
    """Where one form ends and the next begins, measured on an H100.

    hub_share, dense_share : a vertex joined with so many of all is a hub for all; so are most
        where the mean is as large
    skew : a graph has hubs where the largest degree is so many times the mean
    hub_arcs : with hubs, ADDS from so many arcs on
    some : a last hop is large from so many vertices on, x arcs a vertex beyond the way back
    growth : and a graph shallow where such a hop is so many times that of BACK hops before
    still : along a path hops differ by at most so much
    few, block, threads : vertices of a hop on a path, at least and at most, and arcs at most
    few_chains, chain_arcs : the same where there are chains, vertices and arcs in all, at least
    tree_degree : below, as in a tree, a vertex has one way or hardly two
    ordered_work : arcs in all x arcs a vertex from which shallow graphs are ordered
    clustered_arcs : up to here shallow graphs whose hops grow by less than half a vertex' arcs,
        and therefore are many, go to ADDS
    hub_ordered_arcs, tree_arcs : ADDS from so many arcs on, with hubs and usual weights; in trees
        without equal branches
    dense_degree : from here on deep graphs go to ADDS
    small_arcs : up to here these, and those of equal weights, go to Bellman-Ford
    many_arcs, many_degree : the same, too large for the cache
    unequal : weights are unequal where the median is below this share of the mean
    """

    hub_share: float = 0.6
    dense_share: float = 0.1
    skew: float = HUBS
    hub_arcs: int = 10_000_000
    some: float = 24.0
    growth: float = 4.0
    still: float = 1.25
    few: int = 10
    block: int = 128
    threads: int = 4096
    few_chains: int = 4
    chain_arcs: int = 3000
    tree_degree: float = 2.0
    ordered_work: int = 6_000_000
    clustered_arcs: int = 1_800_000
    hub_ordered_arcs: int = 6_000_000
    tree_arcs: int = 20_000_000
    dense_degree: float = 10.0
    small_arcs: int = 100_000
    many_arcs: int = 25_000_000
    many_degree: float = 6.0
    unequal: float = 1 / 16


LIMITS = Limits()


@dataclass(frozen=True)
class Facts:
    """What is known of a graph before any run.

    largest_degree : arcs of its largest hub
    median_weight, equal_weights : of a sample of SAMPLED weights
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
    wide : it stopped because there was too much to look at
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


@dataclass(frozen=True)
class Settled:
    """What is chosen on a graph whatever the source: one like most others, or a hub."""

    usual: Choice
    hub: Choice


_FACTS: weakref.WeakKeyDictionary[CSRGraph, Facts] = weakref.WeakKeyDictionary()
_SETTLED: weakref.WeakKeyDictionary[CSRGraph, Settled | None] = weakref.WeakKeyDictionary()


def facts_of(graph: CSRGraph) -> Facts:
    """Return what is known of a graph; looked at once a graph."""
    if graph not in _FACTS:
        sample = graph.weights
        if graph.m > SAMPLED:  # drawn: a step would meet rows that are alike at the same place
            sample = sample[np.random.default_rng(1).integers(0, graph.m, SAMPLED)]
        _FACTS[graph] = Facts(
            n=graph.n,
            m=graph.m,
            mean_degree=graph.mean_degree,
            largest_degree=graph.largest_degree,
            mean_weight=graph.mean_weight,
            median_weight=float(np.median(sample)) if graph.m else 0.0,
            equal_weights=bool(sample.max(initial=0) == sample.min()) if graph.m else True,
            integer=graph.integer,
        )
    return _FACTS[graph]


def choice_of(graph: CSRGraph, source: int) -> Choice:
    """Return the form for a run from this source, by scouts; the same every time."""
    facts = facts_of(graph)
    known = choose_unscouted(facts)
    if known is not None:
        return known
    choices = settled(graph)
    if choices is None:
        return choose(facts, scout(graph.indptr, graph.indices, source))
    degree = int(graph.indptr[source + 1] - graph.indptr[source])
    is_hub = degree > ORDINARY * max(facts.mean_degree, 1.0)
    is_wide = choices.usual.form == _shallow(facts, LIMITS)  # and from a hub still wider
    return choices.hub if is_hub and not is_wide else choices.usual


def settled(graph: CSRGraph) -> Settled | None:
    """Return what scouts all over the graph agree on, or None; looked at once a graph."""
    if graph not in _SETTLED:
        _SETTLED[graph] = _agreed(graph)
    return _SETTLED[graph]


def _agreed(graph: CSRGraph) -> Settled | None:
    found = [choice for place in places(graph) if (choice := _seen_from(graph, place)) is not None]
    if len(found) < ENOUGH:
        return None
    form, votes = Counter(choice.form for choice in found).most_common(1)[0]
    if votes < AGREED * len(found):
        return None
    first = next(choice for choice in found if choice.form == form)
    usual = replace(first, why=f"{votes} of {len(found)} scouts say so: {first.why}")
    hub = _seen_from(graph, int(np.argmax(np.diff(graph.indptr)))) or first
    return Settled(usual, replace(hub, why=f"a scout at the largest hub says so: {hub.why}"))


def _seen_from(graph: CSRGraph, source: int) -> Choice | None:
    """Return what a scout from there chooses, None where it saw all there is: no sign of shape."""
    seen = scout(graph.indptr, graph.indices, source, most_arcs=HOST_ARCS)
    return choose(facts_of(graph), seen) if seen.levels[-1] > 0 else None


def places(graph: CSRGraph) -> list[int]:
    """Return where scouts begin: vertices with arcs, spread evenly over the ids, at most SCOUTS."""
    found: dict[int, None] = {}
    for k in range(SCOUTS):
        first = (2 * k + 1) * graph.n // (2 * SCOUTS)
        have_arcs = np.flatnonzero(np.diff(graph.indptr[first : first + TRIED + 1]))
        if len(have_arcs):
            found[first + int(have_arcs[0])] = None
    return list(found)


def choose_unscouted(facts: Facts, limits: Limits = LIMITS) -> Choice | None:
    """Return the form where the graph alone says it, None where a scout has to look."""
    degree = facts.largest_degree
    share = degree / max(facts.n, 1)
    most = share >= limits.hub_share or facts.mean_degree >= limits.dense_share * facts.n
    if most and degree >= limits.skew:
        return Choice("adds", f"a hub for all: a vertex of {degree:,} arcs")
    if _has_hubs(facts, limits) and facts.m >= limits.hub_arcs:
        return Choice("adds", f"hubs of up to {degree:,} arcs, {facts.m:,} arcs in all")
    return None


def choose(facts: Facts, seen: Scouted, limits: Limits = LIMITS) -> Choice:
    """Return the form for what a scout has seen; the same for the same every time."""
    hops = len(seen.levels) - 1
    told = f"{seen.levels[-1]:,} vertices at hop {hops}"
    if is_shallow(facts, seen, limits):
        beyond = f"too many at hop {hops + 1}" if seen.wide else told
        form = "adds" if is_clustered(facts, seen, limits) else _shallow(facts, limits)
        return Choice(form, f"hops reach multiples of vertices: {beyond}")
    if seen.levels[-1] == 0:
        return Choice(_shallow(facts, limits), f"no vertex is further than hop {hops - 1}")
    if is_path(facts, seen, limits):
        return Choice(_path(facts, limits), f"a path: as many vertices at each hop, {told}")
    return _deep(facts, f"hops grow slowly: {told}, {facts.mean_degree:.3g} arcs a vertex", limits)


def is_shallow(facts: Facts, seen: Scouted, limits: Limits = LIMITS) -> bool:
    """Whether hops grow by multiples, as they do where everything is near everything."""
    levels, last = seen.levels, len(seen.levels) - 1
    if seen.wide or last < HOPS:
        return seen.wide or (last >= 2 and 4 * levels[-1] >= max(7 * levels[-2], 4 * MANY))
    large = limits.some * max(facts.mean_degree - 1.0, 1.0)
    return levels[-1] >= max(large, limits.growth * levels[-1 - BACK])


def is_clustered(facts: Facts, seen: Scouted, limits: Limits = LIMITS) -> bool:
    """Whether a small graph's hops grow by far less than a vertex has arcs: so there are many."""
    if seen.wide or facts.m > limits.clustered_arcs:
        return False
    return 2 * seen.levels[-1] < facts.mean_degree * seen.levels[-2]


def is_path(facts: Facts, seen: Scouted, limits: Limits = LIMITS) -> bool:
    """Whether each hop reaches as many vertices as the one before, and one block can do them."""
    hops, chains = seen.levels[1:], _is_tree(facts, limits)
    return (
        len(hops) >= 2
        and max(hops) <= limits.still * min(hops)
        and (limits.few_chains if chains else limits.few) <= max(hops) <= limits.block
        and seen.arcs <= limits.threads
        and not (chains and facts.m < limits.chain_arcs)
    )


def _deep(facts: Facts, why: str, limits: Limits) -> Choice:
    many = facts.m >= limits.many_arcs and facts.mean_degree >= limits.many_degree
    dense = facts.mean_degree >= limits.dense_degree
    if facts.m <= limits.small_arcs and (dense or facts.equal_weights):
        return Choice("bellman_ford", why)
    if many or dense or facts.equal_weights:
        return Choice("adds", why)
    return Choice("async_near_far", why, _typical_stride(facts, limits))


def _has_hubs(facts: Facts, limits: Limits) -> bool:
    return are_hubs(facts.largest_degree, facts.mean_degree, limits.skew)


def _shallow(facts: Facts, limits: Limits) -> str:
    """Return the supersteps: order pays where a vertex has several ways of unlike arcs."""
    is_tree, usual = _is_tree(facts, limits), not _unequal(facts, limits)
    if _has_hubs(facts, limits):
        ordered = facts.m >= limits.hub_ordered_arcs and usual and not facts.equal_weights
        return "adds" if is_tree or ordered else "bellman_ford"
    if is_tree and facts.m >= limits.tree_arcs and facts.largest_degree > limits.few:
        return "adds"
    if facts.equal_weights or not usual:
        return "bellman_ford"
    ordered = facts.m * facts.mean_degree >= limits.ordered_work
    return "near_far" if ordered and not is_tree else "bellman_ford"


def _path(facts: Facts, limits: Limits) -> str:
    return "bellman_ford" if _is_tree(facts, limits) else "near_far"


def _is_tree(facts: Facts, limits: Limits) -> bool:
    return facts.mean_degree < limits.tree_degree


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
    most_vertices: int = MOST_VERTICES,
    most_arcs: int = MOST_ARCS,
) -> Scouted:
    """Return what lies around the source, breadth first, until that is enough or too much."""
    seen, level, counts = {source}, [source], [1]
    while True:
        arcs = sum(int(indptr[v + 1] - indptr[v]) for v in level)
        if has_seen_enough(counts) or arcs > most_arcs:
            return Scouted(tuple(counts), arcs, wide=not has_seen_enough(counts))
        heads = {int(v) for u in level for v in indices[int(indptr[u]) : int(indptr[u + 1])]}
        level = sorted(heads - seen)
        seen.update(level)
        if len(seen) > most_vertices:
            return Scouted(tuple(counts), arcs, wide=True)
        counts.append(len(level))


def has_seen_enough(levels: Sequence[int]) -> bool:
    """Whether the shape shows: the last hop, nothing left, or many that grow, or do not."""
    hops = len(levels) - 1
    if hops == HOPS or levels[-1] == 0:
        return True
    if hops < 2 or levels[-1] < MANY:
        return False
    if levels[-1] >= 4 * levels[-2] or 4 * levels[-1] < 7 * levels[-2]:
        return True
    return hops >= SURE and 4 * levels[-2] >= 7 * levels[-3]


def reference(
    indptr: Sequence[int], indices: Sequence[int], weights: Sequence[float], source: int
) -> list[float]:
    """Return dist, inf where unreachable: look first, then go with order or without."""
    n, m = len(indptr) - 1, len(indices)
    total = float(sum(weights))
    if scout(indptr, indices, source).wide and m * m / n < LIMITS.ordered_work:
        return bellman_ford.reference(indptr, indices, weights, source)
    delta = near_far_delta(total / max(m, 1), m / n, integer=False)
    return near_far.reference(indptr, indices, weights, source, max(delta, 1e-9))


ALGORITHM = Algorithm(
    key="adaptive",
    title="Adaptive",
    summary="the form that fits the graph: by scouts, on a GPU by a race",
    engines={"model": "gpu.model.adaptive:run", "cuda": "gpu.cuda.adaptive:run"},
    parallelism="assigned",
    source="SSSP Scope; the forms are the other rows",
)
