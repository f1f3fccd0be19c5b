"""What other programs receive: the JSON object and the CSV files."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hand_made import small_graph, small_trace

from gpu.errors import GpuError
from gpu.page.words import totals_words
from gpu.record.export import summary, write_csv, write_distances
from gpu.record.trace import mean_over_time
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
