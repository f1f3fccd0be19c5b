"""The wheel works where there is no checkout: its command, its data, its metadata.

The wheel is built from a copy of the tree and installed, without its dependencies and
without a network, into a fresh environment that borrows this one's libraries.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
PACKAGES = ("gpu", "viewer", "sample_graphs", "assets")
SCRIPTS = "Scripts" if os.name == "nt" else "bin"

pytestmark = pytest.mark.slow


def output(command: Sequence[str | Path], folder: Path) -> str:
    """Return what a command prints, run in `folder` with nothing of ours on its path."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env=clean,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from a copy, so that no build folder is left in the tree."""
    copy = tmp_path_factory.mktemp("source")
    for name in PACKAGES:
        shutil.copytree(TOP / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(TOP / name, copy)
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder]
    output(build, copy)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel into a fresh environment; return its folder of commands."""
    home = tmp_path_factory.mktemp("fresh")
    venv.create(home, with_pip=False, symlinks=os.name != "nt")
    bin_folder = home / SCRIPTS
    python = bin_folder / ("python.exe" if os.name == "nt" else "python")
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "-q"]
    output([*pip, "--no-deps", "--no-index", wheel], home)
    where = output([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], home)
    libraries = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (Path(where.strip()) / "borrowed.pth").write_text("\n".join(sorted(libraries)), "utf-8")
    return bin_folder


def test_the_wheel_holds_every_file(wheel: Path) -> None:
    expected = {
        path.relative_to(TOP).as_posix()
        for package in PACKAGES
        for path in (TOP / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (metadata,) = (name for name in names if name.endswith("METADATA"))
        told = archive.read(metadata).decode()
    assert expected - names == set()
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert {name.split("/")[0] for name in names} - set(PACKAGES) == {metadata.split("/")[0]}
    assert "License-Expression: GPL-3.0-or-later" in told
    assert "Requires-Python: >=3.11" in told


def test_the_command_runs_outside_the_checkout(installed: Path, tmp_path: Path) -> None:
    command = installed / "sssp-scope"
    assert "city_roads" in output([command, "samples"], tmp_path)
    told = output([command, "run", "sample:grid?n=100", "--json", "--verify"], tmp_path)
    assert json.loads(told)["verified"] is True
    assert output([command, "--version"], tmp_path).startswith("sssp-scope 0.")


def test_it_is_the_wheel_that_runs(installed: Path, tmp_path: Path) -> None:
    code = "import assets, gpu, viewer, sample_graphs as s; print(assets.__file__, gpu.__file__)"
    for file in output([installed / "python", "-c", code], tmp_path).split():
        assert Path(file).is_relative_to(installed.parent)


def test_icons_are_found_through_importlib(installed: Path, tmp_path: Path) -> None:
    code = (
        "from importlib.resources import files; print(len(list(files('assets.icons').iterdir())))"
    )
    assert int(output([installed / "python", "-c", code], tmp_path)) > 3
