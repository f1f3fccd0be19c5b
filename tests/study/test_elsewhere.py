"""Work shared out by Dask: the same bytes as here, through deaths and other versions."""

import os
import signal
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import dask_stage
import pytest

from gpu.errors import EngineError, ParameterError
from gpu.graph import CSRGraph
from gpu.record.trace import RunSettings
from gpu.study.apsp import from_sources, make_plan
from gpu.study.elsewhere import check_versions, cluster
from gpu.study.sweep import make_plan as plan_sweep, run_sweep
from sample_graphs import make

pytestmark = pytest.mark.skipif(  # not imported here: only one of several workers needs it
    find_spec("distributed") is None,
    reason='Dask is not installed: pip install "sssp-scope[cluster]"',
)

ROOT = Path(__file__).parents[2]
DIJKSTRA = RunSettings("dijkstra", "cpu")


@pytest.fixture(scope="module")
def graph() -> CSRGraph:
    return make("grid", n=400)


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        patch.setenv("DASK_TEMPORARY_DIRECTORY", str(tmp_path_factory.mktemp("dask")))
        with cluster("local:2") as client:
            yield client


@pytest.mark.parametrize(("reduced", "suffix"), [(False, "npy"), (True, "csv")])
def test_rows_are_the_same_bytes_as_here(
    two: Any, graph: CSRGraph, tmp_path: Path, reduced: bool, suffix: str
) -> None:
    plan = make_plan(graph, DIJKSTRA, "20:60", rows=3, reduced=reduced)
    here, there = tmp_path / f"here.{suffix}", tmp_path / f"there.{suffix}"
    said: list[str] = []
    from_sources(graph, plan, here)
    from_sources(graph, plan, there, there=two, progress=lambda _share, words: said.append(words))
    assert here.read_bytes() == there.read_bytes()
    assert said[-1] == "40 of 40 sources"


def test_a_sweep_finds_the_same_points(two: Any, graph: CSRGraph) -> None:
    plan = plan_sweep(graph, RunSettings("adds"), "delta", (4.0, 64.0))
    shares: list[float] = []
    points = run_sweep(graph, plan, lambda _point, share: shares.append(share), there=two)
    assert points == run_sweep(graph, plan, processes=1)
    assert shares[-1] == 1.0


def test_another_version_on_a_worker_is_refused_in_words() -> None:
    class Old:
        def run(self, *_: Any, **__: Any) -> dict[str, str]:
            return {"tcp://w:1": "0.0.1"}

    with pytest.raises(EngineError, match=r"worker tcp://w:1: 0\.0\.1; install .* there, as here"):
        check_versions(Old())


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is POSIX")
def test_a_worker_that_is_killed_costs_nothing_but_time(
    two: Any, graph: CSRGraph, tmp_path: Path
) -> None:
    plan = make_plan(graph, DIJKSTRA, "60", rows=2)
    pids = list(two.run(os.getpid).values())

    def progress(share: float, _words: str) -> None:
        if share > 0.1 and pids:
            os.kill(pids.pop(), signal.SIGKILL)
            pids.clear()

    from_sources(graph, plan, tmp_path / "here.npy")
    from_sources(graph, plan, tmp_path / "there.npy", there=two, progress=progress)
    assert not pids
    assert (tmp_path / "here.npy").read_bytes() == (tmp_path / "there.npy").read_bytes()


def test_a_cancel_leaves_the_workers_free(two: Any, graph: CSRGraph) -> None:
    large = make("grid", n=250_000)
    plan = plan_sweep(large, RunSettings("near_far"), "delta", (1.0, 2.0, 4.0))
    assert len(run_sweep(large, plan, should_stop=lambda: True, there=two)) < 3
    small = plan_sweep(graph, RunSettings("near_far"), "delta", (4.0, 8.0))
    assert len(run_sweep(graph, small, there=two)) == 2


def test_a_scheduler_that_goes_away_is_said_and_no_file_is_left(
    graph: CSRGraph, tmp_path: Path
) -> None:
    import dask

    plan, out = make_plan(graph, DIJKSTRA, "60", rows=2), tmp_path / "r.npy"
    quick = {"distributed.comm.timeouts.connect": "1s"}
    with (
        dask.config.set(quick),
        dask_stage.begun() as (address, process),
        dask_stage.begun(address),
        cluster(address) as client,
    ):

        def progress(share: float, _words: str) -> None:
            if share > 0.1:
                process.kill()

        with pytest.raises(EngineError, match="the scheduler of the cluster is gone"):
            from_sources(graph, plan, out, there=client, progress=progress)
    assert [path for path in tmp_path.iterdir() if path.is_file()] == []


@pytest.mark.parametrize("where", ["local:0", "local:x", "no-such-file.json"])
def test_what_is_no_cluster_is_refused(where: str) -> None:
    with pytest.raises(ParameterError, match="allowed: local:"), cluster(where):
        pytest.fail("there is no such cluster")
