"""A copied line, typed into a shell, makes the same run."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import gpu
import sample_graphs
from gpu.algorithms import ALGORITHMS
from gpu.cli.command_line import compare_line, run_line, sweep_line
from gpu.cli.main import main
from gpu.engine import graph_reference
from gpu.errors import GpuError
from gpu.formats import load_graph
from gpu.record.export import summary
from gpu.record.schema import reader_options
from gpu.record.trace import RunSettings, Trace

TOTALS = ("time_ns", "processed_vertices", "relaxed_edges", "improved", "samples", "distances")
ROWS = [key for key, row in ALGORITHMS.items() if "model" in row.engines and row.result == "row"]


def said_by(line: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    name, *words = shlex.split(line)
    assert name == "sssp-scope"
    assert main([*words, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def same_totals(trace: Trace, capsys: pytest.CaptureFixture[str]) -> bool:
    wanted, got = summary(trace), said_by(run_line(trace.settings, trace.graph), capsys)
    return [wanted[key] for key in TOTALS] == [got[key] for key in TOTALS]


@pytest.mark.parametrize("key", ROWS)
def test_a_run_is_repeated(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    graph = sample_graphs.open_sample("sample:grid?n=144&seed=3")
    trace = gpu.run(graph, key, source=7, probe=2, seed=5)
    assert same_totals(trace, capsys)


def test_every_setting_comes_along(capsys: pytest.CaptureFixture[str]) -> None:
    graph = sample_graphs.open_sample("sample:rmat?n=256&weights=float")
    given = {"buckets": 8, "dynamic_delta": False}
    trace = gpu.run(graph, "adds", source=3, delta=0.3, parameters=given, sample_period_ns=400)
    line = run_line(trace.settings, trace.graph)
    for words in ("--set buckets=8", "--set dynamic_delta=false", "--delta 0.3", "--period-ns 400"):
        assert words in line
    assert "?n=256" in line
    assert same_totals(trace, capsys)


def test_a_path_with_spaces_and_quotes_is_quoted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "my $HOME's graph.gr"
    path.write_text("p sp 3 2\na 1 2 5\na 2 3 4\n")
    graph = load_graph(path, undirected=True, weights="unit")
    trace = gpu.run(graph, "adds", source=2)
    line = run_line(trace.settings, trace.graph)
    assert "--undirected --weights unit" in line
    assert str(path) in shlex.split(line)
    assert same_totals(trace, capsys)


def test_a_format_that_was_asked_for_is_asked_for_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "roads.of.mine"
    path.write_text("p sp 3 2\na 1 2 5\na 2 3 4\n")
    graph = load_graph(path, format="dimacs")
    trace = gpu.run(graph, "adds")
    assert "--format dimacs" in run_line(trace.settings, trace.graph)
    assert same_totals(trace, capsys)
    assert reader_options(trace.graph.options) == {"format": "dimacs"}
    assert load_graph(path, **reader_options(trace.graph.options)).hash == graph.hash


def test_a_sweep_and_a_comparison_are_repeated(capsys: pytest.CaptureFixture[str]) -> None:
    graph = sample_graphs.open_sample("sample:grid?n=100")
    first = gpu.run(graph, "adds")
    line = sweep_line(first.settings, first.graph, "delta", (16.0, 32.5))
    told = said_by(line, capsys)
    assert [point["value"] for point in told["points"]] == [16, 32.5]
    second = gpu.run(graph, "near_far", delta=64)
    line = compare_line(first.settings, second.settings, first.graph)
    told = said_by(line, capsys)
    assert told["a"]["time_ns"] == first.time_ns
    assert told["b"]["time_ns"] == second.time_ns


def test_what_no_command_can_do_is_said() -> None:
    graph = sample_graphs.make("grid", n=100)
    settings = RunSettings("adds", "model", "", 0)
    reference = replace(graph_reference(graph, 0), origin="memory")
    with pytest.raises(GpuError, match="came from no file"):
        run_line(settings, reference)
    with pytest.raises(GpuError, match="one source"):
        compare_line(settings, replace(settings, source=1), graph_reference(graph, 0))
