"""Bellman-Ford on the device: a frontier and the next one, no order between them.

See `supersteps` and `kernels/bellman_ford.cu`. A superstep queues at most m items and the piles
have room for them, so that it cannot run dry.
"""

from __future__ import annotations

from gpu.cuda.supersteps import TUNED, Kernel, Tuning, every_arc

KERNEL = Kernel("bellman_ford.cu", "bellman_ford", piles=0, room=every_arc)
run, run_tuned = KERNEL.run, KERNEL.run_tuned

__all__ = ["KERNEL", "TUNED", "Tuning", "run", "run_tuned"]
