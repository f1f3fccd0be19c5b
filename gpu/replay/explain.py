"""One sentence for each event of a run, with its numbers.

    u=17 at 42: 42 + 5 < 60, so v=9 becomes 47 and moves from bucket 3 to bucket 2.

The next bucket of an improved vertex is read from the events that follow.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gpu.algorithms import Algorithm
from gpu.graph import CSRGraph
from gpu.record.events import MANAGER, EventKind
from gpu.record.trace import REASON_WORDS, Reason
from gpu.replay.state import State
from gpu.words import distance, plural

LOOK_AHEAD = 64  # events after an improvement among which its worker queues the vertex
ON_THE_WAY = (EventKind.CLIP, EventKind.BLOCK_TAKEN, EventKind.RESERVE)  # until it is in a bucket


def explain(graph: CSRGraph, state: State, events: np.ndarray, index: int, row: Algorithm) -> str:
    """Return one sentence about event `index` of EVENT (e,); `state` is the one before it."""
    return _Teller(graph, state, events, index, row).sentence()


def place_words(row: Algorithm, bucket: int) -> str:
    """Return what a bucket of an algorithm is called: "bucket 3", "the near pile"."""
    if row.result == "matrix":
        return f"block {bucket}'s list"
    return row.lists[min(bucket, len(row.lists) - 1)] if row.lists else f"bucket {bucket}"


def apart(low: float, high: float) -> tuple[str, str]:
    """Return two numbers, the second larger, with as many digits as it takes to tell them apart."""
    one, other = distance(low), distance(high)
    for digits in range(7, 18):
        if one != other:
            break
        one, other = f"{low:.{digits}g}", f"{high:.{digits}g}"
    return one, other


@dataclass
class _Teller:
    graph: CSRGraph
    state: State
    events: np.ndarray
    index: int
    row: Algorithm

    def sentence(self) -> str:
        _, kind, self.worker, self.a, self.b, self.c = self.events[self.index].item()
        return _WORDS[kind](self)

    @property
    def who(self) -> str:
        if self.worker == MANAGER:
            return "The manager"
        if self.row.key == "dijkstra":
            return "The worker"
        return f"{'Block' if self.row.result == 'matrix' else 'Worker'} {self.worker}"

    @property
    def dist(self) -> np.ndarray:
        hand = self.state.workers.get(self.worker)
        return self.state.distances(-1 if hand is None else hand.source)

    def vertex(self, letter: str = "v", which: int | None = None) -> str:
        return f"{letter}={self.graph.id_of(self.a if which is None else which)}"

    def place(self, bucket: int | None = None) -> str:
        return place_words(self.row, self.b if bucket is None else bucket)

    # vertices and edges

    def push(self) -> str:
        first = self.c == 0 and not np.isfinite(self.dist[self.a])
        name = f"The source {self.vertex('s')}" if first else self.vertex()
        return f"{name} enters {self.place()} with distance {distance(self.c)}."

    def pop(self) -> str:
        arcs = int(self.graph.indptr[self.a + 1] - self.graph.indptr[self.a])
        work = f"to relax its {plural(arcs, 'edge')}" if arcs else "and finds that it has no edges"
        if arcs and (self.state.phase >= 0 or (self.events["kind"] == EventKind.DEFER).any()):
            light = arcs - self._heavy_arcs(self.a)
            work = f"to relax the light ones of its {plural(arcs, 'edge')}: {light or 'none'}"
        tail = self.vertex("u")
        return f"{self.who} takes {tail} at {distance(self.c)} from {self.place()} {work}."

    def _heavy_arcs(self, vertex: int) -> int:
        first, end = self.graph.indptr[vertex], self.graph.indptr[vertex + 1]
        return int((self.graph.weights[first:end] > self.state.delta).sum())

    def stale(self) -> str:
        best = distance(float(self.dist[self.a]))
        return (
            f"{self.who} drops {self.vertex('u')} from {self.place()}: it was queued with "
            f"{distance(self.c)}, and {best} is known."
        )

    def skip(self) -> str:
        if self.worker == MANAGER:
            return (
                f"{self.vertex()} is dropped from {self.place()}: improved to {distance(self.c)} "
                "since, it went another way."
            )
        return (
            f"{self.vertex()} is left out of {self.place()}: it was improved to {distance(self.c)} "
            "meanwhile, and its newer entry will do."
        )

    def relax(self) -> str:
        weight, head = self._arc(self.a)
        tail = self.vertex("u", self.b)
        if not np.isfinite(self.c):
            name = self.vertex("v", head)
            if np.isfinite(self.dist[self.b]):
                return f"{tail} was unreached when it was read: it has nothing to offer {name}."
            return f"{tail} is not reached yet: it has nothing to offer {name}."
        best = float(self.dist[head])
        start = self.c - weight
        said = f"{tail} at {distance(start)}: {distance(start)} + {distance(weight)}"
        name = self.vertex("v", head)
        if not np.isfinite(best):
            return f"{said} = {distance(self.c)} for {name}, which is unreached: an improvement."
        if self.c < best:
            low, high = apart(self.c, best)
            return f"{said} = {low} < {high}: an improvement for {name}."
        if self.c == best:
            return f"{said} = {distance(best)}: {name} has that already."
        low, high = apart(best, self.c)
        return f"{said} = {high} > {low}, so {name} keeps {low}."

    def improve(self) -> str:
        weight, _ = self._arc(self.b)
        tail = int(np.searchsorted(self.graph.indptr, self.b, side="right")) - 1
        start = distance(self.c - weight)
        new, old = apart(self.c, float(self.dist[self.a]))
        return (
            f"{self.vertex('u', tail)} at {start}: {start} + {distance(weight)} < {old}, "
            f"so {self.vertex()} becomes {new}{self._whither()}."
        )

    def _whither(self) -> str:
        """Return where the improved vertex goes: what its worker does before the next arc."""
        left = None
        for event in self.events[self.index + 1 : self.index + 1 + LOOK_AHEAD]:
            if event["worker"] != self.worker:
                continue
            kind, bucket = EventKind(int(event["kind"])), int(event["b"])
            if kind == EventKind.LEAVE:
                left = bucket
            elif kind == EventKind.PUSH and left is not None:
                return f" and moves from {self.place(left)} to {self.place(bucket)}"
            elif kind == EventKind.PUSH:
                return f" and enters {self.place(bucket)}"
            elif kind == EventKind.STAY:
                return " and stays with its worker"
            elif kind == EventKind.COLLECT:
                return " and is set aside for a bucket"
            elif kind not in ON_THE_WAY:
                break
        was = self._waits_in()
        return "" if was is None or not self._ranked else f"; it waits in {self.place(was)}"

    @property
    def _ranked(self) -> bool:
        """Whether buckets have an order, so that a vertex can move to a better one."""
        return not self.row.lists and self.row.result != "matrix"

    def _waits_in(self) -> int | None:
        for bucket, items in self.state.buckets.items():
            if any(item.vertex == self.a and not item.taken for item in items):
                return bucket
        return None

    def _arc(self, arc: int) -> tuple[float, int]:
        return float(self.graph.weights[arc]), int(self.graph.indices[arc])

    def stay(self) -> str:
        return (
            f"{self.vertex()} at {distance(self.c)} belongs to {self.place()} or before it: "
            f"{self.who.lower()} keeps it and does it next."
        )

    def collect(self) -> str:
        return (
            f"{self.vertex()} at {distance(self.c)} belongs further on: {self.who.lower()} sets it "
            "aside and writes it to its bucket later."
        )

    def clip(self) -> str:
        return (
            f"{self.vertex()} at {distance(self.c)} lies past the ring and is clipped into the "
            f"tail, {self.place()}."
        )

    def leave(self) -> str:
        return f"{self.vertex()} at {distance(self.c)} leaves {self.place()} for another bucket."

    def defer(self) -> str:
        heavy = self._heavy_arcs(self.a)
        if not heavy:
            return f"{self.vertex('u')} is noted for the heavy edges to come, and has none."
        said = f"{self.vertex('u')} has {plural(heavy, 'heavy edge')}"
        return f"{said}: left until {self.place()} stays empty."

    def resume(self) -> str:
        heavy = self._heavy_arcs(self.a)
        why = f"for {plural(heavy, 'heavy edge')}" if heavy else "and has no heavy edges"
        return f"{self.who} takes {self.vertex('u')} at {distance(self.c)} again, {why}."

    # the manager and the queues

    def reserve(self) -> str:
        who = "The run" if self.worker == MANAGER else self.who
        return f"{who} reserves place {self.a} of {self.place()}: resv_ptr becomes {self.a + 1}."

    def written(self) -> str:
        return f"Place {self.a} of {self.place()} is written: its WCC is {distance(self.c)}."

    def assign(self) -> str:
        count = int(self.c)
        what = "one vertex: place" if count == 1 else f"{count:,} vertices: from place"
        return (
            f"The manager gives worker {self.worker} {what} {self.a} of {self.place()}. "
            f"read_ptr is now {self.a + count}."
        )

    def finish(self) -> str:
        pointers = self.state.pointers.get(self.b)
        reserved = pointers.reserved if pointers is not None else int(self.c)
        return (
            f"{self.who} has finished its {plural(self.a, 'vertex')} of {self.place()}: "
            f"CWC becomes {distance(self.c)} of {reserved} reserved."
        )

    def head(self) -> str:
        before = self.state.head
        low = f"distances from {distance(self.c)}"
        pointers = self.state.pointers.get(before)
        if self.state.ring and pointers is not None:
            equal = f"CWC = resv_ptr = {pointers.completed}"
            done = f"{self.place(before).capitalize()} is finished ({equal})"
            return f"{done}: the head moves on to {self.place(self.a)}, {low}."
        return f"The head moves on from {self.place(before)} to {self.place(self.a)}, {low}."

    def delta(self) -> str:
        if self.a == Reason.START and not self.state.delta:
            heads = f", {plural(self.b, 'open bucket')}" if self.state.ring else ""
            return f"The run begins with Δ = {distance(self.c)}{heads}."
        why = REASON_WORDS[Reason(self.a)]
        return f"Δ goes from {distance(self.state.delta)} to {distance(self.c)} ({why})."

    def open(self) -> str:
        why = REASON_WORDS[Reason(self.b)]
        return f"Work may now be taken from {plural(self.a, 'bucket')} ({why})."

    def block_taken(self) -> str:
        ring = self.state.ring
        slot = [p for k, p in self.state.pointers.items() if (self.b - k) % (ring or 1 << 62) == 0]
        why = "has no room left" if any(p.blocks for p in slot) else "has no memory yet"
        return f"{self.place().capitalize()} {why} and takes block {self.a} of the pool."

    def block_freed(self) -> str:
        return f"Block {self.a} of {self.place()} is read to its end and goes back to the pool."

    # supersteps and phases

    def superstep(self) -> str:
        begins = f"Superstep {self.a} begins with {plural(self.b, 'vertex')}"
        if not np.isfinite(self.c):
            return f"{begins} in the frontier."
        if self.row.lists:
            return f"{begins} in the near pile: below {distance(self.c)}."
        return f"{begins}; {self.place(self.state.head)} ends at {distance(self.c)}."

    def barrier(self) -> str:
        waits = f"{plural(self.b, 'vertex')} {'waits' if self.b == 1 else 'wait'} for the next one"
        if not self.b:
            waits = f"{self.place(0)} is empty" if self.row.lists else "no bucket holds any"
        return f"All workers meet at the barrier: superstep {self.a} is over, {waits}."

    def split(self) -> str:
        return (
            f"Near is empty: the threshold moves from {distance(self.state.threshold)} to "
            f"{distance(self.c)}, {plural(self.a, 'vertex')} from far to near, "
            f"{'none' if not self.b else self.b} {'stay' if self.b > 1 else 'stays'} in far."
        )

    def phase(self) -> str:
        width = distance(self.state.delta)
        if self.a:
            return f"The heavy edges of {self.place()} begin: weight over Δ = {width}."
        return f"The light edges of {self.place()} begin: weight up to Δ = {width}."

    # all pairs

    def source(self) -> str:
        return f"{self.who} begins source {self.vertex('s')}: 0 there, ∞ everywhere else."

    def round(self) -> str:
        what = f"all {plural(int(self.c), 'edge')}" if self.c else "the edges of waiting vertices"
        return f"{self.who} begins round {self.b} of source {self.vertex('s')}: {what}."

    def round_done(self) -> str:
        return f"{self.who} ends round {self.b} of source {self.vertex('s')}."

    def source_done(self) -> str:
        rounds = plural(self.b, "round")
        return f"{self.who} has finished source {self.vertex('s')} after {rounds}."

    def edge(self) -> str:
        return f"{self.who} takes vertices below {distance(self.c)} from now on."

    # the run

    def end(self) -> str:
        done, arcs = self.state.total_processed, self.state.total_relaxed
        how = "was stopped" if self.a else "is over"
        return f"The run {how}: {done:,} processed, {plural(arcs, 'edge')} examined."

    def sample(self) -> str:
        return f"The probe takes sample {self.a}."


_WORDS: dict[int, Callable[[_Teller], str]] = {
    kind: getattr(_Teller, kind.name.lower()) for kind in EventKind
}
