"""Delta-stepping on the device: the bucket, what waits beyond it, and what was settled in it.

See `supersteps` and `kernels/delta_stepping.cu`. The settled pile is filled only where some arc
is heavier than delta.
"""

from __future__ import annotations

from gpu.cuda.supersteps import TUNED, Kernel, Tuning

KERNEL = Kernel("delta_stepping.cu", "delta_stepping", piles=3)
run, run_tuned = KERNEL.run, KERNEL.run_tuned

__all__ = ["KERNEL", "TUNED", "Tuning", "run", "run_tuned"]
