"""A PI controller: it aims at the middle of the band. m1 : the sum of the errors so far."""

PROPORTIONAL = 0.5
INTEGRAL = 0.05


def decide(c, processing, waiting, produced, produced_far, produced_tail, switched):
    """Widen Δ by a factor that follows the error and its sum, both without unit."""
    aim = 0.5 * (c.low_processing + c.high_processing)
    error = max(-1, min(1, (aim - processing) / aim))
    c.m1 = max(-10, min(10, c.m1 + error))
    factor = 1 + PROPORTIONAL * error + INTEGRAL * c.m1
    c.delta = max(c.unit, min(c.ceiling, c.delta * max(0.5, min(2, factor))))
