"""Identifiers become vertices as `np.unique` ranks them; edges are sorted by tail, stably."""

import os
from pathlib import Path

import numpy as np
import pytest

from gpu.errors import FormatError
from gpu.formats import load_graph
from gpu.formats.build import as_weights, both_or_one_way, graph_of, number_vertices, whole_if_exact
from gpu.formats.reading import SHOWN_CHARACTERS, Arcs, Reading, bare_name, shown


@pytest.mark.parametrize("low", [-5, 0, 1, 2, 2**31 - 500, 2**62])
def test_ranks_are_those_of_unique(low: int) -> None:
    for span in (3, 400, 100_000):
        ids = np.random.default_rng(span).integers(low, low + span, (2, 300))
        expected, ranks = np.unique(ids, return_inverse=True)
        ends, n, base, kept = number_vertices(Reading(Path("-")), ids, None)
        assert n == len(expected)
        if kept is None:
            assert expected.tolist() == list(range(base, base + n))
            assert (ends == ids).all()
        else:
            assert (base, kept.tolist()) == (0, expected.tolist())
            assert ends.tolist() == ranks.reshape(ids.shape).tolist()


@pytest.mark.parametrize("both", [False, True])
def test_edges_keep_the_order_of_the_file(both: bool) -> None:
    rng = np.random.default_rng(5)
    for n, m in ((1, 5), (7, 60), (300, 2000)):
        tails, heads = rng.integers(0, n, (2, m))
        weights = np.arange(m)
        reading = Reading(Path("x"))
        graph = graph_of(reading, "any", Arcs(tails + 3, heads + 3, n, weights, base=3, both=both))
        rows: list[list[tuple[int, int]]] = [[] for _ in range(n)]
        for tail, head, weight in zip(tails, heads, weights, strict=True):
            rows[tail].append((head, weight))
            if both and tail != head:
                rows[head].append((tail, weight))
        pairs = list(zip(graph.indices.tolist(), graph.weights.tolist(), strict=True))
        assert pairs == [pair for row in rows for pair in row]
        assert graph.indptr.tolist() == np.cumsum([0, *map(len, rows)]).tolist()


def test_weights_take_the_smallest_type_that_is_exact() -> None:
    for values, kind, note in (
        (np.array([2**31 - 1]), np.int32, []),
        (np.array([2**31]), np.int64, ["weights up to 2,147,483,648 exceed 2,147,483,647: int64"]),
        (np.array([2.5]), np.float64, ["weights with a decimal point: float64"]),
        (
            np.array([1e19]),
            np.float64,
            ["weights up to 1e+19 exceed 2^63 - 1: float64, 16 digits each"],
        ),
        (np.zeros(0, np.int64), np.int32, []),
    ):
        reading = Reading(Path("x"))
        found = as_weights(reading, values)
        assert (found.dtype, found.tolist(), reading.notes) == (kind, values.tolist(), note)
    assert whole_if_exact(np.array([2.0**53, -3.0])).dtype == np.int64
    assert whole_if_exact(np.array([2.0**53 + 2])).dtype == np.float64
    assert whole_if_exact(np.array([2.0, 2.5])).tolist() == [2.0, 2.5]


@pytest.mark.parametrize("undirected", [None, True, False])
def test_edges_of_both_kinds_in_one_file(undirected: bool | None) -> None:
    def told(both: list[bool]) -> tuple[list[tuple[int, ...]], bool, list[str]]:
        reading = Reading(Path("x"), undirected)
        columns = np.array([[0, 1, 2], [1, 2, 2], [5, 6, 7]])
        arcs = both_or_one_way(reading, Arcs(columns[0], columns[1], 3, columns[2]), np.array(both))
        rows = zip(arcs.tails.tolist(), arcs.heads.tolist(), arcs.weights.tolist(), strict=True)
        return list(rows), arcs.both, reading.notes

    as_written = [(0, 1, 5), (1, 2, 6), (2, 2, 7)]
    assert told([True] * 3) == (as_written, True, [])
    assert told([False] * 3) == (as_written, False, [])
    mixed = ([*as_written, (1, 0, 5)], False, ["2 undirected and 1 directed edges"])
    assert told([True, False, True]) == (mixed if undirected is None else (as_written, False, []))


def test_a_count_that_does_not_fit_is_ignored_and_said() -> None:
    for ends, count, kept in (([0, 4], 5, (5, 0)), ([1, 5], 5, (5, 1)), ([1, 6], 5, (2, 0))):
        reading = Reading(Path("x"))
        _, n, base, ids = number_vertices(reading, np.array([ends, ends]), count)
        assert (n, base) == kept
        assert (ids is None) == (n == 5)
        said = "the count in the first line, 5, does not fit the ids: ignored"
        assert (said in reading.notes) == (n != 5)
    nothing = number_vertices(Reading(Path("x")), np.zeros((2, 0), np.int64), None)
    assert nothing[1:] == (0, 0, None)


def test_what_a_file_says_is_shown_in_one_line() -> None:
    most = SHOWN_CHARACTERS
    assert shown(b" a\tb\r\n") == "'a\\tb'"
    assert shown(b"x" * most) == f"'{'x' * most}'"
    assert shown(b"x" * (most + 1)) == shown(b"x" * 999) == f"'{'x' * most}...'"
    assert shown(b"\xff\x07") == r"'\xff\x07'"
    names = {"a.gr.gz": "a", "b.tar.csv": "b.tar", ".gz": ".gz", "c": "c"}
    assert {name: bare_name(Path(name)) for name in names} == names


def test_a_plain_archive_of_three_arrays_has_no_names_and_counts_from_0(tmp_path: Path) -> None:
    arrays = {"indptr": np.array([0, 1, 1]), "indices": np.array([1], np.int32)}
    np.savez(tmp_path / "plain.npz", **arrays, weights=np.array([3], np.int32))
    graph = load_graph(tmp_path / "plain.npz")
    assert (graph.name, graph.id_base, graph.ids, graph.positions) == ("plain", 0, None, None)
    assert graph.provenance.notes == ()
    page = np.frombuffer(b'{"version": 2}', np.uint8)
    np.savez(tmp_path / "later.npz", **arrays, weights=np.array([3], np.int32), metadata=page)
    with pytest.raises(FormatError, match="the page of metadata cannot be read: version = 2"):
        load_graph(tmp_path / "later.npz")


def test_the_mark_of_another_kind_of_file_is_overruled_by_a_sure_format(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("c <?xml digraph\np sp 2 1\na 1 2 3\n")
    assert load_graph(tmp_path / "a").m == 1
    (tmp_path / "b").write_text("source,target\ndigraph,b\n")  # a table is never sure
    with pytest.raises(FormatError, match="Graphviz is not read"):
        load_graph(tmp_path / "b")
    (tmp_path / "c").write_text("c <?xml\na 1 2 3\n")  # rows of DIMACS: just sure enough
    with pytest.raises(FormatError, match="expected 'p sp VERTICES ARCS'"):
        load_graph(tmp_path / "c")


def test_a_pipe_may_unpack_to_so_much_and_no_more() -> None:
    end, begin = os.pipe()
    os.write(begin, b"1 2 3\n")
    os.close(begin)
    reading = Reading(Path(f"/dev/fd/{end}"), pipe=True)
    with reading.opened():
        assert reading.read_all(text=True) == b"1 2 3\n"
    os.close(end)
    assert reading.disk_bytes == 6
    reading.check_unpacked(reading.budget_bytes, "it")
    with pytest.raises(FormatError):
        reading.check_unpacked(reading.budget_bytes + 1, "it")
