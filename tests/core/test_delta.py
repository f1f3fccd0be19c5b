"""What the controller does, and what a change of delta does to base, ring and pushes."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gpu import delta as rules, scheduler
from gpu.delta import WINDOW_SWEEPS, StartRule, Weights, decide, hand_back, start, take_over
from gpu.record.trace import Reason

RULE = StartRule(threads=1000, buckets=32, max_open=4)
WEIGHTS = Weights(mean=100.0, largest=400.0, mean_degree=4.0, integer=True)


def controller(**rule: Any) -> np.ndarray:
    return start(replace(RULE, **rule), WEIGHTS)


def window(state: np.ndarray, *reading: int, switched: int = 0) -> Reason:
    """Feed one whole window of equal sweeps; return what its end decided."""
    reading = reading or (0, 0, 0, 0, 0)
    for _ in range(WINDOW_SWEEPS - 1):
        assert decide(state, *reading, switched) == Reason.NONE
    reason = Reason(decide(state, *reading, switched))
    assert state[0].window_ended == 1
    return reason


STARVED = (0, 0, 0, 0, 0)
FLOODED = (10**6, 10**6, 0, 0, 0)
CLIPPED = (300, 0, 1000, 900, 900)


def test_a_starved_machine_opens_heads_first_then_doubles_without_waiting() -> None:
    state = controller()
    first = state[0].delta
    assert window(state, *STARVED) == Reason.STARVED_OPEN
    assert window(state, *STARVED) == Reason.STARVED_OPEN
    assert state[0].open_heads == 4
    assert window(state, *STARVED) == Reason.PROBING
    assert window(state, *STARVED) == Reason.PROBING
    assert state[0].delta == 4 * first
    assert state[0].inverse_delta == 1 / state[0].delta


def test_after_probing_a_change_waits_for_head_switches() -> None:
    state = controller()
    state[0].probing, state[0].open_heads = 0, 4
    assert window(state, *STARVED) == Reason.STARVED_RAISE
    assert window(state, *STARVED) == Reason.NONE
    for _ in range(rules.SETTLE_SWITCHES):
        decide(state, 0, 0, 0, 0, 0, 1)
    state[0].sweeps = 0
    assert window(state, *STARVED) == Reason.STARVED_RAISE


def test_delta_stops_at_its_ceiling_and_probing_ends_there() -> None:
    state = controller()
    for _ in range(40):
        window(state, *STARVED)
    assert state[0].delta <= state[0].ceiling < 2 * state[0].delta
    assert state[0].probing == 0


def test_a_flooded_machine_closes_heads_then_halves_down_to_the_floor() -> None:
    state = controller()
    state[0].open_heads = 3
    assert window(state, *FLOODED) == Reason.FLOODED_CLOSE
    before = state[0].delta
    assert window(state, *FLOODED) == Reason.FLOODED_LOWER
    assert state[0].delta == before / 2
    for _ in range(40):
        window(state, *FLOODED, switched=1)
    assert state[0].delta == state[0].floor == 1.0


def test_clipping_raises_delta_for_good() -> None:
    state = controller()
    before = state[0].delta
    assert window(state, *CLIPPED) == Reason.CLIPPING
    assert state[0].floor == state[0].delta == 2 * before
    assert window(state, *FLOODED, switched=1) == Reason.NONE  # cannot go below the floor
    assert state[0].delta == 2 * before


def test_a_fixed_delta_stays_and_static_takes_near_fars() -> None:
    fixed = controller(given=12.5)
    assert window(fixed, *STARVED) == Reason.NONE
    assert fixed[0].delta == 12.5
    static = controller(dynamic=False)
    assert static[0].delta == 32 * 100.0 / 4.0
    assert window(static, *CLIPPED) == Reason.NONE


def test_a_hand_on_delta_rests_the_controller_until_it_is_given_back() -> None:
    state = controller()
    take_over(state, 3.0)
    assert window(state, *CLIPPED) == Reason.NONE
    assert state[0].delta == 3.0
    hand_back(state)
    assert window(state, *CLIPPED) == Reason.CLIPPING
    assert state[0].delta == 6.0


@pytest.mark.parametrize("integer", [True, False])
def test_all_zero_weights_and_no_arcs_start_with_a_usable_delta(integer: bool) -> None:
    state = start(RULE, Weights(0.0, 0.0, 0.0, integer))
    assert 0 < state[0].delta < np.inf
    assert np.isfinite(state[0].ceiling)


def offset(dist: float, base: float, delta: float, bucket: int = 0, head: int = 0) -> int:
    raw = scheduler.raw_offset(dist, base, 1.0 / delta)
    return scheduler.push_offset(raw, bucket, head, 32)


def test_doubling_keeps_the_base_and_pulls_new_pushes_towards_the_head() -> None:
    base, old, new = 100.0, 8.0, 16.0
    assert offset(100 + 24, base, old) == 3
    assert offset(100 + 24, base, new) == 1
    # an item that waits in old bucket head + 1 is processed after one move of the head by
    # the *new* width: its own distance is then below base, and its pushes count as 0
    assert offset(100 + 8 + 3, base + new, new, bucket=1, head=1) == 0


def test_as_published_a_graph_that_fills_the_machine_starts_at_a_thirty_second() -> None:
    rule = rules.published(RULE, n=4000, m=100_000)  # threads: 1000
    state = start(rule, Weights(mean=6400.0, largest=9000.0, mean_degree=12.5, integer=True))
    assert state[0].delta == 16  # 6400 / 12.5 / 32
    assert state[0].floor == 1
    assert state[0].ceiling == 2**31 * 512
    assert state[0].open_heads == rules.MIN_OPEN_HEADS


@pytest.mark.parametrize(
    ("n", "m"), [(3999, 10**6), (10**6, 49_999), (5999, 99_999), (3999, 49_999)]
)
def test_as_published_a_graph_that_cannot_fill_it_stays_at_sixteen(n: int, m: int) -> None:
    rule = rules.published(RULE, n, m)
    state = start(rule, Weights(mean=6400.0, largest=9000.0, mean_degree=12.5, integer=True))
    assert state[0].delta == 16 * 512  # 16 x 6400 / 12.5, which is a power of two
    for _ in range(8):
        assert window(state, *STARVED) == Reason.NONE
        assert window(state, *CLIPPED) == Reason.NONE
    assert state[0].delta == 16 * 512
    assert state[0].open_heads == 4  # all of them
