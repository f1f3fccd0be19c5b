"""Results of a class: forty files, some hostile, as table, histograms and page."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from page_stage import Parts

from gpu.cli.main import main
from gpu.errors import ParameterError
from gpu.lessons.results import read_class
from gpu.page.classroom import class_page

EVIL = "</script><script>alert(1)</script>"


def answers(student: int) -> dict[str, Any]:
    """Return a file as the window writes it."""
    guess = 1.01 + student
    told = [
        {"step": "map", "question": "How many?", "given": guess, "answer": f"{guess:.3g} x"},
        {
            "step": "which",
            "question": "Which?",
            "given": student % 2,
            "answer": ["A", "B"][student % 2],
        },
        {"step": "curve", "question": "Draw", "given": [0.1, 0.2], "answer": "0.10, 0.20"},
    ]
    right = [20 <= guess <= 31, student % 2 == 0, student < 10]
    rows = [one | {"right": good, "seconds": 30.0} for one, good in zip(told, right, strict=True)]
    found = {"format": 1, "lesson": "1_order", "title": "Order matters", "written": "2026-11-22"}
    return found | {"questions": 3, "right": sum(right), "answers": rows}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    where = tmp_path / "class"
    where.mkdir()
    for student in range(40):
        (where / f"student {student:02}.json").write_text(json.dumps(answers(student)))
    return where


def test_a_class_of_forty(folder: Path) -> None:
    found = read_class(folder)
    assert (len(found.students), found.problems, found.questions) == (40, (), 3)
    header, rows = found.table()
    assert header == ["student", "right", "of", "minutes", "map", "which", "curve"]
    assert rows[0] == ["student 00", 2, 3, 1.5, "✗ 1.01 x", "✓ A", "✓ 0.10, 0.20"]
    number, choice, curve = found.asked()
    assert (number.answered, number.right) == (40, 11)
    assert sum(bar.count for bar in number.bars) == 40
    assert sum(bar.right for bar in number.bars) == 11
    assert number.bars[0].words.startswith("1.01 to ")
    assert [(bar.words, bar.count, bar.right) for bar in choice.bars] == [
        ("A", 20, 20),
        ("B", 20, 0),
    ]
    assert [(bar.words, bar.count) for bar in curve.bars] == [("right", 10), ("not right", 30)]


HOSTILE = {
    "evil": json.dumps(answers(0) | {"lesson": EVIL}),
    "formula": json.dumps(answers(1)),
    "broken": '{"format": 1, ',
    "deep": "[" * 100_000,
    "nan": json.dumps(answers(6)).replace("30.0", "NaN"),
    "later": json.dumps(answers(2) | {"format": 2}),
    "list": "[]",
    "wrong": json.dumps(answers(3) | {"answers": [{"step": 7, "given": "x"}]}),
    "binary": "\x00\x01",
}


def test_hostile_files_are_named_and_keep_no_other_out(folder: Path) -> None:
    for name, text in HOSTILE.items():
        (folder / f"{name}.json").write_text(text)
    (folder / "large.json").write_bytes(b" " * (2 << 20))
    (folder / "pipe.json").symlink_to("/dev/zero")
    (folder / "=cmd.json").write_text(json.dumps(answers(4) | {"title": EVIL}))
    found = read_class(folder)
    assert len(found.students) == 42
    told = "\n".join(found.problems)
    for name in ("broken", "deep", "nan", "later", "list", "wrong", "binary", "large", "pipe"):
        assert f"{name}.json" in told
    assert "evil: of another lesson" in told
    assert "later.json: format = 2; allowed: 1" in told
    parts = Parts(class_page(found))
    assert parts.tags.count("script") == 3
    assert "<" not in parts.held["told"]


def test_command(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, table = tmp_path / "class.html", tmp_path / "class.csv"
    (folder / "=1+1.json").write_text(json.dumps(answers(5)))
    assert main(["lesson", "results", str(folder), "-o", str(page), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert len(told["students"]) == 41
    assert told["asked"][0]["step"] == "map"
    assert len(Parts(page.read_text()).tree()["rows"]) == 41
    assert main(["lesson", "results", str(folder), "-o", str(table)]) == 0
    with table.open(newline="") as file:
        assert {row["student"] for row in csv.DictReader(file)} >= {"'=1+1", "student 07"}
    assert "map: 11 of 41 right" in capsys.readouterr().out


def test_no_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ParameterError, match=r"it has no \.json file"):
        read_class(tmp_path)
    assert main(["lesson", "results", str(tmp_path / "gone"), "-o", str(tmp_path / "a.html")]) == 1
    assert "gone: No such file" in capsys.readouterr().err
    assert main(["lesson", "results", str(tmp_path), "-o", str(tmp_path / "a.png")]) == 2
    assert not (tmp_path / "a.html").exists()
