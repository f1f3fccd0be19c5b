"""The matrix without a window: pixels of any size, states of sources, the chosen cell."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

import sample_graphs
from gpu.algorithms import ALGORITHMS
from gpu.engine import checked_settings
from gpu.errors import ParameterError
from gpu.graph import INT_UNREACHED, CSRGraph
from gpu.record.trace import NEVER, SAMPLE, GraphReference, RunSettings, Trace, VertexProbe
from viewer.models import session as session_module
from viewer.models.matrix import BEGUN, DONE, RUNNING, WAITING, MatrixModel, SourceStates, states_at
from viewer.models.run_choices import probe_problem
from viewer.models.session import RunRecord, SessionModel
from viewer.raster.matrix import Window, grid_of, look

MATRICES = [key for key, row in ALGORITHMS.items() if row.result == "matrix"]
N = 6
REFERENCE = GraphReference("path", "memory", "hash", N, N - 1, True, 100)


def path_graph() -> CSRGraph:
    """Six vertices in a row, called 100, 101, ..."""
    tails = np.arange(N - 1)
    ids = 100 + np.arange(N)
    ones = np.ones(N - 1, np.int32)
    return CSRGraph.from_arcs(tails, tails + 1, ones, N, ids=ids, name="path")


def distances(first: int = 0, rows: int = N) -> np.ndarray:
    gap = np.arange(N)[None, :] - (first + np.arange(rows))[:, None]
    return np.where(gap >= 0, gap, INT_UNREACHED).astype(np.int32)


def matrix_record(run_id: int = 1, first: int = 0, sources: int | None = None) -> RunRecord:
    parameters = {"first_source": first, "sources": sources, "workers": None}
    settings = RunSettings("edge_apsp", "model", "H100", first, parameters=parameters)
    return RunRecord(run_id, settings, REFERENCE, "modelled")


def counts(*each: tuple[int, int, int]) -> np.ndarray:
    """Samples, 1000 ns apart, that count sources waiting, running, done."""
    samples = np.zeros(len(each), SAMPLE)
    samples["t_ns"] = 1000 * np.arange(len(each))
    samples["occupancy"][:, :3] = each
    return samples


def finished(record: RunRecord, probe: VertexProbe | None = None, reached: int = 21) -> Trace:
    rows = record.source_count
    return Trace(
        record.settings,
        record.graph_reference,
        counts((rows, 0, 0), (0, 0, rows)),
        distances(record.settings.source, rows),
        "modelled",
        "finished",
        {"reached": reached},
        probe,
    )


@given(
    st.integers(1, 40),
    st.integers(1, 40),
    st.integers(1, 17),
    st.integers(1, 17),
    st.booleans(),
    st.integers(0, 2**31),
)
def test_a_pixel_is_mean_and_least_of_its_entries(
    rows: int, columns: int, height: int, width: int, whole: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    dist = rng.integers(0, 1000, (rows, columns)).astype(np.int32 if whole else np.float32)
    dist[rng.random(dist.shape) < 0.4] = INT_UNREACHED if whole else np.inf
    first = int(rng.integers(0, rows)), int(rng.integers(0, columns))
    window = Window(first[0], rows - first[0], first[1], columns - first[1])
    grid = grid_of(window, height, width)
    assert grid.shape[0] <= height
    assert grid.shape[1] <= width
    stripes = [look(dist, grid, place, place + 1) for place in range(grid.shape[0])]
    known = np.where(dist == (INT_UNREACHED if whole else np.inf), np.nan, dist.astype(float))
    seen = 0
    for y, x in np.ndindex(*grid.shape):
        top = window.first_row + y * grid.row_step
        left = window.first_column + x * grid.column_step
        block = known[top : top + grid.row_step, left : left + grid.column_step]
        finite = block[np.isfinite(block)]
        assert stripes[y].unreached[0, x] == block.size - len(finite)
        if len(finite):
            assert stripes[y].mean[0, x] == pytest.approx(finite.mean(), rel=1e-6)
        else:
            assert np.isnan(stripes[y].mean[0, x])
        seen += block.size
    assert seen == window.rows * window.columns  # every entry, once
    shown = known[window.first_row :, window.first_column :]
    top = max(stripe.top for stripe in stripes)
    assert top == (np.nanmax(shown) if np.isfinite(shown).any() else 0)


def told(states: SourceStates) -> tuple[list[int], tuple[int, int, int]]:
    return states.state.tolist(), (states.waiting, states.running, states.done)


def test_states_of_sources_at_any_moment_forwards_and_backwards() -> None:
    record = matrix_record(first=1, sources=3)
    begun, ended = np.full(N, NEVER), np.full(N, NEVER)
    begun[1:4], ended[1:4] = (0, 100, 700), (500, 900, 1000)
    record.adopt(finished(record, VertexProbe(begun, ended, np.ones(N, np.int32))))
    assert record.vertices is None  # they are times of sources, not of vertices
    for _ in range(2):
        assert told(states_at(record, 50)) == ([RUNNING, WAITING, WAITING], (2, 1, 0))
        assert told(states_at(record, 800)) == ([DONE, RUNNING, RUNNING], (0, 2, 1))
        assert told(states_at(record, np.inf)) == ([DONE] * 3, (0, 0, 3))


def test_below_level_2_only_what_was_begun_is_known() -> None:
    record = matrix_record(sources=4)
    assert told(states_at(record, np.inf)) == ([WAITING] * 4, (4, 0, 0))
    record.append(counts((4, 0, 0), (1, 2, 1), (0, 0, 4)))
    assert told(states_at(record, 1500)) == ([BEGUN] * 3 + [WAITING], (1, 2, 1))
    assert told(states_at(record, 2000)) == ([DONE] * 4, (0, 0, 4))
    assert states_at(record, 1500).words == "1 done, 2 running, 1 waiting"


@pytest.fixture
def session() -> SessionModel:
    session = SessionModel()
    session.set_graph(path_graph())
    return session


def test_the_row_is_the_session_s_source(session: SessionModel) -> None:
    record = matrix_record(first=2, sources=3)
    session.set_source(3)
    session.add_run(record)
    assert (record.row, record.row_id, record.shown_source) == (1, 103, 3)
    session.finish_run(1, finished(record))
    assert np.array_equal(record.dist, record.matrix[1])
    changed: list[RunRecord] = []
    session.row_changed.connect(changed.append)
    session.set_source(4)
    assert np.array_equal(record.dist, record.matrix[2])
    assert changed == [record]
    session.set_source(0)  # no row of this matrix: the next run's source all the same
    assert (session.source, record.row) == (0, 2)
    assert changed == [record]
    assert record.title == "All pairs, edges on path from 100 and 2 more"


def test_matrices_give_way_to_newer_ones_but_two_are_kept(
    session: SessionModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_module, "MAX_BYTES", distances().nbytes)
    for run_id in (1, 2, 3):
        record = matrix_record(run_id)
        session.add_run(record)
        session.finish_run(run_id, finished(record))
    assert [run.run_id for run in session.runs] == [2, 3]


def test_cell_and_window(session: SessionModel) -> None:
    model = MatrixModel(session)
    model.choose(1, 1)  # no matrix: nothing to choose
    assert (model.row, model.column) == (0, -1)
    session.add_run(matrix_record())
    assert model.whole == model.window == Window(0, N, 0, N)
    model.choose(2, 99)
    assert (model.row, model.column, session.source) == (2, N - 1, 2)
    model.move(-9, -1)
    assert (model.row, model.column) == (0, N - 2)
    model.zoom(0.34, 0, 0)
    assert model.window == Window(0, 2, 0, 2)
    model.move(1, 0)
    assert model.window == Window(0, 2, 3, 2)  # the chosen cell stays in sight
    model.choose(5, 0)
    assert model.window == Window(4, 2, 0, 2)
    model.fit()
    assert model.window == model.whole
    session.set_current(None)
    assert model.record is None


def test_every_event_of_many_sources_is_refused_in_words() -> None:
    graph = sample_graphs.make("grid", n=400)  # 1,520 arcs x 400 sources
    settings = RunSettings(MATRICES[0], "model", "", 0, probe=3)
    with pytest.raises(ParameterError, match="take 263 sources, or probe level 2"):
        checked_settings(graph, settings)
    few = replace(settings, parameters={"sources": 263})
    assert checked_settings(graph, few).parameters["sources"] == 263
    assert "up to 263 sources here" in (probe_problem(3, "model", graph.m, 400) or "")
    assert probe_problem(3, "model", graph.m, 263) is None
    assert probe_problem(2, "model", graph.m, 400) is None
