"""Greedy: all buckets open and Δ at its ceiling while a worker may starve, else back at once."""


def decide(c, processing, waiting, produced, produced_far, produced_tail, switched):
    """Take whatever work there is; put it in order when there is more than enough."""
    if processing < c.low_processing and waiting < c.low_processing:
        c.open_heads = c.max_open
        c.delta = c.ceiling
    elif processing > c.high_processing:
        c.open_heads = c.min_open
        c.delta = 32 * c.unit
