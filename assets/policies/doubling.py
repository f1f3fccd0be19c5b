"""Doubling: Δ grows until the workers have enough to do, and never shrinks."""


def decide(c, processing, waiting, produced, produced_far, produced_tail, switched):
    """Double Δ while fewer vertices are in hand than the band asks for."""
    if processing + waiting < c.low_total and 2 * c.delta <= c.ceiling:
        c.delta = 2 * c.delta
