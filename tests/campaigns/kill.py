"""Kill processes at random moments; check the message, the next run and what is left behind.

    python tests/campaigns/kill.py SECONDS [SEED] [SCENE ...]

engine   The engine process gets KILL, TERM, SEGV, BUS, or STOP and CONT while it starts, reads,
         runs, lays out or makes a matrix. Each request ends in exactly one message, in words if
         the request was lost, and the next run finishes with a proof.
cuda     The same on a GPU. It runs only if it is named.
command  A command gets one of these signals while it writes a trace, graph, matrix, page, picture
         or film. The old file is there, or the whole new one. The same command then succeeds.
interrupts
         Every command gets Ctrl-C at a random moment, alone or with its children as from a
         terminal; half of them while their loops are compiled. It says one line, exits with 130
         within SOON_S, and leaves no file or the whole. Without Qt, `render` is left out,
         and a film as MP4 without imageio-ffmpeg.
stops    Requests are stopped, replaced and changed. Each ends in at most one message,
         and the last run finishes with a proof.

After each scene descriptors, threads, processes and segments are compared with before.
"""

import gc
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from itertools import cycle
from multiprocessing import active_children, resource_tracker
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
sys.path.append(str(TESTS.parent))

from gpu.cli.terminal import INTERRUPTED  # noqa: E402
from gpu.host import EngineHost, LoadRequest  # noqa: E402
from gpu.record.trace import RunSettings  # noqa: E402

SEED = 16
HAS_QT = find_spec("PyQt6") is not None
SIGNALS = ("SIGKILL", "SIGTERM", "SIGSEGV", "SIGBUS", "SIGSTOP")
PATIENCE_S = 120.0  # for a machine that is busy; a request takes a second or two
SOON_S = 5.0  # one second where nothing else runs
SHM = Path("/dev/shm")
ENDS = ("RunFinished", "Failed", "EngineLost", "GraphLoaded", "LayoutDone")
SAMPLES = ("sample:grid?n=20000", "sample:city_roads?n=3000", "sample:erdos_renyi?n=4000")


def children(pid: int) -> list[int]:
    """Return the process ids below one; none if the system does not say."""
    below: list[int] = []
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            fresh = [int(word) for word in listed.read_text().split()]
        except OSError:
            continue
        below += fresh + [deeper for child in fresh for deeper in children(child)]
    return below


def strike(pid: int, chance: random.Random) -> str:
    """Send a process a signal; one that stops it is taken back a moment later."""
    name = chance.choice(SIGNALS)
    try:
        os.kill(pid, getattr(signal, name))
        if name == "SIGSTOP":
            time.sleep(chance.random() * 0.3)
            os.kill(pid, signal.SIGCONT)
    except ProcessLookupError:
        return "too late"
    return name


