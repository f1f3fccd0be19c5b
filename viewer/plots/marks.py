"""Marks of a run: changes of Δ, bucket switches and the peak. No Qt here.

    raised, lowered, hand    Δ differs from that of the sample before; by whom
    switch                   the head moved on to another bucket since the sample before
    peak                     the first sample with the most work out

Ctrl+Left and Ctrl+Right go through changes of Δ, the peak and, if there are at most
`FEW_SWITCHES`, bucket switches.
"""

from __future__ import annotations

import numpy as np

from gpu.record.trace import REASON_WORDS, Reason
from gpu.words import distance, short, time_number, time_unit
from viewer.plots.series import Growing, TimeSeries

FEW_SWITCHES = 60  # up to so many are marks to go to one by one
DELTA_KINDS = ("raised", "lowered", "hand")


class Marks:
    """The marks of one run; see the module docstring."""

    def __init__(self, work: TimeSeries | None = None) -> None:
        self.work = work if work is not None else TimeSeries()
        self._numbers = {kind: Growing(np.int64) for kind in (*DELTA_KINDS, "switch")}
        self._last: np.ndarray | None = None  # the newest sample, (1,)
        self.peak = -1  # sample number, -1 where there is none
        self._peak_work = 0.0

    def append(self, samples: np.ndarray) -> None:
        """Take over SAMPLE (k,), the next ones."""
        if not len(samples):
            return
        first = len(self.work)
        work = samples["assigned_edges"].astype(np.float64)
        self.work.append(samples["t_ns"].astype(np.float64), work)
        best = int(np.argmax(work))
        if work[best] > self._peak_work:
            self.peak, self._peak_work = first + best, float(work[best])
        self._take_numbers(samples, first)
        self._last = samples[-1:].copy()

    def _take_numbers(self, samples: np.ndarray, first: int) -> None:
        before = samples[:1] if self._last is None else self._last
        deltas = np.concatenate((before["delta"], samples["delta"]))
        switches = np.concatenate((before["bucket_switches"], samples["bucket_switches"]))
        changed = np.flatnonzero(deltas[1:] != deltas[:-1])
        by_hand = samples["reason"][changed] == Reason.BY_HAND
        up = deltas[changed + 1] > deltas[changed]
        self._numbers["hand"].extend(first + changed[by_hand])
        self._numbers["raised"].extend(first + changed[up & ~by_hand])
        self._numbers["lowered"].extend(first + changed[~up & ~by_hand])
        self._numbers["switch"].extend(first + np.flatnonzero(switches[1:] > switches[:-1]))

    # ---- where they are -----------------------------------------------------------------

    def numbers(self, kind: str) -> np.ndarray:
        """Return int64 sample numbers of "raised", "lowered", "hand", "switch" or "peak"."""
        if kind == "peak":
            return np.array([self.peak] if self.peak >= 0 else [], np.int64)
        return self._numbers[kind].view()

    def times(self, kind: str) -> np.ndarray:
        """Return when, float64 ns, rising."""
        return self.work.times[self.numbers(kind)]

    def stops_at(self) -> np.ndarray:
        """Return float64 ns, rising, each once: the instants that a jump goes to."""
        kinds = [*DELTA_KINDS, "peak"]
        if self._numbers["switch"].size <= FEW_SWITCHES:
            kinds.append("switch")
        return np.unique(np.concatenate([self.times(kind) for kind in kinds]))

    def neighbour(self, time_ns: float, direction: int) -> float | None:
        """Return the next (+1) or previous (-1) instant to go to, None where there is none."""
        places = self.stops_at()
        if direction > 0:
            place = int(np.searchsorted(places, time_ns, side="right"))
        else:
            place = int(np.searchsorted(places, time_ns, side="left")) - 1
        return float(places[place]) if 0 <= place < len(places) else None

    # ---- in words -----------------------------------------------------------------------

    def words_near(self, samples: np.ndarray, time_ns: float, reach_ns: float) -> list[str]:
        """Return a line for each kind of mark within `reach_ns` of a time: what, when, numbers.

        samples : SAMPLE (k,), the run's own, at least those taken over
        """
        lines = []
        for kind in ("peak", *DELTA_KINDS, "switch"):
            times = self.times(kind)
            first = int(np.searchsorted(times, time_ns - reach_ns, side="left"))
            last = int(np.searchsorted(times, time_ns + reach_ns, side="right"))
            if first < last:
                nearest = first + int(np.argmin(np.abs(times[first:last] - time_ns)))
                words = self.words_of(kind, samples, int(self.numbers(kind)[nearest]))
                more = last - first - 1
                lines.append(f"{words} (and {more} more here)" if more else words)
        return lines

    def words_of(self, kind: str, samples: np.ndarray, number: int) -> str:
        """Return one mark in words, from the run's samples."""
        sample, when = samples[number], self._when(float(self.work.times[number]))
        if kind == "peak":
            return f"Peak of parallelism at {when}: {short(self._peak_work)} edges"
        if kind == "switch":
            before = samples[max(number - 1, 0)]
            moved = int(sample["bucket_switches"] - before["bucket_switches"])
            words = f"Bucket switch at {when}: head is bucket {sample['head_bucket']}"
            words += f", distances from {sample['base']:g}"
            return words if moved == 1 else f"{words}, {moved} moves since the sample before"
        done = {"raised": "raised", "lowered": "lowered", "hand": "set by hand"}[kind]
        change = f"{distance(samples[max(number - 1, 0)]['delta'])} to {distance(sample['delta'])}"
        words = f"Δ {done} at {when}: {change}"
        reason = int(sample["reason"])
        has_reason = kind != "hand" and reason in set(Reason) and reason > Reason.START
        return f"{words}, {REASON_WORDS[Reason(reason)]}" if has_reason else words

    def _when(self, time_ns: float) -> str:
        span = max(float(self.work.times[-1]), 1.0)
        unit = time_unit(span)
        return f"{time_number(time_ns, unit, like_ns=span)} {unit.word}"
