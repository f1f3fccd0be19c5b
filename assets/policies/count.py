"""By count, like rho-stepping: as many vertices in hand as RHO, whatever their distance."""

RHO = 4096


def decide(c, processing, waiting, produced, produced_far, produced_tail, switched):
    """Scale Δ by how far the count is from RHO, at most by two at a time."""
    c.open_heads = c.min_open
    count = max(processing + waiting, 1)
    c.delta = max(c.unit, min(c.ceiling, c.delta * max(0.5, min(2, RHO / count))))
