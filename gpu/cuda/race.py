"""A race: which of several ways to run is the fastest on a graph, found by running them.

Nothing here touches a device: whoever asks says how one way is timed.

Each way runs once, and is stopped as soon as it is well behind the best so far; those close to it
run again, in turns; then the best one's delta is halved and doubled as long as that pays. So a
race takes some dozens of the best time, however slow the slowest way is. Runs that were stopped
count for nothing, also of ways that arrived before: of one whose times differ by more than `cut`
the slow ones are left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median

from gpu.algorithms import find
from gpu.algorithms.adaptive import Choice
from gpu.cuda.launch import Lap

Timer = Callable[[Choice, float], Lap | None]  # given a limit, s; None: slower, or impossible


@dataclass(frozen=True)
class Racing:
    """How a race is run; nothing of it changes a result.

    cut : a way is stopped, or not run again, from so many times the best on
    grace_s : and not before so long: what a stop takes to be heard
    laps, short_laps, short_ms : runs of each way that is close; more where the best is short
    steps : delta is multiplied by each of these as long as that pays, at most `climbs` times
    gain : it pays where the time falls below this share, and each run's below the time before
    most_s : nothing runs again, and no new delta, once all runs have taken so long
    """

    cut: float = 1.25
    grace_s: float = 0.0005
    laps: int = 5
    short_laps: int = 9
    short_ms: float = 1.0
    steps: tuple[float, ...] = (0.5, 2.0)
    climbs: int = 6
    gain: float = 0.985
    most_s: float = 1.0


RACING = Racing()


@dataclass(frozen=True)
class Won:
    """Who was first.

    choice : with the words that a trace is told; delta None: the form's own
    processed : vertices that its last lap processed; 0: it never arrived
    laps : runs that the race has taken, all ways together
    """

    choice: Choice
    processed: int
    laps: int


class Race:
    """Ways that are tried, and the times of each."""

    def __init__(self, timed: Timer, racing: Racing) -> None:
        self._timed, self._racing = timed, racing
        self._laps: dict[Choice, list[Lap]] = {}
        self._late: list[Choice] = []  # that did not arrive in time
        self._spent_s, self._count = 0.0, 0

    def run(self, ways: Sequence[Choice], may_steer: bool) -> Won:
        """Return the first of `ways`; the likely one comes first, it is run once for nothing.

        may_steer : other deltas than the ways' own may be tried
        """
        self._timed(ways[0], math.inf)  # the graph into the cache
        for way in ways:
            self._lap(way)
        if not self._laps:
            return Won(ways[0], 0, self._count)
        self._again(self._close())
        best = min(self._laps, key=self._ms)
        told = self._words(best)
        if may_steer and find(best.form).bucketed:
            own = self._laps[best][-1].delta
            best = self._steered(best, own)
            if best.delta is not None and best.delta != own:
                told += f"; {self._ms(best):.3g} at {best.delta / own:.3g} of its delta"
        why = f"first in a race on this graph, {told}"
        return Won(replace(best, why=why), self._laps[best][-1].processed, self._count)

    def _has_time(self) -> bool:
        return self._spent_s < self._racing.most_s

    def _ms(self, way: Choice) -> float:
        return median(lap.ms for lap in self._laps[way])

    def _best_ms(self) -> float:
        return min(map(self._ms, self._laps), default=math.inf)

    def _lap(self, way: Choice) -> None:
        limit_s = max(self._racing.cut * self._best_ms() / 1e3, self._racing.grace_s)
        lap = self._timed(way, limit_s)
        self._count += 1
        if lap is None:
            self._spent_s += limit_s if math.isfinite(limit_s) else 0.0
            self._late.append(way)
            return
        self._spent_s += lap.ms / 1e3
        self._laps.setdefault(way, []).append(lap)

    def _close(self) -> list[Choice]:
        most = self._racing.cut * self._best_ms()
        return [way for way in self._laps if self._ms(way) <= most]

    def _again(self, ways: Sequence[Choice], heats: int = 1) -> None:
        """Let ways run in turns until each has run as often as it should, in so many heats."""
        wanted = heats * self._heat()
        for _ in range(wanted):
            for way in ways:
                if len(self._laps.get(way, ())) < wanted and self._has_time():
                    self._lap(way)

    def _heat(self) -> int:
        short = self._best_ms() <= self._racing.short_ms
        return self._racing.short_laps if short else self._racing.laps

    def _steered(self, best: Choice, own: float) -> Choice:
        """Return the way with the best delta found by steps from its own."""
        if not (math.isfinite(own) and own > 0):
            return best
        start = best
        for step in self._racing.steps:
            delta = own
            for _ in range(self._racing.climbs):
                delta *= step
                other = replace(start, delta=delta)
                self._again([other])
                if not self._is_better(other, best):
                    break
                self._again([best, other], heats=2)
                if not self._is_better(other, best):
                    break
                best = other
            if best != start:
                break
        return best

    def _is_better(self, other: Choice, best: Choice) -> bool:
        """Whether a way was faster than the best in its last heat, in each single lap."""
        if other not in self._laps:
            return False
        theirs, own = (
            [lap.ms for lap in self._laps[way][-self._heat() :]] for way in (best, other)
        )
        most = median(theirs)
        return median(own) < self._racing.gain * most and max(own) < most

    def _words(self, best: Choice) -> str:
        """Return the times of all ways, the best first, as words."""
        others = sorted((self._ms(way), find(way.form).title) for way in self._laps if way != best)
        told = [f"{self._ms(best):.3g} ms", *(f"{title} {ms:.3g}" for ms, title in others)]
        if any(way not in self._laps for way in self._late):
            told.append("others too late")
        return ", ".join(told)
