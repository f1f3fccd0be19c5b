"""A matrix is right when every row is: which rows are proved, and what is said of them."""

import numpy as np
import pytest
from test_verify import plain_dijkstra

from gpu.errors import CancelledByUserError, SourceError
from gpu.graph import CSRGraph
from gpu.proof import verify as proof
from gpu.proof.verify import AT_ONCE, certificate, chosen_rows, verify, verify_rows


@pytest.fixture(scope="module")
def graph() -> CSRGraph:
    """200 vertices that the file counts from 1, a ring with chords."""
    rng = np.random.default_rng(4)
    tails = np.concatenate([np.arange(200), rng.integers(0, 200, 300)])
    heads = np.concatenate([np.roll(np.arange(200), -1), rng.integers(0, 200, 300)])
    weights = rng.integers(1, 50, 500).astype(np.int32)
    return CSRGraph.from_arcs(tails, heads, weights, 200, id_base=1)


@pytest.fixture(scope="module")
def matrix(graph: CSRGraph) -> np.ndarray:
    return np.array([plain_dijkstra(graph, source) for source in range(graph.n)], np.int32)


def test_every_row_is_proved_and_progress_is_told(graph: CSRGraph, matrix: np.ndarray) -> None:
    told: list[tuple[float, str]] = []
    found = verify_rows(graph, 0, matrix, progress=lambda done, words: told.append((done, words)))
    assert (found.passed, found.oracle, found.certificate) == (True, None, True)
    assert found.detail == "all 200 rows proved right"
    assert [done for done, _ in told] == [AT_ONCE / 200, 2 * AT_ONCE / 200, 3 * AT_ONCE / 200, 1.0]
    assert told[0][1] == "verifying row 64 of 200"


@pytest.mark.parametrize("row", [0, 1, AT_ONCE - 1, AT_ONCE, 100, 149])
def test_a_wrong_row_is_named_by_its_source(graph: CSRGraph, matrix: np.ndarray, row: int) -> None:
    wrong = matrix[50:].copy()
    assert verify_rows(graph, 50, wrong).passed
    assert not verify_rows(graph, 49, wrong[:3]).passed  # row i starts from first + i
    wrong[row, (row + 90) % 200] += 1
    words = f"certificate: from source {50 + row + 1}: "
    for found in (verify_rows(graph, 50, wrong), verify(graph, 50, wrong)):
        assert not found.passed
        assert found.detail.startswith(words)
    assert str(certificate(graph, 50, wrong)).startswith(words)
    assert certificate(graph, 0, matrix) is None


def test_rows_must_have_sources_and_a_shape(graph: CSRGraph, matrix: np.ndarray) -> None:
    assert verify_rows(graph, 199, matrix[199:]).passed
    with pytest.raises(SourceError):
        verify_rows(graph, 199, matrix[198:])
    with pytest.raises(SourceError):
        verify_rows(graph, -1, matrix[:1])
    for shape in ((0, 200), (200,)):
        found = verify_rows(graph, 0, np.zeros(shape, np.int32))
        assert not found.passed
        assert found.detail == f"distances have shape {shape}, not (k, 200)"


def test_stop_is_asked_before_each_batch(graph: CSRGraph, matrix: np.ndarray) -> None:
    asked: list[bool] = []

    def stop() -> bool:
        asked.append(len(asked) == 2)
        return asked[-1]

    with pytest.raises(CancelledByUserError):
        verify_rows(graph, 0, matrix, should_stop=stop)
    assert len(asked) == 3
    assert verify_rows(graph, 0, matrix, should_stop=lambda: False).passed


def test_a_sample_is_seeded_and_has_both_ends(graph: CSRGraph) -> None:
    for rows in (2, 3, 10, 199):
        chosen = chosen_rows(graph, 200, rows, seed=1)
        assert rows - 2 <= len(chosen) <= rows  # an end may be drawn as well
        assert (chosen[0], chosen[-1]) == (0, 199)
        assert (np.diff(chosen) > 0).all()
    assert len(chosen_rows(graph, 200, 1, seed=1)) == 1
    assert chosen_rows(graph, 200, 200, seed=1).tolist() == list(range(200))
    assert chosen_rows(graph, 200, 10, 1).tolist() == chosen_rows(graph, 200, 10, 1).tolist()
    assert chosen_rows(graph, 200, 10, 1).tolist() != chosen_rows(graph, 200, 10, 2).tolist()


def test_so_many_rows_are_proved_as_are_cheap(
    graph: CSRGraph, matrix: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    per_row = graph.n + graph.m
    for budget, least, most in (
        (200 * per_row, 200, 200),
        (200 * per_row - 1, 197, 199),
        (1, 1, 1),
    ):
        monkeypatch.setattr(proof, "ARCS_ALL", budget)
        assert least <= len(chosen_rows(graph, 200, None, 1)) <= most
    monkeypatch.setattr(proof, "ARCS_ALL", 5 * per_row)
    found = verify_rows(graph, 0, matrix)
    assert found.passed
    assert found.detail.endswith("of 200 rows proved right (a seeded sample)")
