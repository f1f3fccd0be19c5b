"""Files that are written whole: what a killed program leaves, and who takes it away."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gpu.files import written_whole

WRITES = """
import sys
from gpu.files import written_whole
with written_whole(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    print("half", flush=True)
    sys.stdin.read()
"""
AN_HOUR_S = 3600


def writing(target: Path) -> subprocess.Popen[str]:
    """Start a program that writes half of a file and waits for the end of its input."""
    program = subprocess.Popen(
        [sys.executable, "-c", WRITES, str(target)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert program.stdout is not None
    assert program.stdout.readline() == "half\n"
    return program


def parts(folder: Path, age_s: float) -> list[Path]:
    """Return the hidden files of writers, which are now so old."""
    found = list(folder.glob(".sssp-*.part"))
    for part in found:
        when = part.stat().st_mtime - age_s
        os.utime(part, (when, when))
    return found


@pytest.mark.parametrize("age_s", [0, AN_HOUR_S, -AN_HOUR_S], ids=["now", "old", "clock set back"])
def test_what_a_killed_program_left_goes_with_the_next_file(tmp_path: Path, age_s: float) -> None:
    with writing(tmp_path / "a.csv") as program:
        program.kill()
    (left,) = parts(tmp_path, age_s)
    with written_whole(tmp_path / "b.csv") as file:
        file.write(b"whole")
    assert left.exists() == (age_s == 0)  # it could be one that is not locked yet
    assert (tmp_path / "b.csv").read_bytes() == b"whole"
    assert not (tmp_path / "a.csv").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="there nobody removes a file that is open")
def test_who_still_writes_is_left_alone(tmp_path: Path) -> None:
    with writing(tmp_path / "a.csv") as program:
        (part,) = parts(tmp_path, AN_HOUR_S)
        with written_whole(tmp_path / "b.csv") as file:
            file.write(b"whole")
        assert part.exists()
        program.communicate("", timeout=60)
    assert program.returncode == 0
    assert (tmp_path / "a.csv").read_bytes() == b"half"
    assert not parts(tmp_path, 0)


def test_files_of_others_stay(tmp_path: Path) -> None:
    for name in ("notes.part", ".sssp-notes", ".sssp-1.part.txt"):
        (tmp_path / name).write_text("mine")
        os.utime(tmp_path / name, (0, 0))
    (tmp_path / ".sssp-folder.part").mkdir()
    os.utime(tmp_path / ".sssp-folder.part", (0, 0))
    before = sorted(tmp_path.iterdir())
    with written_whole(tmp_path / "b.csv") as file:
        file.write(b"whole")
    assert sorted(tmp_path.iterdir()) == sorted([*before, tmp_path / "b.csv"])
