"""Odd homes, clocks, tongues, and limits: the same answer, or one sentence."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from processes import ended

RUN = ("run", "sample:grid?n=300&seed=3", "--verify", "--json")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="limits, users and locales of POSIX"),
]


def program(
    arguments: tuple[str, ...],
    changes: dict[str, str | None] | None = None,
    *,
    before: str = "",
    flags: tuple[str, ...] = (),
) -> subprocess.CompletedProcess[str]:
    """Run the program; changes: of the environment, None takes away; before: shell, e.g. ulimit."""
    command = [sys.executable, *flags, "-m", "viewer.app", *arguments]
    if before:
        command = ["sh", "-c", f'{before}; exec "$@"', "sh", *command]
    return ended(*command, **(changes or {}))


def answer(done: subprocess.CompletedProcess[str]) -> tuple[Any, ...]:
    """Return what a run found; fail where it failed or its proof does not hold."""
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(done.stdout)
    assert told["verification"]["certificate"] is True
    return (
        told["distances"],
        told["processed_vertices"],
        told["time_ns"] * (told["clock"] == "modelled"),
    )


@pytest.fixture(scope="module")
def usual() -> tuple[Any, ...]:
    return answer(program(RUN))


SURROUNDINGS: dict[str, dict[str, Any]] = {
    "no home, decimal comma": {"changes": {"HOME": None, "LC_ALL": "de_DE.UTF-8"}},
    "home is a file, Arabic digits": {
        "changes": {"HOME": "/etc/passwd", "LC_ALL": "ar_EG.UTF-8", "TZ": "Pacific/Apia"}
    },
    "a terminal of ASCII": {
        "changes": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "TZ": "::x"}
    },
    "python -O": {"flags": ("-O",)},
    "eight open files": {"before": "ulimit -n 8"},
    "little memory": {"before": "ulimit -v 1200000"},
}


@pytest.mark.parametrize("where", SURROUNDINGS)
def test_the_same_answer_wherever_it_runs(
    where: str, usual: tuple[Any, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # for what finds no home
    assert answer(program(RUN, **SURROUNDINGS[where])) == usual


@pytest.mark.parametrize(
    ("limit", "words"),
    [("ulimit -s 4000000; ulimit -v 1200000", "raise ulimit -v"), ("ulimit -n 10", "open files")],
)
def test_too_little_is_said_in_one_line(limit: str, words: str) -> None:
    """No stack fits into so few addresses: no thread can be started."""
    done = program(("sweep", "sample:grid?n=300", "--count", "2"), before=limit)
    assert done.returncode == 1
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_wrong_result_is_found_without_assertions(tmp_path: Path) -> None:
    """`python -O` leaves assertions out: nothing of what the program promises may be one."""
    (tmp_path / "a.gr").write_text("p sp 3 2\na 1 2 5\na 2 3 5\n")
    (tmp_path / "wrong.csv").write_text("vertex,distance\n1,0\n2,5\n3,11\n")
    arguments = ("verify", str(tmp_path / "a.gr"), str(tmp_path / "wrong.csv"))
    done = program(arguments, flags=("-O",))
    assert done.returncode == 3, done.stdout + done.stderr
