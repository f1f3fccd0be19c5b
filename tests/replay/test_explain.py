"""The sentences of the microscope: exact on the paper's figures, one for every kind."""

from itertools import chain, repeat

import numpy as np
import pytest
from hand_made import small_graph

import gpu
from gpu.algorithms import ALGORITHMS
from gpu.graph import CSRGraph
from gpu.record.events import EventKind
from gpu.record.trace import EVENT
from gpu.replay.explain import explain
from gpu.replay.pseudocode import Line, Pseudocode
from gpu.replay.replay import Replay
from gpu.replay.rules import apply
from gpu.replay.state import Hand, Item, State
from sample_graphs import open_sample

CLASSROOM = "Classroom GPU"


def told(graph: CSRGraph, key: str, **more: object) -> list[str]:
    trace = gpu.run(graph, key, "model", probe=3, device=CLASSROOM, **more)  # type: ignore[arg-type]
    replay = Replay.of(graph, trace)
    events, row = replay.events, ALGORITHMS[key]
    return [explain(graph, replay.go(index), events, index, row) for index in range(len(events))]


@pytest.mark.parametrize("key", ["adds", "near_far", "delta_stepping"])
def test_a_run_begins_once_whoever_holds_delta(key: str) -> None:
    held = chain([None], repeat(40.0, 4), repeat(None))
    graph = open_sample("sample:grid?n=225")
    said = told(graph, key, delta_by_hand=lambda: next(held))
    assert sum("The run begins" in words for words in said) == 1
    assert any("to 40 (set by hand)" in words for words in said)


def test_the_next_and_the_last_event_of_a_kind() -> None:
    graph = open_sample("sample:figure_1")
    trace = gpu.run(graph, "dijkstra", "model", probe=3, device=CLASSROOM)
    replay = Replay.of(graph, trace)
    pops = [k + 1 for k, kind in enumerate(replay.events["kind"]) if kind == EventKind.POP]
    assert replay.find(EventKind.POP) == pops[0]
    assert replay.find(EventKind.POP, -1) is None
    replay.go(pops[1])
    assert replay.find([EventKind.POP, EventKind.CLIP]) == pops[2]
    assert replay.find(EventKind.POP, -1) == pops[0]
    replay.go(len(replay) + 5)
    assert replay.position == len(replay)
    assert (replay.find(EventKind.POP), replay.find(EventKind.POP, -1)) == (None, pops[-1])
    assert replay.step(-len(replay) - 5).t_ns == 0
    assert replay.position == 0


def test_lines_are_counted_and_the_source_enters_in_a_line_of_its_own() -> None:
    push, pop = frozenset([EventKind.PUSH]), frozenset([EventKind.POP])
    lines = (
        Line("queue <- source", frozenset(), "f", 0, begins=True),
        Line("take", pop, "f", 1, only=frozenset([3])),
        Line("put", push, "f", 2),
    )
    code = Pseudocode("title", lines, {})
    times = {"queue <- source": 0, "take": 2, "put": 5}
    assert code.counts(lambda line: times[line.text]) == [1, 2, 4]
    assert code.counts(lambda line: 0) == [0, 0, 0]
    assert code.lit_by(EventKind.PUSH, first=True) == 0
    assert code.lit_by(EventKind.PUSH) == 2
    assert [code.lit_by(EventKind.POP, a) for a in (0, 3)] == [-1, 1]
    assert code.lit_by(EventKind.POP, 3, first=True) == 1
    plain = Pseudocode("title", lines[1:], {})
    assert (plain.begins_at, plain.lit_by(EventKind.PUSH, first=True)) == (-1, 1)
    assert plain.counts(lambda line: times[line.text]) == [2, 5]


def test_what_a_state_counts() -> None:
    state = State.before(2, 3, ring=4)
    state.rows = {0: state.dist + 1, 1: state.dist + 1}
    state.workers = {0: Hand(source=0), 1: Hand(source=-1), 2: Hand(vertex=0)}
    state.buckets = {5: [Item(0, 1, 1.0), Item(1, 1, 1.0, taken=True), Item(2, 0, 1.0, worker=0)]}
    assert (state.running, state.occupancy(5), state.occupancy(6), state.ring) == (1, 1, 0, 4)
    assert [hand.idle for hand in state.workers.values()] == [False, True, False]
    assert state.distances() is state.dist
    assert state.distances(1) is state.rows[1]
    assert (len(state.dist), len(state.relaxed), state.total_relaxed) == (2, 3, 0)


def test_where_an_improved_vertex_waits_is_said_if_buckets_have_an_order() -> None:
    """Vertex 4 is improved from 9 to 7 while it waits in bucket 2, behind vertex 2."""
    state = State.before(5, 4)
    state.dist[:] = [0, 4, 7, 9, np.inf]
    state.buckets = {1: [], 2: [Item(0, 1, 4.0), Item(1, 3, 9.0)]}
    event = np.array([(0, EventKind.IMPROVE, 2, 3, 3, 7.0)], EVENT)
    words = "u=3 at 7: 7 + 0 < 9, so v=4 becomes 7"
    for key, where in (("adds", "; it waits in bucket 2"), ("near_far", ""), ("edge_apsp", "")):
        assert explain(small_graph(), state, event, 0, ALGORITHMS[key]) == f"{words}{where}."
    state.buckets[2][1].taken = True
    assert explain(small_graph(), state, event, 0, ALGORITHMS["adds"]) == f"{words}."


def test_a_worker_that_finishes_takes_its_own_entries_out() -> None:
    state = State.before(5, 4)
    taken = [Item(place, 1, 4.0, worker=place, taken=True) for place in (0, 1)]
    state.buckets = {3: [*taken, Item(2, 2, 7.0, worker=0)]}
    state.workers[0] = Hand(3, 0, 1, collected=[(4, 8.0)])
    apply(state, small_graph(), np.array([(5, EventKind.FINISH, 0, 1, 3, 6.0)], EVENT)[0])
    assert [item.place for item in state.buckets[3]] == [1, 2]
    assert state.workers[0] == Hand(collected=[(4, 8.0)])
    assert (state.pointers[3].completed, state.t_ns) == (6, 5)
