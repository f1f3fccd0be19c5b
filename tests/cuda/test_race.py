"""A race among ways to run, timed by tables instead of a GPU."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, strategies as st

from gpu.algorithms import find
from gpu.algorithms.adaptive import Choice
from gpu.cuda.adaptive import forms, ways_for
from gpu.cuda.launch import Lap
from gpu.cuda.race import RACING, Race, Won
from sample_graphs import make

OWN = 64.0  # delta of a form that is given none


class Track:
    """Times (ms) by form and delta; runs that take longer than the limit do not arrive."""

    def __init__(self, times: dict[str, float], by_delta: Callable[[float], float] | None = None):
        self.times, self.by_delta = times, by_delta or (lambda _delta: 1.0)
        self.ran: Counter[str] = Counter()
        self.spent_ms = 0.0

    def timed(self, way: Choice, limit_s: float) -> Lap | None:
        delta = way.delta or OWN
        ms = self.times[way.form] * (self.by_delta(delta) if find(way.form).bucketed else 1.0)
        self.ran[way.form] += 1
        self.spent_ms += min(ms, limit_s * 1e3)
        return Lap(ms, delta, 100) if ms <= limit_s * 1e3 else None

    def race(self, first: str, may_steer: bool = True) -> Won:
        others = [Choice(form, "") for form in self.times if form != first]
        return Race(self.timed, RACING).run([Choice(first, ""), *others], may_steer)


TIMES = {"adds": 3.0, "near_far": 9.0, "async_near_far": 2.0, "bellman_ford": 400.0}


@pytest.mark.parametrize("first", TIMES)
def test_the_fastest_wins_whoever_starts(first: str) -> None:
    won = Track(TIMES).race(first)
    assert won.choice.form == "async_near_far"
    assert won.choice.delta is None
    assert won.choice.why.startswith("first in a race on this graph, 2 ms")


def test_who_is_behind_is_stopped_soon_and_not_run_again() -> None:
    track = Track(TIMES)
    won = track.race("async_near_far")
    assert track.ran["bellman_ford"] == track.ran["near_far"] == track.ran["adds"] == 1
    assert won.choice.why.endswith("2 ms, others too late")
    assert track.spent_ms < 20 * 2.0
    assert won.laps == sum(track.ran.values()) - 1


def test_delta_is_moved_as_long_as_that_pays() -> None:
    won = Track(TIMES, lambda delta: 1 + abs(math.log2(delta / OWN * 4)) / 10).race("adds")
    assert won.choice == Choice("async_near_far", won.choice.why, OWN / 4)
    assert "at 0.25 of its delta" in won.choice.why
    up = Track(TIMES, lambda delta: 1 + abs(math.log2(delta / OWN / 2)) / 10).race("adds")
    assert up.choice.delta == 2 * OWN
    assert Track(TIMES, lambda delta: delta).race("adds", may_steer=False).choice.delta is None


def test_a_delta_that_is_faster_by_chance_is_not_taken() -> None:
    noise = iter(np.random.default_rng(3).uniform(0.8, 1.2, 100_000))
    deltas = [
        Track(TIMES, lambda _delta: next(noise)).race("async_near_far").choice.delta
        for _ in range(100)
    ]
    assert deltas.count(None) >= 90


def test_a_row_without_buckets_has_no_delta_to_move() -> None:
    track = Track({**TIMES, "bellman_ford": 0.5})
    assert track.race("adds").choice == Choice("bellman_ford", track.race("adds").choice.why)


def test_where_nobody_arrives_the_first_one_is_taken() -> None:
    won = Race(lambda _way, _limit_s: None, RACING).run(
        [Choice("adds", "so"), Choice("near_far", "")], True
    )
    assert won == Won(Choice("adds", "so"), 0, 2)


@given(st.lists(st.floats(1e-3, 1e4), min_size=4, max_size=4), st.integers(0, 3))
def test_nothing_is_much_faster_than_the_first(times: list[float], start: int) -> None:
    by_form = dict(zip(TIMES, times, strict=True))
    track = Track(by_form)
    won = track.race(list(by_form)[start])
    best = min(times)
    assert by_form[won.choice.form] == best
    first, most = by_form[list(by_form)[start]], max(RACING.cut * best, RACING.grace_s * 1e3)
    assert track.spent_ms <= (2 + 3 * RACING.cut) * first + 60 * most


def test_the_scouts_choice_starts_and_every_row_that_could_run_is_there() -> None:
    graph = make("grid", n=2500)
    ways = ways_for(graph, 0)
    assert ways[0].form == "async_near_far"
    assert sorted(way.form for way in ways) == sorted(forms())
    assert {"adds", "near_far", "bellman_ford", "delta_stepping"} < set(forms())
    assert not {"adaptive", "cugraph", "dijkstra"} & set(forms())
