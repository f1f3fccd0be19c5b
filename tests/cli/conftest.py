"""A command run in this process; what the window adds to the command line goes again."""

from collections.abc import Callable

import pytest

from gpu.cli import main as cli
from viewer import app


@pytest.fixture(autouse=True)
def _nothing_added_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "COMMANDS", dict(cli.COMMANDS))
    monkeypatch.setattr("gpu.study.sweep.cores", lambda: 1)  # processes: tests/study/test_sweep.py


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Return a function that runs a command in this process: code, stdout, stderr."""

    def run(*words: object) -> tuple[int, str, str]:
        code = app.main([str(word) for word in words])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run
