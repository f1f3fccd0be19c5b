"""Every write, open, rename and allocation fails in turn: a sentence, and nothing half written.

    python tests/campaigns/faults.py [MOST] [NAME ...]

A shim (`faults.c`, compiled here, preloaded) counts the calls of the C library that an action
makes, then lets each one fail: once, and with all later ones, as a full disk does. At most MOST of
each kind are tried, spread over all. After each the action must have been refused by a GpuError of
one line (or have gone on without what failed), the file that was there before must be there
unchanged or wholly replaced (by one of the same length), no other file and no descriptor may be
left, and the same action, with nothing failing, must do what it did at first.
"""

import ctypes
import errno
import gc
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
sys.path.append(str(TESTS / "helpers"))
sys.path.append(str(TESTS.parent))

from gpu.errors import GpuError  # noqa: E402

MOST = 40
SHIM = "SSSP_SCOPE_FAULTS"
OLD = b"what was there before"
KINDS = {  # number in faults.c, what the system says
    "write": (1, errno.ENOSPC),
    "create": (2, errno.EACCES),
    "open": (3, errno.EMFILE),
    "rename": (4, errno.EACCES),
    "space": (5, errno.ENOSPC),
    "memory": (6, errno.ENOMEM),
    "read": (7, errno.EIO),
}


@dataclass(frozen=True)
class Action:
    """Something the program does with files.

    act : does it; the path is the file that it writes, or reads
    before : makes the file that it reads, None where it writes one
    """

    act: Callable[[Path], Any]
    suffix: str
    before: Callable[[Path], Any] | None = None


def actions() -> dict[str, Action]:
    """Return everything that is tried."""
    from hand_made import small_trace

    import sample_graphs
    from gpu.formats import load_graph, save_graph
    from gpu.lessons.read import find_lessons, read_lesson
    from gpu.record.export import write_csv, write_distances, write_runs
    from gpu.record.tracefile import load_trace, save_trace
    from gpu.record.workspace import SavedGraph, Workspace, load_workspace, save_workspace

    graph = sample_graphs.make("grid", n=30_000, seed=1)
    trace = small_trace()
    runs = tuple(enumerate([trace, small_trace(whole=False)], 1))
    saved = SavedGraph("grid", "a.gr", graph.hash, "a.gr", {})
    lesson = find_lessons("/nowhere")[0]

    def copy_lesson(path: Path) -> None:
        path.write_bytes(lesson.read_bytes())
        text = lesson.with_suffix(".md")
        (path.parent / text.name).write_bytes(text.read_bytes())

    found = {
        "trace": Action(lambda path: save_trace(trace, path), ".npz"),
        "workspace": Action(
            lambda path: save_workspace(Workspace(saved, runs), path, graph), ".ssspw"
        ),
        "samples as csv": Action(lambda path: write_csv(trace, path), ".csv"),
        "distances": Action(
            lambda path: write_distances(graph, graph.weights[: graph.n].copy(), path), ".csv"
        ),
        "table of runs": Action(lambda path: write_runs(runs, path), ".csv"),
        "read trace": Action(load_trace, ".npz", lambda path: save_trace(trace, path)),
        "read workspace": Action(
            load_workspace, ".ssspw", lambda path: save_workspace(Workspace(saved, runs), path)
        ),
        "read lesson": Action(read_lesson, ".toml", copy_lesson),
    }
    for suffix in (".gr", ".npz", ".mtx", ".csv", ".bin.gr", ".gr.gz"):
        kind = suffix.removesuffix(".gz")
        name = "galois" if kind == ".bin.gr" else None
        found[f"graph {suffix}"] = Action(
            lambda path, name=name: save_graph(graph, path, name),
            suffix,  # type: ignore[misc]
        )
        found[f"read graph {suffix}"] = Action(
            load_graph,
            suffix,
            lambda path, name=name: save_graph(graph, path, name),  # type: ignore[misc]
        )
    return found


