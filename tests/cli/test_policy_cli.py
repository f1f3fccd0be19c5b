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


def test_a_graph_on_which_a_policy_fails_is_listed(call: Call, suite: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(f"{HEAD}\n    if c.unit > 99:\n        c.delta = 0\n")
    told = call("policy", mine, "--suite", suite)
    assert (told[0], "mine.py failed on 1 of 2 graphs" in told[2]) == (3, True)
    rows = told[1].splitlines()
    assert rows[0] == "mine.py, two roads; milliseconds"
    assert rows[1].split()[:4:3] == ["city_roads?n=300", "ADDS"]
    assert rows[2].startswith(f"{'grid?n=400':<38}  failed: mine.py, line 3: Δ = 0")
    assert rows[3].partition("x as fast as ADDS, quicker on ")[2] in {"0 of 1", "1 of 1"}
    assert call("policy", mine, "--suite", suite) == told
    told = json.loads(call("policy", mine, "--suite", suite, "--json")[1])
    assert ([*told["ms"]], [*told["failed"]]) == (["city_roads?n=300"], ["grid?n=400"])


def test_wrong_distances_are_no_score(
    call: Call, suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = campaign.run
    wrong = lambda *a: (t := made(*a), replace(t, dist=t.dist + (t.dist > 0)))[1]  # noqa: E731
    monkeypatch.setattr(campaign, "run", wrong)
    code, out, _ = call("policy", ADDS, "--suite", suite, "--json")
    assert (code, json.loads(out)["speedups"]) == (3, {})
    assert all("wrong distances" in words for words in json.loads(out)["failed"].values())
