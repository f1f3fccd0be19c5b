"""Connections that break: the run goes on there and is picked up, by this process or by a later."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from host_driver import Driver, elsewhere, wait_until

import gpu
from gpu.cli.main import main
from gpu.compiled import cache_folder
from gpu.host import EngineHost, EngineLost, Memory, RunFinished, RunStarted, Verified
from gpu.record.trace import RunSettings, Trace
from gpu.record.tracefile import load_trace
from gpu.remote import Elsewhere
from gpu.remote.left import left_folder
from gpu.remote.pickup import notes_folder, waiting
from sample_graphs import make

ROOT = Path(__file__).parents[2]
PROXY = Path(__file__).with_name("proxy.py")
FAR = """
import os, sys
from gpu.remote import far
far.KEEP_S = {keep}
with open({told!r}, "a") as file:
    print(os.getpid(), file=file)
sys.exit(far.serve())
"""
GRAPH = "grid"
PACE = 30.0  # samples a second

pytestmark = pytest.mark.skipif(
    os.name != "posix", reason="nothing is left where no file is locked"
)


class Far:
    """Another computer behind a link that can be cut."""

    def __init__(self, folder: Path) -> None:
        self._told = folder / "far"

    def there(self, base: Elsewhere, keep_s: float = 60.0) -> Elsewhere:
        script = FAR.format(keep=keep_s, told=str(self._told))
        words = shlex.join([sys.executable, "-c", script])
        return replace(base, command=f"exec {sys.executable} {PROXY} delay:0 {words}")

    def pids(self) -> list[int]:
        return [int(line) for line in self._told.read_text().split()]

    def is_gone(self) -> bool:
        return not any(map(_is_alive, self.pids()))


def _is_alive(pid: int) -> bool:
    try:
        told = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):  # it has gone, or goes just now
        return False
    return told.rpartition(")")[2].split()[0] != "Z"


@pytest.fixture
def far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Far:
    compiled, cache = cache_folder(), tmp_path / "cache"
    compiled.mkdir(parents=True, exist_ok=True)
    cache.mkdir()
    (cache / compiled.name).symlink_to(compiled)
    monkeypatch.setenv("SSSP_SCOPE_CACHE", str(cache))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return Far(tmp_path)


@pytest.fixture
def base(tmp_path: Path) -> Iterator[Elsewhere]:
    with elsewhere(tmp_path) as found:
        yield found


Hosted = Callable[[Elsewhere], Driver]


@pytest.fixture
def hosted(tmp_path: Path, far: Far) -> Iterator[Hosted]:
    made = []

    def host(there: Elsewhere) -> Driver:
        driver = Driver(EngineHost(memory=Memory(folder=str(tmp_path)), spawn=there.spawn))
        made.append(driver)
        driver.host.start()
        driver.host.put_graph(make(GRAPH, n=400))
        return driver

    yield host
    for driver in made:
        driver.host.close()


SETTINGS = RunSettings("adds", "model", "H100", 0)


def start_slowly(driver: Driver) -> int:
    """Start a run of some seconds, and see it run."""
    driver.host.set_pace(PACE)
    run_id = driver.host.run(SETTINGS)
    driver.wait_for(RunStarted, run_id)
    driver.until(lambda: len(driver.host.take_samples()) > 0)
    return run_id


def cut(driver: Driver) -> None:
    """End the link: neither side is told."""
    os.kill(driver.host.child_pid, signal.SIGKILL)


def assert_is_whole(trace: Trace) -> None:
    expected = gpu.run(make(GRAPH, n=400), "adds", "model", device="H100")
    np.testing.assert_array_equal(trace.dist, expected.dist)
    np.testing.assert_array_equal(trace.samples, expected.samples)
    assert trace.outcome == "finished"
    assert trace.environment["machine"] == "somebody@elsewhere"


def test_a_run_goes_on_over_a_connection_that_broke(
    base: Elsewhere, far: Far, hosted: Hosted
) -> None:
    driver = hosted(far.there(base))
    run_id = start_slowly(driver)
    cut(driver)
    trace = driver.wait_for(RunFinished, run_id).trace
    assert_is_whole(trace)
    assert driver.wait_for(Verified, run_id).verification.passed
    words = [driver.in_words(message) for message in driver.heard]
    assert any("the run goes on there" in told for told in words)
    assert not any(isinstance(message, EngineLost) for message in driver.heard)
    assert len(far.pids()) == 2
    driver.until(lambda: driver.host.idle)
    wait_until(lambda: not list(left_folder().iterdir()))
    assert not list(notes_folder().iterdir())
    again = driver.host.run(SETTINGS)
    driver.host.set_pace(None)
    assert_is_whole(driver.wait_for(RunFinished, again).trace)
    driver.host.close()
    wait_until(far.is_gone)


def test_a_proof_that_was_under_way_is_picked_up(base: Elsewhere, far: Far, hosted: Hosted) -> None:
    """The link is cut at every turn after the run's end: nothing is told twice."""
    driver = hosted(far.there(base))
    for _ in range(3):
        driver.host.set_pace(None)
        run_id = driver.host.run(SETTINGS)
        assert_is_whole(driver.wait_for(RunFinished, run_id).trace)
        cut(driver)
        assert driver.wait_for(Verified, run_id).verification.passed
        driver.until(lambda: driver.host.idle)
        assert driver.names(run_id).count("Verified") == 1
        assert driver.names(run_id).count("RunFinished") == 1
        assert "EngineLost" not in driver.names(run_id)


