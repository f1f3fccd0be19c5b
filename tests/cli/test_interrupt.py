"""Ctrl-C in the middle of a command: within a second, one line, exit code 130, nothing half."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hand_made import small_trace
from processes import TOP, ended

from gpu.cli.terminal import ENDED, INTERRUPTED
from gpu.record.tracefile import save_trace

SOON_S = 5.0  # a second, on a machine that nine others use

pytestmark = pytest.mark.skipif(
    os.name != "posix" or signal.getsignal(signal.SIGINT) is signal.SIG_IGN,
    reason="needs signals of POSIX, and a shell that lets Ctrl-C through",
)


def struck(
    folder: Path, words: list[str], number: signal.Signals = signal.SIGINT, after_s: float = 0.0
) -> tuple[int, str, float]:
    """Run a command; strike it when it writes a file, or after so many seconds.

    Return the exit code, stderr, and the seconds from the signal to its end.
    """
    environment = {**os.environ, "PYTHONPATH": str(TOP)}
    with subprocess.Popen(
        [sys.executable, "-m", "viewer.app", *words],
        cwd=folder,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        end = time.monotonic() + 120
        time.sleep(after_s)
        while not after_s and not list(folder.glob(".sssp-*.part")) and time.monotonic() < end:
            time.sleep(0.02)
        time.sleep(0.3)
        begun = time.monotonic()
        running.send_signal(number)
        _, err = running.communicate(timeout=60)
    return running.returncode, err, time.monotonic() - begun


IN_TEXT = """
import os, signal, sys
from gpu.cli.main import guarded
words = "os.kill(os.getpid(), signal.{}); [print() for _ in ()]"
sys.exit(guarded([], lambda: exec(words)))
"""
HALF_MADE = """
import os, signal, sys
from gpu.cli.main import guarded
class Half:
    def __del__(self):
        raise AttributeError("half made")
half = Half()
class Gone:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGSEGV)
gone = Gone()
sys.exit(guarded([], lambda: os.kill(os.getpid(), signal.SIGINT)))
"""
CUT_SHORT = """
import os, shutil, signal, sys
from gpu.cli.main import guarded
from gpu.files import temporary_folder
remove = shutil.rmtree
def struck(*given, **more):
    shutil.rmtree = remove
    os.kill(os.getpid(), signal.SIGINT)
def work():
    with temporary_folder():
        shutil.rmtree = struck
sys.exit(guarded([], work))
"""
SWALLOWED = """
import ctypes, signal, sys, time
from gpu.cli.main import guarded
from gpu.files import temporary_folder
from gpu.host.memory import Memory

def work():
    segment = Memory().create("x", {"a": ("u1", (9,))})
    with temporary_folder() as folder:
        print(folder, segment.shared.path, flush=True)
        ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(signal.SIGINT))()
        time.sleep(60)

sys.exit(guarded([], work))
"""
MEASURED = """
import sys, tempfile
from pathlib import Path
from gpu.cli.main import guarded
from viewer.bench.rows import output

def work():
    with tempfile.TemporaryDirectory() as folder:
        print(folder, flush=True)
        output(Path(folder), "measured_window")

sys.exit(guarded([], work))
"""
WINDOW = """
import os, signal, subprocess, time
from pathlib import Path
segment = Path(f"/dev/shm/sssp-{os.getpid()}-x")
segment.touch()
engine = 'cat; sleep 1; mkdir -p "$XDG_CONFIG_HOME"'  # cat: until the window is dead
held = subprocess.Popen(["sh", "-c", engine], stdin=subprocess.PIPE)
Path("left").write_text(f"{segment} /proc/{held.pid}/stat")
os.kill(os.getppid(), signal.SIGINT)
time.sleep(60)
"""


def run(text: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run text as a module."""
    (folder / "strange.py").write_text(text)
    path = f"{TOP}{os.pathsep}{folder}"
    return ended(sys.executable, "-m", "strange", cwd=folder, PYTHONPATH=path, **environment)


def test_a_process_ends_after_its_threads_and_exit_handlers(tmp_path: Path) -> None:
    work = "threading.Timer(0.2, print, ['thread']).start() or atexit.register(print, 'last') and 3"
    lines = "import atexit, sys, threading", "from gpu.cli.interrupt import process_of"
    done = run("\n".join([*lines, f"sys.exit(process_of(lambda: {work}))"]), tmp_path)
    assert (done.returncode, done.stdout.split()) == (3, ["thread", "last"]), done.stderr


@pytest.mark.parametrize(("name", "code"), [("SIGINT", INTERRUPTED), ("SIGTERM", ENDED)])
def test_a_signal_while_text_is_executed(name: str, code: int, tmp_path: Path) -> None:
    done = run(IN_TEXT.replace("{}", name), tmp_path)
    assert done.returncode == code, done.stderr
    assert done.stderr.count("\n") == 1


def test_what_was_half_made_is_dropped_without_a_word(tmp_path: Path) -> None:
    """LLVM's objects are, where the signal came while one was made."""
    done = run(HALF_MADE, tmp_path)
    assert (done.returncode, done.stderr) == (INTERRUPTED, "sssp-scope: interrupted\n")


def test_a_folder_whose_removal_is_struck_goes_too(tmp_path: Path) -> None:
    assert run(CUT_SHORT, tmp_path, TMPDIR=str(tmp_path)).returncode == INTERRUPTED
    assert not list(tmp_path.glob("sssp-*"))


def test_folders_and_shared_memory_go_with_the_process(tmp_path: Path) -> None:
    done = run(SWALLOWED, tmp_path)
    assert (done.returncode, done.stderr) == (INTERRUPTED, "sssp-scope: interrupted\n")
    left = [Path(word) for word in done.stdout.split()]
    assert len(left) == 2
    assert not any(path.exists() for path in left)


def test_a_measured_window_leaves_no_folder_when_only_bench_is_struck(tmp_path: Path) -> None:
    (tmp_path / "measured_window.py").write_text(WINDOW)
    done = run(MEASURED, tmp_path)
    assert done.returncode == INTERRUPTED, done.stderr
    segment, engine = map(Path, (tmp_path / "left").read_text().split())
    assert not segment.exists()
    assert not engine.exists() or ") Z" in engine.read_text()
    assert not Path(done.stdout.strip()).exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, INTERRUPTED), (signal.SIGTERM, ENDED)]
)
def test_a_matrix_is_left_out_whole(number: signal.Signals, code: int, tmp_path: Path) -> None:
    words = ["apsp", "sample:city_roads?n=20000", "-o", "m.npy", "--engine", "model"]
    found, err, seconds = struck(tmp_path, words, number)
    assert found == code, err
    assert err.count("\n") == 1, err
    assert seconds < SOON_S
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == []


@pytest.mark.slow
def test_a_film_whose_paint_callbacks_swallow_exceptions(tmp_path: Path) -> None:
    save_trace(small_trace(), tmp_path / "run.npz")
    words = ["render", "run.npz", "-o", "film.gif", "--seconds", "60"]
    code, err, seconds = struck(tmp_path, words, after_s=6.0)
    assert code == INTERRUPTED, err
    assert err.strip().splitlines()[-1] == "sssp-scope: interrupted"
    assert "Traceback" not in err
    assert seconds < SOON_S
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["run.npz"]
