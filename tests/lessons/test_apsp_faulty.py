"""The printed listings' faults: each is wrong the way its sentence says, and offered nowhere."""

from pathlib import Path

import numpy as np
import pytest

import gpu
from gpu.graph import INT_UNREACHED, CSRGraph
from gpu.lessons.printed_listings import BLOCKS, FAULTS, THREADS, Fault, _buckets, _edges

TOP = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def graph() -> CSRGraph:
    rng = np.random.default_rng(5)
    n, m = 24, 70
    weights = rng.integers(1, 30, m).astype(np.int32)
    return CSRGraph.from_arcs(rng.integers(0, n, m), rng.integers(0, n, m), weights, n)


def test_mended_both_listings_are_right(graph: CSRGraph) -> None:
    expected = gpu.run(graph, "apsp_fast").dist
    np.testing.assert_array_equal(_edges(graph)[0], expected)
    np.testing.assert_array_equal(_buckets(graph)[0], expected)


@pytest.mark.parametrize("key", FAULTS)
def test_every_fault_shows(key: str, graph: CSRGraph) -> None:
    fault = FAULTS[key](graph)
    assert fault.key == key
    assert fault.rows.shape == (24, 24)
    expected = gpu.run(graph, "apsp_fast").dist
    assert fault.wrong == np.count_nonzero(fault.rows != expected)
    assert fault.wrong > 0 or fault.work == THREADS * fault.least
    buckets = key in ("source_never_queued", "vertices_never_leave", "bucket_zero_is_skipped")
    assert fault.least == (_buckets if buckets else _edges)(graph)[1], "of the same listing"
    assert len(fault.sentence) > 40


def test_what_each_leaves_behind(graph: CSRGraph) -> None:
    def run(key: str) -> Fault:
        return FAULTS[key](graph)

    alone = np.full((24, 24), INT_UNREACHED)
    np.fill_diagonal(alone, 0)
    once = run("flag_set_once").rows
    np.testing.assert_array_equal(once[BLOCKS:], alone[BLOCKS:])
    assert (once[:BLOCKS] != alone[:BLOCKS]).any()
    np.testing.assert_array_equal(run("source_never_queued").rows, alone)
    np.testing.assert_array_equal(run("bucket_zero_is_skipped").rows, alone)
    assert (run("infinity_overflows").rows < 0).any()
    true = gpu.run(graph, "apsp_fast").dist
    assert (run("both_directions").rows <= true).all()
    assert (run("vertices_never_leave").rows >= true).all()
    assert "-2,147,4" in run("row_index_overflows").sentence
    assert FAULTS["row_index_overflows"](graph).wrong > 0
