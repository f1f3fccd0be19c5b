"""`sssp-scope licences`: every package that the program runs on, in the packages' own words."""

from __future__ import annotations

import json
import re
import tomllib
from email.message import Message
from importlib.metadata import Distribution
from pathlib import Path

import pytest

from gpu.cli.licences import installed_packages, licence_of
from gpu.cli.main import main
from gpu.errors import GpuError

TOP = Path(__file__).resolve().parents[2]


class Told(Distribution):
    """A package that says this of itself."""

    def __init__(self, **told: str) -> None:
        self._told = Message()
        for name, words in told.items():
            for line in words.split("|"):
                self._told[name.replace("_", "-")] = line

    @property
    def metadata(self) -> Message:  # type: ignore[override]
        return self._told

    def read_text(self, filename: str) -> str | None:
        return None

    def locate_file(self, path: object) -> Path:
        return Path(str(path))


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"License_Expression": "MIT", "License": "other"}, "MIT"),
        ({"Classifier": "License :: OSI Approved|License :: OSI Approved :: Z"}, "Z"),
        ({"License": "Zlib\nand the whole text"}, "Zlib"),
        ({"License": "x" * 99}, "x" * 60 + "…"),
        ({"Classifier": "Topic :: Text"}, ""),
    ],
)  # fmt: skip
def test_a_licence_is_what_the_package_says(told: dict[str, str], words: str) -> None:
    assert licence_of(Told(**told)) == words


def test_all_that_the_program_requires_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    try:
        installed_packages()
    except GpuError:
        pytest.skip("the program runs from a tree that was never installed")
    assert main(["licences", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["packages"]
    asked = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = {row["name"].lower().replace("_", "-") for row in rows}
    assert {re.split(r"[>=]", line)[0].lower() for line in asked["dependencies"]} <= names
    assert rows[0]["name"] == "sssp-scope"
    assert rows[0]["licence"] == asked["license"]
    assert all(row["licence"] for row in rows)
    assert len(names) == len(rows)
    by_name = {row["name"]: row for row in rows}
    assert by_name["PyQt6"]["licence"].startswith("GPL")
    assert by_name["llvmlite"]["needed_for"] == "the program"  # what Numba needs
    assert by_name["pytest"]["needed_for"] != "the program"
    assert main(["licences"]) == 0
    told = capsys.readouterr().out
    assert "the program needs" in told
    assert all(f"{row['name']} {row['version']}" in told for row in rows)


def test_what_is_not_installed_is_said() -> None:
    with pytest.raises(GpuError, match="no-such-package is not installed"):
        installed_packages("no-such-package")
