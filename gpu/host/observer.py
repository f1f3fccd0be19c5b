"""Who watches a run in the engine process: fills the ring, obeys the knobs.

The observer is the step gate: called on the engine's thread, it lets samples through
at the pace that the user set, one per step while paused, and never more than the ring
has room for. While it waits it looks at the knobs every POLL_S; a stop opens the gate,
so that the samples already made are kept and the engine comes to ask `should_stop`.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from gpu.host.ring import SampleRing

POLL_S = 0.01  # between two looks at the knobs while waiting
LARGE_SLICE = 256  # samples per call of the engine when nothing holds it back
SLICE_S = 0.03  # at a slow pace: samples for one frame of the window
CATCH_UP_S = 0.05  # a late engine may hurry for this long, then the delay is forgotten


class RingObserver:
    """The `gpu.engine.Observer` of one run.

    steps_before : steps allowed when the run was asked for; later ones count
    on_first : called once, when the first samples come
    """

    def __init__(
        self,
        ring: SampleRing,
        run_id: int,
        steps_before: int,
        on_first: Callable[[], None],
    ) -> None:
        self._ring = ring
        self._run_id = run_id
        self._steps_used = steps_before
        self._on_first: Callable[[], None] | None = on_first
        self._due: float | None = None  # when the next sample may pass, by the pace

    def on_samples(self, samples: np.ndarray) -> None:
        """Pass SAMPLE (k,) into the ring; wait for room, pace and steps."""
        if self._on_first is not None:
            self._on_first()
            self._on_first = None
        first = 0
        while first < len(samples):
            count = self._leave(min(len(samples) - first, self._ring.room()))
            if count:
                self._ring.push(samples[first : first + count])
                first += count
            else:
                time.sleep(self._nap_s())

    def should_stop(self) -> bool:
        """Whether this run, or everything up to it, was asked to end."""
        return self._ring.is_stopped(self._run_id)

    def delta_by_hand(self) -> float | None:
        """Return the delta that the user holds."""
        return self._ring.delta

    def samples_per_slice(self) -> int:
        """One while paused, a frame's worth at a slow pace, else many."""
        if self._ring.paused:
            return 1
        pace = self._ring.pace
        return max(1, min(LARGE_SLICE, int(pace * SLICE_S))) if pace else LARGE_SLICE

    def _leave(self, wanted: int) -> int:
        """Return how many of `wanted` samples may pass now."""
        ring = self._ring
        if not wanted or self.should_stop():
            return wanted
        if ring.paused:
            self._due = None
            wanted = min(wanted, ring.steps - self._steps_used)
            self._steps_used += wanted
            return wanted
        self._steps_used = ring.steps
        return self._paced(wanted, ring.pace)

    def _paced(self, wanted: int, pace: float) -> int:
        if not pace:
            self._due = None
            return wanted
        now = time.monotonic()
        due = now if self._due is None else max(self._due, now - CATCH_UP_S)
        wanted = min(wanted, int((now - due) * pace) + 1) if now >= due else 0
        self._due = due + wanted / pace
        return wanted

    def _nap_s(self) -> float:
        if self._due is None:
            return POLL_S
        return min(POLL_S, max(0.0005, self._due - time.monotonic()))
