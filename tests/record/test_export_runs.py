"""All runs in one table."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest
from hand_made import small_trace

import gpu
import sample_graphs
from gpu.record.export import write_runs
from gpu.record.trace import Trace


@pytest.fixture(scope="module")
def traces() -> list[tuple[int, Trace]]:
    graph = sample_graphs.make("grid", n=64)
    return [(3, gpu.run(graph, "adds")), (5, gpu.run(graph, "near_far", probe=2, delta=40))]


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_one_row_a_run(traces: list[tuple[int, Trace]], tmp_path: Path) -> None:
    write_runs(traces, tmp_path / "runs.csv")
    rows = rows_of(tmp_path / "runs.csv")
    assert [row["run"] for row in rows] == ["3", "5"]
    for row, (_, trace) in zip(rows, traces, strict=True):
        assert row["algorithm"] == trace.settings.algorithm
        assert int(row["time_ns"]) == trace.time_ns
        assert (row["clock"], row["probe"]) == (trace.clock, str(int(trace.settings.probe)))
        assert row["graph_hash"] == trace.graph.hash
        assert row["verified"] == ""
        assert row["environment_numpy"]
    assert rows[0]["parameters_buckets"] == "32"
    assert rows[1]["delta"] == "40.0"


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
        ("@SUM(1)", "'@SUM(1)"),
        ("-2+3", "'-2+3"),
        ("\t=1", " =1"),  # a name is one visible line; after a blank it is text
        ("\uff1d1", "'\uff1d1"),
        ("a=b-c, d", "a=b-c, d"),
    ],
)
def test_words_of_strangers_are_no_formulas(name: str, written: str, tmp_path: Path) -> None:
    trace = small_trace()
    odd = replace(trace, graph=replace(trace.graph, name=name))
    write_runs([(1, odd)], tmp_path / "runs.csv")
    (row,) = rows_of(tmp_path / "runs.csv")
    assert row["graph_name"] == written
    assert row["graph_n"] == "5"
