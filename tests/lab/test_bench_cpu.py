"""`bench cpu`: every row of the engine, proved."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpu.cli import main as cli


def test_bench_cpu_measures_every_row_and_says_how_many_cores(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert cli.main(["convert", "sample:grid?n=400", str(tmp_path / "grid.gr")]) == 0
    target = tmp_path / "told.json"
    keys = ["dijkstra", "delta_stepping"]
    words = ["--threads", "1,2", "--runs", "1", "--algorithms", ",".join(keys), "-o", str(target)]
    assert cli.main(["bench", "cpu", str(tmp_path / "grid.gr"), *words]) == 0
    told = json.loads(target.read_text())
    rows = told["rows"]
    assert {row["algorithm"] for row in rows} == set(keys)
    assert not [row for row in rows if row["fault"]]
    threaded = [row for row in rows if row["delta"] is not None]
    assert [row["threads"] for row in threaded] == [1, 2, 2, 2]
    assert [row["probe"] for row in threaded] == [0, 0, 1, 2]
    assert told["cores"] >= 1
    assert "2 threads" in capsys.readouterr().out
    assert cli.main(["bench", "cpu", str(tmp_path / "none.gr")]) == 1
    assert "none.gr" in capsys.readouterr().err
