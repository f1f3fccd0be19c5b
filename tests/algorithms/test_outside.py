"""Algorithms of other packages: the one of gpu/README.md is built, installed and run as it stands.

Beside it, in the same installation, an entry point that cannot be imported, and one whose key is
taken.
"""

import json
import os
import re
import sys
from pathlib import Path

import pytest
from processes import TOP, ended, printed

FILE = re.compile(r"^`([\w/]+\.\w+)`:\n\n```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE)
WRONG = "broken = no_such_module\ntwice = gpu.algorithms.adds\n"
LEFT_OUT = (
    "algorithm broken (no_such_module) is left out: ModuleNotFoundError: No module named",
    "algorithm twice (gpu.algorithms.adds) is left out: ParameterError: another algorithm has the"
    " key 'adds'; choose a new key",
)


def output(folder: Path, *words: str) -> tuple[str, str]:
    """Return what Python prints, on stdout and on stderr, with a folder's packages installed."""
    path = f"{folder}{os.pathsep}{TOP}"
    done = ended(sys.executable, "-W", "error", *words, cwd=folder, PYTHONPATH=path)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout, done.stderr


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the package of the README and install it; return where."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("installed")
    files = FILE.findall((TOP / "gpu" / "README.md").read_text(encoding="utf-8"))
    assert files[0][0] == "pyproject.toml"
    for name, text in files:
        (source / name).parent.mkdir(exist_ok=True)
        (source / name).write_text(text, encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-build-isolation", "--no-deps"]
    printed(*pip, "--no-index", "--target", target, source)
    (points,) = target.glob("*.dist-info/entry_points.txt")
    points.write_text(points.read_text(encoding="utf-8").rstrip() + f"\n{WRONG}", encoding="utf-8")
    return target


@pytest.mark.slow
def test_the_package_of_the_readme_runs_as_a_row(installed: Path) -> None:
    given = ("-m", "viewer.app", "run", "sample:city_roads?n=900", "--json")
    out, err = output(installed, *given, "--verify", "--algorithm", "fifo", "--set", "batch=5")
    result = json.loads(out)
    assert result["algorithm"] == "fifo"
    assert result["verified"]
    pair = ("-m", "viewer.app", "compare", "sample:city_roads?n=900", "--a", "fifo", "--b", "adds")
    assert "package models its own times" in output(installed, *pair)[0]
    for words in LEFT_OUT:
        assert words in err
    assert json.loads(output(installed, *given)[0])["algorithm"] == "adds"  # as without them


@pytest.mark.slow
def test_others_are_looked_for_only_where_a_list_is_needed(installed: Path) -> None:
    assert output(installed, "-m", "viewer.app", "info", "sample:figure_6")[1] == ""
    code = (
        "import sys\nfrom gpu.algorithms import ALGORITHMS, find, essay\n"
        "find('adds'), next(iter(ALGORITHMS)), 'adds' in ALGORITHMS\n"
        "assert 'my_scheduler' not in sys.modules\n"
        "assert list(ALGORITHMS)[-1] == 'fifo' and len(ALGORITHMS) == len(list(ALGORITHMS))\n"
        "assert find('fifo').title == 'FIFO queue' and 'Moore' in essay('fifo')\n"
        "try:\n    find('broken')\nexcept Exception as error:\n    print(error)\n"
    )
    said, _ = output(installed, "-c", code)
    for words in LEFT_OUT:
        assert words in said
