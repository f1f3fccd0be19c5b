"""Arcs to rows: stable, checked, and the same compiled as in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from gpu.errors import GpuError
from gpu.formats import csr, warm_up
from gpu.formats.csr import arc_facts, arcs_to_csr


@pytest.mark.parametrize("both", [False, True])
def test_sort_is_stable_and_compiled_equals_numpy(both: bool) -> None:
    warm_up()
    rng = np.random.default_rng(5)
    for n, m in ((1, 5), (7, 60), (3000, 20_000)):
        tails, heads = rng.integers(3, n + 3, m), rng.integers(3, n + 3, m)
        for weights in (
            rng.integers(0, 3, m).astype(np.int32),
            rng.random(m).astype(np.float32),
        ):
            one = arcs_to_csr(tails, heads, weights, n, base=3, both=both, compiled=True)
            two = arcs_to_csr(tails, heads, weights, n, base=3, both=both, compiled=False)
            for a, b in zip(one, two, strict=True):
                assert a.dtype == b.dtype
                assert np.array_equal(a, b)
            assert arc_facts(*one, compiled=True) == arc_facts(*two, compiled=False)


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("threads", [2, 3, 7])
def test_threads_agree(both: bool, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csr, "THREADED_ARCS", 1)
    monkeypatch.setattr(csr, "cores", lambda: threads)
    rng = np.random.default_rng(threads)
    for n, m in ((1, 3), (4, 5), (900, 5000)):
        tails, heads = rng.integers(0, n, (2, m))
        weights = rng.integers(0, 3, m).astype(np.int32)
        one = arcs_to_csr(tails, heads, weights, n, both=both, compiled=True)
        two = arcs_to_csr(tails, heads, weights, n, both=both, compiled=False)
        assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))
        assert arc_facts(*one, compiled=True) == arc_facts(*two, compiled=False)
    with pytest.raises(GpuError, match="vertex 9 is out of range"):
        arcs_to_csr(
            np.array([1, 9]), np.array([0, 0]), np.ones(2, np.int32), 3, both=both, compiled=True
        )


@pytest.mark.parametrize("compiled", [True, False])
def test_sort_refuses_what_is_no_vertex(compiled: bool) -> None:
    with pytest.raises(GpuError, match="vertex 4 is out of range; 3 vertices are 1 to 3"):
        arcs_to_csr(
            np.array([1]), np.array([4]), np.ones(1, np.int32), 3, base=1, compiled=compiled
        )
    with pytest.raises(GpuError, match="same length"):
        arcs_to_csr(np.array([1]), np.array([], int), np.ones(1, np.int32), 3, compiled=compiled)