def lives(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def until(condition: Callable[[], object], what: str) -> None:
    """Wait for a condition; AssertionError once PATIENCE_S are over."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.01)


def held() -> dict[str, int]:
    """Return how many descriptors, threads, children and segments there are."""
    gc.collect()  # arrays over shared memory hold descriptors; a host has cycles
    resource_tracker.ensure_running()  # stays for good once it is there
    return {
        "descriptors": len(os.listdir("/proc/self/fd")) if SHM.is_dir() else 0,
        "threads": threading.active_count(),
        "children": len(active_children()),
        "segments": len(list(SHM.glob(f"sssp-{os.getpid()}-*"))),
    }


class Engine:
    """One host whose child dies again and again."""

    def __init__(self, name: str = "model", device: str = "RTX 2080 Ti") -> None:
        self.host = EngineHost()
        self.host.start()
        self.heard: list[Any] = []
        self.settings = RunSettings("adds", name, device, 0, None, 1, 1, 0, {})

    def answers(self, run_id: int, *kinds: str) -> list[Any]:
        """Return the messages of these kinds that a request got."""
        self.heard += self.host.poll()
        self.host.take_samples()
        return [m for m in self.heard if m.run_id == run_id and type(m).__name__ in kinds]

    def ask(self, chance: random.Random) -> int:
        """Begin a request of any kind."""
        how = chance.random()
        if how < 0.3 or self.host.graph is None:
            return self.host.load(LoadRequest(chance.choice(SAMPLES)))
        if how < 0.4:
            return self.host.layout(chance.choice(("auto", "spring")))
        if how < 0.5 and self.host.graph.n < 5000:
            return self.host.run(replace(self.settings, algorithm="edge_apsp", probe=0))
        return self.host.run(self.settings)

    def rest(self, chance: random.Random, *longest_s: float) -> None:
        """Listen for a random part of one of these times."""
        moment = time.monotonic() + chance.choice(longest_s) * chance.random()
        while time.monotonic() < moment:
            self.answers(0)
            time.sleep(0.001)

    def proved(self, after: str, late: tuple[str, ...] = ("EngineLost",)) -> None:
        """Finish a run and its proof, on a new graph where there is none.

        late : the end of a request that a late blow hit; the next one finishes
        """
        if self.host.graph is None:
            asked = self.host.load(LoadRequest(SAMPLES[2]))
            until(lambda: self.answers(asked, "GraphLoaded", *late), f"a graph after {after}")
        else:
            asked = self.host.run(self.settings)
            until(lambda: self.answers(asked, "Verified", *late), f"a proof after {after}")
        if late and self.answers(asked, *late):
            self.proved(after, ())
        elif self.answers(asked, "GraphLoaded"):
            self.proved(after, late)
        else:
            (proof,) = self.answers(asked, "Verified")
            assert proof.verification.certificate is not False, proof

    def strike_once(self, chance: random.Random) -> None:
        """Ask for something, let the child die meanwhile, and see that all goes on."""
        asked = self.ask(chance)
        self.rest(chance, 0.0, 0.02, 0.3, 1.0)
        blow = strike(self.host._child.pid, chance) if self.host._child else "none there"
        until(lambda: self.answers(asked, *ENDS) or not self.host.busy, "an end of the request")
        ended = self.answers(asked, *ENDS)
        assert len(ended) <= 1, ended
        if ended and type(ended[0]).__name__ == "EngineLost":
            assert ended[0].words, "lost without a word"
        self.proved(blow)

    def stop_and_replace(self, chance: random.Random) -> None:
        """Stop, replace and change requests; see that each ends once and that all goes on."""
        asked: list[int] = []
        for _ in range(chance.randint(3, 8)):
            how = chance.random()
            if how < 0.2:
                self.host.stop()
            elif how < 0.3:
                self.host.set_delta(2.0)
            else:
                asked.append(self.ask(chance))
            self.rest(chance, 0.0, 0.01, 0.2)
        self.proved("stops")
        for run_id in asked:
            assert len(self.answers(run_id, *ENDS)) <= 1, run_id


def _played_on_engine(
    act: Callable[[Engine, random.Random], None],
    seconds: float,
    seed: int,
    most: int,
    name: str = "model",
    device: str = "RTX 2080 Ti",
) -> int:
    chance, count = random.Random(f"{seed} {name}"), 0
    scene, end = Engine(name, device), time.monotonic() + seconds
    try:
        while time.monotonic() < end and count < most:
            act(scene, chance)
            scene.heard.clear()
            count += 1
    finally:
        scene.host.close()
    return count


ROADS = "sample:city_roads?n=20000"
COMMANDS = {  # a suffix says what is written
    ".trace.npz": f"run {ROADS} --probe 2 --trace {{out}}",
    ".gr.gz": "convert sample:erdos_renyi?n=20000 {out}",
    ".npy": "apsp sample:grid?n=900 -o {out}",
    ".csv": f"apsp {ROADS} --sources 300 --reduce -o {{out}}",
    ".html": "page {run} -o {out}",
    ".png": "render {run} -o {out}",
    ".gif": "render {run} -o {out} --seconds 1 --size 640x480",
}
LAST_BYTES = {
    ".jsonl": b"}",
    ".html": b"</html>",
    ".png": b"IEND\xaeB`\x82",
    ".gif": b"\x3b",
    ".csv": b"",
}


def _is_whole(path: Path) -> bool:
    """Whether a file that a command wrote is there to its end."""
    import numpy as np

    from gpu.formats import load_graph
    from gpu.record.tracefile import load_trace

    if path.suffix in LAST_BYTES:
        return path.read_bytes().rstrip(b"\n").endswith(LAST_BYTES[path.suffix])
    if path.suffix == ".mp4":
        return b"moov" in path.read_bytes()
    readers = {".npz": load_trace, ".gz": load_graph, ".npy": np.load}
    return readers[path.suffix](path) is not None


def command(seconds: float, seed: int, most: int) -> int:
    """Let commands die while they work; return how often."""
    chance, count = random.Random(f"{seed} command"), 0
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run.npz"
        _see_it_work(f"run sample:grid?n=2000 --probe 2 --trace {run}", folder)
        while time.monotonic() < end and count < most:
            suffix = chance.choice(list(COMMANDS))
            out = Path(folder) / suffix.strip(".") / f"a{suffix}"
            out.parent.mkdir(exist_ok=True)
            _strike_command(COMMANDS[suffix].format(out=out, run=run), out, chance)
            count += 1
    return count


def started(words: list[str], folder: str | Path, **more: str) -> subprocess.Popen[str]:
    """Start Python in the tree, with nothing of the user's; `more` is its environment."""
    private = dict.fromkeys(("TMPDIR", "XDG_DATA_HOME", "XDG_STATE_HOME"), str(folder))
    return subprocess.Popen(
        [sys.executable, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=TESTS.parent,
        start_new_session=True,
        env={**os.environ, **private, "QT_QPA_PLATFORM": "offscreen", **more},
    )


def _see_it_work(words: str, folder: str | Path) -> None:
    with started(["-m", "viewer.app", *words.split()], folder) as program:
        output, _ = program.communicate(timeout=PATIENCE_S)
    assert "Traceback" not in output, output
    assert program.returncode == 0, f"{words}: {output}"


def _strike_command(words: str, out: Path, chance: random.Random) -> None:
    """Let a command die once, then have it done."""
    old = out.read_bytes() if out.exists() else None
    with started(["-m", "viewer.app", *words.split()], out.parent.parent) as program:
        time.sleep(chance.random() * 3)
        below = [program.pid, *children(program.pid)]
        name = strike(program.pid, chance)
        output, _ = program.communicate(timeout=PATIENCE_S)
    assert "Traceback" not in output, output
    until(lambda: not any(map(lives, below)), "the end of what a command started")
    until(lambda: not list(SHM.glob(f"sssp-{program.pid}-*")), "shared memory given back")
    now = out.read_bytes() if out.exists() else None
    assert now == old or _is_whole(out), f"{name}: {out.name} is neither old nor new"
    for left in out.parent.iterdir():
        if left != out:
            assert left.suffix == ".part", left
            left.unlink()  # a user does it by hand
    _see_it_work(words, out.parent.parent)
    assert _is_whole(out)
    assert list(out.parent.iterdir()) == [out]
    if chance.random() < 0.5:
        out.unlink()


EVERY_COMMAND = {  # a name says the suffix of what is written, if anything is
    **COMMANDS,
    "run": f"run {ROADS} --verify",
    "sweep": "sweep sample:grid?n=2000 --count 8",
    "sweep.html": "sweep sample:grid?n=400 --count 4 --page {out}",
    "compare": f"compare {ROADS} --verify",
    "info": "info sample:erdos_renyi?n=20000",
    "samples": "samples",
    "verify": "verify sample:grid?n=2000 --trace {run}",
    "lesson": "lesson check 2_buckets_and_delta",
    "lesson.html": "page 2_buckets_and_delta -o {out}",
    "film.gif": "render {run} -o {out} --seconds 20",
    "film.mp4": "render {run} -o {out} --seconds 10",
    "lab.jsonl": "lab run small --engine model -o {out}",
    "bench": "bench model",
    "bench io": "bench io",
    "bench start": "bench start",
}
OURS = re.compile(r'viewer/app\.py", line \d+, in main')  # in a traceback


def interrupts(seconds: float, seed: int, most: int) -> int:
    """Press Ctrl-C in every command in turn; return how often one was still running."""
    chance, took = random.Random(f"{seed} interrupts"), list[tuple[float, str]]()
    begin = time.monotonic()
    every = {name: line for name, line in EVERY_COMMAND.items() if HAS_QT or "render" not in line}
    if not find_spec("imageio_ffmpeg"):
        every.pop("film.mp4", "")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        run = Path(folder) / "run.npz"
        _see_it_work(f"run sample:grid?n=2000 --probe 2 --trace {run}", folder)
        for name, words in cycle(every.items()):
            if time.monotonic() > begin + seconds or len(took) >= most:
                break
            out = Path(folder) / "out" / f"a{name[name.find('.') :]}"
            if ended_in := _interrupt(words.format(out=out, run=run), out, chance):
                took.append((ended_in, name))
    took.sort()
    within = sum(ended_in < 1 for ended_in, _ in took)
    print(f"{within} of {len(took)} ended within a second; the longest: {took[-3:]}", flush=True)
    return len(took)


def _interrupt(line: str, out: Path, chance: random.Random) -> float:
    """Interrupt a command at a random moment; return how many seconds it took to end, or 0."""
    folder = out.parent.parent
    shutil.rmtree(out.parent, ignore_errors=True)
    out.parent.mkdir()
    scratch = Path(tempfile.mkdtemp(dir=folder))
    more = {"TMPDIR": str(scratch)}
    if chance.random() < 0.5:  # while its loops are compiled
        more["SSSP_SCOPE_CACHE"] = str(out.parent / ".c")
    with started(["-m", "viewer.app", *line.split()], folder, **more) as program:
        with suppress(subprocess.TimeoutExpired):
            program.wait(chance.random() * chance.choice((1, 4, 15)))
            return 0.0
        below = [program.pid, *children(program.pid)]
        struck_at = time.monotonic()
        chance.choice((os.kill, os.killpg))(program.pid, signal.SIGINT)
        output, _ = program.communicate(timeout=PATIENCE_S)
    told = f"{line}, {more}, code {program.returncode}: {output}"
    ended_in = time.monotonic() - struck_at
    assert ended_in < SOON_S, told
    if program.returncode == 0 or ("sssp-scope: " not in output and not OURS.search(output)):
        return 0.0  # it was at its end, or Python had not begun with us
    assert program.returncode == INTERRUPTED, told
    lines = [row for row in output.splitlines() if row.startswith("sssp-scope: ")]
    assert lines[-1:] == ["sssp-scope: interrupted"], told
    assert "Traceback" not in output, told
    assert "Exception ignored" not in output, told
    until(lambda: not any(map(lives, below)), f"{told}: its children")
    until(lambda: not list(SHM.glob(f"sssp-{program.pid}-*")), f"{told}: its shared memory")
    left = {path.name for path in out.parent.iterdir()} - {".c"}
    assert left <= {out.name}, f"{told}: {left}"
    assert not left or _is_whole(out), f"{told}: {out.name} is not whole"
    assert not list(scratch.iterdir()), f"{told}: {list(scratch.iterdir())}"
    return ended_in


SCENES: dict[str, Callable[[float, int, int], int]] = {
    "engine": partial(_played_on_engine, Engine.strike_once),
    "stops": partial(_played_on_engine, Engine.stop_and_replace),
    "cuda": partial(_played_on_engine, Engine.strike_once, name="cuda", device="cuda:0"),
    "command": command,
    "interrupts": interrupts,
}


def played(name: str, seconds: float, seed: int, most: int = sys.maxsize) -> int:
    """Play a scene and see that nothing is left; return how many processes died."""
    before = held()
    count = SCENES[name](seconds, seed, most)
    until(lambda: all(now <= before[name] for name, now in held().items()), f"{held()} -> {before}")
    return count


def main(argv: list[str]) -> int:
    """Play all scenes for an equal time each."""
    seconds, seed = float(argv[0]), int(argv[1]) if len(argv) > 1 else SEED
    names = argv[2:] or [name for name in SCENES if name != "cuda"]
    for name in names:
        begin = time.monotonic()
        count = played(name, seconds / len(names), seed)
        print(
            f"{name}: {count} deaths in {time.monotonic() - begin:.0f} s, seed {seed}", flush=True
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
