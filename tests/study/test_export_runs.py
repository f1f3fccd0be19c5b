"""All runs in one table; and the Perfetto file against the trace-event format."""

from __future__ import annotations

import csv
import itertools
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hand_made import small_trace

import gpu
import sample_graphs
from gpu.algorithms import ALGORITHMS
from gpu.record.export import write_perfetto
from gpu.record.trace import Trace
from gpu.study.export_runs import write_all_samples, write_runs, write_table

PHASES = {"C": {"args"}, "X": {"dur", "tid"}, "i": {"s", "tid"}, "M": {"args"}}


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
    assert rows[0]["set_buckets"] == "32"
    assert rows[1]["delta_weight_units"] == "40.0"


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
        ("@SUM(1)", "'@SUM(1)"),
        ("-2+3", "'-2+3"),
        ("\t=1", " =1"),  # a name is one visible line; after a blank it is text
        ("roads;=1+1", "roads;'=1+1"),
        ("\uff1d1", "'\uff1d1"),
        ("a=b-c, d", "a=b-c, d"),
    ],
)
def test_words_of_strangers_are_no_formulas(name: str, written: str, tmp_path: Path) -> None:
    trace = small_trace()
    odd = replace(trace, graph=replace(trace.graph, name=name))
    write_runs([(1, odd)], tmp_path / "runs.csv")
    (row,) = rows_of(tmp_path / "runs.csv")
    assert row["graph"] == written
    assert row["vertices"] == "5"


def test_numbers_stay_numbers(tmp_path: Path) -> None:
    write_table(["x", "y"], [[-1.5, None], [-3, True]], tmp_path / "numbers.csv")
    assert (tmp_path / "numbers.csv").read_text() == "x,y\n-1.5,\n-3,True\n"


def test_all_samples_of_all_runs(traces: list[tuple[int, Trace]], tmp_path: Path) -> None:
    write_all_samples(traces, tmp_path / "samples.csv")
    rows = rows_of(tmp_path / "samples.csv")
    assert len(rows) == sum(len(trace.samples) for _, trace in traces)
    assert {row["run"] for row in rows} == {"3", "5"}
    assert {row["clock"] for row in rows} == {"modelled"}


def check_event(event: dict[str, Any]) -> None:
    """Check one event as the trace-event format asks for its phase."""
    assert PHASES[event["ph"]] <= set(event)
    assert isinstance(event["pid"], int)
    assert isinstance(event["name"], str)
    if event["ph"] == "M":
        assert event["name"] in {"process_name", "thread_name"}
        assert isinstance(event["args"]["name"], str)
        return
    assert isinstance(event["ts"], (int, float))
    assert event["ts"] >= 0
    if event["ph"] == "C":
        assert all(isinstance(value, (int, float)) for value in event["args"].values())
    if event["ph"] == "X":
        assert event["dur"] >= 0
    if event["ph"] == "i":
        assert event["s"] in {"g", "p", "t"}


@pytest.mark.parametrize("key", [key for key in ALGORITHMS if "model" in ALGORITHMS[key].engines])
def test_perfetto_files_keep_to_the_format(key: str, tmp_path: Path) -> None:
    trace = gpu.run(sample_graphs.make("grid", n=64), key)
    write_perfetto(trace, tmp_path / "run.json")

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    text = (tmp_path / "run.json").read_text(encoding="utf-8")
    told = json.loads(text, parse_constant=refuse)
    assert set(told) == {"displayTimeUnit", "otherData", "traceEvents"}
    assert told["displayTimeUnit"] in {"ms", "ns"}
    for event in told["traceEvents"]:
        check_event(event)
    last: dict[str, float] = {}
    for event in told["traceEvents"]:
        if event["ph"] == "C":
            assert event["ts"] >= last.get(event["name"], 0)
            last[event["name"]] = event["ts"]
    slices = [event for event in told["traceEvents"] if event["ph"] == "X"]
    for before, after in itertools.pairwise(slices):
        assert before["ts"] + before["dur"] <= after["ts"] + 1e-6


def test_a_perfetto_file_says_clock_and_probe(tmp_path: Path) -> None:
    write_perfetto(small_trace(), tmp_path / "run.json")
    about = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))["otherData"]
    assert (about["clock"], about["probe"]) == ("modelled", "vertices")
