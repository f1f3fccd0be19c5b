"""Segments, ring and gate, within one process."""

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from gpu.errors import MemoryNeededError
from gpu.host import memory as memory_module
from gpu.host.memory import Memory, share
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


def test_arrays_of_every_kind_come_through(memory: Memory) -> None:
    arrays = {
        "names": np.array(["a", "long name", "é"]),
        "none": np.zeros((0, 2), np.float32),
        "empty names": np.zeros(0, "U"),
        "samples": np.ones(3, SAMPLE),
        "grid": np.arange(6, dtype=np.int64).reshape(2, 3),
    }
    made = share(memory, "x", {**arrays, "more": np.zeros(4, np.int32)})
    other = memory.attach(made.shared)
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
    assert everything(memory) == []


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


@pytest.fixture
def ring(memory: Memory) -> Iterator[SampleRing]:
    made = SampleRing.create(memory, "c1")
    yield made
    made.segment.unlink()


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
