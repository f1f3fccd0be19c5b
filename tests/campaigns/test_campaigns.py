"""A slice of each campaign, always the same; by hand they go on as long as one likes."""

import json
import shutil
import sys
from pathlib import Path

import fuzz
import kill
import pytest
from processes import printed

HERE = Path(__file__).parent
FILES = 40  # of each kind
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc and sends signals")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["trace", "workspace", "lesson"])  # graphs: test_formats_fuzz
def test_files_of_every_kind_are_read_or_refused(kind: str, tmp_path: Path) -> None:
    done, read, found = fuzz.campaign(kind, fuzz.SEED, tmp_path, files=FILES)
    assert done == FILES
    assert list(found.values()) == []
    assert read < FILES, "nothing was refused: the faults are too small"


@LINUX
@pytest.mark.slow
@pytest.mark.parametrize(("scene", "times"), [("engine", 1), ("stops", 2), ("command", 1)])
def test_processes_die_or_are_stopped_and_nothing_is_left(scene: str, times: int) -> None:
    assert kill.played(scene, 600, kill.SEED, times) >= times


@LINUX
@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_every_write_and_allocation_fails_in_turn() -> None:
    names = ("workspace", "samples as csv", "read workspace", "graph .gr")
    said = printed(sys.executable, HERE / "faults.py", 3, *names)
    assert json.loads(said.splitlines()[-1])["tries"] > 50
