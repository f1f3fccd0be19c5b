"""Identifiers become vertices as `np.unique` ranks them: by a table or sorted, compiled or not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gpu.parsing.numbering import number_vertices
from gpu.parsing.reading import Reading
from gpu.parsing.rows import Rows


def numbered(
    ids: np.ndarray, count: int | None = None, *, compiled: bool = False
) -> tuple[int, int, object, np.ndarray]:
    rows = Rows(ids.copy(), np.empty((0, ids.shape[1])), True, 0)
    n, base, kept = number_vertices(Reading(Path("-")), rows, count, compiled=compiled)
    return n, base, None if kept is None else kept.tolist(), rows.ids


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("kind", [np.int32, np.int64])
@pytest.mark.parametrize("low", [-5, 0, 1, 2, 2**31 - 500])
def test_ranks_are_those_of_unique(compiled: bool, kind: type, low: int) -> None:
    for span in (3, 400, 100_000):
        if low + span > np.iinfo(kind).max:
            continue
        ids = np.random.default_rng(span).integers(low, low + span, (2, 300)).astype(kind)
        expected, ranks = np.unique(ids, return_inverse=True)
        n, base, kept, made = numbered(ids, compiled=compiled)
        assert n == len(expected)
        if kept is None:
            assert expected.tolist() == list(range(base, base + n))
            assert (made == ids).all()
        else:
            assert (base, kept) == (0, expected.tolist())
            assert made.tolist() == ranks.reshape(ids.shape).tolist()


def test_ends_of_int64_are_sorted_and_no_arcs_are_no_vertices() -> None:
    top = 2**63 - 1
    assert numbered(np.array([[-top, 0], [top, 0]]))[:3] == (3, 0, [-top, 0, top])
    assert numbered(np.empty((2, 0), np.int64))[:3] == (0, 0, None)
    assert numbered(np.array([[0, 1], [1, 4]]), 7)[:3] == (7, 0, None)
