"""The sentences of the microscope: exact on the paper's figures, one for every kind."""

from __future__ import annotations

from itertools import chain, repeat

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


@pytest.mark.parametrize("key", ["adds", "near_far", "delta_stepping"])
def test_a_run_begins_once_whoever_holds_delta(key: str) -> None:
    held = chain([None], repeat(40.0, 4), repeat(None))
    graph = open_sample("sample:grid?n=225")
    said = told(graph, key, delta_by_hand=lambda: next(held))
    assert sum("The run begins" in words for words in said) == 1
    assert any("to 40 (set by hand)" in words for words in said)
