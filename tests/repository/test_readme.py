"""What the pages promise: commands, examples, pictures, links, lines that one can read."""

import re
from pathlib import Path

import pytest

from gpu.cli import main as cli
from gpu.record.trace import Trace
from viewer.app import OF_THE_WINDOW
from viewer.qt_libraries import DEBIAN

TOP = Path(__file__).resolve().parents[2]
ROOMS = ("gpu", "viewer", "sample_graphs", "assets", "tests")
README = (TOP / "README.md").read_text(encoding="utf-8")
API = (TOP / "gpu" / "API.md").read_text(encoding="utf-8")
COMMANDS = (TOP / "gpu" / "cli" / "README.md").read_text(encoding="utf-8")
LONGEST = 120  # characters of a line of prose


def blocks(language: str, page: str = README) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)


def pages() -> list[Path]:
    skipped = {".venv", "venv", "node_modules", "build"}
    found = [*TOP.glob("*.md"), *(path for room in ROOMS for path in (TOP / room).rglob("*.md"))]
    return [path for path in found if not skipped & set(path.parts)]


def test_the_python_examples_run(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {"__name__": "readme"}
    for example in blocks("python", API):
        exec(compile(example, "API.md", "exec"), names)  # noqa: S102 - our own text
    assert isinstance(names["trace"], Trace)
    assert "(modelled), at most" in capsys.readouterr().out
    assert isinstance(names["widest"], int)
    assert names["widest"] > 0


def test_the_two_commands_are_what_ci_runs() -> None:
    """CI takes the first two sh blocks: one installs and starts, the other tests."""
    install, test = blocks("sh")
    assert install.strip().endswith("sssp-scope")
    assert "-e . " in install
    assert '-e ".[test]"' in test
    assert "-m pytest" in test
    ci = (TOP / ".ci" / "run").read_text(encoding="utf-8")
    assert "readme_command 1" in ci
    assert "readme_command 2" in ci
    assert "pip install" not in ci


def test_the_packages_named_are_those_that_qt_needs() -> None:
    named = re.findall(r"apt(?:-get)? install ((?:\\\n|[^`\n])+)", README)
    assert named
    for line in named:
        words = {word for word in line.split() if word != "\\"}
        assert words == set(DEBIAN.split())


@pytest.mark.parametrize(
    "line",
    [
        line
        for block in blocks("console", COMMANDS)
        for line in block.splitlines()
        if line.startswith("$ sssp-scope ")
    ],
)
def test_every_command_shown_is_parsed(line: str) -> None:
    words = line.partition("#")[0].partition("|")[0].replace("'", "").split()[2:]
    if words[0] in cli.COMMANDS:
        assert cli.build_parser().parse_args(words).handle is not None
    else:
        assert words[0] in {"roads.gr.gz", *OF_THE_WINDOW}


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(TOP).as_posix())
def test_links_lead_somewhere_and_lines_are_short(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if not link.startswith(("http:", "https:", "mailto:")):
            assert (page.parent / link).exists(), link
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    lessons = page.parent.name == "lessons" and page.name != "README.md"  # a paragraph a line
    long = [line for line in prose.splitlines() if len(line) > LONGEST and line[0] not in "|!"]
    assert lessons or long == []
