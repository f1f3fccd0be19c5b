"""Whatever ends, and however, no process and no segment is left behind."""

import os
import subprocess
import sys
from pathlib import Path

import host_engines as engines
import pytest
from host_driver import DEADLINE_S, left_behind, wait_until

from gpu.host import Memory

SCRIPT = """
import sys
sys.path.insert(0, {folder!r})
import host_driver as t
memory = t.Memory(folder={maps!r})
driver = t.Driver(t.EngineHost(t.ENTRIES, memory))
driver.host.start()
driver.load()
kept = driver.finish()
driver.start_run({behaviour!r})
print(memory.prefix, flush=True)
{end}
"""


def script(tmp_path: Path, behaviour: str, end: str) -> subprocess.Popen[str]:
    folder = str(Path(engines.__file__).parent)
    text = SCRIPT.format(folder=folder, maps=str(tmp_path), behaviour=behaviour, end=end)
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", text]
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


@pytest.mark.parametrize("end", ["driver.host.close()", "", "raise SystemExit(0)"])
def test_a_script_ends_silently_and_leaves_nothing(tmp_path: Path, end: str) -> None:
    with script(tmp_path, "endless", end) as process:
        out, err = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 0
    assert err == ""
    assert left_behind(Memory(out.strip(), str(tmp_path))) == []


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is a POSIX thing")
@pytest.mark.parametrize("behaviour", ["endless", "deaf"])
def test_killing_the_parent_leaves_nothing(tmp_path: Path, behaviour: str) -> None:
    with script(tmp_path, behaviour, "input()") as process:
        prefix = process.stdout.readline().strip()
        memory = Memory(prefix, str(tmp_path))
        assert left_behind(memory)
        process.kill()
        assert process.stderr.read() == ""  # and at its end the child is gone as well
    wait_until(lambda: not left_behind(memory))
