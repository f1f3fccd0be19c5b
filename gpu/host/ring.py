"""The ring of samples and the knobs, in memory that both processes see.

The child writes samples and moves `head`; the parent reads them and moves `tail`. Both
are totals that never fall, so `head - tail` samples wait and the place of sample i is
i modulo RING. A full ring holds the child back until the parent's next poll:
nothing is ever overwritten. The knobs (stop, delta, pace, pause, steps) are single
aligned numbers that the parent writes and the child reads between samples, so they
work in the middle of a run and without a message.

Samples are copied as rows of bytes: NumPy copies records field by field, eight times slower.
A sample must be visible before `head` says so, on ARM too: `_fence` is two locks in
a row, which is a full barrier on every processor that CPython runs on.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass

import numpy as np

from gpu.host.memory import Memory, Segment, Shapes, SharedArrays
from gpu.record.trace import SAMPLE

RING = 65_536  # samples, 16 MB: 2 s of a kernel that samples every 30 us
FRAME = 16_384  # samples that one poll takes while a run goes on, so that no frame takes long

CONTROL = np.dtype(
    [
        ("head", "<i8"),  # samples written by the child, total
        ("tail", "<i8"),  # samples read by the parent, total
        ("stop", "<i8"),  # requests up to this run_id are to end now
        ("delta", "<f8"),  # held by hand, weight units; NaN: the algorithm drives
        ("pace", "<f8"),  # samples per second of wall time; 0: as fast as it goes
        ("paused", "<i8"),  # 1: wait, but for steps
        ("steps", "<i8"),  # samples allowed through while paused, total
    ]
)
WIDTH = SAMPLE.itemsize
SHAPES: Shapes = {"control": (CONTROL, (1,)), "samples": (np.uint8, (RING, WIDTH))}

_LOCK = threading.Lock()


def _fence() -> None:
    with _LOCK:
        pass
    with _LOCK:
        pass


@dataclass
class Knobs:
    """What the user holds; set again in the ring of every fresh child."""

    delta: float | None = None  # weight units, None: the algorithm drives
    pace: float | None = None  # samples per second of wall time
    paused: bool = False
    steps: int = 0  # allowed through while paused, total


class SampleRing:
    """One end of the ring; which one is only a matter of which methods are called."""

    def __init__(self, segment: Segment) -> None:
        arrays = segment.arrays(writeable=True)
        self._segment = segment
        self._samples = arrays["samples"]
        self._control = {name: arrays["control"][name] for name in CONTROL.names or ()}

    @classmethod
    def create(cls, memory: Memory, tag: str) -> SampleRing:
        """Make the ring in the parent, empty, no knob held."""
        ring = cls(memory.create(tag, SHAPES))
        ring._control["delta"][0] = math.nan
        return ring

    @property
    def shared(self) -> SharedArrays:
        """What the child needs to map it."""
        return self._segment.shared

    def unlink(self) -> None:
        """Give its name back."""
        self._segment.unlink()

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

    def set_knobs(self, knobs: Knobs) -> None:
        """Show the child what the user holds."""
        self._control["delta"][0] = math.nan if knobs.delta is None else knobs.delta
        self._control["pace"][0] = knobs.pace or 0.0
        self._control["steps"][0] = knobs.steps
        self._control["paused"][0] = knobs.paused

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

    @property
    def paused(self) -> bool:
        """Whether samples wait for steps."""
        return bool(self._control["paused"][0])

    @property
    def steps(self) -> int:
        """Steps allowed so far."""
        return int(self._control["steps"][0])


class SampleStore:
    """The parent's own copy of a run's samples, growing."""

    def __init__(self) -> None:
        self._rows = np.empty((4096, WIDTH), np.uint8)
        self._count = 0
        self._taken = 0

    def append(self, rows: np.ndarray) -> None:
        """Copy rows of the ring, uint8 (k, 256), to the end."""
        end = self._count + len(rows)
        if end > len(self._rows):
            grown = np.empty((max(end, 2 * len(self._rows)), WIDTH), np.uint8)
            grown[: self._count] = self._rows[: self._count]
            self._rows = grown
        self._rows[self._count : end] = rows
        self._count = end

    def append_sample(self, sample: np.ndarray) -> None:
        """Copy SAMPLE (1,) to the end."""
        self.append(sample.view(np.uint8).reshape(1, WIDTH))

    def take(self) -> np.ndarray:
        """Return a copy of what came since the last call, SAMPLE (k,)."""
        new = self._rows[self._taken : self._count].copy()
        self._taken = self._count
        return _records(new)

    def last(self) -> np.ndarray | None:
        """Return a copy of the newest sample, SAMPLE (1,), or None."""
        return _records(self._rows[self._count - 1 : self._count].copy()) if self._count else None

    def everything(self) -> np.ndarray:
        """Return all samples, SAMPLE (k,), read-only and not copied."""
        records = _records(self._rows[: self._count])
        records.flags.writeable = False
        return records


def _records(rows: np.ndarray) -> np.ndarray:
    return rows.view(SAMPLE)[:, 0]
