"""Distances from many sources, cut into blocks of rows: k x n in a file, or reduced on the way.

    plan = make_plan(graph, chosen_sources("random:1000", graph), ...)
    from_sources(graph, plan, "far.npy")                    here, block after block
    from_sources(graph, plan, "far.npy", spread=cluster)    on workers (`gpu.study.cluster`)
    from_sources(graph, plan, "far.rows")                   into a folder, a file a block

Order       of the sources is any: the graph is numbered anew with the sources first, so that every
            engine finds them side by side; columns go back to the numbers of the graph.
Resumable   OUT.partial is the whole file or folder, OUT.partial.json the blocks that are done.
            The same plan goes on from there; another one begins anew.
Proved      whoever computes a block proves its first row by certificate before it is kept, with
            `verify` as many rows as `gpu.proof.verify` takes of so many.
Written     by whoever computes a block, into a memory map of its file where they see it, else by
            us (`gpu.study.rows`). Nothing but final distances is written there: a worker that is
            late, whose block another one has done, then changes nothing.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from gpu.algorithms import find
from gpu.algorithms.all_pairs import matrix_bytes, require_room
from gpu.compiled import at_once, compiled
from gpu.engine import (
    RecordingObserver,
    RunBuffers,
    again_wider,
    checked_settings,
    execute,
)
from gpu.errors import CancelledByUserError, DistanceRangeError, GpuError, ParameterError
from gpu.graph import CSRGraph
from gpu.numbers import in_numbers, type_for, unreached
from gpu.proof.verify import certificate, chosen_rows
from gpu.record.trace import Probe, RunSettings
from gpu.study.apsp import SPARE_BYTES, ProofError
from gpu.study.rows import (
    SUFFIX,
    Index,
    Rows,
    Target,
    flush,
    make_target,
    name_parts,
)
from gpu.wholefile import check_writable
from gpu.words import size_words

BLOCK_BYTES = 1 << 28  # of the rows that one task computes
CUDA_ROWS = 264  # a block has so many or a multiple: a multiprocessor works on a row, many have 132
MOST_BYTES = 1 << 32  # of a block, whatever CUDA_ROWS says
MOST_THREADS = 16
BINS = 66  # of the histogram: distance 0, below 1, then a bin for each power of two
ROW = np.dtype(
    [
        ("source", "<i8"),  # 0-based index
        ("reached", "<i8"),  # vertices, the source too
        ("eccentricity", "<f8"),  # the farthest reached vertex, weight units
        ("closeness", "<f8"),  # (r - 1)^2 / ((n - 1) x sum), as Wasserman and Faust; 0 for r = 1
        ("histogram", "<i8", (BINS,)),  # vertices by distance, see BINS
    ]
)

Progress = Callable[[float, str], object]
Stop = Callable[[], bool]


@dataclass(frozen=True)
class SourcesPlan:
    """What is computed.

    settings : of every run; the sources in it mean nothing
    sources : 0-based indices, row i is from the i-th of them
    rows : of one block, the last may have fewer
    reduced : keep ROW of each source, not its distances
    verify : prove more than the first row of each block
    """

    settings: RunSettings
    sources: tuple[int, ...]
    rows: int
    reduced: bool = False
    verify: bool = False

    @property
    def blocks(self) -> int:
        """How many blocks there are."""
        return -(-len(self.sources) // self.rows)

    def span(self, number: int) -> tuple[int, int]:
        """Return the first row of a block and the one after its last."""
        return number * self.rows, min((number + 1) * self.rows, len(self.sources))

    def key(self, graph: CSRGraph) -> str:
        """Return a hash of the graph and of everything that its rows depend on."""
        about = (graph.hash, repr(self.settings), self.sources, self.rows, self.reduced)
        return hashlib.sha256(repr(about).encode()).hexdigest()[:32]


@dataclass(frozen=True)
class Block:
    """Rows that are done.

    rows : (b, n) distances or ROW (b,), until the next block is computed; None where they lie in
        the file already
    proved : how many of them; where : who computed them
    """

    number: int
    rows: np.ndarray | None
    proved: int
    where: str = ""


Spread = Callable[[CSRGraph, SourcesPlan, Sequence[int], Target | None, Stop], Iterator[Block]]


@dataclass(frozen=True)
class FromSources:
    """What came of a plan. rows : ROW (k,) of a reduced one; proved : how many rows were."""

    plan: SourcesPlan
    file: str
    dtype: str
    nbytes: int
    proved: int
    resumed: int  # blocks that were there already
    workers: tuple[str, ...]
    rows: np.ndarray | None = None


def chosen_sources(text: str, graph: CSRGraph) -> tuple[int, ...]:
    """Return the sources that a person names: "A:B", "K", "random:K", or a FILE of ids.

    Raises ParameterError, SourceError (a vertex that is not there).
    """
    n = graph.n
    if text.startswith("random:"):
        count = _number(text.removeprefix("random:"))
        if not 1 <= count <= n:
            raise ParameterError(f"--sources {text}; allowed: random:1 to random:{n}")
        return tuple(np.random.default_rng(1).choice(n, count, replace=False).tolist())
    if not Path(text).is_file():
        first, count = source_slice(text, n)
        return tuple(range(first, first + count))
    words = Path(text).read_text(encoding="utf-8", errors="replace").split()
    found = [graph.vertex_of(word) for word in words]
    if not found:
        raise ParameterError(f"--sources {text}: the file names no vertex")
    if len(set(found)) < len(found):
        twice = next(word for word in words if words.count(word) > 1)
        raise ParameterError(f"--sources {text}: vertex {twice} stands in it twice")
    return tuple(found)


def source_slice(text: str, n: int) -> tuple[int, int]:
    """Return first source and count of "A:B", as in Python's slices, or "K"; ParameterError."""
    begin, colon, end = text.partition(":")
    try:
        first = int(begin or 0) if colon else 0
        last = int(end or n) if colon else int(begin)
    except ValueError:
        first, last = -1, -1
    if not 0 <= first < last <= n:
        raise ParameterError(
            f"--sources {text}; allowed: A:B with 0 <= A < B <= {n}, as in 7:8 for one; K from 1 "
            f"to {n}, for the first K; random:K; a file of ids"
        )
    return first, last - first


