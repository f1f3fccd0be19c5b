"""What the README promises: its commands, its example, its picture."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from gpu.algorithms import ALGORITHMS
from gpu.cli import main as cli
from gpu.record.trace import Trace
from viewer.qt_libraries import PACKAGES

TOP = Path(__file__).resolve().parents[2]
README = (TOP / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


def test_the_python_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = blocks("python")
    names: dict[str, object] = {"__name__": "readme"}
    exec(compile(example, "README.md", "exec"), names)  # noqa: S102 - our own text
    assert isinstance(names["trace"], Trace)
    assert "(modelled), at most" in capsys.readouterr().out
    assert isinstance(names["widest"], int)
    assert names["widest"] > 0


def test_the_two_commands_are_what_ci_runs() -> None:
    """CI takes the first two sh blocks: one installs and starts, the other tests."""
    install, test = blocks("sh")
    assert install.strip().endswith("sssp-scope")
    assert '-e ".[test]"' in install + test
    assert "-m pytest" in test
    ci = (TOP / ".ci" / "run").read_text(encoding="utf-8")
    assert "readme_command 1" in ci
    assert "readme_command 2" in ci
    assert "pip install" not in ci


def test_the_packages_named_are_those_that_qt_needs() -> None:
    named = re.findall(r"apt(?:-get)? install ((?:\\\n|[^`\n])+)", README)
    for line in named:
        words = {word for word in line.split() if word != "\\"}
        assert words == {name for row in PACKAGES for name in row.debian.split()}


def test_ci_is_valid_shell() -> None:
    done = subprocess.run(["bash", "-n", TOP / ".ci" / "run"], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_command_shown_exists() -> None:
    (console,) = blocks("console")
    shown = set(re.findall(r"^\$ sssp-scope ([a-z]+)\b(?!\.)", console, re.MULTILINE))
    assert shown <= {*cli.COMMANDS, "render"}
    assert {*cli.COMMANDS, "render"} - shown <= {"samples"}


@pytest.mark.parametrize(
    "line", [line for block in blocks("console") for line in block.splitlines()]
)
def test_every_command_shown_is_parsed(line: str) -> None:
    words = line.partition("#")[0].replace("'", "").split()[2:]
    if words[0] in cli.COMMANDS:
        assert cli.build_parser().parse_args(words).handle is not None
    else:
        assert words[0] in {"roads.gr.gz", "render"}


def test_it_opens_with_a_picture_that_is_there() -> None:
    pictures = re.findall(r"!\[.+\]\((.+)\)", README)
    assert pictures
    assert README.index("![") < README.index("```")
    for picture in pictures:
        assert (TOP / picture).is_file(), f"{picture} is missing"


def test_every_algorithm_is_mentioned() -> None:
    for row in ALGORITHMS.values():
        assert row.title in README
