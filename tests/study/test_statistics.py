"""Numbers about a graph agree with counting by hand."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st
from processes import python

from gpu.graph import CSRGraph
from gpu.study.statistics import reachable, statistics

ARCS = st.integers(1, 7).flatmap(
    lambda n: st.tuples(
        st.just(n),
        st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1), st.integers(0, 3))),
    )
)
Arcs = list[tuple[int, int, int]]


def built(n: int, arcs: Arcs) -> CSRGraph:
    table = np.array(arcs, np.int64).reshape(-1, 3)
    return CSRGraph.from_arcs(table[:, 0], table[:, 1], table[:, 2].astype(np.int32), n)


@given(ARCS)
def test_counts_by_hand(given_arcs: tuple[int, Arcs]) -> None:
    n, arcs = given_arcs
    found = statistics(built(n, arcs))
    assert (found["n"], found["m"]) == (n, len(arcs))
    assert found["loops"] == sum(u == v for u, v, _ in arcs)
    assert found["zero_weights"] == sum(w == 0 for _, _, w in arcs)
    pairs = Counter((u, v) for u, v, _ in arcs)
    assert found["parallel_arcs"] == sum(count - 1 for count in pairs.values())
    assert found["isolated"] == n - len({end for u, v, _ in arcs if u != v for end in (u, v)})
    assert found["degree"]["max"] == max(sum(u == x for u, _, _ in arcs) for x in range(n))
    if arcs:
        assert found["weight"]["mean"] == pytest.approx(sum(w for _, _, w in arcs) / len(arcs))


@given(ARCS, st.booleans())
def test_reachable_by_hand(given_arcs: tuple[int, Arcs], small: bool) -> None:
    n, arcs = given_arcs
    seen, grown = set(), {0}
    while seen != grown:
        seen = set(grown)
        grown |= {v for u, v, _ in arcs if u in seen}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gpu.study.statistics.SMALL_ARCS", 50_000 * small - 1)
        patch.setattr("gpu.study.statistics.MANY_HOPS", 2)  # then SciPy
        assert set(np.flatnonzero(reachable(built(n, arcs), 0)).tolist()) == seen


def test_statistics_need_no_numba() -> None:
    imported = python("import gpu.study.statistics, sys; print(*sys.modules)").split()
    assert "gpu.study.statistics" in imported
    assert "numba" not in imported