def make_plan(
    graph: CSRGraph,
    settings: RunSettings,
    sources: Sequence[int],
    *,
    rows: int | None = None,
    least: int = 1,
    reduced: bool = False,
    verify: bool = False,
) -> SourcesPlan:
    """Return a checked plan. ParameterError.

    rows : of a block, None for as many as BLOCK_BYTES hold, but `least` blocks, or a multiple, so
        that workers who share them end together
    """
    settings = checked_settings(graph, replace(settings, probe=Probe.OFF, source=0))
    row = max(graph.n, 1) * np.dtype(in_numbers(graph, settings.numbers).weights.dtype).itemsize
    fit = max(BLOCK_BYTES // row, 1)
    if settings.engine == "cuda":
        fit = max(fit - fit % CUDA_ROWS, min(CUDA_ROWS, MOST_BYTES // row), 1)
    count = least * -(-len(sources) // (fit * least))
    even = -(-len(sources) // count)
    if settings.engine == "cuda" and count > least:
        even = min(fit, CUDA_ROWS * -(-even // CUDA_ROWS))
    if rows is not None and rows < 1:
        raise ParameterError(f"{rows} rows a block; allowed: 1 or more")
    return SourcesPlan(settings, tuple(sources), min(rows or even, len(sources)), reduced, verify)


# one block, wherever it is computed


class Numbered:
    """A graph with the sources of a plan first: made once for all of its blocks."""

    def __init__(self, graph: CSRGraph, plan: SourcesPlan) -> None:
        sources = np.array(plan.sources, np.int64)
        self._first = int(sources[0])
        in_a_row = np.array_equal(sources, np.arange(self._first, self._first + len(sources)))
        self.graph, self.place = graph, None
        if not in_a_row:
            self._first = 0
            self.graph, self.place = _sources_first(graph, sources)
        self._room: np.ndarray | None = None

    def first(self, row: int) -> int:
        """Return the source of a row, in the numbers of `graph`."""
        return self._first + row

    def room(self, rows: int, kind: np.dtype) -> np.ndarray:
        """Return (rows, n) to compute in: the same memory each time. MemoryNeededError."""
        if self._room is None or len(self._room) < rows:
            require_room(rows, self.graph.n, kind.itemsize)
            self._room = np.empty((rows, self.graph.n), kind)
        return self._room[:rows]


def block(
    numbered: Numbered, plan: SourcesPlan, number: int, target: Target | None, should_stop: Stop
) -> Block:
    """Compute and prove one block, into the file where `target` is one that is seen here.

    Raises ProofError, CancelledByUserError, GpuError (a full disk) and what `gpu.run` raises.
    """
    begin, end = plan.span(number)
    graph, place = numbered.graph, numbered.place
    stripe = None if target is None else target.stripe(begin, end)
    dist = stripe
    if dist is None or place is not None or not _hands_over_final_rows(plan.settings):
        dist = numbered.room(end - begin, in_numbers(graph, plan.settings.numbers).weights.dtype)
    _compute(numbered, plan, begin, dist, should_stop)
    proved = chosen_rows(graph, end - begin, None, 1) if plan.verify else np.zeros(1, np.int64)
    for row in proved.tolist():
        fault = certificate(graph, numbered.first(begin + row), dist[row])
        if fault is not None:
            raise ProofError(f"row {begin + row}: {fault}")
    if plan.reduced:
        return Block(number, reduce_rows(dist, np.array(plan.sources[begin:end])), len(proved))
    if place is not None and stripe is not None:
        np.take(dist, place, axis=1, out=stripe, mode="clip")
    elif place is not None:
        dist = dist[:, place]
    elif stripe is not None and dist is not stripe:
        stripe[:] = dist
    return Block(number, dist if stripe is None else None, len(proved))


def _hands_over_final_rows(settings: RunSettings) -> bool:
    """Whether an engine computes elsewhere; others do in the very rows that they are given."""
    return settings.engine == "cuda" and find(settings.algorithm).result == "matrix"


def _compute(
    numbered: Numbered, plan: SourcesPlan, begin: int, dist: np.ndarray, should_stop: Stop
) -> None:
    """Fill `dist`, (b, n), with the distances from the sources of rows `begin` on."""
    settings, first = plan.settings, numbered.first(begin)
    if find(settings.algorithm).result == "matrix":
        wanted = {"first_source": first, "sources": len(dist)}
        parameters = {**settings.parameters, **wanted}
        _run(numbered.graph, replace(settings, parameters=parameters), dist, should_stop)
        return
    for row, line in enumerate(dist):
        _run(numbered.graph, replace(settings, source=first + row), line, should_stop)


def _run(graph: CSRGraph, settings: RunSettings, dist: np.ndarray, should_stop: Stop) -> None:
    numbers = str(type_for(graph, settings.numbers))  # to go wider is a matter of all rows
    settings = checked_settings(graph, replace(settings, numbers=numbers))
    buffers = RunBuffers(dist)
    if dist.ndim == 1:
        buffers.clear()
    outcome = execute(graph, settings, buffers, RecordingObserver(should_stop=should_stop))
    if outcome.outcome == "stopped":
        raise CancelledByUserError("stopped; what is done is kept, the same command goes on there")


def reduce_rows(dist: np.ndarray, sources: np.ndarray) -> np.ndarray:
    """Return ROW (b,) of distances (b, n); rows side by side, compiled code lets go of the lock."""
    rows = np.zeros(len(dist), ROW)
    rows["source"] = sources

    def reduce_one(number: int) -> None:
        row, line = rows[number], np.ascontiguousarray(dist[number])
        found = at_once(_reduce, len(line), line, unreached(dist.dtype), rows["histogram"][number])
        row["reached"], row["eccentricity"], total = found
        if total > 0:
            row["closeness"] = (found[0] - 1) ** 2 / ((len(line) - 1) * total)

    with ThreadPoolExecutor(min(os.cpu_count() or 1, MOST_THREADS)) as pool:
        list(pool.map(reduce_one, range(len(dist))))
    return rows


@compiled
def _reduce(dist: Any, none: Any, histogram: Any) -> Any:
    """Count distances (n,) into bins; return how many are reached, the largest, their sum."""
    reached, farthest, total = 0, 0.0, 0.0
    for place in range(len(dist)):
        if dist[place] != none:
            value = float(dist[place])
            reached += 1
            farthest = max(farthest, value)
            total += value
            if value == 0:
                histogram[0] += 1
            else:  # 2^(exponent - 1) <= value < 2^exponent
                exponent = math.frexp(value)[1]
                histogram[min(max(exponent, 0), BINS - 2) + 1] += 1
    return reached, farthest, total


def _sources_first(graph: CSRGraph, sources: np.ndarray) -> tuple[CSRGraph, np.ndarray]:
    """Return the graph numbered anew, and the new number of each vertex."""
    rest = np.ones(graph.n, bool)
    rest[sources] = False
    order = np.concatenate([sources, np.flatnonzero(rest)])
    place = np.empty(graph.n, np.int64)
    place[order] = np.arange(graph.n)
    degrees = np.diff(graph.indptr)[order]
    indptr = np.concatenate([[0], np.cumsum(degrees)]).astype(graph.indptr.dtype)
    arcs = np.repeat(graph.indptr[order] - indptr[:-1], degrees) + np.arange(graph.m)
    heads = place[graph.indices[arcs]].astype(graph.indices.dtype)
    return CSRGraph(indptr, heads, graph.weights[arcs], name=graph.name), place


def here(
    graph: CSRGraph, plan: SourcesPlan, todo: Sequence[int], target: Target | None, stop: Stop
) -> Iterator[Block]:
    """Compute blocks in this process, one after the other."""
    numbered = Numbered(graph, plan)
    for number in todo:
        yield block(numbered, plan, number, target, stop)


# all of them


def from_sources(
    graph: CSRGraph,
    plan: SourcesPlan,
    out: str | Path,
    *,
    spread: Spread = here,
    progress: Progress = lambda _share, _words: None,
    should_stop: Stop = lambda: False,
) -> FromSources:
    """Compute what is not done yet of a plan, and give the file its name when all is.

    out : a `.npy` file, (k, n) or, of a reduced plan, ROW (k,); or NAME.rows for a new folder,
        which `gpu.study.rows.open_rows` reads: a second GPU gives more where each block has a file

    Raises what `block` raises; what was done by then is kept, and the same call goes on there.
    """
    check_out(out, plan.reduced)
    while True:
        try:
            return _computed(graph, plan, Path(out), spread, progress, should_stop)
        except DistanceRangeError as error:
            plan = replace(plan, settings=again_wider(graph, plan.settings, error))


def check_out(out: str | Path, reduced: bool = False) -> None:
    """Raise GpuError where rows cannot be written to `out`."""
    if in_parts(out, reduced) and os.path.lexists(out):
        raise GpuError(f"cannot write {out}: it is there already; name another, or remove it")
    check_writable(out)


def in_parts(out: str | Path, reduced: bool) -> bool:
    """Whether rows go into a folder, a file a block."""
    return Path(out).suffix == SUFFIX and not reduced


def _computed(
    graph: CSRGraph,
    plan: SourcesPlan,
    out: Path,
    spread: Spread,
    progress: Progress,
    should_stop: Stop,
) -> FromSources:
    kept = _Partial(graph, plan, out)
    todo = [number for number in range(plan.blocks) if number not in kept.done]
    resumed = plan.blocks - len(todo)
    count, names = len(plan.sources), dict[str, int]()
    progress(resumed / plan.blocks, f"{_done_rows(plan, kept.done):,} of {count:,} sources")
    if todo:
        for found in spread(graph, plan, todo, None if plan.reduced else kept.target, should_stop):
            kept.keep(found)
            names[found.where] = names.get(found.where, 0) + 1
            words = f"{_done_rows(plan, kept.done):,} of {count:,} sources"
            each = ", ".join(f"{name} {blocks}" for name, blocks in sorted(names.items()) if name)
            progress(len(kept.done) / plan.blocks, f"{words} ({each})" if each else words)
    proved = sum(kept.done.values())
    rows = kept.finish()
    return FromSources(
        plan, str(out), str(rows.dtype), rows.nbytes, proved, resumed,
        tuple(sorted(filter(None, names))), np.array(rows) if plan.reduced else None,
    )  # fmt: skip


def _done_rows(plan: SourcesPlan, done: dict[int, int]) -> int:
    return sum(end - begin for begin, end in map(plan.span, done))


class _Partial:
    """What is done of a plan, and the note of it; both go, or get their name, together."""

    def __init__(self, graph: CSRGraph, plan: SourcesPlan, out: Path) -> None:
        self._graph, self._out, self._plan = graph, out, plan
        self._path = out.with_name(f"{out.name}.partial")
        self._note = out.with_name(f"{out.name}.partial.json")
        self._in_parts = in_parts(out, plan.reduced)
        self._type: np.dtype = ROW
        self._shape: tuple[int, ...] = (len(plan.sources),)
        if not plan.reduced:
            self._type = in_numbers(graph, plan.settings.numbers).weights.dtype
            self._shape = (*self._shape, graph.n)
        self._key = plan.key(graph)
        self.done: dict[int, int] = {}  # block -> rows proved
        self.target = self._known() or self._made()

    def _known(self) -> Target | None:
        """Return what an earlier call of the same plan has left, if it did, and note its blocks."""
        try:
            note = json.loads(self._note.read_text(encoding="utf-8"))
            done = {int(number): int(proved) for number, proved in note["done"].items()}
            if note["key"] != self._key or self._path.is_dir() != self._in_parts:
                return None
            target = self._target()
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None
        known = range(self._plan.blocks)
        self.done = {
            number: proved
            for number, proved in done.items()
            if number in known and target.has(*self._plan.span(number))
        }
        return target if self.done else None

    def _made(self) -> Target:
        needed = matrix_bytes(self._shape[0], math.prod(self._shape[1:]), self._type.itemsize)
        free = shutil.disk_usage(self._path.resolve().parent).free
        if needed + SPARE_BYTES > free:
            raise GpuError(
                f"cannot write {self._out}: {size_words(needed)} are needed, {size_words(free)} "
                "are free there: take fewer sources, another disk, or --reduce"
            )
        try:
            make_target(self._path, self._type, self._shape, self._in_parts)
            return self._target()
        except OSError as error:
            raise GpuError(f"cannot write {self._path}: {error.strerror}; remove it") from error

    def _target(self) -> Target:
        each = self._plan.rows if self._in_parts else None
        return Target.found(self._path, self._type, self._shape, each)

    def keep(self, found: Block) -> None:
        """Write a block, if it is not written yet, and note it."""
        if found.rows is not None:
            stripe = self.target.stripe(*self._plan.span(found.number))
            if stripe is None:
                raise GpuError(f"cannot write {self._path}: somebody has removed it")
            stripe[:] = found.rows
        self.done[found.number] = found.proved
        fresh = self._note.with_suffix(".fresh")
        fresh.write_text(json.dumps({"key": self._key, "done": self.done}), encoding="utf-8")
        fresh.replace(self._note)

    def finish(self) -> np.ndarray | Rows:
        """Give the rows their name; return them, read-only."""
        try:
            rows = self._named()
        except OSError as error:
            raise GpuError(f"cannot write {self._out}: {error.strerror}") from error
        self._note.unlink(missing_ok=True)
        return rows

    def _named(self) -> np.ndarray | Rows:
        if self._in_parts:
            return name_parts(self._path, self._index(), self._out)
        flush(self._path)
        self._path.replace(self._out)
        rows: np.ndarray = np.load(self._out, mmap_mode="r")
        return rows

    def _index(self) -> Index:
        about: Any = {"type": str(self._type), "vertices": self._graph.n}
        return Index(
            graph=self._graph.hash,
            algorithm=self._plan.settings.algorithm,
            rows_a_part=self._plan.rows,
            proved=sum(self.done.values()),
            sources=self._plan.sources,
            **about,
        )


# what a reduced plan tells


def summary(graph: CSRGraph, rows: np.ndarray) -> dict[str, Any]:
    """Return what ROW (k,) say together: bounds of the diameter, the histogram of distances.

    The diameter is that of what is reached. The upper bound (twice the least eccentricity) holds
    where every arc has its reverse and one source reaches all; else it is None.
    """
    farthest = rows["eccentricity"]
    upper = None
    if (rows["reached"] == graph.n).any() and _is_symmetric(graph):
        upper = 2 * float(farthest[rows["reached"] == graph.n].min())
    totals = rows["histogram"].sum(axis=0)
    edges = ["0", "below 1", *(f"{2.0 ** (place - 2):g}" for place in range(2, BINS))]
    last = int(np.flatnonzero(totals).max(initial=0))
    return {
        "diameter_at_least": float(farthest.max()),
        "diameter_at_most": upper,
        "radius_at_most": float(farthest.min()),
        "mean_closeness": float(rows["closeness"].mean()),
        "reached": int(rows["reached"].sum()),
        "histogram": dict(zip(edges[: last + 1], totals[: last + 1].tolist(), strict=True)),
    }


def _is_symmetric(graph: CSRGraph) -> bool:
    tails = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    there = np.lexsort((graph.weights, graph.indices, tails))
    back = np.lexsort((graph.weights, tails, graph.indices))
    same = (tails[there] == graph.indices[back], graph.indices[there] == tails[back])
    return all(map(np.all, (*same, graph.weights[there] == graph.weights[back])))


def _number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        return -1
