"""What every command says of small graphs, and its options: `tests/kept/commands.json`.

A key is a command as it is typed in a folder with the files below; `options NAME`: what it takes.
"""

import argparse
import json
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kept
import pytest

from gpu.cli import main as cli, terminal

DECIDE = "def decide(c, processing, waiting, produced, produced_far, produced_tail, switched):\n"
FILES = {
    "roads.gr": "p sp 6 8\na 1 2 4\na 2 3 3\na 3 4 0\na 1 4 9\na 4 5 2\na 2 2 5\na 2 3 8\na 5 1 1",
    "names.csv": "from,to,km\nAnn,Bob,1.5\nBob,Cid,2.25\nAnn,Cid,4\nDot,Ann,1\n",
    "mine.py": f"{DECIDE}    c.delta = 8 * c.unit\n",
    "mine.toml": '[[graphs]]\nsamples = ["figure_6", "petersen"]\n'
    '[[codes]]\nalgorithm = "adds"\n[[codes]]\nalgorithm = "near_far"\nc = [8, 32]\n',
    "wrong.csv": "id,distance\n1,0\n2,4\n3,7\n4,7\n5,8\n6,\n",
}
TIMES = ("environment", "bytes", "date")  # of this machine, or of today


def _steady(value: Any) -> Any:
    if isinstance(value, list):
        return [_steady(part) for part in value]
    if not isinstance(value, dict):
        return value
    unsteady = (*TIMES, *(["time_ns", "device"] if value.get("clock") == "measured" else []))
    return {key: "..." if key in unsteady else _steady(part) for key, part in value.items()}


def _said(text: str, folder: Path) -> Any:
    text = text.replace(str(folder), "HERE").replace(str(kept.FOLDER.parents[1]), "CHECKOUT")
    try:
        return _steady(json.loads(text))
    except ValueError:
        return [re.sub(r"(bytes +)[0-9,]+", r"\1...", line) for line in text.splitlines()]


@pytest.mark.parametrize("line", kept.cases("commands"))
def test_a_command_says_what_is_kept(
    line: str,
    call: Callable[..., tuple[int, str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(terminal, "PROGRESS_S", 0.0)  # every step of progress is shown
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")
    for part in line.split(" && "):
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
        code, out, err = call(*shlex.split(part))
    err = "\n".join(line.rpartition("\r")[2] for line in err.split("\n"))  # without progress
    if code == terminal.WRONG_USAGE and "--json" not in line:
        err = err.splitlines()[-1].partition("invalid choice")[0]  # argparse says it in many ways
    said = {"code": code, "out": _said(out, tmp_path), "err": _said(err, tmp_path)}
    made = [path for path in sorted(Path().glob("*.csv")) if path.name not in FILES]
    said["files"] = {path.name: path.read_text("utf-8") for path in made}
    said = {key: value for key, value in said.items() if value}
    kept.check("commands", line, said, depth=2)


@pytest.mark.parametrize("name", kept.cases("options"))
def test_a_command_takes_the_options_that_are_kept(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = {key: row for key, row in cli.COMMANDS.items() if row[1].startswith("gpu.")}
    monkeypatch.setattr(cli, "COMMANDS", ours)  # whether or not the window has added its own
    rows: dict[str, Any] = {}
    for action in (actions := list(cli.build_parser(name or None)._actions)):
        if isinstance(action, argparse._SubParsersAction):
            some = [action.choices[name]] if name else action.choices.values()
            actions += [inner for parser in some for inner in parser._actions]
        elif action.dest != "help":
            words = [action.metavar, action.help, action.nargs, action.required]
            flags = " ".join(action.option_strings) or action.dest
            rows[flags if not name else f"{flags} = {action.default}"] = words
    kept.check("options", name, [*rows] if name else rows)
