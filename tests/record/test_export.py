"""What other programs receive: the JSON object and the CSV files, also of all runs."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hand_made import small_graph, small_trace

import gpu
import sample_graphs
from gpu.errors import GpuError
from gpu.page.words import totals_words
from gpu.record.export import summary, write_csv, write_distances, write_runs
from gpu.record.trace import Trace, mean_over_time
from gpu.words import NOT_KNOWN


def test_what_was_not_counted_is_not_known() -> None:
    """cuGraph hands over distances and a time, and one sample of nothing else."""
    last = small_trace().samples[-1:].copy()
    last["processed_vertices"] = 0
    told = summary(small_trace(samples=last))
    counts = ("processed_vertices", "relaxed_edges", "improved", "delta_changes", "work_efficiency")
    assert [told[name] for name in counts] == [None] * len(counts)
    assert told["time_ns"] == 4000
    assert f"4.000 µs modelled · work {NOT_KNOWN} · 4 reached · " in totals_words(
        small_trace(samples=last)
    )
    stopped = summary(small_trace(samples=last, outcome="stopped"))
    assert stopped["processed_vertices"] == 0


@pytest.mark.parametrize("whole", [True, False])
def test_distances_by_the_file_s_own_ids(tmp_path: Path, whole: bool) -> None:
    write_distances(small_graph(whole), small_trace(whole).dist, tmp_path / "d.csv")
    lines = (tmp_path / "d.csv").read_text("utf-8").splitlines()
    dot = "" if whole else ".0"
    assert lines == ["id,distance", f"1,0{dot}", f"2,4{dot}", f"3,7{dot}", f"4,7{dot}", "5,"]


KNOWN = json.loads(Path(__file__).with_name("five.json").read_text("utf-8"))


def test_what_others_receive_is_what_they_received(tmp_path: Path) -> None:
    """Every key and every number, from the trace that is written by hand."""
    assert summary(small_trace()) == KNOWN["summary"]
    given = replace(small_trace().settings, delta=3.5)  # not that of the first sample
    assert summary(replace(small_trace(), settings=given))["delta"] == 3.5
    write_csv(small_trace(), tmp_path / "run.csv")
    assert (tmp_path / "run.csv").read_text("utf-8").splitlines() == KNOWN["csv"]


def test_a_matrix_is_no_column(tmp_path: Path) -> None:
    with pytest.raises(GpuError, match="distances from 3 sources are a matrix"):
        write_distances(small_graph(), np.zeros((3, 5), np.int32), tmp_path / "d.csv")
    assert not (tmp_path / "d.csv").exists()


def test_a_matrix_and_large_distances_are_summed_exactly() -> None:
    far = 2**62
    matrix = np.array([[0, far, 2**63 - 1], [far - 1, far, 3]])
    trace = small_trace(dist=matrix)
    assert trace.distance_summary() == {"reached": 5, "sum": 3 * far + 2, "max": far}
    assert trace.reached == 5
    assert replace(trace, environment={"reached": 3}).reached == 3
    decimals = small_trace(False, dist=np.array([0.5, np.inf, 2.0]))
    assert decimals.distance_summary() == {"reached": 2, "sum": 2.5, "max": 2.0}
    nothing = small_trace(dist=np.full(2, 2**31 - 1, np.int32))
    assert nothing.distance_summary() == {"reached": 0, "sum": 0, "max": 0}
    assert mean_over_time(trace.samples, "busy_workers") == 2 * 2500 / 4000
    assert mean_over_time(trace.samples[:1], "busy_workers") == 0.0


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
