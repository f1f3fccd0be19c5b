"""CSRGraph: a graph in memory, compressed by rows.

Vertices are numbered 0 to n-1; the arcs of u are `indices[indptr[u]:indptr[u+1]]` with the weights
at the same places. Always directed: an undirected graph holds both arcs. Parallel arcs, loops and
zero weights are allowed; negative, NaN and infinite weights are not. The file's own vertex names
are kept; `id_of` and `vertex_of` translate.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import accumulate, islice
from typing import Any

import numpy as np

from gpu.errors import GraphError, SourceError, WeightError
from gpu.interpreter import early
from gpu.words import in_sight

MAX_COUNT = 2**31 - 1  # vertices and arcs: indices are int32
LARGE_BYTES = 1 << 22  # of a graph whose hash takes 8 ms: a thread makes it
HUBS = 64.0  # times the mean degree: a graph whose largest degree is more has hubs
SPREAD, SPREAD_HOPS = 4096, 16  # mesh, small world and random graphs 4 to 12; 2-D ones 32 to 67
NUMBER_TYPES = ("int32", "int64", "float32", "float64")  # of weights, see `gpu.numbers`
INT_UNREACHED = np.int32(2**31 - 1)  # distance of an unreached vertex, int32 graphs


def are_hubs(largest_degree: int, mean_degree: float, times: float = HUBS) -> bool:
    """Whether a graph has hubs: its largest degree is so many times the mean."""
    return largest_degree > times * max(mean_degree, 1.0)


@dataclass(frozen=True)
class Provenance:
    """Where a graph came from."""

    origin: str = "memory"  # or a path, or `sample:<key>`
    format: str = "arrays"  # the reader's name
    options: dict[str, Any] = field(default_factory=dict)  # what the user chose
    notes: tuple[str, ...] = ()  # what the user should know ("3 parallel arcs kept")


@dataclass(frozen=True, eq=False)
class CSRGraph:
    """A directed graph with non-negative weights, compressed by rows.

    Parameters
    ----------
    indptr : int64 (n+1,), row bounds, from 0 to m, never falling
    indices : int32 (m,), heads of the arcs, each in [0, n)
    weights : int32, int64, float32 or float64 (m,), finite, >= 0; see `gpu.numbers`
    positions : float32 (n, 2) or None; x to the right, y up, any unit
    ids : int64 or str (n,), the file's own vertex names; None means index + id_base
    id_base : the file's first vertex number where `ids` is None
    name : short, for titles: one line without unseen characters, which it is made into

    Raises GraphError where a type or a length is not the one above, in O(1); `checked` looks at
    every row, arc and weight, and every reader and generator calls it.
    """

    indptr: np.ndarray
    indices: np.ndarray
    weights: np.ndarray
    positions: np.ndarray | None = None
    ids: np.ndarray | None = None
    id_base: int = 0
    name: str = "graph"
    provenance: Provenance = field(default_factory=Provenance)

    def __post_init__(self) -> None:
        """Refuse arrays of another type or length: compiled loops would read past them."""
        object.__setattr__(self, "name", in_sight(self.name))
        _check_arrays(self)

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        """Pickle the fields alone: another thread may add a cached property meanwhile."""
        return type(self), tuple(getattr(self, one.name) for one in fields(self))

    @property
    def n(self) -> int:
        """Number of vertices."""
        return len(self.indptr) - 1

    @property
    def m(self) -> int:
        """Number of arcs."""
        return len(self.indices)

    @property
    def integer(self) -> bool:
        """Whether weights (and so distances) are whole numbers; otherwise decimals."""
        return bool(self.weights.dtype.kind == "i")

    @cached_property
    def largest_degree(self) -> int:
        """Arcs of the vertex that has most; 0 for the empty graph."""
        return int(np.diff(self.indptr).max(initial=0))

    @property
    def has_hubs(self) -> bool:
        """Whether a few vertices have very many arcs."""
        return are_hubs(self.largest_degree, self.mean_degree)

    @property
    def mean_degree(self) -> float:
        """Arcs per vertex, m / n; 0 for the empty graph."""
        return self.m / self.n if self.n else 0.0

    @cached_property
    def mean_weight(self) -> float:
        """Mean arc weight; 0 where there are no arcs."""
        if not self.m:
            return 0.0
        with np.errstate(over="ignore"):
            mean = float(self.weights.mean(dtype=np.float64))
        return mean if np.isfinite(mean) else float((self.weights / self.m).sum())

    @cached_property
    def largest_weight(self) -> float:
        """Largest arc weight; 0 where there are no arcs."""
        return float(self.weights.max()) if self.m else 0.0

    @cached_property
    def rms_degree(self) -> float:
        """Root of the mean square of arcs per vertex: hubs weigh more than in the mean."""
        return float(np.sqrt(np.square(np.diff(self.indptr), dtype=np.float64).mean()))

    @cached_property
    def spreads_fast(self) -> bool:
        """Whether two of three searches meet SPREAD vertices in SPREAD_HOPS hops."""
        searches = [islice(fronts(self, self.n * part // 6), SPREAD_HOPS + 1) for part in (1, 3, 5)]
        return sum(any(m >= SPREAD for m in accumulate(map(len, one))) for one in searches) >= 2

    @cached_property
    def hash(self) -> str:
        """16 hex digits over the arcs, the same for the same weights in a wider type."""
        vars(self).get("_hashed", bool)()  # waits for the thread of `checked`
        return self._digest

    @cached_property
    def _digest(self) -> str:
        digest = hashlib.blake2b(digest_size=8)
        weights = _narrowed(self.weights)
        digest.update(str(weights.dtype).encode())
        for array in (self.indptr, self.indices, weights):
            digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        arrays = (self.indptr, self.indices, self.weights, self.positions, self.ids)
        return sum(array.nbytes for array in arrays if array is not None)

    @classmethod
    def from_arcs(
        cls, tails: np.ndarray, heads: np.ndarray, weights: np.ndarray, n: int, **kept: Any
    ) -> CSRGraph:
        """Build from arc arrays (m,), in any order; arcs of a vertex keep their order. GraphError.

        kept : for the constructor (positions, ids, id_base, name, provenance)
        """
        if not len(tails) == len(heads) == len(weights):
            raise GraphError(
                f"{len(tails)} tails, {len(heads)} heads, {len(weights)} weights; "
                "the three arrays must have the same length"
            )
        for ends in (tails, heads):
            if len(ends) and (ends.min() < 0 or ends.max() >= n):
                bad = int(ends.min() if ends.min() < 0 else ends.max())
                raise GraphError(f"vertex {bad} is out of range; {n} vertices are 0 to {n - 1}")
        indptr = np.zeros(n + 1, np.int64)
        np.cumsum(np.bincount(tails, minlength=n), out=indptr[1:])
        tails, heads, weights = (np.asarray(array) for array in (tails, heads, weights))
        if (tails[1:] < tails[:-1]).any():
            packed = (tails.astype(np.int64) << 32) | np.arange(len(tails))
            packed.sort()  # ties stay in place; quicker than argsort
            order = packed & (2**32 - 1)
            heads, weights = heads[order], weights[order]
        return cls(indptr, heads.astype(np.int32), weights.copy(), **kept).checked()

    def checked(self) -> CSRGraph:
        """Return this graph, verified in O(n + m); -0.0 becomes 0.0. GraphError, WeightError."""
        if self.nbytes > LARGE_BYTES:
            vars(self)["_hashed"] = early(lambda: self._digest)
        check_rows(self.indptr, self.indices)
        _check_weights(self)
        if not self.integer and self.m and np.signbit(self.weights).any():
            return replace(self, weights=np.abs(self.weights))
        return self

    def id_of(self, vertex: int) -> int | str:
        """Return the file's own name of a vertex."""
        if self.ids is None:
            return vertex + self.id_base
        name = self.ids[vertex]
        return str(name) if self.ids.dtype.kind == "U" else int(name)

    def tail_of(self, arc: int) -> int:
        """Return the vertex that an arc, an index of `indices`, leaves."""
        return int(np.searchsorted(self.indptr, arc, side="right")) - 1

    def arc_words(self, arc: int) -> str:
        """Return an arc, an index of `indices`, as an error names it: "edge A -> B"."""
        return f"edge {self.id_of(self.tail_of(arc))} -> {self.id_of(int(self.indices[arc]))}"

    def vertex_of(self, name: int | str) -> int:
        """Return the 0-based index of the vertex that the file calls `name`. SourceError."""
        vertex = self._find(name)
        if vertex is None:
            raise SourceError(f"{name} is not a vertex of {self.name}: {self._id_range()}")
        return vertex

    def check_source(self, source: int) -> int:
        """Return `source` if it is an index in [0, n), else raise SourceError."""
        if not 0 <= source < self.n:
            allowed = f"indices are 0 to {self.n - 1}" if self.n else "the graph has no vertices"
            raise SourceError(f"source index {source} is not a vertex of {self.name}: {allowed}")
        return int(source)

    def to_networkx(self, *, directed: bool = True) -> Any:
        """Return this graph as NetworkX's: names as nodes, "weight", and "pos" where it has places.

        A DiGraph, or a MultiDiGraph where there are parallel arcs. directed False: a Graph or
        MultiGraph of the edges; GraphError where an arc has no reverse of the same weight.
        """
        import networkx as nx

        tails = np.repeat(np.arange(self.n), np.diff(self.indptr))
        heads, weights = self.indices.astype(np.int64), self.weights
        if not directed:
            tails, heads, weights = _edges_of(self, tails, heads)
        parallel = len(np.unique(tails * self.n + heads)) < len(tails)
        simple, multi = (nx.DiGraph, nx.MultiDiGraph) if directed else (nx.Graph, nx.MultiGraph)
        network = (multi if parallel else simple)(name=self.name)
        names = [self.id_of(vertex) for vertex in range(self.n)]
        if self.positions is None:
            network.add_nodes_from(names)
        else:
            places = zip(names, self.positions.tolist(), strict=True)
            network.add_nodes_from((name, {"pos": tuple(place)}) for name, place in places)
        arcs = zip(tails.tolist(), heads.tolist(), weights.tolist(), strict=True)
        network.add_weighted_edges_from((names[u], names[v], weight) for u, v, weight in arcs)
        return network

    def with_positions(self, positions: np.ndarray | None) -> CSRGraph:
        """Return the same graph drawn elsewhere."""
        return replace(self, positions=positions)

    def _find(self, name: int | str) -> int | None:
        if self.ids is not None and self.ids.dtype.kind == "U":
            hits = np.flatnonzero(self.ids == str(name))
        else:
            try:
                number = int(name)
            except ValueError:
                return None
            if self.ids is None:
                return number - self.id_base if 0 <= number - self.id_base < self.n else None
            hits = np.flatnonzero(self.ids == number)
        return int(hits[0]) if len(hits) else None

    def _id_range(self) -> str:
        if not self.n:
            return "the graph has no vertices"
        if self.ids is None:
            return f"its {self.n} vertices are {self.id_base} to {self.id_base + self.n - 1}"
        return f"its {self.n} vertices begin {self.ids[0]}, end {self.ids[-1]}"


