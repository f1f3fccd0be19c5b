"""Engines on another computer: bad links, deaths on either side, other versions, kept graphs.

What an engine host promises is tested in tests/host, over this connection too.
"""

from __future__ import annotations

import json
import os
import platform
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import host_engines as engines
import numpy as np
import pytest
from host_driver import ENTRIES, SHM, Driver, elsewhere, left_behind, wait_until

from gpu.cli.command_line import run_line
from gpu.cli.main import main
from gpu.compiled import cache_folder
from gpu.errors import EngineError, ParameterError
from gpu.host import EngineHost, EngineLost, Failed, Memory, RunFinished
from gpu.interpreter import version
from gpu.record.trace import RunSettings
from gpu.record.tracefile import load_trace
from gpu.remote import Elsewhere, graphs, messages as wire
from gpu.remote.about import about, about_words
from gpu.remote.elsewhere import error_of
from gpu.remote.messages import Failed as FarFailed
from gpu.study.apsp import all_pairs
from sample_graphs import open_sample

PROXY = Path(__file__).with_name("proxy.py")
DELAY_S = 0.1

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the stand-in for ssh is a shell script")


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Elsewhere]:
    with elsewhere(tmp_path) as found:
        yield found


def behind(there: Elsewhere, how: str) -> Elsewhere:
    """The same computer over a link that is not as it should be."""
    command = there.command.removeprefix("exec ")
    return replace(there, command=f"exec {sys.executable} {PROXY} {how} {command}")


