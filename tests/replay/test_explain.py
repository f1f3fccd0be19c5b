"""The sentences of the microscope: exact on the paper's figures, one for every kind."""

from __future__ import annotations

from itertools import chain, repeat

import numpy as np
import pytest

import gpu
from gpu.algorithms import ALGORITHMS
from gpu.graph import CSRGraph
from gpu.replay.explain import (
    explain,
)
from gpu.replay.replay import Replay
from sample_graphs import open_sample

CLASSROOM = "Classroom GPU"


def told(graph: CSRGraph, key: str, **more: object) -> list[str]:
    trace = gpu.run(graph, key, "model", probe=3, device=CLASSROOM, **more)  # type: ignore[arg-type]
    replay = Replay.of(graph, trace)
    events, row = replay.events, ALGORITHMS[key]
    return [explain(graph, replay.go(index), events, index, row) for index in range(len(events))]


def test_adds_on_figure_1_word_for_word() -> None:
    said = told(open_sample("sample:figure_1"), "adds")
    wanted = [
        "The run begins with Δ = 4, 2 open buckets.",
        "Bucket 0 has no memory yet and takes block 0 of the pool.",
        "The run reserves place 0 of bucket 0: resv_ptr becomes 1.",
        "The source s=S enters bucket 0 with distance 0.",
        "Place 0 of bucket 0 is written: its WCC is 1.",
        "The manager gives worker 0 one vertex: place 0 of bucket 0. read_ptr is now 1.",
        "The probe takes sample 0.",
        "Worker 0 takes u=S at 0 from bucket 0 to relax its 2 edges.",
    ]
    assert said[: len(wanted)] == wanted
    for sentence in (
        "u=S at 0: 0 + 10 < ∞, so v=A becomes 10 and is set aside for a bucket.",
        "u=B at 1: 1 + 1 = 2 < 10: an improvement for v=A.",
        "u=B at 1: 1 + 1 < 10, so v=A becomes 2 and stays with its worker.",
        "Worker 0 has finished its 1 vertex of bucket 0: CWC becomes 1 of 1 reserved.",
        "Bucket 0 is finished (CWC = resv_ptr = 1): the head moves on to bucket 2, "
        "distances from 8.",
        "Worker 0 drops u=A from bucket 2: it was queued with 10, and 2 is known.",
        "The run is over: 3 processed, 3 edges examined.",
    ):
        assert sentence in said


def test_near_far_says_what_became_of_an_entry_of_the_far_pile() -> None:
    said = told(open_sample("sample:figure_1"), "near_far", delta=4.0)
    assert "v=A is dropped from the far pile: improved to 2 since, it went another way." in said


def test_delta_stepping_says_from_which_bucket_to_which() -> None:
    heads, tails, weights = [1, 2, 1], [0, 0, 2], [10, 1, 1]
    graph = CSRGraph.from_arcs(
        np.array(tails), np.array(heads), np.array(weights, np.int32), 3, name="figure"
    )
    said = told(graph, "delta_stepping", delta=100.0)
    assert "u=2 at 1: 1 + 1 < 10, so v=1 becomes 2 and enters bucket 0." in said


@pytest.mark.parametrize(
    ("key", "sentence"),
    [
        ("near_far", "u=B at 1: 1 + 1 < 10, so v=A becomes 2 and enters the near pile."),
        ("bellman_ford", "Superstep 1 begins with 2 vertices in the frontier."),
        ("dijkstra", "The worker takes u=B at 1 from the heap to relax its 1 edge."),
        ("edge_apsp", "Block 0 begins round 0 of source s=S: all 3 edges."),
        ("apsp_fast", "Block 1 begins source s=A: 0 there, ∞ everywhere else."),
    ],
)
def test_each_algorithm_in_its_own_words(key: str, sentence: str) -> None:
    assert sentence in told(open_sample("sample:figure_1"), key)


@pytest.mark.parametrize("key", ["adds", "near_far", "delta_stepping"])
def test_a_run_begins_once_whoever_holds_delta(key: str) -> None:
    held = chain([None], repeat(40.0, 4), repeat(None))
    graph = open_sample("sample:grid?n=900")
    said = told(graph, key, delta_by_hand=lambda: next(held))
    assert sum("The run begins" in words for words in said) == 1
    assert any("to 40 (set by hand)" in words for words in said)
