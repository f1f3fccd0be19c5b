"""What large files go through: memory of their own, a read by threads, numbers kept as int32."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from test_formats_fuzz import fuzz

from gpu.errors import CancelledByUserError
from gpu.formats import load_graph, save_graph, warm_up
from gpu.graph import CSRGraph
from gpu.parsing import csr, rows, source
from gpu.parsing.filebytes import LargeBytes
from gpu.parsing.reading import Reading
from gpu.parsing.row_rules import SIGNED, RowRules
from gpu.parsing.rows import read_rows
from gpu.parsing.source import Source
from sample_graphs import make

PIECE = 1000  # bytes, instead of 4 MB
RULES = RowRules("'a TAIL HEAD WEIGHT'", value_columns=1, key=b"a", low=1, high=99, whole=True)


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LARGE_BYTES", "UNPACKED_BYTES", "BLOCK_BYTES", "HEAD_BYTES"):
        monkeypatch.setattr(source, name, PIECE)


def test_large_bytes_answer_as_a_bytearray_does() -> None:
    words = b"one\ntwo\nthree\n" * 500
    large = LargeBytes(len(words))
    assert large[:5] == bytes(5)
    large[:] = words
    assert (len(large), bytes(large), large[4:7]) == (len(words), words, b"two")
    assert large.find(b"three") == words.find(b"three")
    for bounds in ((), (5,), (5, 100)):
        assert large.count(b"\n", *bounds) == bytearray(words).count(b"\n", *bounds)
    numbers = np.frombuffer(large, np.uint8)
    del large
    assert numbers[-1] == ord("\n")


@pytest.mark.parametrize("suffix", [".gr", ".galois.gr", ".mtx", ".graph", ".wel", ".npz", ".csv"])
@pytest.mark.parametrize("can_preadv", [True, False])
@pytest.mark.usefixtures("small_pieces")
def test_each_format_reads_the_same_from_large_bytes(
    tmp_path: Path, suffix: str, can_preadv: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not can_preadv:
        monkeypatch.delattr("os.preadv")
    path = tmp_path / f"grid{suffix}"
    save_graph(make("grid", n=400), path)
    read = load_graph(path)
    monkeypatch.setattr(source, "LARGE_BYTES", 2**40)
    assert path.stat().st_size > 2 * PIECE
    assert (read.hash, read.n) == (load_graph(path).hash, 400)


@pytest.mark.usefixtures("small_pieces")
def test_a_file_that_became_shorter_and_a_wish_to_stop(tmp_path: Path) -> None:
    path = tmp_path / "x.gr"
    path.write_bytes(b"a\n" * 5000)
    begun = Source(Reading(path))
    path.write_bytes(b"a\n" * 1600)
    assert bytes(begun.read_all()) == b"a\n" * 1600
    path.write_bytes(b"a\n" * 5000)
    asked: list[int] = []

    def stop() -> bool:
        asked.append(1)
        return len(asked) > 2

    with pytest.raises(CancelledByUserError):
        Source(Reading(path, should_stop=stop)).read_all()


@pytest.mark.usefixtures("small_pieces")
def test_a_mark_at_the_beginning_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "grid.gr"
    save_graph(make("grid", n=400), path)
    plain = load_graph(path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert load_graph(path).hash == plain.hash


@pytest.mark.parametrize(
    ("last", "kind"),
    [
        (b"7", np.int32), (b"2147483647", np.int32), (b"2147483648", np.float64),
        (b"1.5", np.float64), (b"7e0", np.float64), (b"-2147483647", np.int32),
    ],
)  # fmt: skip
def test_weights_that_are_not_int32_are_parsed_again(last: bytes, kind: type) -> None:
    rules = RowRules(**{**RULES.__dict__, "values": SIGNED})
    text = bytearray(b"a 1 2 3\na 98 99 " + last + b"\n")
    found, others = (
        read_rows(Reading(Path("x")), text, 0, rules, compiled=how) for how in (True, False)
    )
    assert found.values.dtype == kind
    assert found.ids.dtype == np.int32
    assert found.ids.tolist() == others.ids.tolist() == [[1, 98], [2, 99]]
    assert found.values.tolist() == others.values.tolist() == [[3, float(last)]]
    assert found.integral == others.integral == last.lstrip(b"-").isdigit()


@pytest.mark.usefixtures("small_pieces")
def test_mutated_files_through_the_loops_of_large_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warm_up()
    monkeypatch.setattr(rows, "COMPILED_BYTES", 1)
    monkeypatch.setattr(rows, "CHUNK_BYTES", 64)
    monkeypatch.setattr(csr, "COMPILED_ARCS", 1)
    monkeypatch.setattr(csr, "THREADED_ARCS", 4)
    assert fuzz(5, tmp_path, files=60) == 60


def test_a_galois_file_becomes_the_graph_without_a_copy(tmp_path: Path) -> None:
    path = tmp_path / "grid.galois.gr"
    graph = make("grid", n=400)
    save_graph(graph, path)
    read = load_graph(path)
    assert read.indices.base is not None
    for one, two in zip(arrays(graph), arrays(read), strict=True):
        assert np.array_equal(one, two)
        assert one.dtype == two.dtype


def arrays(graph: CSRGraph) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return graph.indptr, graph.indices, graph.weights