def fronts(graph: CSRGraph, source: int) -> Iterator[np.ndarray]:
    """Yield the vertices that are 0, 1, 2, ... hops from a source."""
    is_met, front = np.zeros(graph.n, np.bool_), np.arange(graph.n)[source : source + 1]
    while len(front):
        is_met[front] = True
        yield front
        starts, degrees = graph.indptr[front], graph.indptr[front + 1] - graph.indptr[front]
        skipped = np.repeat(starts - np.cumsum(degrees) + degrees, degrees)
        heads = graph.indices[skipped + np.arange(len(skipped))]
        front = np.unique(heads[~is_met[heads]])


def _edges_of(
    graph: CSRGraph, tails: np.ndarray, heads: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return tails, heads and weights of undirected edges, loops last. GraphError."""
    up, down = np.flatnonzero(tails < heads), np.flatnonzero(tails > heads)
    up = up[np.lexsort((graph.weights[up], heads[up], tails[up]))]
    down = down[np.lexsort((graph.weights[down], tails[down], heads[down]))]
    same = len(up) == len(down) and all(
        np.array_equal(there[up], back[down])
        for there, back in ((tails, heads), (heads, tails), (graph.weights, graph.weights))
    )
    if not same:
        raise GraphError(
            f"{graph.name} is directed: not every edge has a reverse of the same weight; "
            "use to_networkx()"
        )
    edges = np.append(up, np.flatnonzero(tails == heads))
    return tails[edges], heads[edges], graph.weights[edges]


def _narrowed(weights: np.ndarray) -> np.ndarray:
    """Return the weights in the smaller type of their kind where that holds all of them."""
    small = np.dtype(np.int32 if weights.dtype.kind == "i" else np.float32)
    if weights.dtype == small:
        return weights
    with np.errstate(over="ignore"):
        narrow = weights.astype(small)
    return narrow if np.array_equal(narrow, weights) else weights


def _check_arrays(graph: CSRGraph) -> None:
    indptr, indices = graph.indptr, graph.indices
    if indptr.dtype != np.int64 or indices.dtype != np.int32:
        raise GraphError(f"indptr is {indptr.dtype}, indices {indices.dtype}; need int64 and int32")
    if graph.weights.dtype.name not in NUMBER_TYPES:
        allowed = ", ".join(NUMBER_TYPES)
        raise GraphError(f"weights are {graph.weights.dtype}; allowed: {allowed}")
    if any(array.ndim != 1 for array in (indptr, indices, graph.weights)):
        raise GraphError("indptr, indices and weights need one dimension each")
    if graph.n > MAX_COUNT or graph.m > MAX_COUNT:
        raise GraphError(f"{graph.n} vertices, {graph.m} edges; each may be at most {MAX_COUNT}")
    if len(indptr) == 0 or indptr[0] != 0 or indptr[-1] != graph.m:
        raise GraphError(f"the row bounds must rise from 0 to the {graph.m} edges and never fall")
    if len(graph.weights) != graph.m:
        raise GraphError(f"{len(graph.weights)} weights for {graph.m} edges")
    if graph.positions is not None and graph.positions.shape != (graph.n, 2):
        raise GraphError(f"positions have shape {graph.positions.shape}, need ({graph.n}, 2)")


def check_rows(indptr: np.ndarray, heads: np.ndarray) -> None:
    """Refuse row bounds that fall and heads that are no vertices. GraphError."""
    n, m = len(indptr) - 1, len(heads)
    if n < 0 or indptr[0] != 0 or indptr[-1] != m or (indptr[1:] < indptr[:-1]).any():
        raise GraphError(f"the row bounds must rise from 0 to the {m} edges and never fall")
    if m and (heads.min() < 0 or heads.max() >= n):
        bad = int(heads.min() if heads.min() < 0 else heads.max())
        raise GraphError(f"an edge ends at {bad}; vertices are 0 to {n - 1}")


def _check_weights(graph: CSRGraph) -> None:
    weights = graph.weights
    if not graph.m:
        return
    low, high = weights.min(), weights.max()  # NaN spreads through min and max
    if low >= 0 and np.isfinite(high):
        return
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    arc = int(bad[0])
    raise WeightError(
        f"{graph.arc_words(arc)} has weight {weights[arc]:g} "
        f"({len(bad)} of {graph.m} bad); weights must be finite and >= 0"
    )
