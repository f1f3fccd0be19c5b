"""Malformed files that are no text, and large ones: an error, no large allocation."""

import gzip
import lzma
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from test_formats import FILES, galois, save

from gpu import files as memory
from gpu.errors import FormatError, MemoryNeededError
from gpu.formats import load_graph


def npz_bytes(folder: Path, **arrays: np.ndarray) -> bytes:
    np.savez(folder / "made.npz", **arrays)
    return (folder / "made.npz").read_bytes()


def test_malformed_binaries(tmp_path: Path) -> None:
    good = FILES["galois_1"]
    huge = np.frombuffer(good[:32], "<u8").copy()
    huge[3] = 10**12
    past = bytearray(good)
    past[64] = 99  # the first target
    negative = galois(1, arcs=[(0, 1, -3)])
    no_weights = npz_bytes(tmp_path, indptr=np.zeros(1, np.int64), indices=np.zeros(0, np.int32))
    cases = {
        "promises": good[:-1],
        "header has 32": good[:20],
        "1000000000000 edges": huge.tobytes() + good[32:],
        "an edge ends at 99": bytes(past),
        "weight -3": negative,
        "look|no array 'weights'": no_weights,
        "broken .npz": b"PK\x03\x04" + b"\0" * 50,
        "broken gzip": gzip.compress(FILES["dimacs"])[:10] + b"\xff" * 30,
        "end early": gzip.compress(FILES["dimacs"])[:-9],
        "broken gzip data .Not a gzipped": gzip.compress(FILES["dimacs"]) + b"more",
        "end early|broken xz": lzma.compress(FILES["dimacs"])[:-20],
        "zstd compressed; unpack it first": b"\x28\xb5\x2f\xfd123",
        "bzip2 compressed; unpack it first": b"BZh91AY",
        "no known graph format": bytes(range(256)) * 4,
    }
    for words, content in cases.items():
        with pytest.raises(FormatError, match=words):
            load_graph(save(tmp_path, "bad.bin", content))


def test_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="is a folder"):
        load_graph(tmp_path)
    with pytest.raises(FormatError, match="no such file"):
        load_graph(tmp_path / "absent.gr")
    with pytest.raises(FormatError, match=r"^https://x\.org/a\.gr: is a web address; download"):
        load_graph("https://x.org/a.gr")
    with pytest.raises(FormatError, match="cannot be opened"):
        load_graph("nul\0byte.gr")
    if Path("/dev/zero").exists():
        with pytest.raises(FormatError, match="not a regular file"):
            load_graph("/dev/zero")


def test_isolated_vertices_are_legal(tmp_path: Path) -> None:
    graph = load_graph(save(tmp_path, "a.gr", "p sp 5000000 1\na 1 2 3\n"))
    assert (graph.n, graph.m) == (5_000_000, 1)
    assert load_graph(save(tmp_path, "b.gr", "p sp 0 0\n")).n == 0


def test_memory_is_asked_for_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "p sp 9 99999\n" + "a 1 2 3\n" * 99_999
    path = save(tmp_path, "a.gr", gzip.compress(text.encode()))
    monkeypatch.setattr(memory, "available_bytes", lambda: 1_000_000)
    with pytest.raises(MemoryNeededError, match=r"a\.gr: needs about .* MB of memory"):
        load_graph(path)


def test_npz_never_allocates_what_a_header_claims(tmp_path: Path) -> None:
    good = npz_bytes(
        tmp_path,
        indptr=np.array([0, 1], np.int64),
        indices=np.zeros(1, np.int32),
        weights=np.ones(1, np.int32),
    )
    assert load_graph(save(tmp_path, "good.npz", good)).m == 1
    claims = good.replace(b"'shape': (2,), }    ", b"'shape': (999999999999,), }"[:20])
    claims = claims.replace(b"(2,), }        ", b"(99999999,), } ")
    assert claims != good
    tracemalloc.start()
    with pytest.raises(FormatError):
        load_graph(save(tmp_path, "bad.npz", claims))
    assert tracemalloc.get_traced_memory()[1] < 4_000_000
    tracemalloc.stop()
