"""A run in a person's hands, against the modelled Dijkstra and Bellman-Ford on the same graphs."""

import numpy as np
import pytest

import sample_graphs
from gpu.errors import ParameterError
from gpu.graph import CSRGraph
from gpu.proof.verify import oracle_distances
from gpu.study.play import Game, rivals


def random_graph(seed: int) -> CSRGraph:
    """Return 3 to 9 vertices, loops and parallel edges too; no two distances are equal."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(3, 10)), int(rng.integers(3, 24))
    weights = rng.permutation(200)[:m] + rng.random(m)
    return CSRGraph.from_arcs(rng.integers(0, n, m), rng.integers(0, n, m), weights, n)


@pytest.mark.parametrize("seed", range(60))
def test_the_closest_first_is_dijkstra_and_everything_at_once_bellman_ford(seed: int) -> None:
    graph = random_graph(seed)
    adds, dijkstra, bellman_ford = rivals(graph, 0)
    reached = int(np.isfinite(oracle_distances(graph, 0)).sum())
    assert adds.again == adds.processed - reached  # stale items, and what came too early
    scores = []
    for place, delta in ((0, None), (-1, None), (0, np.inf)):
        game = Game(graph, 0)
        while game.waiting:
            game.take(game.waiting[place], delta)
        scores.append(game.score())
    closest, farthest, everything = scores
    assert closest[1:6] == (reached, 0, dijkstra.relaxed, 0, 0)
    assert closest.processed == dijkstra.processed
    assert closest.time_ms == pytest.approx(dijkstra.time_ms, abs=1e-6)
    assert everything[1:6] == pytest.approx(bellman_ford[1:6])
    assert everything.time_ms == pytest.approx(bellman_ford.time_ms, rel=0.001)
    assert farthest.distance_error >= closest.distance_error


@pytest.mark.parametrize("seed", range(40))
def test_every_order_ends_with_the_right_distances(seed: int) -> None:
    graph, rng = random_graph(seed), np.random.default_rng(seed)
    game = Game(graph, 0)
    assert game.step_words() == f"Only the source waits. Take {graph.id_of(0)}."
    while game.waiting:
        before, heap = game.now, list(game.now.heap)
        vertex = int(rng.choice(game.waiting))
        delta = None if rng.random() < 0.7 else float(rng.integers(1, 100))
        game.take(vertex, delta)
        after = game.now
        game.undo()
        assert (game.now, game.now.heap) == (before, heap)
        game.take(vertex, delta)
        assert game.now == after
    assert game.now.dist == pytest.approx(oracle_distances(graph, 0).tolist())
    assert game.end_words(rivals(graph, 0)).startswith("Every distance is proved right.")


def test_figure_1_by_hand() -> None:
    """S offers A 10 and B 1. A at 10 is taken while B waits 9 closer, and again at 2."""
    graph = sample_graphs.make("figure_1")
    s, a, b = map(graph.vertex_of, "SAB")
    game = Game(graph, s)
    game.take(s)
    assert game.hint() == "The closest waiting vertex is B at 1."
    game.take(a)
    assert game.now.pops == ((a, 10, 1, 9),)
    game.take(b)
    assert (game.now.relaxed, game.now.improved) == (1, 1)
    game.take(a)
    assert not game.waiting
    assert game.score()[1:6] == (4, 1, 3, 1 / 4, 9 / 4)
    words = game.difference_words()
    assert "at pop 2: you took A at 10 while a vertex waited at 1" in words
    assert "1 vertex and 0 edges more than needed" in words
    with pytest.raises(ParameterError, match="vertex B does not wait"):
        game.take(b)


def test_a_bucket_is_what_waits_between_two_multiples_of_delta() -> None:
    graph = sample_graphs.make("figure_6")
    game = Game(graph, graph.vertex_of("S"))
    game.take(graph.vertex_of("S"))
    game.take(graph.vertex_of("C"), 20.0)  # 16 | 37 | 55 | 74
    assert [pop.dist for pop in game.now.pops] == [55]
    game.undo()
    game.take(graph.vertex_of("C"), 40.0)  # 16, 37 | 55, 74
    assert [(pop.dist, pop.rank_error, pop.distance_error) for pop in game.now.pops] == [
        (55, 2, 39),
        (74, 2, 58),
    ]
