"""Delta: its initial value, the controller that steers it, and every constant of both.

The controller is asked once per manager sweep and answers at the end of each *window* of
sweeps, from sums, so that one odd sweep decides nothing. In this order:

1. clipping: too large a share of the window's new work went far past the head. Delta
   doubles and may never again be halved below the new value. Past twice the largest
   weight nothing new can be clipped, so there it stops.
2. starving: utilisation under the band. One more head bucket is opened; with all open,
   delta doubles, unless it stands at its ceiling.
3. flooded: utilisation over the band. One head is closed; with the fewest open, delta
   halves, unless it stands at its floor.

After a change of delta, decisions 2 and 3 rest for a number of head-bucket switches: the
wait then grows with delta by itself, since a wider bucket lasts longer (paper, 5.5).
While *probing*, from the start until the band is first reached or delta first hits its
ceiling, starving does not wait: the initial value is far too small for long graphs.

As published (`published`) two rules differ, and there is no ceiling. Decisions 2 and 3 rest until
as many items have been queued as half of the graph's vertices. And all along a bucket may be too
small: delta doubles where the last seven head buckets took in less than one item a thread each.

Utilisation = vertices x mean degree / resident threads. Two readings, both must agree:
vertices being processed, and those plus the ones waiting in the open heads.

The state is one record, CONTROLLER, the same bytes in the model and in the CUDA kernel;
`decide` compares integer sums with products of one float64 multiplication, so that both
engines come to the same decision from the same readings.

Start and ceiling are ours: from W / D up to 128 W / D, on every graph. The authors start at W /
32 D, and hold graphs that cannot fill the machine at 16 W / D. The kernel on an H100 starts higher
(`Tuning` in gpu.cuda.adds), because it measured faster there.

Sources: "paper" is K. Wang, D. Fussell, C. Lin, "A Fast Work-Efficient SSSP Algorithm for GPUs",
PPoPP 2021, section 5.5; "code" is the authors' released code; "ours" is our own choice.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

C_NEAR_FAR = 32.0  # Near-Far: delta = C x mean weight / mean degree (paper, 4.3)
C_START = 1.0  # ADDS starts lower and lets the probing phase raise it (ours; code: 1 / 32)
START_FLOOR = 4.0  # smallest initial delta for integer weights, weight units (code)
C_CEILING = 128.0  # largest delta, x mean weight / mean degree (ours)
C_START_PUBLISHED = 1.0 / 32.0  # ADDS' own start (code)
SMALL_PUBLISHED = 512.0  # start of a graph too small to fill the machine, which stays (code)
C_CEILING_PUBLISHED = 2.0**31  # as good as none (code)
QUIET_SHARE = 0.5  # of the vertices: so many items are queued before utilisation counts (code)
SMALL_SWITCHES = 7  # head buckets in a row that take in too little (code)
SMALL_VERTICES, SMALL_ARCS = 4, 50  # too small: fewer vertices or arcs for a worker's thread (code)
FEW_VERTICES, FEW_ARCS = 6, 100  # and too small: fewer of both (code)

CLIP_TAIL_SHARE = 0.65  # of new work in the last bucket (paper)
CLIP_FAR_SHARE = 0.70  # of new work in one bucket more than FAR_BUCKETS past the head (code)
CLIP_FAR_SHARE_FLOAT = 0.60  # the same for float weights (code)
FAR_BUCKETS = 6  # buckets (code)
CLIP_MIN_ITEMS = 64  # new items in a window before shares mean anything (ours)

DEGREE_SPLIT = 16.0  # mean degree at which the thresholds change form (code)
WINDOW_SWEEPS = 8  # manager sweeps per decision (ours)
SETTLE_SWITCHES = 6  # head-bucket switches to wait after a change of delta (ours)
MIN_OPEN_HEADS = 2  # open heads vary from 2 to 4 (code)
NARROWEST, WIDEST = 2.0**-970, 2.0**970  # widths whose inverses and rings are float64 numbers

# Reason codes, as gpu.record.trace.Reason; plain integers because Numba compiles `decide`.
(
    NONE,
    START,
    STARVED_OPEN,
    STARVED_RAISE,
    FLOODED_CLOSE,
    FLOODED_LOWER,
    CLIPPING,
    BY_HAND,
    PROBING,
) = range(9)

CONTROLLER = np.dtype(
    [
        ("delta", "<f8"),  # in force, weight units
        ("inverse_delta", "<f8"),  # 1 / delta, what pushes multiply by
        ("floor", "<f8"),  # delta is never halved below
        ("ceiling", "<f8"),  # nor doubled above, where workers starve
        ("clip_ceiling", "<f8"),  # nor above, where work is clipped
        ("low_processing", "<f8"),  # band, in vertices
        ("low_total", "<f8"),
        ("high_processing", "<f8"),
        ("high_total", "<f8"),
        ("clip_far_share", "<f8"),  # 0..1
        ("sum_processing", "<i8"),  # vertices, summed over the window's sweeps
        ("sum_waiting", "<i8"),
        ("settle_left", "<i8"),  # head-bucket switches still to wait
        ("quiet_items", "<i8"),  # utilisation does not count before so many were queued
        ("queued", "<i8"),  # items, by all windows so far
        ("small_items", "<i8"),  # a head bucket with fewer is too small; 0: nobody asks
        ("stretch_items", "<i8"),  # queued since delta changed, or since that was asked last
        ("stretch_switches", "<i8"),
        ("sweeps", "<i4"),  # of this window so far
        ("open_heads", "<i4"),
        ("min_open", "<i4"),
        ("max_open", "<i4"),
        ("dynamic", "<i4"),  # 0: delta and the open heads stay as they are
        ("by_hand", "<i4"),  # 1: a person holds delta
        ("probing", "<i4"),
        ("window_ended", "<i4"),  # 1 after the sweep that ended a window
    ]
)


def near_far_delta(mean_weight: float, mean_degree: float, integer: bool) -> float:
    """Return Near-Far's delta, 32 W / D, weight units, at least 1 for integers."""
    return usable_width(C_NEAR_FAR * mean_weight / max(mean_degree, 1e-9), integer)


