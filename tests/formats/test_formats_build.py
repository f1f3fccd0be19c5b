"""Identifiers become vertices as `np.unique` ranks them; edges are sorted by tail, stably."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gpu.errors import GraphError
from gpu.formats.build import graph_of, number_vertices
from gpu.formats.reading import Arcs, Reading
from gpu.graph import CSRGraph


def numbered(ids: np.ndarray, count: int | None = None) -> tuple[int, int, object, np.ndarray]:
    ends, n, base, kept = number_vertices(Reading(Path("-")), ids, count)
    return n, base, None if kept is None else kept.tolist(), ends


@pytest.mark.parametrize("low", [-5, 0, 1, 2, 2**31 - 500, 2**62])
def test_ranks_are_those_of_unique(low: int) -> None:
    for span in (3, 400, 100_000):
        ids = np.random.default_rng(span).integers(low, low + span, (2, 300))
        expected, ranks = np.unique(ids, return_inverse=True)
        n, base, kept, ends = numbered(ids)
        assert n == len(expected)
        if kept is None:
            assert expected.tolist() == list(range(base, base + n))
            assert (ends == ids).all()
        else:
            assert (base, kept) == (0, expected.tolist())
            assert ends.tolist() == ranks.reshape(ids.shape).tolist()


@pytest.mark.parametrize("both", [False, True])
def test_edges_keep_the_order_of_the_file(both: bool) -> None:
    rng = np.random.default_rng(5)
    for n, m in ((1, 5), (7, 60), (300, 2000)):
        tails, heads = rng.integers(3, n + 3, (2, m))
        weights = np.arange(m)
        reading = Reading(Path("x"))
        graph = graph_of(reading, "any", Arcs(tails, heads, n, weights, base=3, both=both))
        rows: list[list[tuple[int, int]]] = [[] for _ in range(n)]
        for tail, head, weight in zip(tails - 3, heads - 3, weights, strict=True):
            rows[tail].append((head, weight))
            if both and tail != head:
                rows[head].append((tail, weight))
        pairs = list(zip(graph.indices.tolist(), graph.weights.tolist(), strict=True))
        assert pairs == [pair for row in rows for pair in row]
        assert graph.indptr.tolist() == np.cumsum([0, *map(len, rows)]).tolist()


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"indices": np.array([1, 2, 0])}, "indptr is int64, indices int64; need int64 and int32"),
        ({"weights": np.ones(3, np.int16)}, "weights are int16; allowed: int32, int64, float32"),
        ({"weights": np.ones(2, np.int32)}, "2 weights for 3"),
        ({"weights": np.ones((3, 1), np.int32)}, "need one dimension each"),
        ({"indptr": np.array([0, 2, 3, 2])}, "indptr must rise from 0 to the 3"),
        ({"positions": np.zeros((2, 2))}, r"positions have shape \(2, 2\), need \(3, 2\)"),
    ],
)
def test_a_graph_of_other_types_or_lengths_is_never_made(
    changed: dict[str, Any], words: str
) -> None:
    arrays: dict[str, Any] = {
        "indptr": np.array([0, 2, 3, 3]),
        "indices": np.array([1, 2, 0], np.int32),
        "weights": np.ones(3, np.float32),
    }
    assert CSRGraph(**arrays).checked().m == 3
    with pytest.raises(GraphError, match=words):
        CSRGraph(**{**arrays, **changed})
