"""`bench` says what it measured, what must be reached, and why a row is missing; no timing here."""

import json
import re
import sys
from pathlib import Path

import pytest

from gpu.cli import main as cli
from gpu.errors import EngineError
from gpu.formats import load_graph
from gpu.lab import bench
from gpu.lab.bench import Row, measure
from viewer.bench import rows as window_rows


def fake(*tries: float, fault: Exception | None = None) -> bench.Measurement:
    def run(_folder: Path, _graph: str) -> tuple[list[float], str]:
        if fault is not None:
            raise fault
        return list(tries), "made up"

    return run


def test_the_table_for_people_and_for_machines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table = {
        "quick": (Row("quick", "a bound kept", "s", 1.5), fake(3.0, 1.0, 1.2)),
        "slow": (Row("slow", "a bound missed", "s", 1.5), fake(2.0)),
        "rate": (Row("rate", "a rate reached", "M/s", 10, most=False), fake(12.0)),
        "gone": (Row("gone", "not here", "s", 1), fake(fault=EngineError("no GPU\nhere"))),
    }
    monkeypatch.setattr(bench, "ROWS", table)
    assert cli.main(["bench"]) == 0
    quick, slow, rate, gone = capsys.readouterr().out.splitlines()
    assert "1.2 s" in quick
    assert "<= 1.5 s" in quick
    assert "MISSED" not in quick + rate
    assert "MISSED" in slow
    assert ">= 10 M/s" in rate
    assert gone.endswith("not here: not measured: no GPU here")
    assert cli.main(["bench", "quick", "gone", "--json", "--graph", "roads.gr"]) == 0
    printed = json.loads(capsys.readouterr().out)
    first, last = printed["rows"]
    assert (first["value"], first["tries"], first["reached"]) == (1.2, [3.0, 1.0, 1.2], True)
    assert (last["value"], last["reached"]) == (None, None)
    assert printed["graph"] == "roads.gr"
    assert printed["machine"]["cores"] >= 1
    assert cli.main(["bench", "parse"]) == 2
    assert re.search("there are: .*rate", capsys.readouterr().err)


def test_every_promised_figure_has_a_row_or_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "ROWS", dict(bench.ROWS))
    monkeypatch.setattr(bench, "GROUPS", dict(bench.GROUPS))
    window_rows.add_rows()
    assert list(bench.ROWS) == ["start", "open", "seek", "stall", "model", "io"]
    assert bench.GROUPS["ui"] == ("start", "open", "seek", "stall")
    assert all(row.target > 0 and row.name == name for name, (row, _) in bench.ROWS.items())
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no-python"))
    row = measure("start", tmp_path, "")
    assert row.value is None
    assert row.note.startswith("not measured: ")


def test_model_and_files_of_small_graphs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, number in {"VERTICES": 100, "ARCS": 500, "CITY": 300}.items():
        monkeypatch.setattr(bench, name, number)
    assert len(measure("io", tmp_path, "").tries) == bench.READS
    assert load_graph(tmp_path / "random.gr").m == 500
    model = measure("model", tmp_path, str(tmp_path / bench.MADE))
    assert model.note.startswith("made-up city roads")
    assert load_graph(tmp_path / bench.MADE).n == 300
    assert len(model.tries) == bench.TRIES
    assert min(model.tries) > 0
