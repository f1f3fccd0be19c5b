"""The sentence on the model's error says what the committed comparison says."""

from __future__ import annotations

import pytest

from gpu.lab import model_error
from gpu.model.accuracy import error_words, rows
from sample_graphs import make


def test_the_words_are_computed_from_the_comparison() -> None:
    adds = [row for row in rows() if row["algorithm"] == "adds"]
    low = min(row["ratio_low"] for row in adds)
    high = max(row["ratio_high"] for row in adds)
    assert f"were {low:.1f} to {high:.1f} times" in error_words("adds")
    assert f"over {len(adds)} sweeps" in error_words("adds")
    assert f"over {len(rows())} sweeps" in error_words()
    assert "never compared" in error_words("dijkstra")


def test_every_ratio_follows_from_its_points() -> None:
    for row in rows():
        ratios = [point["modelled_ms"] / point["measured_ms"] for point in row["points"]]
        assert row["ratio_low"] == pytest.approx(min(ratios))
        assert row["ratio_high"] == pytest.approx(max(ratios))
        assert -1 <= row["rank_correlation"] <= 1


def test_a_comparison_is_made_from_measured_rows() -> None:
    graph = make("grid", n=900)
    measured = [
        {"delta": delta, "kernel_ms": {"median": ms}, "efficiency": 0.5}
        for delta, ms in ((100.0, 3.0), (10_000.0, 2.0), (100_000.0, 1.0))
    ]
    row = model_error.compare("grid", graph, "near_far", measured)
    assert row["ratio_low"] <= row["ratio_high"]
    assert [point["delta"] for point in row["points"]] == [100.0, 10_000.0, 100_000.0]
