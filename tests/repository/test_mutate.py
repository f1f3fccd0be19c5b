"""The command that puts faults in: which faults it makes, and that it takes them out again."""

from __future__ import annotations

import ast
import json
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import mutate

TOY = '''"""A toy, 1 + 1."""
LIMIT: int = 3


def small(value: int, most: int = LIMIT) -> bool:
    """Whether a value is small; `<` in a text is no code."""
    if not value <= most and value is not None:
        return False
    total = 0
    total += min(value, most)
    print(f"{value + 1}")
    return total == value or -value > 2.0


class Box:
    def put(self, thing: object) -> None:
        self.thing = thing
        self.put_into(thing, "left")
        raise ValueError("5 < 6")
'''
TOY_C = """// a < b
#define ROOM 4
#include "x < y.h"
/* 1 + 1 */
TWIN int smaller(int a, int b) {
    int size = a < b ? a : b;
    return size + 1;
}
"""


def pairs(mutants: list[mutate.Mutant]) -> set[tuple[int, str, str]]:
    return {(mutant.line, mutant.before, mutant.after) for mutant in mutants}


def test_the_faults_of_python() -> None:
    found = mutate.faults_of("toy.py", TOY)
    assert pairs(found) >= {
        (2, "3", "4"),
        (2, "3", "2"),
        (7, "<=", "<"),
        (7, "and", "or"),
        (7, "not value <= most", "value <= most"),
        (7, "is not", "is"),
        (8, "False", "True"),
        (8, "return False", "pass"),
        (10, "total += min(value, most)", "pass"),
        (10, "+=", "-="),
        (10, "min", "max"),
        (12, "==", "!="),
        (12, "or", "and"),
        (12, ">", ">="),
        (12, ">", "<"),
        (12, "-value", "value"),
        (12, "2.0", "2.18"),
        (17, "self.thing = thing", "pass"),
        (18, '"left"', "'right'"),
        (18, 'thing, "left"', '"left", thing'),
    }
    assert {mutant.place for mutant in found} == {"", "small", "Box.put"}
    assert not [mutant for mutant in found if mutant.line in (1, 6)]  # texts are no code
    assert (10, "value, most", "most, value") not in pairs(found)  # the lesser is the same
    lines = TOY.encode().splitlines()
    for mutant in found:
        changed = mutant.applied(TOY.encode())
        ast.parse(changed)
        assert changed != TOY.encode()
        assert TOY.encode()[mutant.begin : mutant.end].decode() == mutant.before
        assert mutant.before.splitlines()[0].encode() in lines[mutant.line - 1]


def test_the_faults_of_c() -> None:
    found = mutate.faults_of("toy.cuh", TOY_C)
    assert pairs(found) == {
        (2, "4", "5"),
        (6, " < ", " <= "),
        (6, " < ", " > "),
        (6, "int size = a < b ? a : b;", ";"),
        (7, " + ", " - "),
        (7, "1", "2"),
        (7, "return size + 1;", ";"),
    } - {(6, "int size = a < b ? a : b;", ";")}  # a declaration stays
    assert {mutant.place for mutant in found} == {"", "smaller"}
    for mutant in found:
        assert TOY_C.encode()[mutant.begin : mutant.end].decode() == mutant.before


def test_columns_are_counted_in_bytes() -> None:
    text = 'Δ = "Δ"; x = 1 if Δ < "ü" else 2\n'
    for mutant in mutate.faults_of("toy.py", text):
        assert text.encode()[mutant.begin : mutant.end].decode() == mutant.before
    assert (1, "<", "<=") in pairs(mutate.faults_of("toy.py", text))


def test_faults_are_spread_over_functions_and_follow_from_the_seed() -> None:
    found = mutate.faults_of("toy.py", TOY)
    for seed in range(5):
        taken = mutate.spread(found, 3, random.Random(seed))
        assert {mutant.place for mutant in taken} == {"", "small", "Box.put"}
    again = [mutate.spread(found, 6, random.Random(2)) for _ in range(2)]
    assert again[0] == again[1] != mutate.spread(found, 6, random.Random(3))
    assert len(set(mutate.spread(found, 10**6, random.Random(1)))) == len(found)


