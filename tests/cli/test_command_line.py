"""A copied line, typed into a shell, makes the same run."""

import json
import os
import shlex
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from processes import ended

import gpu
import sample_graphs
from gpu.algorithms import ALGORITHMS
from gpu.cli.command_line import Shell, compare_line, line_of, run_line, sweep_words
from gpu.cli.main import main
from gpu.engine import graph_reference
from gpu.errors import GpuError
from gpu.formats import load_graph
from gpu.record.export import summary
from gpu.record.trace import RunSettings

TOTALS = ("time_ns", "processed_vertices", "relaxed_edges", "improved", "samples", "distances")
ROWS = [key for key, row in ALGORITHMS.items() if "model" in row.engines and row.result == "row"]


def said_by(line: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    name, *words = shlex.split(line)
    assert name == "sssp-scope"
    assert main([*words, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize("key", ROWS)
def test_a_run_is_repeated(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    graph = sample_graphs.open_sample("sample:grid?n=144&seed=3")
    trace = gpu.run(graph, key, source=7, probe=2, seed=5)
    wanted, got = summary(trace), said_by(run_line(trace.settings, trace.graph), capsys)
    assert got["verified"] is True
    assert [wanted[key] for key in TOTALS] == [got[key] for key in TOTALS]


def test_a_sweep_and_a_comparison_are_repeated(capsys: pytest.CaptureFixture[str]) -> None:
    graph = sample_graphs.open_sample("sample:grid?n=100")
    first = gpu.run(graph, "adds", numbers="int64")
    words = sweep_words(first.settings, "delta", (16.0, 32.5))
    line = line_of(["sssp-scope", "sweep", "sample:grid?n=100", *words])
    told = said_by(line, capsys)
    assert [point["value"] for point in told["points"]] == [16, 32.5]
    second = gpu.run(graph, "near_far", delta=64, numbers="int64")
    line = compare_line(first.settings, second.settings, first.graph)
    told = said_by(line, capsys)
    assert told["a"]["time_ns"] == first.time_ns
    assert "--numbers int64" in line
    assert told["b"]["time_ns"] == second.time_ns
    assert told["a"]["verified"] is told["b"]["verified"] is True


SHELLS = [path for path in (shutil.which("sh"), shutil.which("bash")) if path]
HOSTILE = ("-o.gr", "--trace=x", "a b.gr", "$(touch pwned).gr", "a;touch x", "a'b\"c.gr", "*.gr")
UNSEEN = ("a\nb.gr", "a\x1b]0;x\x07", "a\0b", "a\u202erg.b", "a\udcff")


def words_as(shell: str, line: str, folder: Path) -> list[str]:
    """Return what a program called sssp-scope is given by a shell that runs a line."""
    program = folder / "bin" / "sssp-scope"
    program.parent.mkdir(exist_ok=True)
    program.write_text("#!/bin/sh\nprintf '%s\\0' \"$@\"\n")
    program.chmod(0o755)
    search = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    told = ended(shell, "-c", line, cwd=folder, PATH=search)
    assert (told.returncode, told.stderr) == (0, "")
    return told.stdout.split("\0")[:-1]


@pytest.mark.skipif(os.name != "posix", reason="the line is for shells of POSIX")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_copied_line_opens_the_file_and_does_nothing_else(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    monkeypatch.chdir(folder)
    Path(name).write_text("p sp 3 2\na 1 2 5\na 2 3 4\n")
    graph = load_graph(folder / name, format="dimacs", undirected=True, weights="unit")
    trace = gpu.run(graph, "adds")
    reference = replace(trace.graph, origin=name)
    line = run_line(trace.settings, reference)
    given = [words_as(shell, line, folder) for shell in SHELLS]
    assert given[0] == given[-1]
    assert {path.name for path in folder.iterdir()} == {name, "bin"}
    assert main([*given[0], "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["graph"]["hash"] == graph.hash
    assert {path.name for path in folder.iterdir()} == {name, "bin"}


@pytest.mark.parametrize("shell", ["posix", "windows"])
@pytest.mark.parametrize("name", UNSEEN)
def test_unseen_characters_are_refused(name: str, shell: Shell) -> None:
    with pytest.raises(GpuError, match=r"holds U\+[0-9A-F]{4}.*rename") as found:
        line_of(["sssp-scope", "run", name], shell)
    assert str(found.value).isprintable()


def test_values_that_look_like_options_stay_values() -> None:
    settings = RunSettings("adds", "model", "--json", 0)
    graph = graph_reference(sample_graphs.make("grid", n=100), 0)
    odd = replace(graph, origin="a.gr", options={"weight_name": "-o", "format": "--help"})
    words = shlex.split(run_line(settings, odd))
    assert {"--device=--json", "--weight-name=-o", "--format=--help"} <= set(words)
    assert not {"--json", "-o", "--help"} & set(words)
