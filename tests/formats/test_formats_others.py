"""Files of other programs: NumPy, SciPy, JSON; tables as csv reads them; bombs."""

import csv
import gzip
import io
import json
import re
import tracemalloc
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import sparse
from test_formats import arcs_of, save

from gpu.errors import FormatError
from gpu.formats import load_graph


def test_a_sparse_matrix_is_refused_in_words(tmp_path: Path) -> None:
    sparse.save_npz(tmp_path / "m.npz", sparse.csr_matrix(np.eye(3)))
    with pytest.raises(FormatError, match=r"a matrix of SciPy \(save it by mmwrite"):
        load_graph(tmp_path / "m.npz")


@pytest.mark.parametrize("edges", ["links", "edges"])
def test_node_link(tmp_path: Path, edges: str) -> None:
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(
        [("Oslo", {"x": 1, "y": 2}), (7, {"x": 3, "y": 4.5}), ("alone", {"x": 0, "y": 0})]
    )
    graph.add_edge("Oslo", 7, weight=3)
    graph.add_edge("Oslo", 7, weight=2.5)
    path = save(tmp_path, "g.json", json.dumps(nx.node_link_data(graph, edges=edges)))
    read = load_graph(path)
    assert read.ids.tolist() == ["Oslo", "7", "alone"]
    assert arcs_of(read) == [(0, 1, 2.5), (0, 1, 3)]
    assert read.positions is not None
    undirected = nx.node_link_data(nx.path_graph(3), edges=edges)
    assert arcs_of(load_graph(save(tmp_path, "u.json", json.dumps(undirected)))) == [
        (0, 1, 1), (1, 0, 1), (1, 2, 1), (2, 1, 1),
    ]  # fmt: skip


NUMBER = re.compile(r"\s*[+-]?[0-9]+\s*")  # 00 and +1 are written otherwise than they are shown
LETTERS = st.characters(codec="utf-8", exclude_characters="\0\r")
WORDS = st.text(LETTERS, min_size=1, max_size=6).filter(lambda word: not NUMBER.fullmatch(word))
CELLS = st.one_of(WORDS, st.integers(-9, 9).map(str))


@settings(max_examples=120)
@given(
    rows=st.lists(st.tuples(CELLS, CELLS, st.integers(0, 99)), min_size=1, max_size=8),
    separator=st.sampled_from(",;\t"),
    quoting=st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
)
def test_tables_as_csv_reads_them(
    tmp_path_factory: pytest.TempPathFactory, rows: list, separator: str, quoting: int
) -> None:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, quoting=quoting, lineterminator="\n")
    writer.writerows([("source", "target", "weight"), *rows])
    path = tmp_path_factory.mktemp("table") / "t.csv"
    path.write_bytes(text.getvalue().encode())
    graph = load_graph(path)
    tails = np.repeat(np.arange(graph.n), np.diff(graph.indptr)).tolist()
    ends = zip(tails, graph.indices.tolist(), graph.weights.tolist(), strict=True)
    found = sorted((str(graph.id_of(u)), str(graph.id_of(v)), w) for u, v, w in ends)
    assert found == sorted(rows)


def test_bombs_end_at_once(tmp_path: Path) -> None:
    zeros = gzip.compress(b"0 1\n" + b"\0" * 40_000_000, 1)
    lines = gzip.compress(b"0 1\n" * 80_000_000, 1)
    np.savez_compressed(
        tmp_path / "bomb.npz", indptr=np.zeros(40_000_000, np.int64), indices=np.zeros(0, np.int32),
        weights=np.zeros(0, np.int32),
    )  # fmt: skip
    save(tmp_path, "zeros.csv", zeros)
    save(tmp_path, "lines.txt", lines)
    with (tmp_path / "nul.gr").open("wb") as file:
        file.write(b"p sp 3 1\n")
        file.truncate(2_000_000_000)
    tracemalloc.start()
    for name, words, most in (
        ("zeros.csv", "a zero byte in it", 30e6),
        ("lines.txt", r"the file unpacks to 2\d\d.\d MB or more, the file has", 400e6),
        ("bomb.npz", r"the archive unpacks to 320.0 MB or more", 30e6),
        ("nul.gr", "a zero byte in it", 2.2e9),
    ):
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        with pytest.raises(FormatError, match=words):
            load_graph(tmp_path / name)
        assert tracemalloc.get_traced_memory()[1] - before < most, name
    tracemalloc.stop()


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("kind", ["Undirected", "Directed", " undirected "])
def test_columns_are_chosen_by_the_heading(tmp_path: Path, separator: str, kind: str) -> None:
    heading = ["Id", "Weight", "Target", "Source", "Type", "Label"]
    rows = [[str(k), str(k + 1), str(k % 7), str(k % 5), kind, "ä b"] for k in range(40)]
    text = "\n".join(
        separator.join(row) for row in [heading, *rows[:20], ["# c"], [""], *rows[20:]]
    )
    path = save(tmp_path, "t.csv", text)
    graph = load_graph(path)
    assert graph.m == (40 if kind == "Directed" else 40 + 30)
    assert graph.n == 7
    assert set(graph.weights.tolist()) == set(range(1, 41))
    short = text.replace(separator.join(rows[20]), "20")
    with pytest.raises(FormatError, match=":24: 1 columns found '20', the heading has 6"):
        load_graph(save(tmp_path, "t.csv", short))
