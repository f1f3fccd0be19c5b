"""Help and completion, both made from the parser."""

from __future__ import annotations

import shutil
import subprocess

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


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_names_commands_options_and_choices(
    shell: str, capsys: pytest.CaptureFixture[str]
) -> None:
    script = printed(capsys, "completion", shell)
    for word in (*COMMANDS, *ALGORITHMS, *READERS, "projector"):
        assert word in script
    if shutil.which(shell) is not None:
        done = subprocess.run(
            [shell, "-n"], input=script, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")
