"""Help and completion, both made from the parser."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from gpu.algorithms import ALGORITHMS
from gpu.cli import main as cli
from gpu.cli.main import SHELLS
from gpu.formats import READERS
from viewer import app

COMMANDS = (*cli.COMMANDS, *app.OF_THE_WINDOW)
WORDS = [(), *((name,) for name in COMMANDS), ("lesson", "list"), ("lesson", "check")]


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert app.main(list(words)) == 0
    told = capsys.readouterr()
    assert told.err == ""
    return told.out


@pytest.mark.parametrize("words", WORDS, ids=[" ".join(words) or "all" for words in WORDS])
def test_help_fits_a_terminal_and_has_an_example(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = printed(capsys, *words, "--help")
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith(f"usage: sssp-scope {' '.join(words)}".rstrip())
    example = text.partition("examples:\n")[2].splitlines()
    assert any(f"sssp-scope {' '.join(words)}".rstrip() in line for line in example)


def test_help_names_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "run", "--help")
    for row in ALGORITHMS.values():
        for parameter in row.parameters:
            assert parameter.key.replace("_", "-") in text


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_names_commands_options_and_choices(
    shell: str, capsys: pytest.CaptureFixture[str]
) -> None:
    script = printed(capsys, "completion", shell)
    for word in (*COMMANDS, *ALGORITHMS, *READERS, "no-dynamic-delta", "projector"):
        assert word in script
    if shutil.which(shell) is not None:
        done = subprocess.run(
            [shell, "-n"], input=script, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")


COMPLETED = {
    "co": {"compare", "completion", "convert"},
    "run --algori": {"--algorithm"},
    "run --algorithm dij": {"dijkstra"},
    "run --format m": {"matrix_market", "metis"},
    "lesson ch": {"check"},
    "render --theme pro": {"projector"},
}


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
@pytest.mark.parametrize("typed", COMPLETED)
def test_bash_completes(typed: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "complete.bash").write_text(printed(capsys, "completion", "bash"))
    press = r"""
source complete.bash
COMP_WORDS=(sssp-scope "$@"); COMP_CWORD=$#; COMP_LINE="${COMP_WORDS[*]}"; COMP_POINT=${#COMP_LINE}
function_name=$(complete -p sssp-scope | sed 's/.*-F \([^ ]*\).*/\1/')
"$function_name" sssp-scope "${@: -1}" "${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\n' "${COMPREPLY[@]}"
"""
    done = subprocess.run(
        ["bash", "--norc", "-c", press, "bash", *typed.split()],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert set(done.stdout.split()) == COMPLETED[typed]
