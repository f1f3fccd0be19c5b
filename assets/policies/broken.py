"""Broken: it narrows Δ by a fixed step, which ends below 0.

The run ends with: broken.py, line 9: Δ = -9; allowed: a finite number above 0. The run ended there
"""


def decide(c, processing, waiting, produced, produced_far, produced_tail, switched):
    """Narrow Δ."""
    c.delta = c.delta - 8 * c.unit