def initial_delta(
    mean_weight: float,
    mean_degree: float,
    integer: bool,
    factor: float = C_START,
    floor: float = START_FLOOR,
) -> float:
    """Return the delta that ADDS starts with: a power of two, weight units.

    factor : x mean weight / mean degree; floor : the smallest for whole weights
    """
    width = factor * (mean_weight / max(mean_degree, 1e-9))
    if integer:
        width = max(width, floor)
    return power_of_two(usable_width(width, integer))


def power_of_two(value: float) -> float:
    """Return the power of two nearest to `value` > 0 in ratio; halves round up."""
    return 2.0 ** math.floor(math.log2(value) + 0.5)


def band(mean_degree: float) -> tuple[float, float, float, float]:
    """Return (low processing, low total, high processing, high total), as utilisation."""
    d = max(mean_degree, 1e-9)
    if d >= DEGREE_SPLIT:
        return 0.03 * d, 0.10 * d, 0.08 * d, 0.40 * d
    return 0.1 * d**0.1, 0.4 * d**0.1, 0.4 * d**0.6, 1.75 * d**0.6


@dataclass(frozen=True)
class Weights:
    """What delta is derived from: mean and largest weight, mean degree, whether all are whole."""

    mean: float
    largest: float
    mean_degree: float
    integer: bool


@dataclass(frozen=True)
class StartRule:
    """How the controller begins, and between what it moves delta."""

    threads: int  # of all workers together
    buckets: int  # ring slots
    max_open: int  # most heads open at once, below `buckets`
    given: float | None = None  # delta as fixed by the user, None for automatic
    dynamic: bool = True  # automatic and not dynamic: the ablation Static-delta, 32 W / D
    start_factor: float = C_START  # x mean weight / mean degree
    start_floor: float = START_FLOOR  # for whole weights, weight units
    ceiling_factor: float = C_CEILING  # x mean weight / mean degree
    floor_share: float = 0.0  # x the initial delta; 0: 1 for whole weights, else 2^-20 of it
    held: bool = False  # the controller leaves delta where it starts, and all heads open (code)
    quiet_items: int = 0  # see CONTROLLER
    small_items: int = 0


def published(rule: StartRule, n: int, m: int) -> StartRule:
    """Return the rule by which ADDS as published starts on a graph of n vertices and m arcs.

    From W / 32 D, as high as clipping, small buckets and starving take it; where the graph is too
    small 16 W / D, held, with all heads open.
    """
    threads = rule.threads
    small = (
        n < SMALL_VERTICES * threads
        or m < SMALL_ARCS * threads
        or (n < FEW_VERTICES * threads and m < FEW_ARCS * threads)
    )
    times = SMALL_PUBLISHED if small else 1.0
    return replace(
        rule,
        start_factor=C_START_PUBLISHED * times,
        start_floor=START_FLOOR * times,
        ceiling_factor=C_CEILING_PUBLISHED,
        floor_share=0.0,
        held=small,
        quiet_items=int(QUIET_SHARE * n),
        small_items=threads,
    )