class Library:
    """The shim, in this process."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(None)
        self._library.fault_disarm.restype = ctypes.c_long

    def counted(self, kind: str, act: Callable[[], Any], at: int = 0, stays: bool = False) -> int:
        """Do something while the at-th call of a kind fails; return how many calls there were."""
        number, error = KINDS[kind]
        self._library.fault_arm(number, ctypes.c_long(at), error, int(stays))
        try:
            act()
        finally:
            count = int(self._library.fault_disarm())
        return count


def tried(action: Action, kind: str, library: Library, most: int) -> tuple[int, list[str]]:
    """Let calls of a kind fail in an action; return how many failed, and what went wrong."""
    faults: list[str] = []
    with tempfile.TemporaryDirectory() as where:
        path = Path(where) / "folder" / f"a{action.suffix}"
        path.parent.mkdir()
        made = action.before or (lambda to: to.write_bytes(OLD))
        made(path)
        action.act(path)
        made(path)
        count = library.counted(kind, lambda: action.act(path))
        wanted = path.read_bytes()
        places = sorted({1 + (count - 1) * k // max(most - 1, 1) for k in range(most)})
        places = [place for place in places if 1 <= place <= count]
        for at in places:
            for stays in (False, True):
                made(path)
                before = path.read_bytes()
                files = {name.name for name in path.parent.iterdir()}
                gc.collect()
                handles = len(os.listdir("/proc/self/fd"))
                told = _told(lambda: library.counted(kind, lambda: action.act(path), at, stays))  # noqa: B023
                gc.collect()
                now = path.read_bytes() if path.is_file() else b""
                left = {name.name for name in path.parent.iterdir()} - files
                whole = now == before or len(now) == len(wanted)  # archives hold the time of day
                problems = [told] if told.startswith("!") else []
                problems += [] if whole else ["the file is neither old nor new"]
                problems += [f"left behind: {left}"] if left and told else []
                more = len(os.listdir("/proc/self/fd")) - handles
                problems += [f"{more} descriptors left"] if more > 0 else []
                words = f"{kind} {at} of {count}{' and later' if stays else ''}"
                faults += [f"{words}: {problem}" for problem in problems]
        made(path)
        action.act(path)
        if not action.before and len(path.read_bytes()) != len(wanted):
            faults.append("not the same afterwards")
    return 2 * len(places), faults


def _told(act: Callable[[], Any]) -> str:
    """Return "" where an action went on, the words of its refusal, or with a ! what it raised."""
    try:
        act()
    except GpuError as error:
        return f"!two lines: {error}" if "\n" in str(error) else str(error)
    except BaseException as error:
        return f"!{type(error).__name__}: {error}"
    return ""


def main(argv: list[str]) -> int:
    """Try some actions, in a process with the shim; return 1 where something went wrong."""
    most, library, known = int(argv[0]), Library(), actions()
    tries, wrong = 0, 0
    for name in argv[1:]:
        for kind in KINDS:
            count, faults = tried(known[name], kind, library, most)
            tries += count
            wrong += len(faults)
            print(f"{name}: {kind} {count}", flush=True)
            for fault in faults[:3]:
                print(f"  {name}: {fault}", flush=True)
    print(json.dumps({"tries": tries, "faults": wrong}), flush=True)
    return int(wrong > 0)


def with_shim(argv: list[str]) -> int:
    """Compile the shim; try each action in a process of its own with it."""
    most, names = argv[:1] or [str(MOST)], argv[1:] or list(actions())
    total = {"tries": 0, "faults": 0}
    with tempfile.TemporaryDirectory() as folder:
        shim = Path(folder) / "faults.so"
        source = Path(__file__).with_suffix(".c")
        compiler = ["cc", "-shared", "-fPIC", "-O1", "-o", str(shim), str(source), "-ldl"]
        subprocess.run(compiler, check=True)
        environment = {**os.environ, "LD_PRELOAD": str(shim), SHIM: "1"}
        for name in names:
            command = [sys.executable, __file__, *most, name]
            done = subprocess.run(
                command, env=environment, stdout=subprocess.PIPE, text=True, check=False
            )
            *lines, last = done.stdout.splitlines() or [""]
            if done.returncode not in {0, 1}:
                lines, last = [*lines, last, f"{name}: ended by {done.returncode}"], "{}"
                total["faults"] += 1
            print("\n".join(lines), flush=True)
            total = {key: count + json.loads(last).get(key, 0) for key, count in total.items()}
    print(json.dumps(total), flush=True)
    return int(total["faults"] > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) if SHIM in os.environ else with_shim(sys.argv[1:]))
