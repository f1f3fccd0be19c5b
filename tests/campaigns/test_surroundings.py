"""Odd homes, clocks, tongues, limits, users and caches: the same answer, or one sentence."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

TOP = Path(__file__).resolve().parents[2]
NOBODY = 65534
RUN = ("run", "sample:grid?n=300&seed=3", "--verify", "--json")
LARGE = ("run", "sample:grid?n=1200&seed=3", "--verify", "--json")  # so that it is compiled
COMPILED = (*LARGE, "--engine", "cpu", "--algorithm", "dijkstra")
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
    **options: Any,
) -> subprocess.CompletedProcess[str]:
    """Run the program; changes: of the environment, None takes away; before: shell, e.g. ulimit."""
    around = {**os.environ, "PYTHONPATH": str(TOP), **(changes or {})}
    command = [sys.executable, *flags, "-m", "viewer.app", *arguments]
    if before:
        command = ["sh", "-c", f'{before}; exec "$@"', "sh", *command]
    return subprocess.run(
        command,
        env={name: value for name, value in around.items() if value is not None},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        **options,
    )


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
    "home is a file, Turkish i": {"changes": {"HOME": "/etc/passwd", "LC_ALL": "tr_TR.UTF-8"}},
    "home is nowhere, Arabic digits": {
        "changes": {"HOME": "/dev/null/nowhere", "LC_ALL": "ar_EG.UTF-8", "TZ": "Pacific/Apia"}
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
    [("ulimit -v 150000", "out of memory"), ("ulimit -n 10", "too many open files")],
)
def test_too_little_is_said_in_one_line(limit: str, words: str) -> None:
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


def test_a_cache_is_shared_and_damaged(tmp_path: Path) -> None:
    """Two programs fill one cache; then it holds random bytes, nothing, zeros, from tomorrow."""
    changes: dict[str, str | None] = {"SSSP_SCOPE_CACHE": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "viewer.app", *COMPILED]
    around = {**os.environ, "PYTHONPATH": str(TOP), "SSSP_SCOPE_CACHE": str(tmp_path / "cache")}
    pair = [
        subprocess.Popen(command, env=around, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    told = [one.communicate(timeout=240) for one in pair]
    assert [one.returncode for one in pair] == [0, 0], told
    wanted = json.loads(told[0][0])["distances"]
    files = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert len(files) > 4
    for damage in (os.urandom, bytes):
        for path in files:
            path.write_bytes(damage(path.stat().st_size if path.exists() else 99))
            os.utime(path, (4e9, 4e9))  # the clock was set back since
        assert answer(program(COMPILED, changes))[0] == wanted


@pytest.fixture
def others_folder() -> Iterator[Path]:
    """Return a folder that everybody may look into, as pytest's own are not."""
    if os.geteuid() != 0:
        pytest.skip("only root can be somebody else")
    python = Path(sys.executable)
    if not _may_run(python.parent) or not _may_run(python.resolve()):
        pytest.skip("this Python lies where nobody else may run it")
    folder = Path(tempfile.mkdtemp(prefix="sssp-scope-others-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def _may_run(path: Path) -> bool:
    return all(folder.stat().st_mode & 0o001 for folder in (path, *path.parents, *TOP.parents, TOP))


def test_somebody_else_with_a_home_that_is_not_theirs(others_folder: Path) -> None:
    """The cache cannot be written: compiled code is kept in a private folder, or not at all."""
    temporary = others_folder / "temporary"
    temporary.mkdir()
    temporary.chmod(0o1777)
    changes: dict[str, str | None] = {
        "HOME": str(others_folder), "XDG_CACHE_HOME": None, "TMPDIR": str(temporary),
        "XDG_CONFIG_HOME": None, "SSSP_SCOPE_CACHE": None,
    }  # fmt: skip
    who: dict[str, Any] = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    first = answer(program(COMPILED, changes, **who))
    (kept,) = temporary.iterdir()
    assert kept.name == f"sssp-scope-{NOBODY}"
    assert kept.stat().st_mode & 0o077 == 0
    shutil.rmtree(kept)
    kept.symlink_to(others_folder)  # somebody else's: nothing of it may be run
    assert answer(program(COMPILED, changes, **who)) == first
    assert [path.name for path in others_folder.iterdir()] == ["temporary"]


@pytest.mark.parametrize("arguments", [("sweep", RUN[1], "--count", "2"), ("--signal-ready",)])
@pytest.mark.parametrize("most", [1, 8])
def test_too_few_processes_are_said_in_one_line(
    arguments: tuple[str, ...], most: int, others_folder: Path
) -> None:
    """Of root nothing is refused. `ulimit -u` is no word of every shell."""
    import resource

    done = program(
        arguments,
        {"HOME": str(others_folder), "QT_QPA_PLATFORM": "offscreen"},
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NPROC, (most, most)),
    )
    assert done.returncode == 1
    assert "too many processes" in done.stderr
    assert len(done.stderr.splitlines()) == 1
