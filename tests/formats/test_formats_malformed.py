"""Malformed input: one line with file, line, found and expected; no large allocation."""

import gzip
import lzma
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from test_formats import FILES, galois, parser, save
from test_formats_exchange import MALFORMED as EXCHANGED

from gpu import files as memory
from gpu.errors import FormatError, MemoryNeededError
from gpu.formats import load_graph

__all__ = ["parser"]


MALFORMED = {
    "": "is empty",
    "p sp 4 6\na 1 2\n": "promises 6 edges",
    "p sp 4 1\na 1 2\n": r":2: found 'a 1 2', expected 'a TAIL HEAD WEIGHT'",
    "p sp 2 1\na 1 3 1\n": r":2: vertex 3 is out of range: the header promises vertices 1 to 2",
    "p sp 2 1\nc\na 1 2 inf\n": r":3: weight 'inf' is not a finite number >= 0",
    "p sp 2 1\na 1 2 -4\n": r":2: weight '-4' is below zero; .*--weights absolute",
    "p sp 2 1\na 1 2 1e309\n": "past the range of float64",
    "p sp 2 2\na 1 2 3\n": r":1: the header promises 2 edges, but the file has 1",
    "p sp 2\na 1 2 3\n": r":1: found 'p sp 2', expected 'p sp VERTICES ARCS'",
    "p sp 1000000000000 1\na 1 2 3\n": "1000000000000 vertices",
    "p sp 2000000000 1\na 1 2 3\n": "expected at most 1 x bytes",
    "p sp 2 1000000000000\na 1 2 3\n": "1000000000000 edges",
    "p sp 2 1000000000\na 1 2 3\n": "at least 8000000000 bytes",
    "c only comments\n": "only comments",
    "c tiny\n\f\np sp 2 1\na 1 2 3\n": r":2: found '\\x0c', expected 'p sp VERTICES ARCS'",
    "1 2 3\n\f\n2 3 4\n": r":2: 0 columns found '\\x0c'",
    "p aux sp ss 1\ns 1\n": "no edges; open the .gr file",
    "p sp co 1\nv 1 0 0\n": "holds coordinates",
    "0 1\n2\n3 4\n": r":2: 1 columns found '2', expected 'TAIL HEAD'",
    "0,1,5\n1,,7\n": ":2: a column is empty",
    "0 99999999999999999999\n0 1\n0 2\n": "no whole number",
    "99999999999999\n0 1\n": "99999999999999 vertices",
    "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n": "complex",
    "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1\n": "as many rows as columns",
    "%%MatrixMarket matrix coordinate real general\n2 2 9\n1 1 1\n": "promises 9",
    "%%MatrixMarket matrix coordinate real general\n": "no size line",
    "%%MatrixMarket matrix array real general\n1 1\n1\n": "a dense matrix; write it sparse",
    "8\n3\n4 5 0.35\n": ":2: 1 columns found '3'",
    "a 1 2 3\n": "found 'a 1 2 3', expected 'p sp VERTICES ARCS'",
    "c source target\n0 1 3\n": "found '0 1 3', expected 'p sp VERTICES ARCS'",
    "3 2\n2\n1 3 9\n2\n": ":3: vertex 9 is out of range",
    "3 3 1\n2 3 3 1\n1 3 3 -4\n1 1 2 4\n": ":3: weight -4 is below zero",
    "3 3 1\n2 3 3\n1 3 3 4\n1 1 2 4\n": "pairs of neighbour and weight",
    '<?xml version="1.0"?><svg></svg>': "XML is not read; formats that are: DIMACS",
    "digraph x { a -> b }": "Graphviz is not read",
    "hello there this is no graph at all\n": "no known graph format",
}


@pytest.mark.parametrize(("text", "words"), (MALFORMED | EXCHANGED).items())
def test_malformed_text_is_told_in_one_line(
    tmp_path: Path, text: str, words: str, parser: str
) -> None:
    path = save(tmp_path, "bad.any", text)
    with pytest.raises(FormatError, match=words) as caught:
        load_graph(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


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
