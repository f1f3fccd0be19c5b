"""Constant Δ: the width of Near-Far, 32 x mean weight / mean degree, from start to end."""


def decide(c, processing, waiting, produced, produced_far, produced_tail, switched):
    """Set Δ once and for all."""
    c.delta = 32 * c.unit
    c.open_heads = c.min_open
