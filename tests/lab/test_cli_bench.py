"""`bench` says what it measured, what must be reached, and why a row is missing; no timing here."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from gpu.cli import main as cli
from gpu.errors import EngineError
from gpu.formats import load_graph
from gpu.lab import bench
from gpu.lab.bench import ROWS, Row, measure
from viewer.bench import rows as window_rows


def fake(*tries: float, fault: Exception | None = None) -> bench.Measurement:
    def run(_folder: Path, _graph: str) -> tuple[list[float], str]:
        if fault is not None:
            raise fault
        return list(tries), "made up"

    return run


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the table by four rows that take no time."""
    table = {
        "quick": (Row("quick", "a bound kept", "s", 1.5), fake(3.0, 1.0, 1.2)),
        "slow": (Row("slow", "a bound missed", "s", 1.5), fake(2.0)),
        "rate": (Row("rate", "a rate reached", "M/s", 10, most=False), fake(12.0)),
        "gone": (Row("gone", "not here", "s", 1), fake(fault=EngineError("no GPU\nhere"))),
    }
    monkeypatch.setattr(bench, "ROWS", table)


@pytest.mark.usefixtures("rows")
def test_the_table_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench"]) == 0
    quick, slow, rate, gone = capsys.readouterr().out.splitlines()
    assert "1.2 s" in quick
    assert "<= 1.5 s" in quick
    assert "MISSED" not in quick + rate
    assert "MISSED" in slow
    assert ">= 10 M/s" in rate
    assert gone.endswith("not here: not measured: no GPU here")


@pytest.mark.usefixtures("rows")
def test_the_table_for_machines(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", "quick", "gone", "--json", "--graph", "roads.gr"]) == 0
    told = json.loads(capsys.readouterr().out)
    quick, gone = told["rows"]
    assert (quick["value"], quick["tries"], quick["reached"]) == (1.2, [3.0, 1.0, 1.2], True)
    assert (gone["value"], gone["reached"]) == (None, None)
    assert told["graph"] == "roads.gr"
    assert told["machine"]["cores"] >= 1


def test_every_figure_that_was_promised_has_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    window = ["start", "open", "seek", "stall"]
    monkeypatch.setattr(bench, "ROWS", dict(ROWS))
    monkeypatch.setattr(bench, "GROUPS", dict(bench.GROUPS))
    window_rows.add_rows()
    assert list(bench.ROWS) == [*window, "model", "io"]
    assert tuple(window) == bench.GROUPS["ui"]
    assert all(row.target > 0 and row.name == name for name, (row, _) in bench.ROWS.items())


def test_a_window_that_cannot_start_is_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no-python"))
    monkeypatch.setattr(bench, "ROWS", {**ROWS, **window_rows.ROWS})
    row = measure("start", tmp_path, "")
    assert row.value is None
    assert row.note.startswith("not measured: ")


@pytest.fixture
def small_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "VERTICES", 100)
    monkeypatch.setattr(bench, "ARCS", 500)


@pytest.mark.usefixtures("small_files")
def test_model_and_files_of_small_graphs(tmp_path: Path) -> None:
    tries = measure("io", tmp_path, "").tries
    assert len(tries) == bench.READS
    assert load_graph(tmp_path / "random.gr").m == 500
    model = measure("model", tmp_path, str(tmp_path / "random.gr"))
    assert model.value is not None
    assert model.value > 0


def test_what_is_no_benchmark_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", "parse"]) == 2
    assert re.search("there are: .*model", capsys.readouterr().err)


def test_the_city_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "CITY", 300)
    model = measure("model", tmp_path, str(tmp_path / bench.MADE))
    assert model.note.startswith("made-up city roads")
    assert load_graph(tmp_path / "city_roads.gr.gz").n == 300
