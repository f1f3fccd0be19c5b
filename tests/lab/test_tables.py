"""The tables of the laboratory's page are what its files say, and nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from gpu.lab import tables


def test_the_page_is_what_the_files_say() -> None:
    text = tables.README.read_text(encoding="utf-8")
    assert tables.filled(text) == text, "run python -m gpu.lab.tables"
    assert all(f"<!-- table: {name} -->" in text for name in tables.TABLES)


def test_another_figure_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "README.md"
    text = tables.README.read_text(encoding="utf-8")
    figure = re.search(r"\| New York roads \| [\d.]+ \|", text)
    assert figure is not None
    page.write_text(text.replace(figure[0], "| New York roads | 0.01 |"), encoding="utf-8")
    monkeypatch.setattr(tables, "README", page)
    assert tables.main(["--check"]) == 1
    assert "python -m gpu.lab.tables" in capsys.readouterr().err
    assert tables.main([]) == 0
    assert tables.main(["--check"]) == 0
    assert page.read_text(encoding="utf-8") == text


def test_of_several_files_the_newest_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = json.loads(tables.newest("cpu").read_text(encoding="utf-8"))
    for name in ("cpu_2026-01-02.json", "cpu_2026-01-10_0412.json", "cpu_float_2027-01-01.json"):
        (tmp_path / name).write_text(json.dumps(told), encoding="utf-8")
    monkeypatch.setattr(tables, "RESULTS", tmp_path)
    assert tables.newest("cpu").name == "cpu_2026-01-10_0412.json"
    with pytest.raises(FileNotFoundError, match="no bench_gpu_<date>"):
        tables.newest("bench_gpu")


def test_a_wrong_run_is_no_figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = json.loads(tables.newest("cpu").read_text(encoding="utf-8"))
    path = tmp_path / "cpu_2026-01-02.json"
    monkeypatch.setattr(tables, "RESULTS", tmp_path)
    path.write_text(json.dumps(told), encoding="utf-8")
    before = len(tables.cpu())
    measured = [row for row in told["rows"] if row["probe"] == 2]
    measured[0]["fault"] = "an arc can still be relaxed"
    path.write_text(json.dumps(told), encoding="utf-8")
    assert len(tables.cpu()) == before - 1


def test_where_no_peers_were_measured_the_table_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tables, "RESULTS", tmp_path)
    (tmp_path / "cpu_2026-01-01.json").write_text('{"peers": {}, "rows": []}', encoding="utf-8")
    assert tables.cpu_peers() == [
        "None was taken with the last figures: `sssp-scope bench cpu --peers DIR`."
    ]
