"""Files that are written whole: what a killed program leaves."""

import os
import subprocess
import sys
from pathlib import Path

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


def test_a_killed_program_leaves_what_was_there(tmp_path: Path) -> None:
    target = tmp_path / "a.csv"
    target.write_bytes(b"before")
    with subprocess.Popen(
        [sys.executable, "-c", WRITES, str(target)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    ) as program:
        assert program.stdout.readline() == b"half\n"
        program.kill()
    assert target.read_bytes() == b"before"
    with written_whole(target) as file:
        file.write(b"whole")
    assert target.read_bytes() == b"whole"
