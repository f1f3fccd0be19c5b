"""Work on a Dask cluster: the same bytes as here, through deaths, slowness and other versions."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import dask_stage
import numpy as np
import pytest

from gpu.cli.main import main
from gpu.errors import CancelledByUserError, EngineError, MemoryNeededError, ParameterError
from gpu.graph import CSRGraph
from gpu.record.trace import RunSettings
from gpu.study import cluster as module, cluster_tasks
from gpu.study.cluster import Cluster, is_open
from gpu.study.cluster_tasks import WorkerShare, shares_words
from gpu.study.rows import open_rows
from gpu.study.sources import chosen_sources, from_sources, make_plan
from gpu.study.sweep import make_plan as plan_sweep
from gpu.study.sweep_pool import run_sweep
from sample_graphs import make

pytest.importorskip(
    "distributed", reason='Dask is not installed: pip install "sssp-scope[cluster]"'
)

ROOT = Path(__file__).parents[2]
DIJKSTRA = RunSettings("dijkstra", "cpu", "", 0)


@pytest.fixture(scope="module")
def graph() -> CSRGraph:
    return make("grid", n=400)


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        patch.setenv("DASK_TEMPORARY_DIRECTORY", str(tmp_path_factory.mktemp("dask")))
        with Cluster("local:2") as cluster:
            yield cluster


def on_worker(cluster: Cluster, work: Any, *given: Any) -> Any:
    """Call something in the first worker."""
    first = next(iter(cluster._client.scheduler_info(n_workers=-1)["workers"]))
    return cluster._client.run(work, *given, workers=[first])[first]


def rows_in(path: Path) -> bytes:
    """Return the rows that a file or a folder has."""
    rows = open_rows(path)[:] if path.is_dir() else np.load(path)
    return rows.tobytes()


@pytest.mark.parametrize("reduced", [False, True])
def test_rows_are_the_same_bytes_as_here(
    two: Cluster, graph: CSRGraph, tmp_path: Path, reduced: bool
) -> None:
    chosen = chosen_sources("random:40", graph)
    plan = make_plan(graph, DIJKSTRA, chosen, rows=3, reduced=reduced)
    told: list[str] = []
    from_sources(graph, plan, tmp_path / "here.npy")
    found = from_sources(
        graph,
        plan,
        tmp_path / "there.npy",
        spread=two.blocks,
        progress=lambda _share, words: told.append(words),
    )
    assert (tmp_path / "here.npy").read_bytes() == (tmp_path / "there.npy").read_bytes()
    assert found.workers == ("worker 0", "worker 1")
    assert "worker 1" in told[-1]
    assert told[-1].startswith("40 of 40 sources")


@pytest.mark.parametrize("out", ["there.npy", "there.rows"])
def test_a_worker_that_sees_no_file_sends_its_rows(
    two: Cluster, graph: CSRGraph, tmp_path: Path, out: str
) -> None:
    plan = make_plan(graph, DIJKSTRA, range(10), rows=3)

    def elsewhere(graph: Any, plan: Any, todo: Any, target: Any, stop: Any) -> Any:
        return two.blocks(graph, plan, todo, replace(target, host="another"), stop)

    from_sources(graph, plan, tmp_path / "here.npy")
    from_sources(graph, plan, tmp_path / out, spread=elsewhere)
    assert rows_in(tmp_path / "here.npy") == rows_in(tmp_path / out)


def test_a_sweep_finds_the_same_points(two: Cluster, graph: CSRGraph) -> None:
    plan = plan_sweep(graph, RunSettings("adds", "model", "", 0), "delta", (4.0, 64.0))
    shares: list[float] = []
    points = two.sweep(graph, plan, lambda _point, share: shares.append(share))
    assert points == run_sweep(graph, plan, processes=1)
    assert shares[-1] == 1.0


def test_a_sweep_says_what_each_worker_does(
    two: Cluster, graph: CSRGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_tasks, "HEAR_S", 0.0)
    plan = plan_sweep(graph, RunSettings("near_far", "model", "", 0), "delta", range(1, 30))
    told: list[tuple[WorkerShare, ...]] = []
    monkeypatch.setattr(two, "tell", told.append)
    two.sweep(graph, plan)
    assert any(set(share.under_way) <= set(plan.values) != set() for share in told[0])
    assert [share.under_way for share in told[-1]] == [(), ()]
    assert sum(share.done for share in told[-1]) == len(plan.values)
    words = shares_words(
        (WorkerShare("worker 0", 3, (64.0, 128.0)), WorkerShare("worker 1", 2, ()))
    )
    assert words == "worker 0: 3, now 64, 128; worker 1: 2"


def test_comparisons_are_the_same_bytes_as_here(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    graphs = ["sample:grid?n=200", "sample:rmat?n=300", "sample:star?n=50"]
    given = ["compare", *graphs, "--a", "adds", "--b", "near_far", "--json"]
    assert main(given) == 0
    alone = capsys.readouterr().out
    assert main([*given, "--cluster", "local:2"]) == 0
    assert capsys.readouterr().out == alone
    rows = json.loads(alone)["graphs"]
    assert [row["file"] for row in rows] == graphs
    for row in rows:
        assert row["a"]["verified"]
        assert row["b"]["verified"]
        assert row["b_time_over_a"] == row["b"]["time_ns"] / row["a"]["time_ns"]
        assert row["a"]["mean_parallelism"] > 0


def test_another_version_on_a_worker_is_refused_in_words(
    two: Cluster, graph: CSRGraph, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(module, "version", lambda: "9.9.9")
    monkeypatch.setattr(cluster_tasks, "version", lambda: "9.9.9")
    with pytest.raises(EngineError, match=r"here 9\.9\.9: install the same there"):
        two._check_versions()
    plan = make_plan(graph, DIJKSTRA, range(3))
    with pytest.raises(EngineError, match=r"worker \d at tcp:.*: .*; you have 9\.9\.9: install"):
        from_sources(graph, plan, tmp_path / "rows.npy", spread=two.blocks)


def no_driver() -> str:
    return "no NVIDIA driver on this machine"


def test_workers_without_a_gpu_are_named(
    two: Cluster, graph: CSRGraph, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(module, "_why_no_gpu", no_driver)
    words = r"2 of 2 workers cannot run the engine cuda; worker 0 at tcp://.*: no NVIDIA driver"
    plan = make_plan(graph, RunSettings("apsp_fast", "cuda", "", 0), range(3))
    with pytest.raises(EngineError, match=words):
        from_sources(graph, plan, tmp_path / "rows.npy", spread=two.blocks)
    runs = plan_sweep(graph, RunSettings("adds", "cuda", "", 0), "delta", (4.0,))
    with pytest.raises(EngineError, match=words):
        two.sweep(graph, runs)


def set_memory(is_enough: bool) -> None:
    from gpu.algorithms.all_pairs import require_room
    from gpu.errors import MemoryNeededError
    from gpu.study import cluster, sources, sweep

    def refuse(*_given: Any) -> Any:
        raise MemoryNeededError("3 rows need 1 TB, 2 GB are free")

    sources.require_room = require_room if is_enough else refuse
    cluster.measure = sweep.measure if is_enough else refuse


def test_a_worker_without_memory_is_named(two: Cluster, graph: CSRGraph, tmp_path: Path) -> None:
    plan = make_plan(graph, DIJKSTRA, range(11), rows=3)
    runs = plan_sweep(graph, RunSettings("adds", "model", "", 0), "delta", (4.0, 8.0))
    two._client.run(set_memory, False)
    try:
        with pytest.raises(MemoryNeededError, match=r"worker \d at tcp://.*: 3 rows need 1 TB"):
            from_sources(graph, plan, tmp_path / "rows.npy", spread=two.blocks)
        with pytest.raises(EngineError, match=r"worker \d at tcp://.*: 3 rows need 1 TB"):
            two.sweep(graph, runs)
    finally:
        two._client.run(set_memory, True)
    from_sources(graph, plan, tmp_path / "rows.npy", spread=two.blocks)


def slow_down() -> None:
    import time

    from gpu.study import cluster

    quick = cluster.block

    def slow(*given: Any) -> Any:
        time.sleep(1.0)
        return quick(*given)

    cluster.block = slow


def test_a_slow_worker_gets_less(two: Cluster, graph: CSRGraph, tmp_path: Path) -> None:
    on_worker(two, slow_down)
    plan = make_plan(graph, DIJKSTRA, range(40), rows=2)
    shares: list[str] = []
    from_sources(
        graph,
        plan,
        tmp_path / "rows.npy",
        spread=two.blocks,
        progress=lambda _share, words: shares.append(words),
    )
    counts = sorted(int(part.split()[-1]) for part in shares[-1].split("(")[1][:-1].split(", "))
    assert sum(counts) == 20
    assert counts[0] < counts[-1]


@pytest.mark.parametrize("out", ["there.npy", "there.rows"])
def test_a_worker_that_is_killed_costs_nothing_but_time(
    two: Cluster, graph: CSRGraph, tmp_path: Path, out: str
) -> None:
    plan = make_plan(graph, DIJKSTRA, range(60), rows=2)
    killed: list[int] = []

    def progress(share: float, _words: str) -> None:
        if share > 0.1 and not killed:
            killed.append(on_worker(two, os.getpid))
            os.kill(killed[0], signal.SIGKILL)

    from_sources(graph, plan, tmp_path / "here.npy")
    from_sources(graph, plan, tmp_path / out, spread=two.blocks, progress=progress)
    assert killed
    assert rows_in(tmp_path / "here.npy") == rows_in(tmp_path / out)


@pytest.mark.skipif(os.name != "posix", reason="SIGSTOP is POSIX")
def test_what_a_worker_hangs_on_another_one_does(
    graph: CSRGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_tasks, "PATIENCE_S", 0.5)
    monkeypatch.setattr(cluster_tasks, "FETCH_S", 2.0)
    monkeypatch.setattr(cluster_tasks, "HEAR_S", 0.1)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    plan = make_plan(graph, DIJKSTRA, range(60), rows=2)
    hung: list[int] = []
    told: list[tuple[WorkerShare, ...]] = []
    with Cluster("local:2", tell=told.append) as cluster:

        def progress(share: float, _words: str) -> None:
            if share > 0.1 and not hung:
                hung.append(on_worker(cluster, os.getpid))
                os.kill(hung[0], signal.SIGSTOP)

        try:
            from_sources(
                graph, plan, tmp_path / "there.npy", spread=cluster.blocks, progress=progress
            )
        finally:
            os.kill(hung[0], signal.SIGKILL)
    from_sources(graph, plan, tmp_path / "here.npy")
    assert (tmp_path / "here.npy").read_bytes() == (tmp_path / "there.npy").read_bytes()
    assert [share.name for share in told[-1]] == ["worker 0", "worker 1"]
    assert sum(share.done for share in told[-1]) == plan.blocks


@pytest.mark.skipif(os.name != "posix", reason="SIGSTOP is POSIX")
def test_what_only_a_worker_has_that_hangs_is_sent_anew(
    graph: CSRGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing ends, since every task waits for the graph, which nobody else took in time."""
    monkeypatch.setattr(cluster_tasks, "HEAR_S", 0.1)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    plan = make_plan(graph, DIJKSTRA, range(60), rows=2)
    with Cluster("local:2") as cluster:
        cluster._check_versions()
        cluster._workers.hear()
        first = next(iter(cluster._workers.names))
        pid = on_worker(cluster, os.getpid)
        cluster._sender(lambda: False, first)("graph", graph.hash, lambda: module._arrays(graph))
        assert cluster._workers.has(first, cluster._sent["graph"][1])
        monkeypatch.setattr(cluster_tasks, "PATIENCE_S", 2.0)
        os.kill(pid, signal.SIGSTOP)
        try:
            from_sources(graph, plan, tmp_path / "there.npy", spread=cluster.blocks)
        finally:
            os.kill(pid, signal.SIGKILL)
    from_sources(graph, plan, tmp_path / "here.npy")
    assert (tmp_path / "here.npy").read_bytes() == (tmp_path / "there.npy").read_bytes()


