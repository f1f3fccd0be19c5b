"""The program in a desktop's menu: every file written, valid, known by type, and taken back."""

from __future__ import annotations

import configparser
import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PyQt6.QtGui import QImage

import gpu
import sample_graphs
from gpu.errors import GpuError
from gpu.formats import save_graph
from gpu.record.tracefile import save_trace
from viewer import app, desktop

KNOWN_AS = """
import sys
from PyQt6.QtCore import QMimeDatabase
for name in sys.argv[1:]:
    print(QMimeDatabase().mimeTypeForFile(name).name())
"""  # in a process of its own: Qt reads the folders once
AWKWARD = ['/opt/a b/$x`"y\\z%s/sssp-scope', "-m", "viewer.app"]


def files_below(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder of a person's data."""
    folder = tmp_path / "data home"
    folder.mkdir()
    monkeypatch.setenv("XDG_DATA_HOME", str(folder))
    return folder


def entry_of(text: str) -> configparser.SectionProxy:
    parser = configparser.ConfigParser(interpolation=None, strict=True)
    parser.optionxform = str  # type: ignore[assignment]
    parser.read_string(text)
    return parser["Desktop Entry"]


def test_installed_and_removed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert app.main(["desktop", "install"]) == 0
    assert f"{len(desktop.names())} files below {home}" in capsys.readouterr().out
    assert set(desktop.names()) <= files_below(home)
    assert app.main(["desktop", "install"]) == 0, "again, over what is there"
    for size in desktop.ICON_SIZES:
        image = QImage(str(home / f"icons/hicolor/{size}x{size}/apps/sssp-scope.png"))
        assert (image.width(), image.height()) == (size, size)
        assert image.pixelColor(size // 2, size // 10).alpha() == 255
        assert image.pixelColor(0, 0).alpha() == 0
    assert app.main(["desktop", "remove"]) == 0
    assert files_below(home) == set()
    assert app.main(["desktop", "remove"]) == 0, "there is nothing left"


def test_what_others_installed_stays(home: Path) -> None:
    other = {"applications/other.desktop": "[Desktop Entry]\nType=Application\nName=x\nExec=x\n"}
    other["mime/packages/other.xml"] = desktop.types_text().replace("sssp-scope", "other")
    other["icons/hicolor/16x16/apps/other.png"] = "x"
    for name, text in other.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)
    desktop.install(home, ["sssp-scope"])
    desktop.remove(home)
    assert set(other) <= files_below(home)
    assert not [name for name in files_below(home) if "sssp-scope" in name]


@pytest.mark.parametrize("command", [["/usr/bin/sssp-scope"], AWKWARD], ids=["plain", "awkward"])
def test_the_entry_is_valid(tmp_path: Path, command: list[str]) -> None:
    """Undone by the rules of the specification, Exec is the command again."""
    entry = entry_of(desktop.entry_text(command))
    line = entry["Exec"].replace("\\\\", "\\")
    split = ["sh", "-c", f"printf '%s\\n' {line}"]  # inside quotes a shell reads as Exec does
    told = subprocess.run(split, capture_output=True, text=True, check=True).stdout
    *words, file = told.splitlines()
    assert [word.replace("%%", "%") for word in words] == command
    assert file == "%f"
    assert entry["MimeType"] == f"{desktop.TRACE_TYPE};{desktop.WORKSPACE_TYPE};"
    validate = shutil.which("desktop-file-validate")
    if validate is None:
        pytest.skip("no desktop-file-validate here: apt install desktop-file-utils")
    path = tmp_path / "sssp-scope.desktop"
    path.write_text(desktop.entry_text(command))
    done = subprocess.run([validate, path], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_its_files_are_known_and_others_are_not(home: Path, tmp_path: Path) -> None:
    if shutil.which("update-mime-database") is None:
        pytest.skip("no update-mime-database here: apt install shared-mime-info")
    desktop.install(home, ["sssp-scope"])
    graph = sample_graphs.make("city_roads", n=60, seed=1)
    save_trace(gpu.run(graph, "dijkstra", source=0), tmp_path / "run.npz")
    save_graph(graph, tmp_path / "graph.npz")
    shutil.copy(tmp_path / "run.npz", tmp_path / "a.ssspw")
    named = [str(tmp_path / name) for name in ("run.npz", "graph.npz", "a.ssspw")]
    done = subprocess.run(
        [sys.executable, "-c", KNOWN_AS, *named],
        env={**os.environ, "XDG_DATA_HOME": str(home)},
        capture_output=True,
        text=True,
        check=True,
    )
    trace, other, workspace = done.stdout.split()
    assert trace == desktop.TRACE_TYPE
    assert other == "application/zip"
    assert workspace == desktop.WORKSPACE_TYPE


def test_types_are_xml() -> None:
    root = ElementTree.fromstring(desktop.types_text())
    assert [one.get("type") for one in root] == [desktop.TRACE_TYPE, desktop.WORKSPACE_TYPE]


def test_it_starts_what_is_running() -> None:
    command = desktop.own_command()
    assert Path(command[0]).is_absolute()
    done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("system", ["win32", "darwin"])
def test_elsewhere_it_says_so(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], system: str
) -> None:
    monkeypatch.setattr(desktop.sys, "platform", system)
    assert app.main(["desktop", "install"]) == 1
    assert "for Linux and BSD" in capsys.readouterr().err
    assert files_below(home) == set()


def test_where_nothing_may_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(GpuError, match="file"):
        desktop.install(tmp_path / "file", ["sssp-scope"])
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    assert desktop.data_home() == Path.home() / ".local" / "share"
