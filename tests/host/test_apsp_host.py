"""All pairs in the engine process: shared matrices, proofs row by row, Stop, refusals."""

from collections.abc import Iterator
from pathlib import Path

import host_engines as engines
import pytest
from host_driver import Driver

from gpu.errors import MemoryNeededError
from gpu.host import EngineHost, Entries, Failed, Memory, RunFinished
from gpu.record.trace import RunSettings, Trace
from sample_graphs import make

COMPILING_S = 240.0  # of a fresh clone, on two busy cores


@pytest.fixture
def driven(tmp_path: Path) -> Iterator[Driver]:
    driver = Driver(EngineHost(Entries(warm_up=""), Memory(folder=str(tmp_path))))
    driver.host.start()
    yield driver
    driver.host.close()


def trace_of(driven: Driver, run_id: int) -> Trace:
    """Wait for a run's end; whatever else ended it fails the test at once, in its own words."""
    ends = ("RunFinished", "Failed", "EngineLost")
    driven.until(lambda: any(end in driven.names(run_id) for end in ends), COMPILING_S)
    assert "RunFinished" in driven.names(run_id), driven.heard[-1]
    return driven.wait_for(RunFinished, run_id).trace


@pytest.mark.slow
def test_stop_ends_a_long_run_with_what_was_done(driven: Driver) -> None:
    driven.until(lambda: "Ready" in driven.names(0), COMPILING_S)  # compiling holds Python's lock
    driven.host.put_graph(make("grid", n=2500))
    run_id = driven.host.run(RunSettings("edge_apsp", "model", "", 0, probe=1))
    driven.until(lambda: len(driven.host.take_samples()) > 0, COMPILING_S)
    pid = driven.host._child.pid
    driven.host.stop()
    trace = trace_of(driven, run_id)
    assert trace.outcome == "stopped"
    assert driven.host._child.pid == pid  # it listened, nobody had to kill it
    assert trace.dist.shape == (2500, 2500)
    assert int(trace.last["occupancy"][0]) > 0


@pytest.mark.slow
def test_what_does_not_fit_is_refused_with_advice(tmp_path: Path) -> None:
    entries = Entries(warm_up="", run=f"{engines.__name__}:run_in_little_memory")
    driven = Driver(EngineHost(entries, Memory(folder=str(tmp_path))))
    driven.host.start()
    try:
        driven.host.put_graph(engines.path_graph(3000))
        run_id = driven.host.run(RunSettings("apsp_fast", "model", "", 0))
        error = driven.wait_for(Failed, run_id).error
    finally:
        driven.host.close()
    assert isinstance(error, MemoryNeededError)
    for words in ("34 MB of shared memory needed", "fewer sources", "sssp-scope apsp"):
        assert words in str(error)
