"""Distance tables of other programs: every separator, and faults by line."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hand_made import small_graph, small_trace
from hypothesis import HealthCheck, given, settings, strategies as st

from gpu.cli.main import main
from gpu.errors import FormatError
from gpu.graph import CSRGraph
from gpu.proof.distances import Distances, read_distances
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
    dist = read_distances(written(tmp_path / "d.csv", GOOD[kind]), small_graph(whole), 0).dist
    np.testing.assert_array_equal(dist, small_trace(whole).dist)
    assert dist.dtype == (np.int32 if whole else np.float32)


MARKS = [
    "-1",
    "1073741823",
    "2147483647",
    "9223372036854775807",
    "1.7976931348623157e+308",
    "3.40282e+38",
]


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("whole", [True, False])
def test_numbers_that_others_write_for_unreached(tmp_path: Path, mark: str, whole: bool) -> None:
    path = written(tmp_path / "d.csv", f"1,0\n2,4\n3,7\n4,7\n5,{mark}\n")
    found = read_distances(path, small_graph(whole), 0)
    np.testing.assert_array_equal(found.dist, small_trace(whole).dist)
    assert found.unreached.startswith(f"taken for unreached: {mark}")


@pytest.mark.parametrize("word", ["-1", "2147483647", ""])
def test_verify_says_what_it_took_for_unreached(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], word: str
) -> None:
    graph = written(tmp_path / "g.gr", "p sp 3 1\na 1 2 4\n")
    table = written(tmp_path / "d.csv", f"1,0\n2,4\n3,{word}\n")
    assert main(["verify", str(graph), str(table), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["verified"] is True
    assert (f"taken for unreached: {word}" in told["unreached"]) == bool(word)
    wrong = written(tmp_path / "w.csv", f"1,0\n2,{word or 'inf'}\n3,{word}\n")
    assert main(["verify", str(graph), str(wrong)]) == 3


WRONG = {
    "unknown vertex": ("1,0\n9,4\n", ":2: 9 is not a vertex"),
    "twice": ("1,0\n1,0\n", ":2: vertex 1 has a distance already"),
    "negative": ("1,-2\n", ":1: distance '-2'"),
    "not a number": ("1,0\n2,far\n", ":2: distance 'far'"),
    "a fraction": ("1,0.5\n", "a whole number"),
    "too large": ("1,10000000000000000000\n", "2\\^63"),
    "three columns": ("1,0,0\n", "3 columns"),
    "empty": ("", "no distances"),
    "header only": ("id,distance\n", "no distances"),
}


@pytest.mark.parametrize("what", WRONG)
def test_faults_name_file_and_line(tmp_path: Path, what: str) -> None:
    text, words = WRONG[what]
    with pytest.raises(FormatError, match=words) as refused:
        read_distances(written(tmp_path / "d.csv", text), small_graph(), 0)
    assert "d.csv" in str(refused.value)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60))
def test_any_bytes_are_distances_or_a_fault(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "d.csv"
    path.write_bytes(content)
    try:
        found = read_distances(path, small_graph(), 0).dist
    except FormatError as error:
        found, words = None, str(error)
    assert (str(path) in words) if found is None else len(found) == 5


@pytest.mark.parametrize(
    ("form", "kind", "words"),
    [
        ("%r", np.float64, "within 4.5e-14, the rounding of float64 over 200 edges"),
        ("%.9g", np.float32, "within 1.2e-05, the rounding of float32 over 200 edges"),
        ("%.6g", np.float64, "the rounding of float64 over 200 edges and of the file's digits"),
    ],
)
def test_decimals_of_other_precision_are_held_to_theirs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str, kind: type, words: str
) -> None:
    n = 201
    weights = np.full(n - 1, 1 / 3)
    (tmp_path / "g.txt").write_text("".join(f"{v} {v + 1} {w}\n" for v, w in enumerate(weights)))
    dist = np.concatenate(([0.0], np.cumsum(weights.astype(kind), dtype=kind)))
    for off, code in ((1.0, 0), (1.001, 3)):
        rows = [f"{v},{form % float(d * off)}\n" for v, d in enumerate(dist.astype(kind))]
        (tmp_path / "d.csv").write_text("".join(rows))
        given = ["verify", str(tmp_path / "g.txt"), str(tmp_path / "d.csv"), "--source", "0"]
        assert main(given) == code
        assert (words in capsys.readouterr().out) == (code == 0)


@pytest.mark.parametrize(
    ("digits", "rounded"),
    [(0, []), (4, []), (5, [0, 1e-4]), (9, [0, 1e-8]), (10, [1e-9]), (14, [1e-13]), (15, [])],
)
def test_what_digits_may_mean(digits: int, rounded: list[float]) -> None:
    """As they stand; as float32, which nine digits hold; rounded to the digits written."""
    found = list(Distances(np.array([0.0, 1 / 3]), digits=digits).readings())
    assert [stored for _, stored in found] == [0.0, *map(pytest.approx, rounded)]
    kinds = [np.float32 if stored == 0 else np.float64 for stored in rounded]
    assert [dist.dtype for dist, _ in found] == [np.float64, *kinds]
    single = list(Distances(np.zeros(2, np.float32), digits=digits).readings())
    assert len(single) == (2 if 5 <= digits < 15 else 1)
    assert Distances(np.zeros(2)).digits == 0


def test_a_mark_that_may_be_a_distance_is_one(tmp_path: Path) -> None:
    mark = 2**30 - 1
    ends, weights = np.array([0, 1]), np.array([mark, 5], np.int32)
    graph = CSRGraph.from_arcs(ends, ends + 1, weights, 4)
    path = written(tmp_path / "d.csv", f"0,0\n1,{mark}\n2,{mark + 5}\n3,-1\n")
    found = read_distances(path, graph, 0)
    assert found.dist.tolist() == [0, mark, mark + 5, 2**31 - 1]
    assert found.unreached == "taken for unreached: -1"


ODD_LETTERS = st.sampled_from([*"=+-@#%'\",;|!\t\n\r ", "é", "\u202e", "1", "a"])


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    names=st.lists(
        st.text(ODD_LETTERS, min_size=1, max_size=6), min_size=5, max_size=5, unique=True
    )
)
def test_any_id_is_read_back_to_the_letter(names: list[str], tmp_path: Path) -> None:
    graph = replace(small_graph(), ids=np.array(names))
    write_distances(graph, small_trace().dist, tmp_path / "d.csv")
    assert read_distances(tmp_path / "d.csv", graph, 0).dist.tolist() == small_trace().dist.tolist()