def test_a_run_sent_to_a_far_side_that_was_just_killed_is_made_by_the_next(
    base: Elsewhere, far: Far, hosted: Hosted
) -> None:
    driver = hosted(far.there(base))
    driver.until(lambda: driver.host.alive and far._told.exists() and bool(driver.heard))
    os.kill(far.pids()[0], signal.SIGKILL)
    run_id = driver.host.run(SETTINGS)
    assert_is_whole(driver.wait_for(RunFinished, run_id).trace)
    assert len(far.pids()) == 2


def test_a_far_side_that_was_killed_has_nothing_to_pick_up(
    base: Elsewhere, far: Far, hosted: Hosted
) -> None:
    driver = hosted(far.there(base))
    run_id = start_slowly(driver)
    os.kill(far.pids()[0], signal.SIGKILL)
    lost = driver.wait_for(EngineLost, run_id)
    assert "while running an algorithm" in lost.words
    assert lost.words.endswith("the engine there had ended too")
    assert lost.trace is not None
    assert waiting() == []


def kill_a_near_side(there: Elsewhere, folder: Path) -> None:
    """A whole near process runs, and is killed in the middle."""
    script = f"""
import sys
sys.path[:0] = {[str(ROOT), str(ROOT / "tests" / "helpers"), str(ROOT / "tests" / "remote")]!r}
import test_left
from test_left import *
driver = Driver(EngineHost(
    memory=Memory(folder={str(folder)!r}),
    spawn=Elsewhere({there.address!r}, {there.command!r}).spawn,
))
driver.host.start()
driver.host.put_graph(make(GRAPH, n=400))
start_slowly(driver)
print("runs", flush=True)
driver.host.wait(60)
driver.until(lambda: False)
"""
    near = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    with near:
        assert near.stdout is not None
        assert near.stdout.readline() == "runs\n"
        near.kill()
    Memory(folder=str(folder)).clean_stale()


def test_a_later_process_picks_up_what_a_killed_one_began(
    base: Elsewhere, far: Far, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kill_a_near_side(far.there(base), tmp_path)
    assert len(waiting()) == 1
    assert main(["pickup"]) == 0
    assert "adds on grid" in capsys.readouterr().out.lower()
    out = tmp_path / "run.npz"
    assert main(["pickup", "-o", str(out)]) == 0
    trace = load_trace(out)
    assert_is_whole(trace)
    assert trace.verification is not None
    assert trace.verification.passed
    assert trace.graph.name == make(GRAPH, n=400).name
    assert waiting() == []
    wait_until(far.is_gone)
    assert not list(left_folder().iterdir())
    assert main(["pickup", "-o", str(out)]) == 1
    assert "no run waits elsewhere" in capsys.readouterr().err


def test_after_its_time_nothing_is_left(
    base: Elsewhere, far: Far, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kill_a_near_side(far.there(base, keep_s=1.0), tmp_path)
    wait_until(far.is_gone)
    assert not list(left_folder().iterdir())
    assert main(["pickup", "-o", str(tmp_path / "run.npz")]) == 1
    assert "nothing is left of this run" in capsys.readouterr().err
    assert waiting() == []
