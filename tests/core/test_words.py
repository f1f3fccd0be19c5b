"""Numbers and names as people read them, by hand; the figures of small graphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gpu import words
from gpu.files import STDIN, is_stdin
from gpu.graph import CSRGraph
from sample_graphs import make

MS = words.TIME_UNITS[2]
SAID: dict[Callable[..., str], dict[tuple[Any, ...], str]] = {
    words.short: {
        (0,): "0", (0.004,): "4e-3", (0.01,): "0.01", (0.25,): "0.25", (9.96,): "10",
        (99.4,): "99.4", (150,): "150", (999.6,): "1k", (1234,): "1.23k", (-2e9,): "-2G",
    },
    words.time_words: {
        (999.4,): "999 ns", (999.5,): "1.000 µs", (99_990,): "99.99 µs", (123_400_000,): "123.4 ms",
    },
    words.time_number: {
        (1_234_567, MS, 10): "1.23457", (1_234_567, MS, 1e-9): "1.234567000",
        (5e6, MS, 0, 2e7): "5.00",
    },
    words.brief_time: {(1_234_567,): "1.23 ms", (50_000, 2e6): "0.05 ms"},
    words.percent: {(0,): "0 %", (0.0123,): "1.2 %", (0.0996,): "10 %", (0.5,): "50 %"},
    words.ratio_words: {(0.254,): "0.25x", (1,): "1.0x", (2.14,): "2.1x", (99.5,): "100x"},
    words.size_words: {
        (1700,): "2 kB", (999_999,): "1000 kB", (10**6,): "1 MB", (10**9,): "1.0 GB",
    },
    words.distance: {(np.inf,): "∞", (1234.0,): "1,234", (0.5,): "0.5"},
    words.mean: {(3.14159,): "3.142", (999.4,): "999.4", (-16384.2,): "-16,384"},
    words.exact: {(3.0,): "3", (0.1,): "0.1", (2.0**53,): "9007199254740992.0"},
    words.from_words: {
        (4, 1, 1): "from 4", (4, 3, 5): "from 4 and 2 more", (4, 5, 5): "from all 5 vertices",
    },
    words.in_sight: {("a\tb\x07\u202e",): "a b��", ("0123456789ab", 10): "012345…9ab"},
    words.did_you_mean: {("ads", ("ADDS", "x")): "; did you mean 'ADDS'?", ("q", ("ADDS",)): ""},
}  # fmt: skip


@pytest.mark.parametrize("say", SAID, ids=lambda say: say.__name__)
def test_what_is_said(say: Callable[..., str]) -> None:
    assert {arguments: say(*arguments) for arguments in SAID[say]} == SAID[say]


def test_the_figures_of_a_graph() -> None:
    tails, heads = np.array([0, 0, 0, 1]), np.array([1, 2, 3, 0])
    star = CSRGraph.from_arcs(tails, heads, np.array([4, 7, 1, 2], np.int32), 4)
    assert (star.largest_weight, star.mean_weight, star.mean_degree) == (7.0, 3.5, 1.0)
    assert (star.largest_degree, star.rms_degree, star.has_hubs) == (3, 2.5**0.5, False)
    empty = CSRGraph.from_arcs(tails[:0], heads[:0], np.zeros(0, np.int32), 0)
    assert (empty.largest_weight, empty.mean_weight) == (0, 0)
    assert (empty.largest_degree, empty.mean_degree) == (0, 0)
    assert make("erdos_renyi", n=6000).spreads_fast
    assert not make("grid", n=6400).spreads_fast
    assert [is_stdin(path) for path in (STDIN, "-", "roads.gr")] == [True, False, False]
