"""Help of every command, made from its parser."""

import pytest

from gpu.cli import main as cli
from viewer import app

COMMANDS = (*cli.COMMANDS, *app.OF_THE_WINDOW)
WORDS = [(), *((name,) for name in COMMANDS), ("lesson", "check")]


@pytest.mark.parametrize("words", WORDS, ids=[" ".join(words) or "all" for words in WORDS])
def test_help_fits_a_terminal_and_has_an_example(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert app.main([*words, "--help"]) == 0
    text, err = capsys.readouterr()
    assert err == ""
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith(f"usage: sssp-scope {' '.join(words)}".rstrip())
    example = text.partition("examples:\n")[2].splitlines()
    assert any(f"sssp-scope {' '.join(words)}".rstrip() in line for line in example)
