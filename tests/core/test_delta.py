"""What the controller does, and what a change of delta does to base, ring and pushes."""

from __future__ import annotations

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


def test_clipping_stops_where_nothing_new_can_be_clipped() -> None:
    state = controller()
    for _ in range(60):
        window(state, *CLIPPED)
    assert state[0].delta <= 2 * 400.0


def test_a_few_items_are_no_evidence_of_clipping() -> None:
    state = controller()
    assert window(state, 300, 0, rules.CLIP_MIN_ITEMS - 1, 60, 60) != Reason.CLIPPING


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


def test_a_delta_given_back_settles_before_it_is_changed() -> None:
    state = controller()
    state[0].probing, state[0].open_heads = 0, 4
    take_over(state, 3.0)
    assert state[0].inverse_delta == 1 / 3.0
    for _ in range(3):  # half a window under the hand counts for nothing afterwards
        decide(state, *FLOODED, 0)
    hand_back(state)
    assert (state[0].sum_processing, state[0].sum_waiting, state[0].sweeps) == (0, 0, 0)
    assert window(state, *STARVED) == Reason.NONE
    assert window(state, *STARVED, switched=rules.SETTLE_SWITCHES) == Reason.STARVED_RAISE
    assert state[0].delta == 6.0


@pytest.mark.parametrize("degree", [0.5, 2.8, 15.9, 16.0, 60.0])
def test_the_band_is_a_band(degree: float) -> None:
    low, low_total, high, high_total = rules.band(degree)
    assert 0 < low < high
    assert low < low_total < high_total


def test_two_buckets_open_one_head_only() -> None:
    assert controller(buckets=2)[0].max_open == 1


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


def test_halving_lets_the_base_run_behind_so_pushes_land_further_out() -> None:
    base, old, new = 100.0, 16.0, 8.0
    assert offset(100 + 20, base, old) == 1
    assert offset(100 + 20, base + new, new) == 1  # one move on: still one bucket away
    far = scheduler.raw_offset(100 + 16 * 31, base, 1 / new)
    assert scheduler.clips(far, 32)
    assert offset(100 + 16 * 31, base, new) == 31


def test_an_item_for_the_head_from_another_bucket_goes_to_the_next() -> None:
    assert offset(5, 0, 10, bucket=7, head=7) == 0
    assert offset(5, 0, 10, bucket=8, head=7) == 1


def test_a_push_that_raced_with_the_heads_retirement_is_late_but_not_lost() -> None:
    buckets, head = 32, 5
    slot = (head + 0) % buckets
    reserved = {slot: 10}
    completed = {slot: 10}
    assert scheduler.head_is_finished(reserved[slot], completed[slot])
    head += 1  # retired; the same slot is now the tail, bucket 37
    reserved[slot] += 1  # the late push lands in it
    assert (head + buckets - 1) % buckets == slot
    unfinished = reserved[slot] - completed[slot]
    assert scheduler.quiet(0, 0, unfinished, 1) == 0  # the run does not end without it


@pytest.mark.parametrize(
    ("read", "reserved", "written", "end"),
    [
        (0, 40, 32, 32),
        (0, 40, 31, 0),
        (32, 40, 8, 40),
        (32, 40, 7, 32),
        (35, 40, 8, 40),
        (0, 0, 0, 0),
    ],
)
def test_a_segment_is_readable_when_full_or_when_all_reserved_is_written(
    read: int, reserved: int, written: int, end: int
) -> None:
    assert scheduler.readable_end(read, reserved, written, 32) == end


# ---- as published ---------------------------------------------------------------------


def test_as_published_a_graph_that_fills_the_machine_starts_at_a_thirty_second() -> None:
    rule = rules.published(RULE, n=4000, m=100_000)  # threads: 1000
    state = start(rule, Weights(mean=6400.0, largest=9000.0, mean_degree=12.5, integer=True))
    assert state[0].delta == 16  # 6400 / 12.5 / 32
    assert state[0].floor == 1
    assert state[0].ceiling == 2**31 * 512
    assert state[0].open_heads == rules.MIN_OPEN_HEADS


def test_as_published_utilisation_counts_from_half_of_the_vertices_on() -> None:
    rule = rules.published(RULE, n=4000, m=100_000)
    for level, after in ((STARVED, Reason.STARVED_OPEN), (FLOODED, Reason.FLOODED_LOWER)):
        state = start(rule, Weights(mean=6400.0, largest=9000.0, mean_degree=12.5, integer=True))
        assert window(state, *level[:2], 1999, 0, 0) == Reason.NONE
        assert window(state, *level[:2], 1, 0, 0) == after


def test_as_published_seven_buckets_of_less_than_an_item_a_thread_double_delta() -> None:
    rule = rules.published(RULE, n=10**6, m=10**8)
    for items, after in ((6999, Reason.STARVED_RAISE), (7000, Reason.NONE)):
        state = start(rule, Weights(mean=6400.0, largest=9000.0, mean_degree=100.0, integer=True))
        before = state[0].delta
        for _ in range(6):
            assert decide(state, 0, 0, 0, 0, 0, 1) == Reason.NONE
        assert decide(state, 0, 0, items, 0, 0, 1) == Reason.NONE
        assert decide(state, 0, 0, items, 0, 0, 0) == after
        assert state[0].delta == before * (2 if after else 1)


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


@pytest.mark.parametrize(("n", "m"), [(4000, 100_000), (6000, 50_000)])
def test_as_published_a_graph_just_large_enough_is_not_held(n: int, m: int) -> None:
    assert not rules.published(RULE, n, m).held


def test_as_published_the_smallest_start_of_whole_weights_grows_with_it() -> None:
    light = Weights(mean=1.0, largest=1.0, mean_degree=4.0, integer=True)
    assert start(rules.published(RULE, 4000, 100_000), light)[0].delta == 4
    assert start(rules.published(RULE, 10, 10), light)[0].delta == 4 * 512
    real = replace(light, integer=False)
    assert start(rules.published(RULE, 10, 10), real)[0].delta == 4.0  # 16 / 4


def test_as_published_a_given_delta_is_still_obeyed() -> None:
    state = controller(**vars(rules.published(replace(RULE, given=7.0), 10, 10)))
    assert state[0].delta == 7
    assert state[0].dynamic == 0
