"""Marks of a run: changes of Δ, bucket switches, the peak, starvation. No Qt here.

    raised, lowered, hand    Δ differs from that of the sample before; by whom
    switch                   the head moved on to another bucket since the sample before
    peak                     the first sample with the most work out
    starved                  a stretch of time in which the GPU had too little to do

A sample is starved if its work (`assigned_edges`) lies below the controller's band or, without a
band, below `STARVED_SHARE` of the run's peak. If nearly all of the run (`ALWAYS_SHARE`) lies below
the band, samples below `OWN_SHARE` of its own peak are starved instead. A stretch lasts from its
first starved sample to the next one that is not; short gaps are bridged, short stretches left out.

Ctrl+Left and Ctrl+Right go through changes of Δ, the peak, the starts of stretches and, if there
are at most `FEW_SWITCHES`, bucket switches.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpu.record.trace import REASON_WORDS, Reason
from gpu.words import distance, percent, short, time_number, time_unit
from viewer.plots.series import Growing, TimeSeries

STARVED_SHARE = 0.05  # of the peak, where the algorithm has no band
ALWAYS_SHARE, OWN_SHARE = 0.9, 0.25  # of the run's time; of its peak
LEAST_SHARE = 0.01  # of the run: a shorter stretch is left out
BRIDGE_SHARE = 0.002  # of the run: a shorter gap is bridged
FEW_SWITCHES = 60  # up to so many are marks to go to one by one
DELTA_KINDS = ("raised", "lowered", "hand")


@dataclass(frozen=True)
class Stretch:
    """A stretch of starvation: ns, and the mean work in it, edges."""

    first_ns: float
    last_ns: float
    mean: float


class Marks:
    """The marks of one run; see the module docstring."""

    def __init__(self, work: TimeSeries | None = None) -> None:
        self.work = work if work is not None else TimeSeries()
        self._under = Growing(np.bool_)  # below the band
        self._band = 0.0  # where the controller's band began last, edges; 0 where there is none
        self._found = {kind: Growing(np.int64) for kind in (*DELTA_KINDS, "switch")}
        self._last: np.ndarray | None = None  # the newest sample, (1,)
        self.peak = -1  # sample number, -1 where there is none
        self._peak_work = 0.0
        self._stretches: list[Stretch] | None = None
        self._low, self._low_words = 0.0, ""  # what they lie below, edges; and in words

    def append(self, samples: np.ndarray) -> None:
        """Take over SAMPLE (k,), the next ones."""
        if not len(samples):
            return
        first = len(self.work)
        work = samples["assigned_edges"].astype(np.float64)
        self.work.append(samples["t_ns"].astype(np.float64), work)
        self._under.extend(work < samples["band_low"])
        bounded = samples["band_high"] > 0
        if bounded.any():
            self._band = float(samples["band_low"][bounded][-1])
        best = int(np.argmax(work))
        if work[best] > self._peak_work:
            self.peak, self._peak_work = first + best, float(work[best])
        self._find(samples, first)
        self._last = samples[-1:].copy()
        self._stretches = None

    def _find(self, samples: np.ndarray, first: int) -> None:
        before = samples[:1] if self._last is None else self._last
        deltas = np.concatenate((before["delta"], samples["delta"]))
        switches = np.concatenate((before["bucket_switches"], samples["bucket_switches"]))
        changed = np.flatnonzero(deltas[1:] != deltas[:-1])
        by_hand = samples["reason"][changed] == Reason.BY_HAND
        up = deltas[changed + 1] > deltas[changed]
        self._found["hand"].extend(first + changed[by_hand])
        self._found["raised"].extend(first + changed[up & ~by_hand])
        self._found["lowered"].extend(first + changed[~up & ~by_hand])
        self._found["switch"].extend(first + np.flatnonzero(switches[1:] > switches[:-1]))

    # ---- where they are -----------------------------------------------------------------

    def numbers(self, kind: str) -> np.ndarray:
        """Return int64 sample numbers of "raised", "lowered", "hand", "switch" or "peak"."""
        if kind == "peak":
            return np.array([self.peak] if self.peak >= 0 else [], np.int64)
        return self._found[kind].view()

    def times(self, kind: str) -> np.ndarray:
        """Return when, float64 ns, rising."""
        return self.work.times[self.numbers(kind)]

    @property
    def stretches(self) -> list[Stretch]:
        """Where the run starved, in order of time."""
        if self._stretches is None:
            self._stretches = self._find_stretches()
        return self._stretches

    def _starved(self, times: np.ndarray, work: np.ndarray) -> np.ndarray:
        """Return bool (k,): where too little was to do, as the module docstring has it."""
        share = STARVED_SHARE
        if self._band > 0:
            under = self._under.view()
            lasted = np.diff(times)
            if float(lasted[under[:-1]].sum()) < ALWAYS_SHARE * float(times[-1] - times[0]):
                self._low, self._low_words = self._band, f"the band's {short(self._band)}"
                return under
            share = OWN_SHARE
        self._low = share * self._peak_work
        self._low_words = f"{percent(share)} of the peak, {short(self._low)}"
        if self._band > 0:
            self._low_words += f"; nearly all of the run lies below the band's {short(self._band)}"
        return work < self._low

    def _find_stretches(self) -> list[Stretch]:
        times, work = self.work.times, self.work.values
        if len(times) < 2 or self._peak_work <= 0:
            return []
        starved = self._starved(times, work)
        edges = np.flatnonzero(np.diff(starved, prepend=False, append=False))
        if not len(edges):
            return []
        starts, stops = edges[0::2], np.minimum(edges[1::2], len(times) - 1)
        span = float(times[-1] - times[0])
        apart = times[starts[1:]] - times[stops[:-1]] >= BRIDGE_SHARE * span
        starts, stops = starts[np.append(True, apart)], stops[np.append(apart, True)]
        long = times[stops] - times[starts] >= LEAST_SHARE * span
        pairs = zip(starts[long].tolist(), stops[long].tolist(), strict=True)
        return [
            Stretch(float(times[a]), float(times[b]), float(work[a:b].mean())) for a, b in pairs
        ]

    def stops_at(self) -> np.ndarray:
        """Return float64 ns, rising, each once: the instants that a jump goes to."""
        kinds = [*DELTA_KINDS, "peak"]
        if self._found["switch"].size <= FEW_SWITCHES:
            kinds.append("switch")
        parts = [self.times(kind) for kind in kinds]
        parts.append(np.array([stretch.first_ns for stretch in self.stretches]))
        return np.unique(np.concatenate(parts))

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
        for stretch in self.stretches:
            if stretch.first_ns - reach_ns <= time_ns <= stretch.last_ns + reach_ns:
                lines.append(self.stretch_words(stretch))
                break
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

    def stretch_words(self, stretch: Stretch) -> str:
        """Return a stretch of starvation in words."""
        span = max(float(self.work.times[-1]), 1.0)
        unit = time_unit(span)
        ends = [time_number(t, unit, like_ns=span) for t in (stretch.first_ns, stretch.last_ns)]
        share = percent((stretch.last_ns - stretch.first_ns) / span)
        return (
            f"Starved from {ends[0]} to {ends[1]} {unit.word} ({share} of the run): "
            f"{short(stretch.mean)} edges on average, below {self._low_words}"
        )

    def _when(self, time_ns: float) -> str:
        span = max(float(self.work.times[-1]), 1.0)
        unit = time_unit(span)
        return f"{time_number(time_ns, unit, like_ns=span)} {unit.word}"
