"""From a run, a moment and a way of colouring to numbers, a table and a legend.

The legend says what is exact. With per-vertex times (probe level 2) a vertex first reached after
the cursor is unreached; those reached before it have their *final* distances, since distances of
the past are known at level 3 only. Without times the whole run's distances are shown. Times
processed are those of the whole run, of the vertices reached by then.

While a run goes on, the scale grows ahead of the distances in steps of a quarter, so that colours
stand still most of the time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gpu.record.trace import VertexProbe, reached_mask
from gpu.words import in_sight, short, time_number, time_unit
from viewer.models.session import NOTHING_RECORDED, RunRecord
from viewer.raster.raster import LEVELS, Colouring

COLOUR_MODES = {
    "distance": "Distance",
    "state": "State at the cursor",
    "processed": "Times processed (wasted work)",
    "bucket": "Bucket at the cursor",
    "difference": "Difference of two runs: who settled it first",
}
SCALED = ("distance", "processed")  # the same quantity in any two runs
ONE_SCALE = "one scale for A and B"
NEEDS_PAIR = "needs two runs: Compare ▸ Compare with…"
NOT_KEPT = "this run did not record it"
STATES = ((0, "unreached"), (1, "tentative"), (2, "settled"))
MOST = 0.98  # of the distances lie on the bar, if the rest would stretch it by STRETCH
STRETCH = 1.5
SAMPLED = 50_000  # distances looked at to find that
PART = 1 << 16  # distances looked at together: they stay in the cache
HEADROOM = 1.25  # a live scale grows to this multiple of the largest value seen


@dataclass(frozen=True)
class Legend:
    """What the legend says.

    title : what is coloured, with its unit
    ticks : (share 0..1 of the bar, words); no bar is drawn where there are none
    swatches : (table index, words), for single colours
    note : what is not exact, or missing; empty if all is said
    """

    title: str
    ticks: tuple[tuple[float, str], ...] = ()
    swatches: tuple[tuple[int, str], ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Look:
    """How to colour one frame: the numbers, which table (and how many of its steps), the legend."""

    colouring: Colouring
    table: str
    legend: Legend
    steps: int = LEVELS + 1


@dataclass(frozen=True)
class Moment:
    """Where the cursor is: ns, whether it follows the newest sample, the length of the run."""

    cursor_ns: float = 0.0
    following: bool = False
    duration_ns: float = 0.0


class Scale:
    """The range of a run's values: exact once it ended, grown from what is seen before."""

    def __init__(self) -> None:
        self._record: RunRecord | None = None
        self._seen = 0.0
        self._other: RunRecord | None = None
        self._final: dict[tuple[int, int, str], float] = {}  # by run, row and kind

    def share(self, other: RunRecord | None) -> bool:
        """Hold the values of another run as well; return whether that is news. None: no more."""
        news = other is not self._other
        self._other = other
        return news

    @property
    def shared(self) -> bool:
        """Whether two runs are coloured by this scale."""
        return self._other is not None

    def top(self, record: RunRecord, kind: str) -> float:
        """Return where the colour map ends; 0 where no vertex lies beyond the source.

        kind : "count" processed, "all" distances, "distance": all but a few far ones
        """
        if record is not self._record:
            self._record, self._seen, self._final = record, 0.0, {}
        runs = [run for run in (record, self._other) if run is not None]
        tops = [self._seen if record.running else 0.0]
        tops += [self._top_of(run, kind) for run in runs if not run.running]
        return max(tops)

    def _top_of(self, record: RunRecord, kind: str) -> float:
        key = (id(record), record.row, kind)
        if key not in self._final:
            self._final[key] = _largest(record, kind)
        return self._final[key]

    def forget(self) -> None:
        """Start again: another array is looked at."""
        self._record = None

    def saw(self, value: float) -> bool:
        """Grow to hold a value just drawn; return whether the scale changed."""
        if value <= self._seen:
            return False
        self._seen = value * HEADROOM
        return True


