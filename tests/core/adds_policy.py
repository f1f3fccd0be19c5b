"""What ADDS does by itself: gpu/delta.py, written as a policy. Begin here, and change something.

m1 : head-bucket switches still to wait after a change    m2 : 1 once the start-up is over
m3 : Δ is not halved below
"""

SETTLE = 6


def decide(c, processing, waiting, produced, produced_far, produced_tail, switched):
    """Double Δ where work is clipped or workers starve, halve it where there is too much work."""
    c.m1 = max(c.m1 - switched, 0)
    total = processing + waiting
    raised = 2 * c.delta
    too_far = max(produced_tail - 0.65 * produced, produced_far - c.clip_far_share * produced)
    if produced >= 64 and too_far > 0 and raised <= c.clip_ceiling:
        c.delta = raised
        c.m1 = SETTLE
        c.m3 = raised
        return
    if c.m1 > 0 and c.m2 == 1:
        return
    if processing < c.low_processing and total < c.low_total:
        if c.open_heads < c.max_open:
            c.open_heads += 1
        elif raised <= c.ceiling:
            c.delta = raised
            c.m1 = SETTLE
        else:
            c.m2 = 1
        return
    c.m2 = 1
    if processing > c.high_processing and total > c.high_total:
        if c.open_heads > c.min_open:
            c.open_heads -= 1
        elif 0.5 * c.delta >= max(c.floor, c.m3):
            c.delta = 0.5 * c.delta
            c.m1 = SETTLE
