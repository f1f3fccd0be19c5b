"""The sentence on the model's error says what the committed comparison says."""

import numpy as np

import gpu
from gpu.graph import CSRGraph
from gpu.model.accuracy import error_words, not_ranked, rows
from gpu.record.trace import NOT_RANKED


def test_the_words_are_computed_from_the_comparison() -> None:
    held_out = [row for row in rows() if not row["fitted"]]
    adds = [row for row in held_out if row["algorithm"] == "adds"]
    low = min(row["ratio_low"] for row in adds)
    high = max(row["ratio_high"] for row in adds)
    assert f"were {low:.1f} to {high:.1f} times" in error_words("adds")
    assert f"over {len(adds)} sweeps" in error_words("adds")
    assert f"over {len(held_out)} sweeps" in error_words()
    assert "held out" in error_words()
    assert "never compared" in error_words("dijkstra")


def test_where_modelled_times_rank_nothing() -> None:
    heads = np.arange(1, 5001)
    star = CSRGraph.from_arcs(np.zeros(5000, int), heads, np.ones(5000, np.int32), 5001)
    chain = CSRGraph.from_arcs(np.arange(99), np.arange(1, 100), np.ones(99, np.int32), 100)
    pairs = np.array([(a, b) for a in range(50) for b in range(50) if a != b])
    whole = CSRGraph.from_arcs(pairs[:, 0], pairs[:, 1], np.ones(len(pairs), np.int32), 50)
    assert not_ranked("adds", chain) == ""
    assert "hubs" in not_ranked("adds", star)
    assert "many edges" in not_ranked("near_far", whole)
    assert "not fitted" in not_ranked("async_near_far", chain)
    assert NOT_RANKED in gpu.run(star, "near_far", probe=0).environment
    assert NOT_RANKED not in gpu.run(chain, "adds", probe=0).environment
