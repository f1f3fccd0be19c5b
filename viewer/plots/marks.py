"""Marks of a run: changes of Δ, bucket switches and the peak. No Qt here.

    raised, lowered, hand    Δ differs from that of the sample before; by whom
    switch                   the head moved on to another bucket since the sample before
    peak                     the first sample with the most work out

Ctrl+Left and Ctrl+Right go through changes of Δ, the peak and, if there are at most
`FEW_SWITCHES`, bucket switches.
"""

from __future__ import annotations

import numpy as np

from gpu.record.trace import Reason
from viewer.plots.series import ROUNDED, Growing, TimeSeries

FEW_SWITCHES = 60  # up to so many are marks to go to one by one
DELTA_KINDS = ("raised", "lowered", "hand")


class Marks:
    """The marks of one run; see the module docstring."""

    def __init__(self) -> None:
        self.work = TimeSeries()
        self._numbers = {kind: Growing(np.int64) for kind in (*DELTA_KINDS, "switch")}
        self._last: np.ndarray | None = None  # the newest sample, (1,)
        self._peak: tuple[float, list[int]] = (0.0, [])  # work, and the sample that has it

    def append(self, samples: np.ndarray) -> None:
        """Take over SAMPLE (k,), the next ones."""
        if not len(samples):
            return
        first = len(self.work)
        work = samples["assigned_edges"].astype(np.float64)
        self.work.append(samples["t_ns"].astype(np.float64), work)
        best = int(np.argmax(work))
        if work[best] > self._peak[0]:
            self._peak = float(work[best]), [first + best]
        self._take_numbers(samples, first)
        self._last = samples[-1:].copy()

    def _take_numbers(self, samples: np.ndarray, first: int) -> None:
        before = samples[:1] if self._last is None else self._last
        deltas = np.concatenate((before["delta"], samples["delta"]))
        switches = np.concatenate((before["bucket_switches"], samples["bucket_switches"]))
        changed = np.flatnonzero(~np.isclose(deltas[1:], deltas[:-1], rtol=ROUNDED, atol=0))
        by_hand = samples["reason"][changed] == Reason.BY_HAND
        up = deltas[changed + 1] > deltas[changed]
        self._numbers["hand"].extend(first + changed[by_hand])
        self._numbers["raised"].extend(first + changed[up & ~by_hand])
        self._numbers["lowered"].extend(first + changed[~up & ~by_hand])
        self._numbers["switch"].extend(first + np.flatnonzero(switches[1:] > switches[:-1]))

    def numbers(self, kind: str) -> np.ndarray:
        """Return int64 sample numbers of "raised", "lowered", "hand", "switch" or "peak"."""
        if kind == "peak":
            return np.array(self._peak[1], np.int64)
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
