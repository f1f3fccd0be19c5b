"""Sweeps: plans, points against runs made one by one, processes, cancel, the command."""

import math
import multiprocessing
import os
import time
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest
from processes import die_asking

import gpu
import sample_graphs
from gpu.errors import EngineError, ParameterError
from gpu.graph import CSRGraph
from gpu.host.memory import SHM_FOLDER, Memory
from gpu.record.trace import RunSettings
from gpu.study import elsewhere, sweep

DEADLINE_S = 60.0


@pytest.fixture(scope="module")
def graph() -> CSRGraph:
    return sample_graphs.make("city_roads", n=1_500, seed=3)


def settings(algorithm: str = "adds", **more: object) -> RunSettings:
    return RunSettings(algorithm, "model", "", 0, **more)  # type: ignore[arg-type]


def test_usual_values_double_around_near_fars_delta(graph: CSRGraph) -> None:
    plan = sweep.make_plan(graph, settings())
    assert len(plan.values) == sweep.COUNT
    ratios = np.divide(plan.values[1:], plan.values[:-1])
    np.testing.assert_allclose(ratios, 2.0, rtol=0.01)
    usual = 32 * graph.mean_weight / graph.mean_degree
    assert plan.values[sweep.DOUBLINGS_BELOW] == pytest.approx(usual, rel=0.01)
    assert plan.controller
    by_c = sweep.make_plan(graph, settings(), sweep.C)
    assert by_c.values[sweep.DOUBLINGS_BELOW] == pytest.approx(32.0)
    assert not sweep.make_plan(graph, settings("near_far")).controller


@pytest.mark.parametrize(
    ("knob", "values", "words"),
    [
        ("gravity", None, "has no 'gravity' to sweep"),
        ("delta", (1.0, -2.0), "finite number above 0"),
        ("delta", (math.inf,), "finite number above 0"),
        ("buckets", (2.5,), "a whole number"),
        ("buckets", (64.0,), "a whole number from 2 to 32"),
    ],
)
def test_what_cannot_be_swept_is_refused(
    graph: CSRGraph, knob: str, values: tuple[float, ...] | None, words: str
) -> None:
    with pytest.raises(ParameterError, match=words):
        sweep.make_plan(graph, settings(), knob, values)


def test_points_equal_runs_made_one_by_one(graph: CSRGraph) -> None:
    plan = sweep.make_plan(graph, settings(), values=(50.0, 800.0))
    told: list[float] = []
    points = sweep.run_sweep(graph, plan, lambda _p, share: told.append(share), processes=2)
    assert [point.value for point in points] == [None, 50.0, 800.0]
    assert told == sorted(told)
    assert told[-1] == 1.0
    for point in points[1:]:
        alone = gpu.run(graph, "adds", delta=point.value, parameters={"dynamic_delta": False})
        assert (point.time_ns, point.processed_vertices) == (
            alone.time_ns,
            alone.processed_vertices,
        )
        assert point.certificate is None
        assert point.reached == graph.n
    own = gpu.run(graph, "adds")
    assert points[0].time_ns == own.time_ns
    assert points[0].path_delta[0] == own.samples["delta"][0]
    assert points[0].path_delta[-1] == own.samples["delta"][-1]


def test_findings_are_the_extremes(graph: CSRGraph) -> None:
    plan = sweep.make_plan(graph, settings(), values=(2.0, 30.0, 500.0, 8_000.0))
    points = [sweep.measure(plan, graph, value) for value in (None, *plan.values)]
    marked = sweep.findings(points)
    curve = points[1:]
    assert marked.best_time is min(curve, key=lambda point: point.time_ns)
    assert marked.best_work.processed_vertices == min(p.processed_vertices for p in curve)
    assert marked.clip is points[1], "delta 2 cannot order this city in 32 buckets"
    assert marked.controller is points[0]
    assert sweep.findings([]) == sweep.SweepFindings(None, None, None, None)


def test_a_failing_value_costs_itself_and_says_why() -> None:
    heavy = CSRGraph.from_arcs(
        np.array([0, 1]), np.array([1, 2]), np.array([2**31 - 2, 5], np.int32), 3
    )
    in_int32 = replace(settings("near_far"), numbers="int32")
    plan = sweep.make_plan(heavy, in_int32, values=(10.0,))
    with pytest.raises(EngineError, match="passes 2\\^31 - 1"):
        sweep.run_sweep(heavy, plan, processes=1)


def test_cancel_ends_runs_that_are_going_and_leaves_nothing() -> None:
    large, mine = sample_graphs.make("grid", n=90_000, seed=1), f"sssp-{os.getpid()}-*"
    before = set(SHM_FOLDER.glob(mine)) if SHM_FOLDER.is_dir() else set()
    points: list[sweep.SweepPoint] = []
    plan = sweep.make_plan(large, settings())
    begun = time.monotonic()
    made = sweep.run_sweep(
        large, plan, lambda point, _share: points.append(point), 2, should_stop=lambda: bool(points)
    )
    assert time.monotonic() - begun < DEADLINE_S
    assert 1 <= len(made) < len(plan.values)
    assert not multiprocessing.active_children()
    after = set(SHM_FOLDER.glob(mine)) if SHM_FOLDER.is_dir() else set()
    assert after <= before


def test_a_process_that_dies_ends_the_sweep_in_words(graph: CSRGraph) -> None:
    plan = sweep.make_plan(graph, settings(), values=(20.0, 40.0, 80.0))
    points: list[sweep.SweepPoint] = []

    def strike(point: sweep.SweepPoint, _share: float) -> None:
        points.append(point)
        multiprocessing.active_children()[0].kill()

    with pytest.raises(EngineError, match=r"died \(often: out of memory\)"):
        sweep.run_sweep(graph, plan, strike, processes=1)
    assert points
    assert not any(point.failure for point in points)


@pytest.mark.timeout(60)
def test_a_process_that_dies_as_it_asks_to_stop_holds_nobody_up(graph: CSRGraph) -> None:
    results = elsewhere.map_here(1, die_asking, graph, [1])
    with closing(results), pytest.raises(elsewhere.DiedError):
        elsewhere.result(next(results)[1])


def test_a_pool_gives_its_memory_back_without_a_descriptor(
    graph: CSRGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_memory: Memory) -> None:
        raise OSError("too many open files")

    monkeypatch.setattr(Memory, "sweep", refuse)
    mine = f"sssp-{os.getpid()}-*"
    before = set(SHM_FOLDER.glob(mine))
    plan = sweep.make_plan(graph, settings("near_far"), "delta", (4.0, 8.0))
    sweep.run_sweep(graph, plan, processes=2)
    assert set(SHM_FOLDER.glob(mine)) == before
