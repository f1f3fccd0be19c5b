"""Files are written whole or not at all, and read up to a limit."""

import os
from pathlib import Path

import pytest

from gpu import files
from gpu.errors import GpuError, MemoryNeededError

resource = pytest.importorskip("resource")


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "a"
    path.parent.mkdir()

    def breaks() -> None:
        with files.written_whole(path) as file:
            file.write(b"345")
            raise ValueError("mine")

    def is_abandoned() -> None:
        with files.written_whole(path):
            assert len(os.listdir(path.parent)) == 2
            files.abandon()
            assert os.listdir(path.parent) == ["a"]

    files.write_whole(path, b"12")
    with pytest.raises(ValueError, match="mine"):
        breaks()
    with pytest.raises(GpuError, match="cannot write"):
        is_abandoned()
    assert (os.listdir(path.parent), files.read_regular(path, 2)) == (["a"], b"12")
    with pytest.raises(OSError, match="more than 1 bytes; allowed: 1"):
        files.read_regular(path, 1)
    for wrong, words in (
        (tmp_path, "it is a folder"),
        (tmp_path / "b" / "c", "there is no folder"),
    ):
        with pytest.raises(GpuError, match=words):
            files.check_writable(wrong)


def test_the_smaller_of_two_memories_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {"meminfo": "MemTotal: 9 kB\nMemAvailable: 5 kB\n", "memory.max": "7000\n"}
    texts["memory.current"] = "3000"
    monkeypatch.setattr(Path, "read_text", lambda path: texts[path.name])
    monkeypatch.setattr(Path, "read_bytes", lambda path: texts[path.name].encode())
    assert files.available_bytes() == 4000
    with pytest.raises(MemoryNeededError, match="g: needs about 4 kB of memory more, 4 kB are"):
        files.require_memory(4001, "g")
    files.require_memory(4000, "g")
    texts["memory.current"] = "8000"
    assert files.available_bytes() == 0
    texts["memory.max"] = "max"
    assert files.available_bytes() == 5 * 1024


def test_a_low_limit_of_addresses_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in (resource.RLIM_INFINITY, files.LEAST_ADDRESSES, files.LEAST_ADDRESSES - 1):
        monkeypatch.setattr(resource, "getrlimit", lambda which, now=limit: (now, now))
        if limit == files.LEAST_ADDRESSES - 1:
            with pytest.raises(MemoryNeededError, match="ulimit -v allows"):
                files.require_addresses()
        else:
            files.require_addresses()
