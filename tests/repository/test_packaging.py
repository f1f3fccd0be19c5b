"""Source archive and wheel work where there is no checkout: commands, data, metadata.

The archive is built from a copy of the tree, the wheel from the unpacked archive, as whoever packs
for a distribution would do; it is installed, without its dependencies and without a network, into a
fresh environment that borrows this one's libraries.
"""

import json
import os
import shutil
import sys
import sysconfig
import tarfile
import venv
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from processes import TOP, printed

PACKAGES = ("gpu", "viewer", "sample_graphs", "assets")
SCRIPTS = "Scripts" if os.name == "nt" else "bin"
BESIDE = ("tests", ".ci")  # folders of the archive that are not installed
ON_TOP = {".cff", ".cfg", ".in", ".md", ".toml", ".gitignore", "LICENSE", "PKG-INFO"}
MADE_BY_A_BUILD = {"PKG-INFO", "setup.cfg"}

pytestmark = pytest.mark.slow


def output(command: Sequence[str | Path], folder: Path) -> str:
    """Return what a command prints, run in `folder` with nothing of ours on its path."""
    ours = dict.fromkeys(key for key in (*os.environ, "PYTHONPATH") if key.startswith("PYTHON"))
    return printed(*command, cwd=folder, **ours)


def kept(top: Path) -> set[str]:
    """Return the files below a folder that belong to the project, none that a run has made."""
    folders = [top / name for name in (*PACKAGES, *BESIDE)]
    paths = [path for folder in folders for path in folder.rglob("*")]
    paths += [path for path in top.iterdir() if path.suffix in ON_TOP or path.name in ON_TOP]
    return {
        path.relative_to(top).as_posix()
        for path in paths
        if path.is_file() and "__pycache__" not in path.parts
    }


def built(kind: str, source: Path, folder: Path) -> Path:
    """Build an archive ("sdist", "wheel") of a folder into another; return its path."""
    build = [sys.executable, "-m", "build", f"--{kind}", "--no-isolation", "--outdir", folder]
    output(build, source)
    (archive,) = folder.iterdir()
    return archive


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the source archive from a copy, so that nothing is left in the tree; unpack it."""
    copy = tmp_path_factory.mktemp("source")
    for name in kept(TOP):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(TOP / name, copy / name)
    archive = built("sdist", copy, tmp_path_factory.mktemp("sdist"))
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(archive) as file:
        # Python 3.11.2 of Debian 12 has no filters yet; from 3.12 on none is a warning
        safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        file.extractall(folder, **safely)  # type: ignore[arg-type]
    (top,) = folder.iterdir()
    return top


@pytest.fixture(scope="module")
def wheel(unpacked: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from the archive, in a copy of it."""
    copy = tmp_path_factory.mktemp("again") / "source"
    shutil.copytree(unpacked, copy)
    return built("wheel", copy, tmp_path_factory.mktemp("wheel"))


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


def test_the_archive_holds_every_file(unpacked: Path) -> None:
    assert kept(TOP) - kept(unpacked) == set()
    assert kept(unpacked) - kept(TOP) == MADE_BY_A_BUILD


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
