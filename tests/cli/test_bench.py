"""`bench` says what it measured, what must be reached, and why a row is missing; no timing here."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gpu.formats import load_graph
from viewer.bench import rows, ui
from viewer.bench.rows import Row, measure

MADE_UP = """
import sys
figures = {"quick": '[[3.0, 1.0, 1.2], "made up"]', "slow": "2.0", "rate": "12"}
sys.exit("no GPU here") if sys.argv[1] == "gone" else print(figures[sys.argv[1]])
"""


def test_the_table_for_people_and_for_machines(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, call: Callable[..., tuple[int, str, str]]
) -> None:
    (tmp_path / "made_up.py").write_text(MADE_UP)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    table = {
        "quick": Row("quick", "a bound kept", "s", 1.5),
        "slow": Row("slow", "a bound missed", "s", 1.5),
        "rate": Row("rate", "a rate reached", "M/s", 10, most=False),
        "gone": Row("gone", "not here", "s", 1),
    }
    monkeypatch.setattr(rows, "ROWS", table)
    programs = {name: (f"made_up {name}", 1 + (name == "slow")) for name in table}
    monkeypatch.setattr(rows, "PROGRAMS", programs)
    _, out, _ = call("bench")
    quick, slow, rate, gone = out.splitlines()
    assert "1.2 s" in quick
    assert "<= 1.5 s" in quick
    assert "MISSED" not in quick + rate
    assert "MISSED" in slow
    assert ">= 10 M/s" in rate
    assert gone.endswith("not here: not measured: made_up gone: no GPU here")
    code, out, _ = call("bench", "quick", "slow", "gone", "--json", "--graph", "roads.gr")
    printed = json.loads(out)
    first, second, last = printed["rows"]
    assert (first["value"], first["tries"], first["reached"]) == (1.2, [3.0, 1.0, 1.2], True)
    assert (first["note"], second["tries"]) == ("made up", [2.0, 2.0])  # and one that is not heard
    assert (last["value"], last["reached"]) == (None, None)
    assert (code, printed["graph"]) == (0, "roads.gr")
    assert printed["machine"]["cores"] >= 1
    code, _, err = call("bench", "parse")
    assert code == 2
    assert re.search("there are: .*rate", err)


def test_every_promised_figure_has_a_program_or_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert list(rows.ROWS) == list(rows.PROGRAMS)
    assert rows.GROUPS["ui"] == ("start", "open", "seek", "stall")
    assert all(row.target > 0 and row.name == name for name, row in rows.ROWS.items())
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no-python"))
    row = measure("start", tmp_path, "")
    assert row.value is None
    assert row.note.startswith("not measured: ")


def test_model_and_files_of_small_graphs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ui, "VERTICES", 100)
    monkeypatch.setattr(ui, "ARCS", 500)
    assert len(ui.time_io()[0]) == ui.READS
    monkeypatch.setattr(rows, "CITY", 300)
    model = measure("model", tmp_path, str(tmp_path / rows.MADE))
    assert re.fullmatch("made-up city roads, 300 vertices; .* edges relaxed", model.note)
    assert load_graph(tmp_path / rows.MADE).n == 300
    monkeypatch.setitem(rows.PROGRAMS, "open", (rows.PROGRAMS["open"][0], 1))
    opened = measure("open", tmp_path, str(tmp_path / rows.MADE))
    assert re.fullmatch(r"made-up city roads, 300 vertices; imports before: .* s", opened.note)
    assert (len(model.tries), len(opened.tries)) == (ui.TRIES, 1)
