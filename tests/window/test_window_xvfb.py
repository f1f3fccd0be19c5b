"""The real program on a real X server: it comes up, and a polite end leaves nothing behind."""

import os
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from kill import SHM, children, lives, until

pytestmark = [pytest.mark.xvfb, pytest.mark.slow]

PATIENCE_S = 60.0
CHECKOUT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    """Start Xvfb on a free display and return its name."""
    server = shutil.which("Xvfb")
    if server is None:
        pytest.skip("no Xvfb here")
    process = subprocess.Popen(
        [server, "-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    number = process.stdout.readline().strip()  # empty where it ends at once
    if not number:
        process.wait()
        pytest.skip("Xvfb did not start")
    yield f":{number}"
    process.terminate()
    process.communicate(timeout=PATIENCE_S)


@pytest.fixture
def program(display: str, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Start the window with a home of its own; it says "ready" once painted."""
    environment = {
        **os.environ,
        "DISPLAY": display,
        "HOME": str(tmp_path),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "XDG_RUNTIME_DIR": str(tmp_path),
        "PYTHONPATH": str(CHECKOUT),
    }
    tmp_path.chmod(0o700)
    for name in ("QT_QPA_PLATFORM", "WAYLAND_DISPLAY"):
        environment.pop(name, None)
    process = subprocess.Popen(
        [sys.executable, "-m", "viewer.app", "--signal-ready"],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    yield process
    if process.poll() is None:
        process.kill()
    process.communicate()


def test_a_polite_kill_closes_the_window(program: subprocess.Popen[str]) -> None:
    ready, _, _ = select.select([program.stdout], [], [], PATIENCE_S)
    line = program.stdout.readline() if ready else ""
    assert line == "ready\n", program.stderr.read() if program.poll() is not None else "no sign"
    below = children(program.pid)
    program.send_signal(signal.SIGTERM)
    _, errors = program.communicate(timeout=PATIENCE_S)
    assert program.returncode == 0, errors
    assert errors == ""
    assert not list(SHM.glob(f"sssp-{program.pid}-*"))
    until(lambda: not any(map(lives, below)), f"the end of {below}")
