"""What is said where a library that Qt needs is missing, and what CI installs."""

import subprocess
import sys
from pathlib import Path

import pytest

from viewer.qt_libraries import DEBIAN

TOP = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="elsewhere Qt's wheel needs nothing installed"
)


def test_the_command_prints_what_ci_installs() -> None:
    """By the system's Python, before anything is installed."""
    command = [sys.executable, "-S", "-m", "viewer.qt_libraries"]  # -S: no installed package
    done = subprocess.run(command, cwd=TOP, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == DEBIAN.split()
    ci = (TOP / ".ci" / "run").read_text(encoding="utf-8")
    assert "viewer.qt_libraries" in ci
    assert "libegl1" not in ci
