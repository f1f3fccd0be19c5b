"""`sssp-scope policy`: the scores of a scheduler of one's own, as a table and as JSON."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gpu.lab import campaign
from gpu.policy import HEAD

Call = Callable[..., tuple[int, str, str]]
ADDS = Path(__file__).parents[1] / "core" / "adds_policy.py"
SMALL = """
title = "two roads"
runs = 1
graphs = [{samples = ["city_roads?n=300", "grid?n=400"]}]
codes = [{name = "ADDS", algorithm = "adds"}, {name = "swept", algorithm = "adds", c = [4, 64]}]
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    (tmp_path / "small.toml").write_text(SMALL)
    return tmp_path / "small.toml"


def test_adds_own_rule_scores_as_adds_does_on_the_class_suite(call: Call) -> None:
    code, out, err = call("policy", ADDS, "--suite", "class", "--json")
    told = json.loads(out)
    assert (code, err, told["failed"]) == (0, "", {})
    assert len(told["ms"]) == 5
    assert all(row["policy"] == row["ADDS"] > row["best of sweep"] for row in told["ms"].values())
    assert told["speedups"]["ADDS"] == 1.0
    assert told["speedups"]["best of sweep"] < told["speedups"]["constant"] < 1.0


def test_the_table_of_a_suite_is_the_same_again(call: Call, suite: Path) -> None:
    first = call("policy", ADDS, "--suite", suite)
    code, out, _ = first
    assert code == 0
    rows = out.splitlines()
    assert rows[0] == "adds_policy.py, two roads; milliseconds"
    assert [row.split()[0] for row in rows[1:3]] == ["city_roads?n=300", "grid?n=400"]
    assert rows[1].split()[1:4:2] == ["policy", "ADDS"]
    assert rows[3] == "1.000x as fast as ADDS, quicker on 0 of 2"
    assert call("policy", ADDS, "--suite", suite) == first


def test_a_graph_on_which_a_policy_fails_is_listed(call: Call, suite: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(f"{HEAD}\n    if c.unit > 99:\n        c.delta = 0\n")
    code, out, err = call("policy", mine, "--suite", suite)
    assert code == 3
    assert "mine.py failed on 1 of 2 graphs" in err
    assert [" failed: mine.py, line 3: Δ = 0" in row for row in out.splitlines()[1:3]].count(1) == 1
    assert "of 1\n" in out
    told = json.loads(call("policy", mine, "--suite", suite, "--json")[1])
    assert len(told["ms"]) == len(told["failed"]) == 1
    mine.write_text("def decide(c): pass")
    assert call("policy", mine, "--suite", suite)[0] == 1


def test_wrong_distances_are_no_score(
    call: Call, suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = campaign.run
    wrong = lambda *a: (t := made(*a), replace(t, dist=t.dist + (t.dist > 0)))[1]  # noqa: E731
    monkeypatch.setattr(campaign, "run", wrong)
    code, out, _ = call("policy", ADDS, "--suite", suite, "--json")
    assert (code, json.loads(out)["speedups"]) == (3, {})
    assert all("wrong distances" in words for words in json.loads(out)["failed"].values())
