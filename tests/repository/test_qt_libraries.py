"""What is said where a library that Qt needs is missing, and what CI installs."""

import sys

import pytest
from processes import TOP, printed

from viewer.qt_libraries import DEBIAN

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="elsewhere Qt's wheel needs nothing installed"
)


def test_the_command_prints_what_ci_installs() -> None:
    """By the system's Python, before anything is installed."""
    command = [sys.executable, "-S", "-m", "viewer.qt_libraries"]  # -S: no installed package
    assert printed(*command).split() == DEBIAN.split()
    ci = (TOP / ".ci" / "run").read_text(encoding="utf-8")
    assert "viewer.qt_libraries" in ci
    assert "libegl1" not in ci
