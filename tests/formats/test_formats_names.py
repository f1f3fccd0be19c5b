"""A suffix binds, a guess is said; line ends, byte marks and wide text; faults name their line."""

from pathlib import Path

import pytest
from exchange_files import ARCS, DIRECTED, EDGES, TRIANGLE
from test_formats import FILES, UNDIRECTED, arcs_of, both_ways, save

from gpu.errors import FormatError
from gpu.formats import READERS, TABLE, load_graph


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        (
            "g.csv",
            "<graphml><graph/></graphml>",
            "GraphML under this name is not read; .*Edge list",
        ),
        ("g.mtx", "PK\x03\x04", "SSSP Scope graph under this name is not read; .* Matrix Market"),
        ("g.graph", "2 99999999999999\n", "promises 2 vertices and 199999999999998 edges"),
        ("g.graph", "source,target\n0,1\n", "expected 'VERTICES EDGES"),
        ("g.net", "0 1\n", ":1: found '0 1'"),
        ("g.gr", "digraph { a -> b }", "Graphviz is not read; formats that are: DIMACS"),
        ("g.gr", "p max 4 5\nn 1 s\n", ":1: found 'p max 4 5', expected 'p sp"),
    ],
)
def test_a_suffix_binds(tmp_path: Path, name: str, text: str, words: str) -> None:
    with pytest.raises(FormatError, match=words):
        load_graph(save(tmp_path, name, text))


def test_a_suffix_settles_what_content_leaves_open(tmp_path: Path) -> None:
    ring = "4 4\n2 4\n1 3\n2 4\n1 3\n"
    assert load_graph(save(tmp_path, "ring.graph", ring)).m == 8
    assert load_graph(save(tmp_path, "ring.el", ring)).m == 5
    assert load_graph(save(tmp_path, "named.tsv", "p\tq\nq\tc\n")).n == 3


def test_a_guess_is_said(tmp_path: Path) -> None:
    words = "the suffix names no format; guessed from the content: Edge list (SNAP, CSV, TSV)"
    for name in ("g", "g.txt", "g.dat.gz"):
        assert words in load_graph(save(tmp_path, name, "0 1\n")).provenance.notes
    assert "guessed" not in " ".join(load_graph(save(tmp_path, "g.el", "0 1\n")).provenance.notes)


TEXTS: dict[str, tuple[bytes, list]] = {
    **{f"files {k}": (v, sorted(ARCS)) for k, v in FILES.items() if "galois" not in k},
    **{f"undirected {k}": (v, both_ways(EDGES)) for k, v in UNDIRECTED.items()},
    **{f"exchange {k}": (v.encode(), sorted(ARCS)) for k, v in DIRECTED.items()},
    **{f"triangle {k}": (v.encode(), both_ways(EDGES)) for k, v in TRIANGLE.items()},
}


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
@pytest.mark.parametrize("name", TEXTS)
def test_every_text_format_with_every_line_end(tmp_path: Path, name: str, end: bytes) -> None:
    content, arcs = TEXTS[name]
    lines = content.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
    for text in (lines.rstrip(b"\n"), lines.rstrip(b"\n") + b"\n"):
        for mark in (b"", b"\xef\xbb\xbf"):
            path = save(tmp_path, "tiny.any", mark + text.replace(b"\n", end))
            assert arcs_of(load_graph(path)) == arcs


@pytest.mark.parametrize("key", [key for key, row in READERS.items() if row.text])
def test_a_zero_byte_is_no_text(tmp_path: Path, key: str) -> None:
    with pytest.raises(FormatError, match=r"g:10: a zero byte in it"):
        load_graph(
            save(tmp_path, "g", b"1 2\n" * 4 + b"1 2\r\n" * 3 + b"1 2\r" * 2 + b"\0"), format=key
        )
    with pytest.raises(FormatError, match=r"g:300001: a zero byte in it"):
        load_graph(save(tmp_path, "g", b"1 2\n" * 300_000 + b"\0"), format=key)
    with pytest.raises(FormatError, match="UTF-16 is not read: save it again"):
        load_graph(save(tmp_path, "g", "1 2 3\n".encode("utf-16")), format=key)


HEADS: dict[bytes, dict[str, float]] = {  # how sure each format is of these first bytes
    **{head: {} for head in (b"", b"# a\n\n% b\n", b"<svg>", b'{"a": 1}', b"x y z w\n")},
    b"p sp 2 1\na 1 2 3\n": {"dimacs": 1},
    b"a 1 2 3\n": {"dimacs": 0.7},
    b"c only\n": {"dimacs": 0.6, "edge_list": 0.3},
    b"c x\n1 2 3\n": {"dimacs": 0.7, "edge_list": 0.2},
    b"%%MatrixMarket matrix\n": {"matrix_market": 1},
    b"3 2\n2\n1 3\n2\n": {"metis": 0.9, "edge_list": 0.2},
    b"2 2\n1 2\n2 1\n": {"edge_list": 0.5},
    b"alice bob\nbob carol\n": {"edge_list": 0.3},
    b"source,target\na,b\n": {"edge_list": 0.6},
    b"a,b\nc,d\n": {"edge_list": 0.5},
    b"1 2 3 4\n5 6 7 8\n": {"edge_list": 0.2},
    b"% c\n*Arcs\n": {"pajek": 1},
    b'Creator "x"\ngraph\n[\n': {"gml": 1},
    b"<?xml version='1.0'?>\n<graphml>": {"graphml": 1},
    b'{"nodes": [], "links": []}': {"node_link": 1},
    b"PK\x03\x04": {"npz": 1},
    b"\x01" + bytes(31): {"galois": 1},
}


@pytest.mark.parametrize("head", HEADS)
def test_how_sure_each_format_is(head: bytes) -> None:
    assert {row.key: score for row in TABLE if (score := row.sniff(head))} == HEADS[head]