@dataclass(frozen=True)
class Seen:
    """What a way of colouring may look at: the run, its distances and times, when, how far."""

    record: RunRecord
    dist: np.ndarray
    times: VertexProbe | None
    moment: Moment
    scale: Scale


def _largest(record: RunRecord, kind: str) -> float:
    if kind == "count":
        times = record.vertices
        return float(times.times_processed.max(initial=0)) if times is not None else 0.0
    dist = record.dist
    if dist is None or not len(dist):
        return 0.0
    top = farthest(dist)
    if kind == "all":
        return top
    few = dist[:: max(1, len(dist) // SAMPLED)]
    few = few[reached_mask(few)]
    place = int(MOST * len(few))
    most = float(np.partition(few, place)[place]) if len(few) else top
    return most if 0 < most * STRETCH < top else top


def farthest(dist: np.ndarray) -> float:
    """Return the largest finite distance, 0 if there is none."""
    parts = (dist[first : first + PART] for first in range(0, len(dist), PART))
    return max((float(np.where(reached_mask(part), part, 0).max()) for part in parts), default=0.0)


def look_at(record: RunRecord | None, colour_by: str, moment: Moment, scale: Scale, n: int) -> Look:
    """Return how to colour a graph of n vertices; neutral where there is nothing to show."""
    dist = record.dist if record is not None else None
    if record is None or dist is None or len(dist) != n:
        runs = record is not None and record.running
        failed = record is not None and record.failure
        title = "No distances yet" if runs else NOTHING_RECORDED if failed else "No run yet"
        return Look(Colouring(), "plain", Legend(title, (), ((0, "vertex"),)))
    if record.running and moment.following:
        moment = replace(moment, cursor_ns=np.inf)
    if not record.running and moment.cursor_ns >= moment.duration_ns:
        moment = replace(moment, cursor_ns=np.inf)
    build = {
        "distance": _by_distance,
        "state": _by_state,
        "processed": _by_processed,
        "bucket": _by_bucket,
    }.get(colour_by)
    if build is None:  # a difference, and there is nothing to compare with
        return Look(Colouring(), "plain", Legend(COLOUR_MODES[colour_by], note=NEEDS_PAIR))
    look = build(Seen(record, dist, record.vertices, moment, scale))
    if scale.shared and colour_by in SCALED and look.legend.ticks:
        note = "; ".join(filter(None, (look.legend.note, ONE_SCALE)))
        look = replace(look, legend=replace(look.legend, note=note))
    return look


def _by_distance(seen: Seen) -> Look:
    top = seen.scale.top(seen.record, "distance")
    unit = (top or 1.0) / LEVELS
    colouring = Colouring("distance", seen.dist, unit=unit, final=not seen.record.running)
    title = f"Distance from {in_sight(str(seen.record.row_id))}, weight units"
    ticks = tuple((value / (top or 1.0), short(value)) for value in tick_values(top))
    if not seen.record.running and seen.scale.top(seen.record, "all") > top:
        ticks = beyond(ticks, top)
    legend = Legend(title, ticks, ((0, "unreached"),), _moment_note(seen))
    return Look(_timed(colouring, seen), "distance", legend)


def beyond(ticks: tuple[tuple[float, str], ...], top: float) -> tuple[tuple[float, str], ...]:
    """Say at the end of the bar that larger values have its colour too."""
    return (*(tick for tick in ticks if tick[0] < 0.85), (1.0, f"≥ {short(top)}"))


def _by_state(seen: Seen) -> Look:
    if seen.times is None:
        reached_only = Colouring("distance", seen.dist, unit=np.inf)
        reached = Legend("State", (), ((0, "unreached"), (1, "reached")), NOT_KEPT)
        return Look(reached_only, "reached", reached)
    first, last = seen.times.first_reached_ns, seen.times.last_improved_ns
    colouring = Colouring("state", first=first, last=last, cursor=seen.moment.cursor_ns)
    note = "tentative: may still improve"
    names: tuple[tuple[int, str], ...] = STATES
    if seen.record.unfinished:
        names = (*STATES[:2], (2, "settled, so far"))
    if seen.record.running and np.isinf(seen.moment.cursor_ns):
        note = "during a run nobody knows yet which vertices are settled"
        colouring = Colouring("distance", seen.dist, unit=np.inf)
        names = ((0, "unreached"), (1, "reached"))
    return Look(colouring, "state", Legend(f"State{_at(seen)}", (), names, note))


def _by_processed(seen: Seen) -> Look:
    if seen.times is None:
        return Look(Colouring(), "plain", Legend("Times processed", note=NOT_KEPT))
    top = max(2, round(seen.scale.top(seen.record, "count")))
    colouring = _timed(Colouring("count", seen.times.times_processed, top=top), seen)
    counts_shown = sorted({1, 2, *(10**power for power in range(1, 10)), 5, top})
    chosen = [count for count in counts_shown if count <= top]
    ticks = tuple((float(np.log(count) / np.log(top)), short(count)) for count in chosen)
    moment = _moment_note(seen, "counts")
    note = f"{moment}; 1 is ideal" if moment else "1 is ideal; the rest is wasted work"
    title = "Times processed, log scale"
    return Look(colouring, "processed", Legend(title, ticks, ((0, "never"),), note))


def _by_bucket(seen: Seen) -> Look:
    delta = delta_at(seen.record, seen.moment.cursor_ns)
    if delta is None:
        return Look(Colouring(), "plain", Legend("Bucket", note="this run has no buckets"))
    buckets = int(seen.scale.top(seen.record, "all") / delta) + 1
    group = -(-buckets // LEVELS)  # buckets to a colour
    steps = -(-buckets // group)
    colouring = _timed(Colouring("distance", seen.dist, unit=delta * group), seen)
    values = [value for value in tick_values(buckets) if value == int(value)]
    ticks = tuple((min(1.0, value / buckets), short(value)) for value in values)
    title = f"Bucket ⌊distance / Δ⌋, Δ = {short(delta)}"
    note = f"{group} buckets to a colour" if group > 1 else _moment_note(seen)
    return Look(colouring, "bucket", Legend(title, ticks, ((0, "unreached"),), note), steps)


def _timed(colouring: Colouring, seen: Seen) -> Colouring:
    if seen.times is None or np.isinf(seen.moment.cursor_ns):
        return colouring
    return replace(colouring, first=seen.times.first_reached_ns, cursor=seen.moment.cursor_ns)


def _moment_note(seen: Seen, what: str = "distances") -> str:
    if np.isinf(seen.moment.cursor_ns):
        return "live" if seen.record.running else ""
    if seen.record.is_matrix:
        return f"{seen.record.named(what)} of this source"
    if seen.times is None:
        return f"{seen.record.named(what)}; earlier ones were not recorded"
    moment = _at(seen).removeprefix(" at").partition(" (")[0]  # the time axis says whose time
    return f"reached by{moment}, {seen.record.named(what)}"


def _at(seen: Seen) -> str:
    if np.isinf(seen.moment.cursor_ns):
        return "" if seen.record.running else " at the end"
    unit = time_unit(max(seen.moment.duration_ns, 1.0))
    now = time_number(seen.moment.cursor_ns, unit, like_ns=seen.moment.duration_ns)
    return f" at {now} {unit.word} ({seen.record.clock_words})"


def delta_at(record: RunRecord, cursor_ns: float) -> float | None:
    """Return the bucket width in force at a moment, None where the run has no buckets."""
    sample = record.sample_at(cursor_ns)
    if sample is None or not record.algorithm.bucketed:
        return None
    delta = float(sample["delta"])
    return delta if delta > 0 and np.isfinite(delta) else None


def tick_values(top: float, most: int = 5) -> list[float]:
    """Return 3 to 6 round numbers from 0 to at most `top`, 1, 2 or 5 times a power of ten."""
    if not 0 < top < np.inf:
        return [0.0]
    power = 10.0 ** np.floor(np.log10(top / most))
    step = next(power * by for by in (1, 2, 5, 10) if top / (power * by) <= most)
    return [float(f"{step * k:.12g}") for k in range(int(top / step * (1 + 1e-12)) + 1)]