def _size(path: Path) -> int:
    """Return how many bytes a file has, 0 where it has just gone."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


class Hosted:
    """A host with its driver, closed at the end, of which nothing may be left."""

    def __init__(self, there: Elsewhere, folder: Path) -> None:
        self.memory = Memory(folder=str(folder))
        self.driver = Driver(EngineHost(ENTRIES, self.memory, there.spawn))
        self.folder = folder

    def __enter__(self) -> Driver:
        self.driver.host.start()
        return self.driver

    def __exit__(self, *_: object) -> None:
        self.driver.host.close()
        assert left_behind(self.memory) == []
        wait_until(lambda: not any(map(_size, self.far_segments())))
        # a far side that was killed while it started leaves its empty lock; the next one takes it
        wait_until(self.is_clean)

    def is_clean(self) -> bool:
        self.memory.clean_stale()
        return not self.far_segments()

    def far_pid(self) -> int:
        return int((self.folder / "far").read_text())

    def far_segments(self) -> list[Path]:
        found = [path for where in (SHM, self.folder) for path in where.glob("sssp-*")]
        told = self.folder / "far"
        return [path for path in found if told.exists() and f"-{told.read_text()}-" in path.name]


# addresses and commands


@pytest.mark.parametrize("address", ["-oProxyCommand=x", "", "two words", "a\nb", "\x1b[31m"])
def test_what_is_no_computer_is_refused(address: str) -> None:
    with pytest.raises(ParameterError, match="is no computer"):
        Elsewhere(address)


def test_the_address_stands_behind_all_options(there: Elsewhere) -> None:
    line = there.line()
    assert line[-3:] == ["--", "somebody@elsewhere", there.command]
    assert line.count("--") == 1


def test_no_ssh_is_said(there: Elsewhere, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with Hosted(there, tmp_path) as driver:
        driver.host.put_graph(engines.path_graph(3))
        failed = driver.wait_for(Failed, driver.host.run(engines.settings("stream")))
        assert "no ssh on this computer" in str(failed.error)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("echo 'ssh: connect to host: Connection refused' >&2; exit 255", "Connection refused"),
        ("no-such-command-of-ours", "not found"),
        ("yes", "it does not speak as SSSP Scope"),
        ("echo SSSP-SCOPE-WIRE 7 9.9.9; exec sleep 30", "9.9.9 (protocol 7): install the same"),
        ("echo SSSP-SCOPE-WIRE 1 0.1; yes", "damaged"),
    ],
)
def test_what_does_not_answer_as_we_do_is_said_once(
    there: Elsewhere, tmp_path: Path, command: str, words: str
) -> None:
    with Hosted(replace(there, command=command), tmp_path) as driver:
        driver.host.put_graph(engines.path_graph(3))
        run_id = driver.host.run(engines.settings("stream"))
        driver.until(lambda: any(m.run_id in (0, run_id) for m in driver.heard))
        told = [driver.in_words(message) for message in driver.heard]
        assert any(words in sentence for sentence in told), told
        assert "somebody@elsewhere" in " ".join(told)


def test_a_shell_that_greets_is_passed_over(there: Elsewhere, tmp_path: Path) -> None:
    command = f"echo Welcome; printf 'no line end'; {there.command}"
    with Hosted(replace(there, command=command), tmp_path) as driver:
        driver.host.put_graph(engines.path_graph(20))
        assert driver.finish().trace.reached == 20


# links that are not as they should be


def test_stop_and_delta_overtake_on_a_slow_link(there: Elsewhere, tmp_path: Path) -> None:
    with Hosted(behind(there, f"delay:{DELAY_S}"), tmp_path) as driver:
        driver.host.put_graph(engines.path_graph(20))
        run_id = driver.start_run("endless")
        driver.host.set_delta(12.5)

        def is_held() -> bool:
            return bool((driver.host.take_samples()["delta"] == 12.5).any())

        driver.until(is_held)
        driver.host.stop()
        trace = driver.wait_for(RunFinished, run_id).trace
        assert trace.outcome == "stopped"
        assert "ended" not in trace.environment  # it listened; nobody was killed
        assert trace.environment["machine"] == "somebody@elsewhere"
        assert driver.finish().trace.dist.tolist() == list(range(20))


@pytest.mark.parametrize("how", ["cut", "flip", "twice"])
@pytest.mark.parametrize("at", [10, 60, 1500, 200_000])
def test_a_bad_link_costs_the_connection_and_nothing_else(
    there: Elsewhere, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str, at: int
) -> None:
    monkeypatch.setattr("gpu.remote.connection.START_S", 10.0)
    with Hosted(behind(there, f"{how}:{at}"), tmp_path) as driver:
        driver.host.put_graph(engines.path_graph(20))
        run_id = driver.host.run(engines.settings("stream", count=5000))
        ends = (EngineLost, Failed, RunFinished)
        driver.until(lambda: any(isinstance(m, ends) for m in driver.heard))
        told = " ".join(driver.in_words(m) for m in driver.heard)
        whole = [m for m in driver.heard if isinstance(m, RunFinished)]
        said = ("ended", "damaged", "no engine answered", "the connection broke")
        assert whole or any(words in told for words in said)
        for finished in whole:  # picked up over the next connection
            assert how == "cut"
            assert finished.trace.samples["sequence"].tolist() == list(range(5000))
        lost = [m for m in driver.heard if isinstance(m, EngineLost) and m.run_id == run_id]
        for message in lost:
            if message.trace is not None:
                found = message.trace.samples["sequence"].tolist()
                assert found == list(range(len(found)))


@pytest.mark.parametrize("live", [True, False])
def test_distances_come_across_while_a_run_goes_on(
    there: Elsewhere, tmp_path: Path, live: bool
) -> None:
    n = 40_000  # more than a piece
    with Hosted(replace(there, live=live), tmp_path) as driver:
        driver.host.put_graph(engines.path_graph(n))
        driver.start_run("endless", dist=True)
        run = driver.host.live
        assert run is not None
        if live:
            driver.until(lambda: run.buffers.dist.tolist() == list(range(n)))
        driver.until(lambda: len(driver.host.take_samples()) > 0)
        driver.until(lambda: len(driver.host.take_samples()) > 0)
        assert live or (run.buffers.dist > n).all()
        driver.host.stop()
        driver.until(lambda: not driver.host.busy)


# what is there


def test_a_computer_says_what_it_is(there: Elsewhere) -> None:
    told = about(there)
    assert told.version == version()
    assert platform.node() in told.system
    assert bool(told.gpus) or told.problem == "no NVIDIA GPU there"
    assert about_words(told).startswith(f"SSSP Scope {version()}; ")


def test_gpus_are_counted_by_name() -> None:
    told = wire.About("9.9", "box", ("NVIDIA H100", "NVIDIA H100", "T4"), "550.1")
    words = about_words(told)
    assert words.startswith("SSSP Scope 9.9 (here ")
    assert words.endswith("2 x NVIDIA H100, T4, driver 550.1")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("no-such-command-of-ours", "install SSSP Scope there"),
        ("echo 'user@host: Permission denied (publickey).' >&2; exit 255", "log in there once"),
        ("echo 'ssh: Could not resolve hostname x' >&2; exit 255", "Could not resolve hostname"),
        ("echo SSSP-SCOPE-WIRE 7 9.9.9; exec sleep 30", "9.9.9 (protocol 7): install the same"),
        ("exec sleep 30", "no answer within 1 s"),
    ],
)
def test_what_is_wrong_there_is_one_sentence(there: Elsewhere, command: str, words: str) -> None:
    with pytest.raises(EngineError, match=re.escape(words)) as raised:
        about(replace(there, command=command), 1.0 if command == "exec sleep 30" else 20.0)
    assert str(raised.value).startswith("somebody@elsewhere: ")


def test_a_window_lets_ssh_ask_nothing(there: Elsewhere) -> None:
    assert "BatchMode=yes" in replace(there, asks=False).line()
    assert "BatchMode=yes" not in there.line()


# deaths


@pytest.mark.parametrize("who", ["near", "far"])
def test_kill_of_either_side_leaves_nothing(there: Elsewhere, tmp_path: Path, who: str) -> None:
    hosted = Hosted(there, tmp_path)
    with hosted as driver:
        driver.host.put_graph(engines.path_graph(20))
        run_id = driver.start_run("endless")
        driver.until(lambda: len(driver.host.take_samples()) > 0)
        far = hosted.far_pid()
        os.kill(driver.host.child_pid if who == "near" else far, signal.SIGKILL)
        lost = driver.wait_for(EngineLost, run_id)
        assert lost.words.startswith("somebody@elsewhere: the connection ended")
        assert "while running an algorithm" in lost.words
        assert lost.trace is not None
        assert len(lost.trace.samples) > 1
        assert driver.finish().trace.reached == 20  # a fresh connection
        assert hosted.far_pid() != far


def test_a_near_side_that_is_killed_ends_the_far_one(there: Elsewhere, tmp_path: Path) -> None:
    """The whole near process, not only its ssh; what it leaves has its time."""
    script = (
        "import host_engines, time\n"
        "from host_driver import *\n"
        f"there = Elsewhere({there.address!r}, {there.command!r})\n"
        f"driver = Driver(EngineHost(ENTRIES, Memory(folder={str(tmp_path)!r}), there.spawn))\n"
        "driver.host.put_graph(host_engines.path_graph(20))\n"
        "driver.host.start()\n"
        "driver.start_run('endless')\n"
        "print('runs', flush=True)\n"
        "time.sleep(60)\n"
    )
    path = os.pathsep.join([str(Path(engines.__file__).parent), *filter(None, sys.path)])
    kept = {"SSSP_SCOPE_CACHE": str(tmp_path / "cache"), "FAR_KEEP_S": "0.5"}
    environment = {**os.environ, "PYTHONPATH": path, **kept}
    near = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env=environment
    )
    with near:
        assert near.stdout is not None
        assert near.stdout.readline() == "runs\n"
        far = int((tmp_path / "far").read_text())
        near.kill()
    wait_until(lambda: not _is_alive(far))
    wait_until(lambda: not list(SHM.glob(f"sssp-{far}-*")))
    Memory().clean_stale()  # of the near side, as the next start does
    assert not list(SHM.glob(f"sssp-{near.pid}-*"))


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


# graphs


def test_a_graph_travels_once(there: Elsewhere, tmp_path: Path) -> None:
    with Hosted(there, tmp_path) as driver:
        driver.host.put_graph(engines.path_graph(20, name="secret"))
        assert driver.finish().trace.graph.name == "secret"
    kept = list((tmp_path / "graphs").iterdir())
    assert [path.stem for path in kept] == [engines.path_graph(20).hash]
    assert b"secret" not in kept[0].read_bytes()
    before = kept[0].stat().st_ino
    with Hosted(there, tmp_path) as driver:
        driver.host.put_graph(engines.path_graph(20))
        assert driver.finish().trace.reached == 20
    assert kept[0].stat().st_ino == before


def test_kept_graphs_are_bounded_and_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graphs, "graphs_folder", lambda: tmp_path / "graphs")
    first, second = engines.path_graph(500), engines.path_graph(600)
    monkeypatch.setattr(graphs, "MOST_BYTES", second.nbytes + 2000)
    graphs.keep_graph(first)
    assert graphs.kept_graph(first.hash) is not None
    graphs.keep_graph(second)
    assert graphs.kept_graph(first.hash) is None  # it had to go
    found = graphs.kept_graph(second.hash)
    assert found is not None
    assert found.indices.tolist() == second.indices.tolist()
    (tmp_path / "graphs" / f"{second.hash}.npz").rename(tmp_path / "graphs" / f"{first.hash}.npz")
    assert graphs.kept_graph(first.hash) is None  # another graph under that name


# the rest


def test_errors_of_classes_that_are_none_of_ours_are_engine_errors() -> None:
    for name in ("annotations", "Path", "Exception", "dataclass", "nothing"):
        assert type(error_of(FarFailed(1, name, "words"))) is EngineError


@pytest.fixture
def on(there: Elsewhere, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """What --on is given: the real far end, with a cache of its own but for compiled code."""
    compiled, cache = cache_folder(), tmp_path / "cache"
    compiled.mkdir(parents=True, exist_ok=True)
    cache.mkdir()
    (cache / compiled.name).symlink_to(compiled)
    monkeypatch.setenv("SSSP_SCOPE_CACHE", str(cache))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    return f"{there.address} exec {sys.executable} -m gpu.cli engine --stdio"


def test_a_run_on_the_command_line(
    on: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run.npz"
    words = ["run", "sample:chain?n=50", "--on", on, "--algorithm", "dijkstra", "--engine", "cpu"]
    assert main([*words, "--verify", "--trace", str(out)]) == 0
    told = capsys.readouterr().out
    assert "cpu on somebody@elsewhere" in told
    assert "verified    yes" in told
    trace = load_trace(out)
    assert trace.settings.device == "cpu on somebody@elsewhere"
    assert trace.clock == "measured"
    assert len(list((tmp_path / "cache" / "graphs").glob("*.npz"))) == 1
    line = run_line(trace.settings, trace.graph)
    assert "--device cpu --on somebody@elsewhere" in line


def test_a_sweep_and_a_comparison_on_the_command_line(
    on: str, capsys: pytest.CaptureFixture[str]
) -> None:
    graph = ["sample:chain?n=50", "--on", on, "--engine", "cpu", "--json"]
    assert main(["sweep", *graph, "--algorithm", "delta_stepping", "--values", "4,16"]) == 0
    swept = json.loads(capsys.readouterr().out)
    assert swept["device"] == "cpu on somebody@elsewhere"
    assert [point["value"] for point in swept["points"]] == [4, 16]
    assert all(point["verified"] for point in swept["points"])
    assert main(["compare", *graph, "--a", "dijkstra", "--b", "delta_stepping"]) == 0
    compared = json.loads(capsys.readouterr().out)
    assert compared["a"]["device"] == compared["b"]["device"] == "cpu on somebody@elsewhere"


def test_all_pairs_on_the_command_line(
    on: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "matrix.npy"
    words = ["apsp", "sample:chain?n=50", "--on", on, "--engine", "model", "--sources", "5:30"]
    assert main([*words, "-o", str(out), "--verify"]) == 0
    assert "every one of 25 rows" in capsys.readouterr().out
    expected = all_pairs(open_sample("sample:chain?n=50"), first_source=5, sources=25).dist
    assert np.load(out).tolist() == expected.tolist()


def test_a_computer_that_is_not_there_is_said_on_the_command_line(
    there: Elsewhere, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["run", "sample:chain?n=50", "--on", f"{there.address} no-such-command-of-ours"]
    assert main(words) == 1
    told = capsys.readouterr().err
    assert "no engine answered" in told
    assert "install SSSP Scope there" in told


def test_what_fails_there_is_said_here(there: Elsewhere, tmp_path: Path) -> None:
    with Hosted(there, tmp_path) as driver:
        driver.host.put_graph(engines.path_graph(20))
        bad = RunSettings("overflows", "model", "test", 0)
        failed = driver.wait_for(Failed, driver.host.run(bad))
        assert "passes 2147483647" in str(failed.error)
