"""Readers: the same tiny graph in every format, options, and every trap met in real files.

     3            0
0 ------> 1   2 ----> 3      0 -> 2 twice (1 and 5), a loop of 2 at vertex 1,
|                            3 -> 0 with 7
+--- 1, 5 --> 2
"""

import gzip
import lzma
import os
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from processes import python

from gpu.errors import CancelledByUserError, FormatError, GpuError, ParameterError
from gpu.formats import load_graph, rows, scan, warm_up  # noqa: F401 - a loaded scan
from gpu.formats.reading import HEAD_BYTES, Reading
from gpu.graph import CSRGraph

ARCS = [(0, 1, 3), (0, 2, 1), (0, 2, 5), (1, 1, 2), (2, 3, 0), (3, 0, 7)]
EDGES = [(0, 1, 3), (0, 2, 1), (1, 2, 4)]  # for undirected formats: a triangle


def galois(version: int, weights: str = "<i4", arcs: list = ARCS, n: int = 4) -> bytes:
    tails, heads, values = (np.array(column) for column in zip(*arcs, strict=True))
    ends = np.cumsum(np.bincount(tails, minlength=n)).astype("<u8")
    targets = heads.astype("<u4" if version == 1 else "<u8").tobytes()
    if version == 1 and len(arcs) % 2:
        targets += b"\0\0\0\0"
    size = np.dtype(weights).itemsize if weights else 0
    head = np.array([version, size, n, len(arcs)], "<u8").tobytes()
    data = values.astype(weights).tobytes() if weights else b""
    return head + ends.tobytes() + targets + data


def lines(form: str, base: int, arcs: list = ARCS) -> str:
    return "".join(form.format(u + base, v + base, w) for u, v, w in arcs)


FILES: dict[str, bytes] = {
    "dimacs": b"c tiny\np sp 4 6\n" + lines("a {} {} {}\n", 1).encode(),
    "dimacs_crlf": b"c tiny\r\n\r\np sp 4 6\r\n" + lines("a {} {} {}\r\n", 1).encode(),
    "galois_1": galois(1),
    "galois_2": galois(2),
    "galois_long": galois(1, "<i8"),
    "matrix_market": b"%%MatrixMarket matrix coordinate integer general\n% c\n4 4 6\n"
    + lines("{} {} {}\n", 1).encode(),
    "csv": b"source,target,weight\n" + lines("{},{},{}\n", 0).encode(),
    "semicolons": lines("{}; {}; {}\n", 0).encode(),
    "tabs": b"# FromNodeId\tToNodeId\n" + lines("{}\t{}\t{}\r\n", 0).encode(),
    "blanks": lines("{} {}  {}\n", 0).encode().rstrip(b"\n"),
    "counted": b"4\n" + lines("{} {} {}\n", 0).encode(),
    "bom": b"\xef\xbb\xbf" + lines("{} {} {}\n", 0).encode(),
}
UNDIRECTED: dict[str, bytes] = {
    "pace": b"c x\np tw 3 3\n" + lines("{} {} {}\n", 1, EDGES).encode(),
    "symmetric": b"%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n"
    b"2 1 3\n3 1 1\n3 2 4\n",
    "metis": b"% tiny\n3 3 1\n2 3 3 1\n1 3 3 4\n1 1 2 4\n",
    "metis_11": b"3 3 011\n9 2 3 3 1\n9 1 3 3 4\n9 1 1 2 4\n",
    "metis_sizes": b"3 3 111 2\n1 9 9 2 3 3 1\n1 9 9 1 3 3 4\n1 9 9 1 1 2 4",
}


