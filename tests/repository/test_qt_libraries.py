"""The list of packages that Qt needs is held against Qt's own files, so that it stays true.

Every library that a module or plugin of PyQt6 asks for, that the wheel does not bring and that
not every Linux has, must stand in the list; and nothing else.
"""

from __future__ import annotations

import ctypes
import importlib
import subprocess
import sys
from pathlib import Path

import PyQt6
import pytest
from elf_needed import needed
from PyQt6.QtCore import QLibraryInfo

from viewer import qt_libraries
from viewer.qt_libraries import PACKAGES, advice

TOP = Path(__file__).resolve().parents[2]
IMPORTED = ("viewer.main_window", "pyqtgraph")
# what Qt may load by itself; not platformthemes/libqgtk3.so, which a GTK desktop has use for and
# has GTK, nor imageformats/libqpdf.so: we open no PDF, and Qt leaves out what does not load
PLUGINS = (
    "platforms/libqxcb.so",
    "platforms/libqwayland.so",
    "platforms/libqoffscreen.so",
    "xcbglintegrations/*.so",
    "wayland-*/*.so",
    "imageformats/libq[!p]*.so",
    "iconengines/*.so",
    "platforminputcontexts/*.so",
)
EVERYWHERE = {  # of the C and C++ libraries and of what a package manager itself needs
    "ld-linux-x86-64.so.2",
    "ld-linux-aarch64.so.1",
    "libc.so.6",
    "libdl.so.2",
    "libgcc_s.so.1",
    "libm.so.6",
    "libpthread.so.0",
    "libresolv.so.2",
    "librt.so.1",
    "libstdc++.so.6",
    "libz.so.1",
    "libzstd.so.1",
}

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="elsewhere Qt's wheel needs nothing installed"
)


def library_path(which: QLibraryInfo.LibraryPath) -> Path:
    return Path(QLibraryInfo.path(which))


def loaded_files() -> list[Path]:
    """Return the modules of PyQt6 that the program imports and the plugins that Qt may load."""
    for name in IMPORTED:
        importlib.import_module(name)
    modules = [name.split(".")[1] for name in sys.modules if name.startswith("PyQt6.Qt")]
    home = Path(PyQt6.__file__).parent
    files = [file for name in modules for file in home.glob(f"{name}.*so")]
    assert len(files) >= 4
    plugins = library_path(QLibraryInfo.LibraryPath.PluginsPath)
    for pattern in PLUGINS:
        found = list(plugins.glob(pattern))
        assert found, f"Qt no longer has {pattern}"
        files += found
    return files


def asked_of_the_system(files: list[Path]) -> dict[str, str]:
    """Return each library that Qt's files need and its wheel lacks, and a file that needs it."""
    shipped = library_path(QLibraryInfo.LibraryPath.LibrariesPath)
    asked: dict[str, str] = {}
    seen: set[Path] = set()
    while files:
        file = files.pop()
        if file in seen:
            continue
        seen.add(file)
        for name in needed(file):
            own = shipped / name
            if own.is_file():
                files.append(own)
            else:
                asked.setdefault(name, file.name)
    return asked


def test_the_list_is_what_qt_asks_for() -> None:
    asked = asked_of_the_system(loaded_files())
    listed = {library for package in PACKAGES for library in package.libraries}
    lacking = {name: file for name, file in asked.items() if name not in listed | EVERYWHERE}
    assert lacking == {}, "add them to viewer/qt_libraries.py"
    assert listed - set(asked) == set(), "Qt no longer needs these"


def test_the_command_prints_what_ci_installs() -> None:
    """By the system's Python, before anything is installed."""
    command = [sys.executable, "-S", "-m", "viewer.qt_libraries"]  # -S: no installed package
    done = subprocess.run(command, cwd=TOP, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [name for row in PACKAGES for name in row.debian.split()]
    ci = (TOP / ".ci" / "run").read_text(encoding="utf-8")
    assert "viewer.qt_libraries" in ci
    assert "libegl1" not in ci


def test_only_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = {"libglib-2.0.so.0", "libxcb-shape.so.0"}
    real = ctypes.CDLL

    def load(library: str) -> object:
        if library in gone:
            raise OSError(f"{library}: cannot open shared object file")
        return real(None)

    monkeypatch.setattr(qt_libraries.ctypes, "CDLL", load)
    told = advice("sssp-scope", "libglib-2.0.so.0: cannot open shared object file")
    assert "apt install libglib2.0-0 libxcb-shape0\n" in told
    assert "dnf install glib2 libxcb\n" in told
    gone.clear()
    assert "apt install libegl1 libgl1 libglib2.0-0" in advice("sssp-scope", "another reason")
