"""Segments, ring and gate, within one process."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from gpu.errors import MemoryNeededError
from gpu.host import memory as memory_module
from gpu.host.memory import Memory, Place, SharedArrays, share
from gpu.host.ring import RING, Gate, SampleRing, SampleStore
from gpu.record.trace import SAMPLE

SHM = memory_module.SHM_FOLDER


@pytest.fixture(params=[True, False], ids=["shared memory", "files"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    made = Memory(folder=str(tmp_path), in_memory=request.param)
    yield made
    made.sweep()
    assert everything(made) == []


def everything(memory: Memory) -> list[str]:
    folders = [folder for folder in (SHM, Path(memory.folder)) if folder.is_dir()]
    return [p.name for folder in folders for p in folder.glob(f"{memory.prefix}-*")]


def names(memory: Memory) -> list[str]:
    """Return the names of its segments."""
    return [name for name in everything(memory) if "-held" not in name]


def test_arrays_of_every_kind_come_through(memory: Memory) -> None:
    arrays = {
        "names": np.array(["a", "long name", "é"]),
        "none": np.zeros((0, 2), np.float32),
        "empty names": np.zeros(0, "U"),
        "samples": np.ones(3, SAMPLE),
        "grid": np.arange(6, dtype=np.int64).reshape(2, 3),
    }
    made = share(memory, "x", {**arrays, "more": np.zeros(4, np.int32)})
    other = memory.attach(made.shared, owner=True)
    seen = other.arrays(writeable=False)
    for name, array in arrays.items():
        assert seen[name].dtype == array.dtype
        assert seen[name].shape == array.shape
        assert seen[name].tobytes() == array.tobytes()
        assert not seen[name].flags.writeable
        assert seen[name].ctypes.data % 64 == 0
    assert seen["more"].tolist() == [0, 0, 0, 0]
    made.arrays(writeable=True)["more"][1] = 5
    assert seen["more"].tolist() == [0, 5, 0, 0]
    made.unlink()


def test_too_large_is_refused_in_words(memory: Memory) -> None:
    with pytest.raises(MemoryNeededError, match=r"MB of shared memory needed; free: .* TMPDIR"):
        memory.create("x", {"a": (np.int8, (1 << 50,))})
    assert names(memory) == []


def test_a_small_dev_shm_falls_back_to_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = Memory(folder=str(tmp_path))
    free = memory_module.free_bytes
    monkeypatch.setattr(
        memory_module, "free_bytes", lambda folder: 1000 if folder == SHM else free(folder)
    )
    monkeypatch.setattr(memory_module, "SHM_FOLDER", SHM if SHM.is_dir() else tmp_path)
    made = share(memory, "x", {"a": np.arange(5)})
    assert Path(made.shared.path).parent == tmp_path
    assert made.arrays(writeable=False)["a"].tolist() == [0, 1, 2, 3, 4]
    made.unlink()
    memory.sweep()
    assert everything(memory) == []


OWNER = """
import sys
import numpy as np
from gpu.host.memory import Memory, Place, SharedArrays, share
memory = Memory({prefix!r}, {folder!r}, {in_memory})
segment = share(memory, "c1", {{"a": np.arange(9)}})
print("made", flush=True)
sys.stdin.read()
"""


def owner(memory: Memory, *before: str) -> subprocess.Popen[str]:
    """Start a process that owns a segment and waits; `before` stands before the command."""
    text = OWNER.format(prefix=memory.prefix, folder=memory.folder, in_memory=memory.in_memory)
    command = [*before, sys.executable, "-c", text]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "made\n"
    return process


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is a POSIX thing")
def test_a_lock_says_who_is_alive_and_no_pid(tmp_path: Path, memory: Memory) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    other = Memory(
        f"sssp-{ended.pid}-00aa", str(tmp_path), memory.in_memory
    )  # a pid that names nobody
    with owner(other) as process:
        Memory(folder=str(tmp_path)).clean_stale()
        assert len(names(other)) == 1
        attached = other.attach(_note(other), owner=False)
        assert attached.arrays(writeable=False)["a"].tolist() == list(range(9))
        process.kill()
    Memory(folder=str(tmp_path)).clean_stale()
    assert everything(other) == []


def _note(memory: Memory) -> SharedArrays:
    """Return where the segment of `owner` lies."""
    folder = SHM if memory.in_memory and SHM.is_dir() else Path(memory.folder)
    place = Place(0, np.dtype(np.int64), (9,))
    return SharedArrays(str(folder / f"{memory.prefix}-c1"), 128, {"a": place})


# ring and gate


@pytest.fixture
def ring(memory: Memory) -> Iterator[SampleRing]:
    made = SampleRing.create(memory, "c1")
    yield made
    made.unlink()


def samples(first: int, count: int) -> np.ndarray:
    made = np.zeros(count, SAMPLE)
    made["sequence"] = np.arange(first, first + count)
    return made


def test_ring_wraps_around(ring: SampleRing) -> None:
    store = SampleStore()
    pushed = 0
    for count in (RING - 3, 0, 10, 1, RING, 7):
        ring.push(samples(pushed, count))
        pushed += count
        assert sum(len(part) for part in ring.waiting(5)) == min(count, 5)
        for part in ring.waiting():
            store.append(part)
            ring.release(len(part))
        assert ring.room() == RING
        assert ring.waiting() == ()
    assert (store.take()["sequence"] == np.arange(pushed)).all()
    assert len(store.take()) == 0
    assert len(store.everything()) == pushed


def test_a_stop_opens_the_gate(ring: SampleRing) -> None:
    ring.set_knobs(None, 0.001)
    gate = Gate(ring, 5)
    pushing = threading.Thread(target=gate.push, args=(samples(0, 10),))
    pushing.start()
    pushing.join(0.2)
    assert RING - ring.room() == 1
    ring.stop(5)  # nothing that was made is lost
    pushing.join()
    assert RING - ring.room() == 10
