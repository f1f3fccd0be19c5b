"""How commands end: exit codes, errors under --json, nearest names, and nothing but plain text."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from gpu import errors
from gpu.cli import main as cli, terminal
from gpu.cli.terminal import CHECK_FAILED, DONE, FAILED, WRONG_USAGE, printable

README = Path(cli.__file__).with_name("README.md").read_text(encoding="utf-8")
EXIT_CODES = {int(code) for code in re.findall(r"^\| (\d+) \| .+ \|$", README, re.MULTILINE)}
ERROR_CODES = set(re.findall(r"^\| `(\w+)` \| .+ \|$", README, re.MULTILINE))
ROADS = "p sp 5 4\na 1 2 4\na 2 3 3\na 3 4 0\na 1 4 9\n"
NASTY = "e\x1b[31m\x1b]0;t\x07\x9bv\u202eil"
Call = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def _beside_roads(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    Path("roads.gr").write_text(ROADS)
    Path("wrong.csv").write_text("1,0\n2,5\n")


# what is typed, the exit code, the error's code, its file, its line
ENDS: dict[str, tuple[int, str, str | None, int | None]] = {
    "info roads.gr": (DONE, "", None, None),
    "info none.gr": (FAILED, "format", "none.gr", None),
    "info bad.gr": (FAILED, "format", "bad.gr", 2),
    "info sample:nothing": (FAILED, "parameter", "sample:nothing", None),
    "run roads.gr --source 9": (FAILED, "source", None, None),
    "run roads.gr --device Toaster": (FAILED, "parameter", None, None),
    "verify roads.gr --trace bad.gr": (FAILED, "trace", "bad.gr", None),
    "page bad.npz": (FAILED, "trace", "bad.npz", None),
    "lesson check nope.toml": (FAILED, "system", "nope.toml", None),
    "run roads.gr --period-ns -5": (WRONG_USAGE, "usage", None, None),
    "run roads.gr --algorithm ads": (WRONG_USAGE, "usage", None, None),
    "run roads.gr --delta nan": (WRONG_USAGE, "usage", None, None),
    "run roads.gr --set buckets": (WRONG_USAGE, "usage", None, None),
    "run roads.gr --source 1 --source-index 0": (WRONG_USAGE, "usage", None, None),
    "fly": (WRONG_USAGE, "usage", None, None),
    "-q info roads.gr": (WRONG_USAGE, "usage", None, None),
    "--json info roads.gr": (WRONG_USAGE, "usage", None, None),
    "run roads.gr --set buckets=99": (WRONG_USAGE, "usage", None, None),
    "apsp roads.gr -o x.txt": (WRONG_USAGE, "usage", None, None),
    "convert roads.gr roads.gr": (FAILED, "error", None, None),
    "verify roads.gr wrong.csv": (CHECK_FAILED, "check", None, None),
    "lesson check bad.toml": (CHECK_FAILED, "", None, None),
}


@pytest.mark.parametrize("line", ENDS)
def test_every_end_is_the_one_that_is_documented(line: str, call: Call) -> None:
    code, kind, file, at = ENDS[line]
    Path("bad.gr").write_text("p sp 2 1\na 1 9 4\n")
    Path("bad.npz").write_bytes(b"no trace")
    Path("bad.toml").write_text("[lesson]\n")
    ended, out, err = call(*line.split())
    assert ended == code
    assert code in EXIT_CODES
    assert (err == "") == (kind == "")
    assert "Traceback" not in err
    ended, out, err = call(*line.split(), "--json")
    assert ended == code
    if kind:
        told = json.loads(err)
        assert told["exit_code"] == code
        assert told["error"]["code"] == kind
        assert (told["error"]["file"], told["error"]["line"]) == (file, at)
        assert told["error"]["message"]
        assert kind in ERROR_CODES
    if out:
        json.loads(out)
    assert bool(out) == (code in {DONE, CHECK_FAILED})


def test_every_error_of_ours_has_a_documented_code(call: Call) -> None:
    codes = {kind.code for kind in vars(errors).values() if hasattr(kind, "code")}
    assert codes <= ERROR_CODES
    ends = {DONE, FAILED, WRONG_USAGE, CHECK_FAILED}
    assert {*ends, terminal.INTERRUPTED, terminal.PIPE_CLOSED, terminal.ENDED} == EXIT_CODES
    assert f"exit codes: {DONE} done, {FAILED} a reported error" in call("--help")[1]


def test_no_control_character_is_printed(call: Call) -> None:
    graph, ids = f"{NASTY}.gr", f"{NASTY}.csv"
    Path(graph).write_text(ROADS)
    Path(ids).write_text(f"source,target,weight\na,{NASTY},3\n{NASTY},c,4\n", encoding="utf-8")
    lines: tuple[tuple[str, ...], ...] = (
        (f"{NASTY}.npz",),
        ("info", graph),
        ("info", ids),
        ("info", f"{NASTY}.txt"),
        ("run", ids, "--source", NASTY),
        ("run", graph, "--source", NASTY),
        ("run", graph, "--algorithm", NASTY),
        ("run", graph, f"--{NASTY}"),
        ("run", graph, "--device", NASTY, "--json"),
        ("convert", graph, f"{NASTY}.mtx"),
        ("convert", graph, f"{NASTY}.{NASTY}"),
        ("compare", graph, "--a", NASTY),
        ("verify", graph, ids),
        ("lesson", "check", NASTY),
        ("lesson", "check", f"{NASTY}.toml"),
        ("render", f"{NASTY}.npz"),
        ("bench", NASTY),
        ("bench", "cpu", NASTY),
        (NASTY,),
    )
    for words in lines:
        _, out, err = call(*words)
        assert out + err, words
        assert printable(out + err) == out + err, words
    assert "e\\x1b[31m\\x1b]0;t\\x07\\x9bv\\u202eil" in call("info", graph)[1]


def test_quiet(call: Call) -> None:
    words = ("run", "roads.gr", "--verify")
    assert call(*words, "-q") == (DONE, "", "")
    assert json.loads(call(*words, "-q", "--json")[1])["verified"] is True
    assert call("convert", "roads.gr", "x.mtx", "--quiet") == (DONE, "", "")
    code, out, err = call("convert", "nope.gr", "x.mtx", "--quiet")
    assert (code, out) == (FAILED, "")
    assert "nope.gr: no such file" in err


FORMULAS = "source,target,weight\na,=cmd|'/c calc'!A0,3\n=cmd|'/c calc'!A0,@b,4\n"


def test_ids_that_are_formulas_are_text_in_a_table_and_come_back(call: Call) -> None:
    Path("f.csv").write_text(FORMULAS)
    words = ("run", "f.csv", "--distances", "d.csv", "--source", "a")
    assert call(*words)[0] == DONE
    rows = Path("d.csv").read_text().splitlines()
    assert set(rows) == {"id,distance", "a,0", "'=cmd|'/c calc'!A0,3", "'@b,7"}
    assert call("verify", "f.csv", "d.csv", "--source", "a")[0] == DONE
    Path("bare.csv").write_text("a,0\n=cmd|'/c calc'!A0,3\n@b,7\n")
    assert call("verify", "f.csv", "bare.csv", "--source", "a")[0] == DONE
    assert call("convert", "f.csv", "g.csv")[0] == DONE
    assert (
        json.loads(call("info", "g.csv", "--json")[1])["hash"]
        == (json.loads(call("info", "f.csv", "--json")[1])["hash"])
    )
