"""`convert` from every format that is read to every one that is written, or a clear refusal."""

from __future__ import annotations

from pathlib import Path

import pytest
from exchange_files import DIRECTED, TRIANGLE
from test_formats import FILES, UNDIRECTED, arcs_of

from gpu.cli import main as cli
from gpu.formats import READERS, load_graph

INPUTS: dict[str, bytes] = {
    "dimacs": FILES["dimacs"],
    "galois": FILES["galois_1"],
    "metis": UNDIRECTED["metis"],
    "graphml": DIRECTED["graphml"].encode(),
    "table": TRIANGLE["edge_list"].encode(),
}
OUTPUTS = (".gr", ".galois.gr", ".mtx", ".csv", ".tsv", ".npz")


def test_every_writer_is_tried() -> None:
    suffixes = {row.suffixes for row in READERS.values() if row.write is not None}
    assert all(set(known) & set(OUTPUTS) for known in suffixes)


@pytest.mark.parametrize("suffix", OUTPUTS)
@pytest.mark.parametrize("name", INPUTS)
def test_convert(
    tmp_path: Path, name: str, suffix: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given, out = tmp_path / "given", tmp_path / f"out{suffix}"
    given.write_bytes(INPUTS[name])
    graph = load_graph(given)
    code = cli.main(["convert", str(given), str(out)])
    told = capsys.readouterr()
    assert (code, told.err) == (0, "")
    assert f"{graph.n} vertices, {graph.m} edges" in told.out
    back = load_graph(out)
    assert arcs_of(back) == arcs_of(graph)
    assert back.weights.dtype == graph.weights.dtype
    if graph.positions is not None and suffix not in {".gr", ".npz"}:
        assert back.positions is None
        assert "coordinates are not kept; .npz and .gr keep them" in told.out


@pytest.mark.parametrize("out", ["x.gml", "x.graph", "x.wel", "x.xyz", "x"])
def test_what_cannot_be_written_is_refused_before_reading(
    tmp_path: Path, out: str, capsys: pytest.CaptureFixture[str]
) -> None:
    absent = tmp_path / "absent.gr"
    assert cli.main(["convert", str(absent), str(tmp_path / out)]) == 1
    told = capsys.readouterr().err
    assert "no writer for" in told
    assert "use .gr" in told
    assert told.count("\n") == 1


def test_convert_by_the_weights_of_a_name(tmp_path: Path) -> None:
    table, out = tmp_path / "town.csv", tmp_path / "town.gr"
    table.write_text("from,to,km,hours\n1,2,3,9\n2,1,4,9\n")
    assert cli.main(["convert", "--weight-name", "hours", str(table), str(out)]) == 0
    assert load_graph(out).weights.tolist() == [9, 9]
    assert cli.main(["info", "sample:grid", "--weight-name", "length"]) == 1
