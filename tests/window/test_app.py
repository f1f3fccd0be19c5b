"""The entry point: what is asked for is decided before Qt, and every refusal is one line."""

import sys
from pathlib import Path

import pytest
from processes import ended

from viewer import app


@pytest.mark.parametrize("name", ["missing.gr", "folder/no-suffix", "/nowhere/roads.gr.gz"])
def test_missing_file_is_one_line_and_exit_1(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert app.main([name]) == 1
    said = capsys.readouterr()
    assert said.err == f"sssp-scope: {name}: no such file\n"
    assert said.out == ""


@pytest.mark.parametrize("argv", [["samples"], ["--help"]])
def test_commands_are_handed_over_without_qt(argv: list[str], tmp_path: Path) -> None:
    code = f"""
import sys
from viewer import app
try:
    code = app.main({argv!r})
except SystemExit as end:
    code = end.code or 0
assert code == 0, code
assert not [name for name in sys.modules if name.startswith("PyQt6")]
"""
    done = ended(sys.executable, "-c", code, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_a_library_that_qt_lacks_is_named_with_its_packages(tmp_path: Path) -> None:
    code = """
import sys
class Gone:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("PyQt6.Qt"):
            raise ImportError("libEGL.so.1: cannot open shared object file")
sys.meta_path.insert(0, Gone())
from viewer import app
sys.exit(app.main([]))
"""
    done = ended(sys.executable, "-c", code, cwd=tmp_path)
    assert done.returncode == 1
    assert "libEGL.so.1" in done.stderr
    assert "apt install libegl1" in done.stderr
    assert "dnf install mesa-libEGL" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="X is Linux's")
@pytest.mark.parametrize(
    ("variables", "problem"),
    [
        ({}, "no display here"),
        ({"DISPLAY": ":4711"}, "display :4711 does not answer"),
        ({"WAYLAND_DISPLAY": "wayland-0"}, None),
        ({"QT_QPA_PLATFORM": "offscreen"}, None),
    ],
)
def test_display_is_looked_for(
    variables: dict[str, str], problem: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert app.display_problem() == problem
