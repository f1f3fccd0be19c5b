"""What lies between two moments, against sums done by hand."""

import numpy as np

from gpu.record.trace import SAMPLE, GraphReference, RunSettings, VertexProbe
from gpu.study.compare import Side
from gpu.study.interval import QUANTITIES, interval, table
from gpu.words import NO_VALUE

REFERENCE = GraphReference("roads", "memory", "0", 5, 8, True, 1)


def side(
    times: list[int], work: list[float], algorithm: str = "adds", clock: str = "modelled"
) -> Side:
    """A run whose counters grow by 10 and 30 a sample, its Δ by 1."""
    samples = np.zeros(len(times), SAMPLE)
    samples["t_ns"], samples["assigned_edges"] = times, work
    samples["processed_vertices"] = 10 * np.arange(len(times))
    samples["relaxed_edges"] = 30 * np.arange(len(times))
    samples["delta"] = 1.0 + np.arange(len(times))
    last = np.array([0, 150, 200, 250, -1])
    vertices = VertexProbe(last, last, np.ones(5, np.int32))
    settings = RunSettings(algorithm, "model", "H100", 0, None, 2)
    return Side(settings, REFERENCE, samples, clock, "finished", np.zeros(5, np.int32), vertices)


A = side([0, 100, 200, 300], [4, 8, 2, 0])
B = side([0, 150, 600], [1, 5, 0], "near_far")


def test_between_two_samples_all_is_counted_and_nothing_guessed() -> None:
    found = interval(A, 100, 300)
    assert (found.time_ns, found.processed, found.relaxed) == (200, 20, 60)
    assert found.parallelism == (8 * 100 + 2 * 100) / 200
    assert found.delta == (2 + 3) / 2
    assert found.last_delta == 4
    assert found.settled == 3  # at 150, 200 and 250; not the source at 0, not the unreached


def test_between_samples_each_value_holds_from_the_one_before() -> None:
    found = interval(A, 50, 150)
    assert found.processed == 10
    assert found.parallelism == (4 * 50 + 8 * 50) / 100
    assert found.settled == 1
    nothing = interval(A, 120, 120)
    assert (nothing.processed, nothing.parallelism, nothing.settled) == (0, None, 0)


def test_after_its_end_a_run_does_nothing_and_has_no_delta() -> None:
    found = interval(A, 200, 500)
    assert found.processed == 10
    assert found.parallelism == 2 * 100 / 300
    assert found.delta == 3
    late = interval(A, 400, 500)
    assert (late.processed, late.parallelism) == (0, 0)
    assert late.delta is late.last_delta is None


def test_a_table_of_two_has_a_ratio_but_not_of_unlike_times() -> None:
    titles = [one.key for one in QUANTITIES]
    rows = dict(table(interval(A, 0, 300), interval(B, 0, 300)))
    assert list(rows) == ["A", "B", "B / A"]
    processed = titles.index("processed")
    assert [row[processed] for row in rows.values()] == ["30", "10", "0.33x"]
    measured = side([0, 300], [1, 0], clock="measured")
    rows = dict(table(interval(A, 0, 300), interval(measured, 0, 300)))
    assert (rows["B / A"][0], rows["B / A"][processed]) == (NO_VALUE, "0.33x")
    assert len(table(interval(A, 0, 300))) == 1


def test_a_run_that_has_no_sample_yet_did_nothing_in_it() -> None:
    """A second run that was just started is compared while it waits for the compiler."""
    empty = side([], [])
    found = interval(empty, 0, 300)
    assert (found.processed, found.relaxed, found.delta) == (0, 0, None)
    assert table(interval(A, 0, 300), found)
