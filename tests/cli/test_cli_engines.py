"""The command line where an engine is named and the algorithm is not; what a slow start says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpu.algorithms import ALGORITHMS
from gpu.cli import main as cli
from gpu.errors import GpuError
from gpu.graph import CSRGraph
from gpu.record.trace import RunSettings

SAMPLE = "sample:grid?n=100"


@pytest.mark.parametrize("command", [("run",), ("sweep", "--count", "2", "--processes", "1")])
@pytest.mark.parametrize("engine", ["model", "cpu"])
def test_an_engine_gets_the_first_algorithm_that_it_has(
    capsys: pytest.CaptureFixture[str], command: tuple[str, ...], engine: str
) -> None:
    assert cli.main([command[0], SAMPLE, *command[1:], "--engine", engine, "--json"]) == 0
    out, err = capsys.readouterr()
    able = [key for key, row in ALGORITHMS.items() if engine in row.engines]
    assert json.loads(out)["algorithm"] == able[0]
    first = next(iter(ALGORITHMS))
    assert bool(err) == (first not in able)
    if err:
        assert f"{first} does not run on the engine {engine}; --algorithm {able[0]} is" in err
        assert all(key in err for key in able)


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        (["--engine", "cuda"], "adds"),
        (["--engine", "cuda", "--algorithm", "near_far"], "near_far"),
        (["--engine", "cuda", "--delta", "500"], "adds"),
        (["--engine", "cuda", "--set", "as_published=true"], "adds"),
        (["--engine", "model"], "adds"),
        (["--engine", "cpu"], "delta_stepping"),
    ],
)
def test_adds_is_the_default_where_the_engine_has_it(
    given: list[str], taken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def run(_graph: CSRGraph, settings: RunSettings, *_given: object) -> None:
        asked.append(settings.algorithm)
        raise GpuError("far enough")

    monkeypatch.setattr("gpu.cli.run.run", run)
    assert cli.main(["run", SAMPLE, *given]) == 1
    assert asked == [taken]


def test_bench_cpu_measures_every_row_and_says_how_many_cores(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert cli.main(["convert", "sample:grid?n=400", str(tmp_path / "grid.gr")]) == 0
    target = tmp_path / "told.json"
    words = ["--threads", "1,2", "--deltas", "2", "--runs", "1", "-o", str(target)]
    assert cli.main(["bench", "cpu", str(tmp_path / "grid.gr"), *words]) == 0
    told = json.loads(target.read_text())
    rows = told["rows"]
    assert {row["algorithm"] for row in rows} == {
        k for k, r in ALGORITHMS.items() if "cpu" in r.engines
    }
    assert not [row for row in rows if row["fault"]]
    threaded = [row for row in rows if row["delta"] is not None]
    assert [row["threads"] for row in threaded] == [1, 2, 2, 2, 2, 2]
    assert [row["probe"] for row in threaded] == [0, 0, 1, 2, 0, 0]
    assert len({row["delta"] for row in threaded}) == 4  # its own goes with the threads
    assert told["cores"] >= 1
    assert f"on {told['cores']} cores" in capsys.readouterr().out
    assert cli.main(["bench", "cpu", str(tmp_path / "none.gr")]) == 1
    assert "New York's roads are not beside" in capsys.readouterr().err
