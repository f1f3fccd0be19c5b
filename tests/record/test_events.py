"""Recording every event changes no run, and is refused where it would grow too long.

Whether events are right is tested where they are replayed: `tests/replay/test_replay_states.py`.
"""

import numpy as np
import pytest
from test_algorithms import random_graph

import gpu
import gpu.loops.log as log
from gpu.algorithms import ALGORITHMS
from gpu.errors import ParameterError
from gpu.graph import CSRGraph
from gpu.record.events import MOST_ARCS
from sample_graphs import open_sample

MODELLED = [key for key, row in ALGORITHMS.items() if "model" in row.engines]
MATRICES = [key for key in MODELLED if ALGORITHMS[key].result == "matrix"]


@pytest.mark.parametrize("key", MODELLED)
def test_recording_changes_nothing(key: str) -> None:
    few = {"sources": 8} if key in MATRICES else {}  # of more the loops would be compiled
    for seed in (4, 7):
        graph = random_graph(seed)
        plain, full = (gpu.run(graph, key, "model", probe=n, parameters=few) for n in (1, 3))
        assert np.array_equal(plain.samples, full.samples)
        assert np.array_equal(plain.dist, full.dist)
        assert plain.events is None
        assert np.all(np.diff(full.events["t_ns"]) >= 0) or key in MATRICES  # type: ignore[index]


def test_large_graphs_are_refused_in_a_sentence() -> None:
    tails = np.zeros(MOST_ARCS + 1, np.int64)
    graph = CSRGraph.from_arcs(tails, tails + 1, np.ones(len(tails), np.int32), 2, name="many")
    for key in MODELLED:
        with pytest.raises(ParameterError, match=r"many has 20,001 edges; every event \(level 3\)"):
            gpu.run(graph, key, "model", probe=3)


def test_a_recording_that_grows_too_long_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "MOST_EVENTS", 8192)
    with pytest.raises(ParameterError, match=r"passes 8,192 events; take a smaller graph"):
        gpu.run(open_sample("sample:erdos_renyi?n=40"), "edge_apsp", "model", probe=3)