def start(rule: StartRule, weights: Weights) -> np.ndarray:
    """Return CONTROLLER (1,) as a recarray, ready for the first sweep.

    The kernel does the part that needs the weights by itself, from sums that it takes within
    the measured time: `set_weights` in `cuda/kernels/scheduler.cuh`, the twin of this.
    """
    mean, degree, whole = weights.mean, weights.mean_degree, weights.integer
    first = initial_delta(mean, degree, whole, rule.start_factor, rule.start_floor)
    if not rule.dynamic:
        first = near_far_delta(mean, degree, whole)
    if rule.given is not None:
        first = rule.given
    state = np.zeros(1, CONTROLLER).view(np.recarray)
    most = max(1, min(rule.max_open, rule.buckets - 1))
    held = rule.held and rule.dynamic and rule.given is None
    unit = mean / max(degree, 1e-9)
    low, low_total, high, high_total = band(degree)
    vertices = rule.threads / max(degree, 1e-9)
    values = {
        "delta": first,
        "inverse_delta": 1.0 / first,
        "floor": max(1.0 if whole else first / 2**20, rule.floor_share * first),
        "ceiling": max(first, min(rule.ceiling_factor * unit, WIDEST)),
        "clip_ceiling": 2.0 * max(first, min(weights.largest, WIDEST)),
        "low_processing": low * vertices,
        "low_total": low_total * vertices,
        "high_processing": high * vertices,
        "high_total": high_total * vertices,
        "clip_far_share": CLIP_FAR_SHARE if whole else CLIP_FAR_SHARE_FLOAT,
        "open_heads": most if held else min(MIN_OPEN_HEADS, most),
        "min_open": min(MIN_OPEN_HEADS, most),
        "max_open": most,
        "dynamic": int(rule.dynamic and not rule.held and rule.given is None),
        "quiet_items": rule.quiet_items,
        "small_items": rule.small_items,
        "probing": int(rule.quiet_items == 0),
    }
    for name, value in values.items():
        state[name] = value
    return state


def decide(
    state: np.ndarray,
    processing: int,
    waiting: int,
    produced: int,
    produced_far: int,
    produced_tail: int,
    switched: int,
) -> int:
    """Take one sweep's readings; change delta or the open heads; return the reason code.

    state : CONTROLLER (1,), changed in place
    processing : vertices handed out and not finished; waiting : in the open heads, not handed out
    produced : new items since the window began; produced_far : of those, the most in any one
    bucket more than FAR_BUCKETS past the head; produced_tail : of those, in the last bucket
    switched : head-bucket switches in this sweep
    """
    c = state[0]
    c.window_ended = 0
    c.settle_left = max(c.settle_left - switched, 0)
    c.stretch_switches += switched
    c.sum_processing += processing
    c.sum_waiting += waiting
    c.sweeps += 1
    if c.sweeps < WINDOW_SWEEPS:
        return NONE
    sweeps, busy, total = c.sweeps, c.sum_processing, c.sum_processing + c.sum_waiting
    c.sum_processing, c.sum_waiting, c.sweeps, c.window_ended = 0, 0, 0, 1
    c.queued += produced
    c.stretch_items += produced
    if c.dynamic == 0 or c.by_hand == 1:
        return NONE
    raised = c.delta * 2.0
    clipping = produced >= CLIP_MIN_ITEMS and (
        produced_tail > CLIP_TAIL_SHARE * produced or produced_far > c.clip_far_share * produced
    )
    if clipping and raised <= c.clip_ceiling:
        c.delta, c.inverse_delta, c.floor = raised, 1.0 / raised, raised
        c.settle_left = SETTLE_SWITCHES
        c.stretch_items, c.stretch_switches = 0, 0
        return CLIPPING
    if c.small_items > 0 and c.stretch_switches >= SMALL_SWITCHES:
        small = c.stretch_items < c.stretch_switches * c.small_items
        c.stretch_items, c.stretch_switches = 0, 0
        if small and raised <= c.ceiling:
            c.delta, c.inverse_delta = raised, 1.0 / raised
            return STARVED_RAISE
    if c.queued < c.quiet_items or (c.settle_left > 0 and c.probing == 0):
        return NONE
    if busy < c.low_processing * sweeps and total < c.low_total * sweeps:
        if c.open_heads < c.max_open:
            c.open_heads += 1
            return STARVED_OPEN
        if raised > c.ceiling:
            c.probing = 0
            return NONE
        c.delta, c.inverse_delta, c.settle_left = raised, 1.0 / raised, SETTLE_SWITCHES
        c.stretch_items, c.stretch_switches = 0, 0
        return PROBING if c.probing == 1 else STARVED_RAISE
    c.probing = 0
    if busy > c.high_processing * sweeps and total > c.high_total * sweeps:
        if c.open_heads > c.min_open:
            c.open_heads -= 1
            return FLOODED_CLOSE
        lowered = c.delta * 0.5
        if lowered >= c.floor:
            c.delta, c.inverse_delta, c.settle_left = lowered, 1.0 / lowered, SETTLE_SWITCHES
            c.stretch_items, c.stretch_switches = 0, 0
            return FLOODED_LOWER
    return NONE


def take_over(state: np.ndarray, delta: float) -> None:
    """Let a person hold delta; the controller rests until `hand_back`."""
    state["delta"], state["inverse_delta"], state["by_hand"] = delta, 1.0 / delta, 1


def hand_back(state: np.ndarray) -> None:
    """Let the controller drive again, from the delta that the person left."""
    state["by_hand"], state["settle_left"] = 0, SETTLE_SWITCHES
    state["sum_processing"], state["sum_waiting"], state["sweeps"] = 0, 0, 0


def usable_width(value: float, integer: bool) -> float:
    """Return a usable width: 1 where weights are all zero, and never below 1 for integers.

    And so that neither its inverse nor a ring of such buckets leaves the range of float64.
    """
    if not value > 0:
        return 1.0
    return min(max(value, 1.0 if integer else NARROWEST), WIDEST)