def test_rooms_share_a_campaign_by_their_weights(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.py").write_text(TOY)
    rooms = {
        "a": mutate.Room(("a.py",), ("x",), weight=2),
        "b": mutate.Room(("b.py",), ("x",), weight=1),
    }
    picked = mutate.chosen(rooms, tmp_path, 15, seed=1)
    assert {name: len(mutants) for name, mutants in picked.items()} == {"a": 10, "b": 5}
    assert {mutant.file for mutant in picked["b"]} == {"b.py"}
    assert picked == mutate.chosen(rooms, tmp_path, 15, seed=1)


@pytest.mark.parametrize("name", mutate.ROOMS)
def test_every_room_has_faults_and_tests(name: str) -> None:
    room = mutate.ROOMS[name]
    assert len(mutate.room_faults(room, mutate.CHECKOUT)) > 30
    tests = [mutate.CHECKOUT / test for test in room.tests if test.startswith("tests")]
    assert tests
    assert all(test.exists() for test in tests)


def test_every_explanation_is_of_a_fault_that_can_be_made() -> None:
    for row in mutate.explanations():
        text = (mutate.CHECKOUT / row["file"]).read_text(encoding="utf-8")
        lines = text.splitlines()
        made = [
            mutant
            for mutant in mutate.faults_of(row["file"], text)
            if mutate.explained(mutant, lines[mutant.line - 1], [row])
        ]
        assert made, row


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a checkout with a module of three faults: one killed, one endless, one not seen."""
    folder = tmp_path / "checkout"
    (folder / "tests").mkdir(parents=True)
    (folder / "toy.py").write_text(
        "def reached(most):\n"
        "    at = 0\n"
        "    while at < most:\n"
        "        at = at + 1\n"
        "    return at\n"
        "def unseen():\n"
        "    return 7\n"
    )
    (folder / "tests" / "test_toy.py").write_text(
        "import toy\n\n\ndef test_reached():\n    assert toy.reached(4) == 4\n"
    )
    if shutil.which("git") is None:
        pytest.skip("git is not installed: nothing says which files are ours")
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True, timeout=60)
    return folder


def test_killed_survived_endless_and_explained(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(mutate, "LEAST_TIME_S", 6.0)
    monkeypatch.setattr(mutate, "TIMES_SLOWER", 0.0)
    text = (checkout / "toy.py").read_text()
    (checkout / "tests" / "mutants_explained.toml").write_text(
        '[[mutant]]\nfile = "toy.py"\nline = "return 7"\nbefore = "7"\nafter = "6"\n'
        'reason = "nobody asks"\n'
    )
    room = mutate.Room(("toy.py",), ("tests/test_toy.py",))
    every = {(m.line, m.before, m.after): m for m in mutate.room_faults(room, checkout)}
    wanted = [(3, "<", "<="), (4, "+", "-"), (7, "7", "8"), (7, "7", "6")]
    picked = {"toy": [every[key] for key in wanted]}
    found = mutate.campaign(picked, {"toy": room}, checkout)
    assert [verdict.outcome for verdict in found] == ["killed", "killed", "survived", "explained"]
    assert "test_reached" in found[0].why
    assert found[1].why.startswith("no end after ")
    assert found[3].why == "nobody asks"
    assert (checkout / "toy.py").read_text() == text
    assert "toy.py:7  7  ->  8" in capsys.readouterr().out
    assert mutate.table(found).splitlines()[-1] == "| all | 4 | 2 | 1 | 1 |"
    kept = checkout / "kept.json"
    kept.write_text(json.dumps([mutate.asdict(verdict) for verdict in found]))
    assert mutate.survivors(kept, {"toy": room}, checkout) == {"toy": [every[(7, "7", "8")]]}


def test_a_fault_is_taken_out_again_and_tests_must_pass_without(
    checkout: Path, tmp_path: Path
) -> None:
    room = mutate.Room(("toy.py",), ("tests/test_toy.py",))
    bench = mutate.Bench(checkout, tmp_path / "bench")
    copy = bench.tree / "toy.py"
    text, when = copy.read_bytes(), copy.stat().st_mtime_ns
    bench.limit_s["toy"] = 60.0
    mutant = next(m for m in mutate.room_faults(room, checkout) if m.before == "return at")
    assert bench.tried("toy", room, mutant, []).outcome == "killed"
    assert (copy.read_bytes(), copy.stat().st_mtime_ns) == (text, when)
    copy.write_text("def reached(most):\n    return 5\n")
    with pytest.raises(mutate.RoomError, match="the tests of toy do not pass unchanged"):
        bench.warm_up("toy", room)


def test_a_room_whose_tests_fail_is_said_and_left_out(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (checkout / "toy.py").write_text("def reached(most):\n    return 5\n")
    room = mutate.Room(("toy.py",), ("tests/test_toy.py",))
    picked = {"toy": mutate.room_faults(room, checkout)}
    assert mutate.campaign(picked, {"toy": room}, checkout) == []
    assert "mutate: the tests of toy do not pass unchanged: FAILED" in capsys.readouterr().out
