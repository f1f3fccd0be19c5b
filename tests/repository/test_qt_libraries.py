"""What is said where a library that Qt needs is missing, and what CI installs."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path

import pytest

from viewer import qt_libraries
from viewer.qt_libraries import PACKAGES, advice

TOP = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="elsewhere Qt's wheel needs nothing installed"
)


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
