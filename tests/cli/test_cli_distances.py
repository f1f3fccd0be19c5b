"""Distance tables of other programs: every separator, and faults by line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hand_made import small_graph, small_trace
from hypothesis import HealthCheck, given, settings, strategies as st

from gpu.errors import FormatError
from gpu.proof.distances import read_distances
from gpu.record.export import write_distances

GOOD = {
    "commas": "id,distance\n1,0\n2,4\n3,7\n4,7\n5,\n",
    "no header": "1,0\n2,4\n3,7\n4,7\n",
    "tabs": "vertex\tdist\n1\t0\n2\t4\n3\t7\n4\t7\n5\tinf\n",
    "spaces": "# from elsewhere\n1 0\n2 4\n\n3 7\n4 7\n5\n",
    "semicolons": "1;0\r\n2;4\r\n3;7.0\r\n4;7\r\n5;Infinity\r\n",
    "any order": "4,7\n1,0\n5,\n3,7\n2,4\n",
}


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8", newline="")
    return path


@pytest.mark.parametrize("kind", GOOD)
@pytest.mark.parametrize("whole", [True, False])
def test_tables_as_others_write_them(tmp_path: Path, kind: str, whole: bool) -> None:
    dist = read_distances(written(tmp_path / "d.csv", GOOD[kind]), small_graph(whole))
    np.testing.assert_array_equal(dist, small_trace(whole).dist)
    assert dist.dtype == (np.int32 if whole else np.float32)


def test_named_vertices(tmp_path: Path) -> None:
    graph = replace(small_graph(), ids=np.array(["a", "b, c", 'd"', "é", "e"]))
    write_distances(graph, small_trace().dist, tmp_path / "d.csv")
    np.testing.assert_array_equal(read_distances(tmp_path / "d.csv", graph), small_trace().dist)


WRONG = {
    "unknown vertex": ("1,0\n9,4\n", ":2: 9 is not a vertex"),
    "twice": ("1,0\n1,0\n", ":2: vertex 1 has a distance already"),
    "negative": ("1,-1\n", ":1: distance '-1'"),
    "not a number": ("1,0\n2,far\n", ":2: distance 'far'"),
    "a fraction": ("1,0.5\n", "a whole number"),
    "too large": ("1,2147483647\n", "2\\^31"),
    "three columns": ("1,0,0\n", "3 columns"),
    "empty": ("", "no distances"),
    "header only": ("id,distance\n", "no distances"),
}


@pytest.mark.parametrize("what", WRONG)
def test_faults_name_file_and_line(tmp_path: Path, what: str) -> None:
    text, words = WRONG[what]
    with pytest.raises(FormatError, match=words) as refused:
        read_distances(written(tmp_path / "d.csv", text), small_graph())
    assert "d.csv" in str(refused.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"absent\.csv: cannot be read"):
        read_distances(tmp_path / "absent.csv", small_graph())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60))
def test_any_bytes_are_distances_or_a_fault(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "d.csv"
    path.write_bytes(content)
    try:
        found = read_distances(path, small_graph())
    except FormatError as error:
        found, words = None, str(error)
    assert (str(path) in words) if found is None else len(found) == 5