def save(folder: Path, name: str, content: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def arcs_of(graph: CSRGraph) -> list[tuple[int, int, float]]:
    tails = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    return sorted(zip(tails.tolist(), graph.indices.tolist(), graph.weights.tolist(), strict=True))


@pytest.fixture(params=["compiled", "plain", "python"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a test with each reader of rows: the compiled one, NumPy's and the definition."""
    monkeypatch.setattr(rows, "runs_compiled", lambda size: request.param != "python")
    if request.param == "plain":
        monkeypatch.delitem(sys.modules, "gpu.formats.scan")
    return str(request.param)


def both_ways(edges: list) -> list[tuple[int, int, int]]:
    return sorted([*edges, *((v, u, w) for u, v, w in edges if u != v)])


@pytest.mark.parametrize("name", FILES)
def test_same_graph_in_every_format(tmp_path: Path, name: str, parser: str) -> None:
    graph = load_graph(save(tmp_path, "tiny.anything", FILES[name]))
    assert graph.n == 4
    assert graph.weights.dtype == np.int32
    assert arcs_of(graph) == sorted(ARCS)
    assert arcs_of(load_graph(tmp_path / "tiny.anything", undirected=True)) == both_ways(ARCS)
    assert graph.indices[1:3].tolist() == [2, 2]  # parallel arcs keep the file's order
    assert graph.weights[1:3].tolist() == [1, 5]
    assert graph.ids is None
    assert graph.name == "tiny"


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_compression_is_seen_by_content(tmp_path: Path, pack) -> None:
    halves = FILES["dimacs"][:20], FILES["dimacs"][20:]
    whole = save(tmp_path, "whole.gr", pack(FILES["dimacs"]))
    members = save(tmp_path, "members.gr", pack(halves[0]) + pack(halves[1]))
    for path in (whole, members):
        assert arcs_of(load_graph(path)) == sorted(ARCS)


def test_coordinates_beside_the_graph(tmp_path: Path, parser: str) -> None:
    path = save(tmp_path, "town.gr.gz", gzip.compress(FILES["dimacs"]))
    points = "c x\np aux sp co 4\nv 2 10 -5\nv 1 0 0.5\nv 3 1 1\nv 4 2 2\n"
    save(tmp_path, "town.co.xz", lzma.compress(points.encode()))
    graph = load_graph(path)
    assert graph.positions.tolist() == [[0, 0.5], [10, -5], [1, 1], [2, 2]]
    assert "coordinates from town.co.xz" in graph.provenance.notes


def test_large_coordinates_keep_neighbours_apart(tmp_path: Path) -> None:
    path = save(tmp_path, "town.gr", "p sp 2 1\na 1 2 1\n")
    save(tmp_path, "town.co", "p aux sp co 2\nv 1 -73530767 41085396\nv 2 -73530768 41085397\n")
    positions = load_graph(path).positions
    assert (np.ptp(positions, axis=0) == 1).all()


@pytest.mark.parametrize(
    "points",
    [b"", b"p aux sp co 5\n", b"p aux sp co 4\nv 1 0 0\n", b"\0\1", b"p aux sp co 4\nv 9 0 0\n"],
)
def test_broken_coordinates_cost_the_positions_only(tmp_path: Path, points: bytes) -> None:
    path = save(tmp_path, "town.gr", FILES["dimacs"])
    save(tmp_path, "town.co", points)
    graph = load_graph(path)
    assert graph.positions is None
    assert any(note.startswith("no coordinates:") for note in graph.provenance.notes)


def test_sparse_ids_are_ranked_not_allocated(tmp_path: Path, parser: str) -> None:
    warm_up()
    path = save(tmp_path, "sparse.txt", f"7 2146237932 2\n{2**63 - 1} 7 4\n")
    tracemalloc.start()
    graph = load_graph(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert graph.n == 3
    assert graph.ids.tolist() == [7, 2146237932, 2**63 - 1]
    assert arcs_of(graph) == [(0, 1, 2), (2, 0, 4)]
    assert peak < 8_000_000
    assert graph.vertex_of(2146237932) == 1


def test_unknown_choices(tmp_path: Path) -> None:
    path = save(tmp_path, "a.gr", FILES["dimacs"])
    with pytest.raises(ParameterError, match="file, unit, random, absolute"):
        load_graph(path, weights="heavy")
    with pytest.raises(ParameterError, match="dimacs, galois"):
        load_graph(path, format="exel")
    with pytest.raises(GpuError):
        load_graph(path, format="galois")


def test_progress_rises_and_cancel_is_heard(tmp_path: Path, parser: str) -> None:
    text = "p sp 9 60000\n" + "a 1 2 3\n" * 60_000
    path = save(tmp_path, "a.gr", text)
    told: list[float] = []
    load_graph(path, progress=lambda fraction, words: told.append(fraction))
    assert told == sorted(told)
    assert (told[0], told[-1]) == (0.0, 1.0)
    asked: list[int] = []

    def third_time() -> bool:
        asked.append(1)
        return len(asked) >= 3

    with pytest.raises(CancelledByUserError, match=r"a\.gr was stopped"):
        load_graph(path, should_stop=third_time)


def test_rows_of_a_sorted_text_are_found_in_pieces(tmp_path: Path, parser: str) -> None:
    random = np.random.default_rng(3)
    heads, weights = random.integers(1, 61, 9000), random.integers(0, 9, 9000)
    for tails in (np.sort(random.integers(4, 50, 9000)), random.integers(4, 50, 9000)):
        rows = zip(tails, heads, weights, strict=True)
        text = "p sp 60 9000\n" + "".join(f"a {u} {v} {weight}\n" for u, v, weight in rows)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("gpu.formats.build.AT_ONCE", 7)
            graph = load_graph(save(tmp_path, "a.gr", text))
        assert graph.hash == CSRGraph.from_arcs(tails - 1, heads - 1, weights, 60).hash


def test_large_plain_files_are_read_in_pieces(tmp_path: Path) -> None:
    path = save(tmp_path, "a.gr", "p sp 9 60000\n" + "a 1 2 3\n" * 60_000)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gpu.formats.reading.BLOCK_BYTES", HEAD_BYTES)
        patch.setattr("gpu.formats.reading.PIECE_BYTES", 10_000)
        with (reading := Reading(path)).opened():
            assert reading.read_all() == path.read_bytes()
        with (reading := Reading(path)).opened():
            os.truncate(path, 200_000)
            with pytest.raises(FormatError, match="became shorter"):
                reading.read_all()


def test_small_files_do_not_load_numba(tmp_path: Path) -> None:
    path = save(tmp_path, "a.gr", FILES["dimacs"])
    code = (
        "import sys; from gpu.formats import load_graph; "
        f"print(load_graph({str(path)!r}).m, 'numba' in sys.modules, 'scipy' in sys.modules)"
    )
    assert python(code).split() == ["6", "False", "False"]
