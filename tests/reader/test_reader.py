"""Files come back from the reader's process as they are read here; a bad one costs itself."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from multiprocessing import active_children
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hand_made import small_graph, small_trace

from gpu.errors import CancelledByUserError, FormatError, GpuError, TraceError
from gpu.formats import save_graph
from gpu.formats.peek import peek
from gpu.lessons.read import LessonError, find_lessons, read_lesson
from gpu.reader import Reader, ReadError, kinds, reader as reader_module
from gpu.record.recognised import recognised
from gpu.record.tracefile import load_trace, parts, save_trace
from gpu.record.workspace import (
    SavedGraph,
    Workspace,
    WorkspaceError,
    load_workspace,
    save_workspace,
    table_of,
)

POSIX = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals and limits")


@pytest.fixture
def reader() -> Iterator[Reader]:
    made = Reader()
    yield made
    made.close()
    assert not processes()


def processes() -> list[Any]:
    return [child for child in active_children() if child.name == "sssp-scope reader"]


def same_trace(a: Any, b: Any) -> bool:
    (one, arrays), (other, others) = parts(a), parts(b)
    return one == other and all(
        array.dtype == others[name].dtype and array.tobytes() == others[name].tobytes()
        for name, array in arrays.items()
    )


def test_runs_and_workspaces_come_back_as_they_are_read_here(
    reader: Reader, tmp_path: Path
) -> None:
    traces = (small_trace(), small_trace(whole=False, probe=1))
    for number, trace in enumerate(traces):
        path = tmp_path / f"{number}.npz"
        save_trace(trace, path)
        assert recognised(path) == "trace"
        assert same_trace(reader.read("trace", path), load_trace(path))
    graph = SavedGraph("five", "memory", small_graph().hash, "", {"weights": "file"})
    saved = Workspace(graph, tuple(enumerate(traces, 3)), 4, 3, 1, {"theme": "dark", "x": [1.5]})
    path = tmp_path / "w.ssspw"
    save_workspace(saved, path, small_graph())
    shares: list[float] = []
    found, here = reader.read("workspace", path, shares.append), load_workspace(path)
    assert (table_of(found), found.packed) == (table_of(here), here.packed)
    assert all(same_trace(a, b) for (_, a), (_, b) in zip(found.runs, here.runs, strict=True))
    assert shares == [0.5, 1.0]
    assert len(processes()) == 1, "one process, kept for the next file"


def test_lessons_looks_and_graphs_come_back(reader: Reader, tmp_path: Path) -> None:
    for path in find_lessons("/nowhere"):
        assert reader.read("lesson", path) == read_lesson(path)
    graph = tmp_path / "g.gr"
    save_graph(small_graph(), graph)
    named = tmp_path / "n.csv"
    named.write_text("source,target,km,cost\nä,b,1,2\nb,c,3,4\n")
    assert reader.read("peek", graph) == peek(graph)
    assert reader.read("peek", named) == peek(named)
    assert reader.read("graph", graph, format="dimacs").hash == small_graph().hash
    words = reader.read("graph", named, weight_name="km")
    assert (words.ids.tolist(), words.weights.tolist()) == (["b", "c", "ä"], [3, 1])
    assert recognised(graph) is recognised(tmp_path) is recognised(tmp_path / "no") is None


def test_a_run_packed_by_another_program_is_recognised(tmp_path: Path) -> None:
    save_trace(small_trace(), tmp_path / "a.npz")
    shutil.unpack_archive(tmp_path / "a.npz", tmp_path / "out", "zip")
    with np.load(tmp_path / "a.npz") as found:
        arrays = {name: found[name] for name in sorted(found.files)}
    np.savez_compressed(tmp_path / "b.npz", **arrays)
    assert recognised(tmp_path / "b.npz") == "trace"


def test_refusals_have_the_words_that_they_have_here(reader: Reader, tmp_path: Path) -> None:
    bad = tmp_path / "bad.npz"
    bad.write_bytes(b"PK\x03\x04 nothing")
    graph = tmp_path / "bad.gr"
    graph.write_text("p sp 2 1\na 1 x 3\n")
    lesson = tmp_path / "bad.toml"
    lesson.write_text("[lesson]\nformat = 7\n")
    for kind, path, read, error in (
        ("trace", bad, load_trace, TraceError),
        ("workspace", bad, load_workspace, WorkspaceError),
        ("lesson", lesson, read_lesson, LessonError),
        ("lesson", tmp_path / "none.toml", read_lesson, LessonError),
        ("peek", tmp_path, peek, FormatError),
    ):
        with pytest.raises(error) as here:
            read(path)  # type: ignore[operator]
        with pytest.raises(error) as there:
            reader.read(kind, path)
        assert str(there.value) == str(here.value)
    with pytest.raises(FormatError, match="'x' is no whole number") as found:
        reader.read("graph", graph, format="dimacs")
    assert found.value.line == 2
    assert len(processes()) == 1, "a refusal costs no process"


@POSIX
def test_a_reader_that_hangs_is_given_up(
    reader: Reader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = find_lessons("/nowhere")[0]
    reader.read("lesson", path)
    (child,) = processes()
    monkeypatch.setitem(kinds.KINDS, "lesson", replace(kinds.KINDS["lesson"], seconds=0.3))
    os.kill(child.pid, signal.SIGSTOP)
    with pytest.raises(ReadError, match="took too long and was given up"):
        reader.read("lesson", path)
    assert not processes()
    monkeypatch.undo()
    assert reader.read("lesson", path) == read_lesson(path)


@POSIX
def test_a_reader_that_is_killed_costs_its_file(reader: Reader) -> None:
    path = find_lessons("/nowhere")[0]
    reader.read("lesson", path)
    (child,) = processes()
    os.kill(child.pid, signal.SIGSTOP)
    threading.Timer(0.2, os.kill, (child.pid, signal.SIGKILL)).start()
    with pytest.raises(ReadError, match=r"killed by signal 9 .*out of memory"):
        reader.read("lesson", path)
    (child,) = processes() or [None]
    assert child is None
    assert reader.read("lesson", path) == read_lesson(path)
    (child,) = processes()
    child.kill()
    child.join()
    assert reader.read("lesson", path) == read_lesson(path), "one that died idle costs nothing"
    assert len(reader._all) == 1


@POSIX
def test_giving_up_ends_the_process(reader: Reader) -> None:
    path = find_lessons("/nowhere")[0]
    reader.read("lesson", path)
    (child,) = processes()
    os.kill(child.pid, signal.SIGSTOP)
    met: list[BaseException] = []

    def work() -> None:
        try:
            reader.read("lesson", path)
        except BaseException as error:
            met.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(0.2)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread.ident or 0), ctypes.py_object(CancelledByUserError)
    )
    thread.join(30)
    assert [type(error) for error in met] == [CancelledByUserError]
    assert not processes()


@POSIX
def test_closing_tells_who_still_waits(reader: Reader) -> None:
    path = find_lessons("/nowhere")[0]
    reader.read("lesson", path)
    os.kill(processes()[0].pid, signal.SIGSTOP)
    threading.Timer(0.2, reader.close).start()
    with pytest.raises(ReadError, match="killed by signal 9"):
        reader.read("lesson", path)
    with pytest.raises(ReadError, match="the window is closing"):
        reader.read("lesson", path)


@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_DATA counts such memory on Linux only")
def test_a_file_that_takes_all_memory_is_refused(reader: Reader, tmp_path: Path) -> None:
    path = tmp_path / "lists.json"
    path.write_text("[" + "[],[]," * 3_000_000 + "[]]")
    with pytest.raises(GpuError, match=r"lists\.json: MemoryError"):
        reader.read("json", path, most=1 << 30)
    path.write_text("[1]")
    assert reader.read("json", path, most=10) == [1]


@POSIX
@pytest.mark.parametrize(
    "act",
    [
        "open('x', 'w')", "os.open('x', os.O_CREAT | os.O_WRONLY)", "os.remove('x')",
        "subprocess.run(['true'])", "os.system('true')", "socket.socket()", "os.fork()",
        "os.execv('/bin/true', ['true'])", "pickle.loads(b'cos\\nsystem\\n.')", "os.kill(1, 0)",
        "shutil.rmtree('x')", "os.rename('x', 'y')",
    ],
)  # fmt: skip
def test_what_the_process_gives_up(act: str, tmp_path: Path) -> None:
    code = (
        "import os, pickle, shutil, socket, subprocess\nfrom gpu.reader.child import lock_down\n"
        f"lock_down()\nopen(os.devnull).close()\ntry:\n    {act}\n"
        "except PermissionError as error:\n    assert 'a reader may not' in str(error)\n"
        "else:\n    os._exit(3)\n"
    )
    command, folder = [sys.executable, "-c", code], tmp_path / "empty"
    folder.mkdir()
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert not list(folder.iterdir())


# ---------------------------------------------------------------- a reader that was taken over


def says(lines: list[bytes]) -> Callable[[Connection], None]:
    return _Liar(lines)


class _Liar:
    """Says that it is ready, then anything."""

    def __init__(self, lines: list[bytes]) -> None:
        self.lines = lines

    def __call__(self, pipe: Connection) -> None:
        pipe.send_bytes(b'{"what": "ready"}')
        pipe.recv_bytes()
        for line in self.lines:
            pipe.send_bytes(line)
        time.sleep(60)


def found(record: object, *arrays: object) -> bytes:
    return json.dumps({"what": "found", "record": record, "arrays": arrays}).encode()


HEADER = parts(small_trace())[0]


@pytest.mark.parametrize(
    "lines",
    [
        [b"\x80\x04cos\nsystem\n."],
        [b"[" * 100_000],
        [b'{"what": "found", "arrays": [{"name": "a", "type": "object", "shape": [1]}]}'],
        [found(HEADER, {"name": "dist", "type": "int64", "shape": [2**39, 2]})],
        [found(HEADER, {"name": "dist", "type": "int64", "shape": [-1]})],
        [found(HEADER, {"name": "dist", "type": "int32", "shape": [1]}), b"\0" * 99],
        [found(HEADER)],
        [found(HEADER | {"clock": "<b>"})],
        [found(None)],
        [found({"arrays": 7})],
        [b'{"what": "refused", "refusal": {"error": "SystemExit", "words": "no"}}'],
        [b'{"what": "shouted"}'],
    ],
)
def test_nothing_that_a_reader_says_is_believed(
    lines: list[bytes], reader: Reader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.npz"
    save_trace(small_trace(), path)
    monkeypatch.setattr(reader_module, "main", says(lines))
    with pytest.raises(GpuError) as refused:
        reader.read("trace", path)
    assert str(refused.value)
