"""Samples, knobs and signs of life, in memory that both processes see.

The child writes samples and moves `head`; the parent reads them and moves `tail`. Both are totals:
`head - tail` samples wait, and sample i lies at i modulo RING. A full ring holds the child back.
The knobs (stop, delta, pace) are aligned numbers that the child reads between samples.

Samples are copied as rows of bytes: NumPy copies records field by field, eight times slower.
A sample must be visible before `head` says so: `_fence`, two locks in a row, is a full barrier.
"""

from __future__ import annotations

import math
import threading
import time

import numpy as np

from gpu.host.memory import Memory, Segment, Shapes
from gpu.record.trace import SAMPLE

RING = 65_536  # samples, 16 MB: 2 s of a kernel that samples every 30 us
FRAME = 16_384  # samples that one poll takes during a run, so that no frame takes long

CONTROL = np.dtype(
    [
        ("head", "<i8"),  # samples written by the child, total
        ("tail", "<i8"),  # samples read by the parent, total
        ("stop", "<i8"),  # requests up to this run_id are to end now
        ("delta", "<f8"),  # held by hand, weight units; NaN: the algorithm drives
        ("pace", "<f8"),  # samples per second of wall time; 0: as fast as possible
        ("beats", "<i8"),  # of the child's heart, total: it can still run Python code
    ]
)
WIDTH = SAMPLE.itemsize
SHAPES: Shapes = {"control": (CONTROL, (1,)), "samples": (np.uint8, (RING, WIDTH))}

POLL_S = 0.01  # between two looks at the knobs while a sample waits
LARGE_SLICE = 256  # samples per call of the engine at full speed
SLICE_S = 0.03  # at a slow pace: samples for one frame of the window
CATCH_UP_S = 0.05  # a late engine may hurry for this long, then the delay is forgotten

_LOCK = threading.Lock()


def _fence() -> None:
    with _LOCK:
        pass
    with _LOCK:
        pass


class SampleRing:
    """The ring, for both processes: each calls its own half of the methods."""

    def __init__(self, segment: Segment) -> None:
        arrays = segment.arrays(writeable=True)
        self.segment = segment
        self._samples = arrays["samples"]
        self._control = {name: arrays["control"][name] for name in CONTROL.names or ()}

    @classmethod
    def create(cls, memory: Memory, tag: str) -> SampleRing:
        """Make the ring in the parent, empty, no knob held."""
        ring = cls(memory.create(tag, SHAPES, whole=False))
        ring._control["delta"][0] = math.nan
        return ring

    # parent: reads samples, turns the knobs

    def waiting(self, limit: int = RING) -> tuple[np.ndarray, ...]:
        """Return what was written since `release`, oldest first, as rows of the ring."""
        head, tail = int(self._control["head"][0]), int(self._control["tail"][0])
        _fence()
        first = tail % RING
        last = first + min(head - tail, limit)
        if last <= RING:
            return (self._samples[first:last],) if last > first else ()
        return self._samples[first:], self._samples[: last - RING]

    def release(self, count: int) -> None:
        """Give the places of the `count` oldest samples back to the child."""
        _fence()
        self._control["tail"][0] += count

    def stop(self, run_id: int) -> None:
        """Ask every request up to `run_id` to end; 0 takes it back."""
        self._control["stop"][0] = run_id

    def set_knobs(self, delta: float | None, pace: float | None) -> None:
        """Show the child what the user holds: weight units; samples per second of wall time."""
        self._control["delta"][0] = math.nan if delta is None else delta
        self._control["pace"][0] = pace or 0.0

    @property
    def beats(self) -> int:
        """How often the child's heart has beaten."""
        return int(self._control["beats"][0])

    # child: writes samples, reads the knobs

    def room(self) -> int:
        """Return how many samples may be pushed now."""
        return RING - int(self._control["head"][0] - self._control["tail"][0])

    def push(self, samples: np.ndarray) -> None:
        """Write SAMPLE (k,), k <= room()."""
        rows = np.ascontiguousarray(samples).view(np.uint8).reshape(-1, WIDTH)
        head = int(self._control["head"][0])
        first = head % RING
        split = min(len(rows), RING - first)
        self._samples[first : first + split] = rows[:split]
        self._samples[: len(rows) - split] = rows[split:]
        _fence()
        self._control["head"][0] = head + len(samples)

    def beat(self) -> None:
        """Show that this process still runs."""
        self._control["beats"][0] += 1

    def is_stopped(self, run_id: int) -> bool:
        """Whether the parent asked this request to end."""
        return bool(self._control["stop"][0] >= run_id)

    @property
    def delta(self) -> float | None:
        """Delta held by hand."""
        value = float(self._control["delta"][0])
        return None if math.isnan(value) else value

    @property
    def pace(self) -> float:
        """Samples per second of wall time, 0 for no limit."""
        return float(self._control["pace"][0])


class Gate:
    """Lets the samples of one run into the ring, at the user's pace; a stop opens it."""

    def __init__(self, ring: SampleRing, run_id: int) -> None:
        self._ring, self._run_id = ring, run_id
        self._due: float | None = None  # when the next sample may pass

    def push(self, samples: np.ndarray) -> None:
        """Pass SAMPLE (k,) on; wait for room and pace."""
        first = 0
        while first < len(samples):
            count = self._allowed(min(len(samples) - first, self._ring.room()))
            if count:
                self._ring.push(samples[first : first + count])
                first += count
            else:
                left = POLL_S if self._due is None else self._due - time.monotonic()
                time.sleep(min(POLL_S, max(0.0005, left)))

    def slice(self) -> int:
        """Return how many samples to make at a time: at a slow pace enough for one frame."""
        pace = self._ring.pace
        return max(1, min(LARGE_SLICE, int(pace * SLICE_S))) if pace else LARGE_SLICE

    def _allowed(self, count: int) -> int:
        """Return how many of `count` samples may pass now."""
        pace = self._ring.pace
        if not count or not pace or self._ring.is_stopped(self._run_id):
            self._due = None
            return count
        now = time.monotonic()
        due = now if self._due is None else max(self._due, now - CATCH_UP_S)
        count = min(count, int((now - due) * pace) + 1) if now >= due else 0
        self._due = due + count / pace
        return count


class SampleStore:
    """The parent's own copy of a run's samples, in batches."""

    def __init__(self) -> None:
        self._batches: list[np.ndarray] = []
        self._taken = 0  # batches

    def append(self, rows: np.ndarray) -> None:
        """Copy rows of the ring, uint8 (k, 256), to the end."""
        self._batches.append(rows.copy())

    def take(self) -> np.ndarray:
        """Return what came since the last call, SAMPLE (k,)."""
        fresh = self._batches[self._taken :]
        self._taken = len(self._batches)
        return _records(fresh)

    def last(self) -> np.ndarray | None:
        """Return a copy of the newest sample, SAMPLE (1,), or None."""
        return _records(self._batches[-1:])[-1:].copy() if self._batches else None

    def everything(self) -> np.ndarray:
        """Return all samples, SAMPLE (k,), read-only."""
        samples = _records(self._batches)
        samples.flags.writeable = False
        return samples


def _records(batches: list[np.ndarray]) -> np.ndarray:
    rows = np.concatenate(batches) if batches else np.empty((0, WIDTH), np.uint8)
    return rows.view(SAMPLE)[:, 0]