def test_a_worker_that_dask_gave_up_is_started_again(
    graph: CSRGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    plan = make_plan(graph, DIJKSTRA, range(40), rows=2)
    from_sources(graph, plan, tmp_path / "here.npy")
    with Cluster("local:2") as cluster:
        nannies = cluster._own.workers

        async def give_up() -> None:
            await nannies.pop(0).close()
            await nannies[1].close()  # as one does whose start failed: it stays in the list

        cluster._own.sync(give_up)
        found = from_sources(graph, plan, tmp_path / "there.npy", spread=cluster.blocks)
        assert set(found.workers) <= {"worker 0", "worker 1"}
    assert (tmp_path / "here.npy").read_bytes() == (tmp_path / "there.npy").read_bytes()


def test_where_no_worker_is_left_one_can_cancel_and_is_told(
    graph: CSRGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, out = make_plan(graph, DIJKSTRA, range(60), rows=2), tmp_path / "rows.npy"
    with dask_stage.pair() as (address, _scheduler, worker), Cluster(address) as cluster:

        def progress(share: float, _words: str) -> None:
            if share > 0.1:
                worker.kill()

        def is_alone() -> bool:
            return cluster._workers._alone_since is not None

        def compute(should_stop: Any) -> None:
            from_sources(
                graph,
                plan,
                out,
                spread=cluster.blocks,
                progress=progress,
                should_stop=should_stop,
            )

        with pytest.raises(CancelledByUserError):
            compute(is_alone)
        assert is_alone()
        monkeypatch.setattr(cluster_tasks, "ALONE_S", 0.5)
        with pytest.raises(EngineError, match="no worker is left; what is done is kept"):
            compute(lambda: False)
    assert from_sources(graph, plan, out).resumed > 0


def test_a_cancel_ends_what_runs(two: Cluster) -> None:
    graph = make("grid", n=2_000_000)
    plan = plan_sweep(graph, RunSettings("near_far", "model", "", 0), "delta", (1.0, 2.0))
    shares: list[tuple[WorkerShare, ...]] = []
    two.tell = shares.append

    def is_under_way() -> bool:
        return any(share.under_way for told in shares for share in told)

    assert two.sweep(graph, plan, should_stop=is_under_way) == []
    two.tell = lambda _shares: None
    # the workers are free at once, though each run would have lasted long
    assert on_worker(two, os.getpid) > 0
    small = make("grid", n=400)
    rows = make_plan(small, DIJKSTRA, range(4), rows=1)
    assert len(list(two.blocks(small, rows, range(4), None, lambda: False))) == 4


def test_a_scheduler_that_goes_away_leaves_what_is_done(
    graph: CSRGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_tasks, "SILENT_S", 1.0)
    plan, out = make_plan(graph, DIJKSTRA, range(60), rows=2), tmp_path / "rows.npy"
    warnings: list[str] = []
    with dask_stage.scheduler() as (address, process):

        def progress(share: float, _words: str) -> None:
            if share > 0.1:
                process.kill()

        cluster = Cluster(address, warnings.append)
        with cluster, pytest.raises(EngineError, match="the scheduler is gone; what is done is"):
            from_sources(graph, plan, out, spread=cluster.blocks, progress=progress)
    assert warnings == []
    assert from_sources(graph, plan, out).resumed > 0
    expected = tmp_path / "expected.npy"
    from_sources(graph, plan, expected)
    np.testing.assert_array_equal(np.load(out), np.load(expected))


def test_the_command_line_shares_out_what_it_computes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    given = ["sample:grid?n=100", "--algorithm", "dijkstra", "--engine", "cpu"]
    shared, alone = tmp_path / "shared.npy", tmp_path / "alone.npy"
    assert main(["apsp", *given, "-o", str(shared), "--cluster", "local:1", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["cluster_workers"] == ["worker 0"]
    assert told["blocks"]["all"] > 1
    assert main(["apsp", *given, "-o", str(alone)]) == 0
    assert shared.read_bytes() == alone.read_bytes()


@pytest.mark.parametrize("where", ["local:0", "local:x", "no-such-file.json"])
def test_what_is_no_cluster_is_refused(where: str) -> None:
    with pytest.raises(ParameterError, match="allowed: local:"):
        Cluster(where)


@pytest.mark.parametrize(
    ("address", "is_so"),
    [
        ("tcp://10.0.0.7:8786", True),
        ("tcp://gpubox.example.org:8786", True),
        ("tcp://127.0.0.1:8786", False),
        ("tcp://[::1]:8786", False),
        ("tcp://localhost:8786", False),
        ("tls://gpubox.example.org:8786", False),
    ],
)
def test_a_scheduler_that_anybody_reaches_is_known(address: str, is_so: bool) -> None:
    assert is_open(address) == is_so
