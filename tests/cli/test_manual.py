"""Help that fits a screen, the manual page, completion: all made from the parser."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from gpu.algorithms import ALGORITHMS
from gpu.cli import main as cli
from gpu.cli.manual import SHELLS
from gpu.cli.parser import Parser
from gpu.formats import READERS
from viewer import app

ROWS, COLUMNS = 40, 80
COMMANDS = (*cli.COMMANDS, *app.OF_THE_WINDOW)
WORDS = [
    (),
    *((name,) for name in COMMANDS),
    *(("lesson", what) for what in ("list", "check")),
]
NAMED = [" ".join(words) or "sssp-scope" for words in WORDS]


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert app.main(list(words)) == 0
    told = capsys.readouterr()
    assert told.err == ""
    return told.out


def every_parser(parser: Parser) -> list[Parser]:
    return [parser, *(one for child in parser.children().values() for one in every_parser(child))]


@pytest.mark.parametrize("words", WORDS, ids=NAMED)
def test_help_fits_a_screen_and_has_an_example(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    text = printed(capsys, *words, "--help")
    lines = text.splitlines()
    assert len(lines) <= ROWS
    assert max(map(len, lines)) <= COLUMNS
    assert lines[0] == lines[0].strip()
    assert lines[0].startswith(f"usage: sssp-scope {' '.join(words)}".rstrip())
    example = text.partition("examples:\n")[2].splitlines()
    assert any(f"sssp-scope {' '.join(words)}".rstrip() in line for line in example)
    assert printed(capsys, "help", *words) == text


def test_the_manual_page_has_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    page = printed(capsys, "man")
    for parser in every_parser(cli.build_parser()):
        for action in parser._actions:
            if action.help and action.help != "==SUPPRESS==":
                for word in action.option_strings or [str(action.metavar or action.dest)]:
                    assert word.replace("-", "\\-") in page, f"{parser.prog} {word}"
    assert page.isascii()
    assert all(key in page for key in ALGORITHMS)


@pytest.mark.skipif(shutil.which("groff") is None, reason="no groff")
def test_the_manual_page_is_set_without_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww"],
        input=printed(capsys, "man"),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    for words in ("SSSP-SCOPE(1)", "zcat roads.gr.gz | sssp-scope run - --distances -", "Δ"):
        assert words in done.stdout


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_names_commands_options_and_choices(
    shell: str, capsys: pytest.CaptureFixture[str]
) -> None:
    script = printed(capsys, "completion", shell)
    for word in (*COMMANDS, *ALGORITHMS, *READERS, "no-dynamic-delta", "check", "projector"):
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
    "run --no-dyn": {"--no-dynamic-delta"},
    "run ro": {"roads.gr"},
    "verify roads.gr --trace r": {"roads.gr", "run.npz"},
    "lesson ch": {"check"},
    "lesson check --js": {"--json"},
    "render --theme pro": {"projector"},
    "completion f": {"fish"},
}


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
@pytest.mark.parametrize("typed", COMPLETED)
def test_bash_completes(typed: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "complete.bash").write_text(printed(capsys, "completion", "bash"))
    for name in ("roads.gr", "run.npz"):
        (tmp_path / name).touch()
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
