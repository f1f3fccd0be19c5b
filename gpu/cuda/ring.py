"""The pinned memory through which host and running kernel talk.

The kernel writes SAMPLE records and counts them; the host reads them while the kernel runs. The
other way go Stop and a delta held by hand: the number first, then a new version.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gpu.cuda.records import HOST_CONTROL
from gpu.record.trace import SAMPLE

RING_SAMPLES = 1 << 14  # 4 MiB: 160 ms of samples at the default period


class HostRing:
    """Pinned control block and ring of samples of one run; `samples` is a power of two."""

    def __init__(self, cupy: Any, samples: int) -> None:
        self.samples = samples
        total = HOST_CONTROL.itemsize + samples * SAMPLE.itemsize
        self._memory = cupy.cuda.alloc_pinned_memory(total)
        raw = np.frombuffer(self._memory, np.uint8, total)
        raw[: HOST_CONTROL.itemsize] = 0
        self._control = raw[: HOST_CONTROL.itemsize].view(HOST_CONTROL)
        self._ring = raw[HOST_CONTROL.itemsize :].view(SAMPLE)
        self.control_address = int(self._memory.ptr)
        self.ring_address = self.control_address + HOST_CONTROL.itemsize
        self.read = 0

    def take(self) -> list[np.ndarray]:
        """Return the new samples, oldest first, as copies of one or two parts of the ring."""
        written = int(self._control["samples_written"][0])
        batches = []
        while self.read < written:
            start = self.read % self.samples
            count = min(written - self.read, self.samples - start)
            batches.append(self._ring[start : start + count].copy())
            self.read += count
        self._control["samples_read"][0] = self.read
        return batches

    def written(self) -> int:
        """Return how many samples the kernel has written so far."""
        return int(self._control["samples_written"][0])

    def stop(self) -> None:
        """Ask the kernel to end."""
        self._control["stop"][0] = 1

    def hold_delta(self, delta: float | None) -> None:
        """Hold delta by hand; None hands it back to the controller."""
        self._control["delta_by_hand"][0] = delta or 0.0
        self._control["delta_version"][0] += 1
