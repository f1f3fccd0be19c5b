"""Near-Far on the device: near twice, far twice; see `supersteps` and `kernels/near_far.cu`."""

from __future__ import annotations

from gpu.cuda.supersteps import TUNED, Kernel, Tuning

KERNEL = Kernel("near_far.cu", "near_far", piles=2)
run, run_tuned = KERNEL.run, KERNEL.run_tuned

__all__ = ["KERNEL", "TUNED", "Tuning", "run", "run_tuned"]
