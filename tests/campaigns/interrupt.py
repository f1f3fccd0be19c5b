"""Ctrl-C at random moments of every command: soon over, one line, exit 130, no file or a whole one.

    python tests/campaigns/interrupt.py [COUNT] [SEED]

A command that ended by itself before the signal counts as too late. Files are compared with those
of a command that nobody interrupted.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
COUNT, SOON_S = 200, 1.0
CITY = "sample:city_roads?n=20000"
COMMANDS = {  # words, and the file that it writes
    "run": (["run", CITY, "--verify", "--trace", "run.npz"], "run.npz"),
    "sweep": (["sweep", CITY, "--processes", "2"], ""),
    "compare": (["compare", CITY, "--verify"], ""),
    "fastest": (["compare", CITY, "--algorithms", "all"], ""),
    "apsp": (["apsp", CITY, "-o", "m.npy", "--engine", "model", "--sources", "500"], "m.npy"),
    "reduce": (["apsp", CITY, "-o", "far.csv", "--sources", "300", "--reduce"], "far.csv"),
    "info": (["info", CITY], ""),
    "convert": (["convert", CITY, "city.gr"], "city.gr"),
    "page": (["page", "kept.npz", "-o", "page.html"], "page.html"),
    "film": (["render", "kept.npz", "-o", "film.gif", "--seconds", "8"], "film.gif"),
}


def command(folder: Path, words: list[str]) -> subprocess.Popen[str]:
    """Start a command of this tree."""
    environment = {**os.environ, "PYTHONPATH": str(TOP), "QT_QPA_PLATFORM": "offscreen"}
    return subprocess.Popen(
        [sys.executable, "-m", "viewer.app", *words],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def whole(folder: Path, words: list[str], file: str) -> tuple[float, int]:
    """Run a command to its end; return its seconds and the size of its file, which is removed."""
    begun = time.monotonic()
    _, err = command(folder, words).communicate()
    size = (folder / file).stat().st_size if file else 0
    if file and file != "kept.npz":
        (folder / file).unlink()
    assert "Traceback" not in err, err
    return time.monotonic() - begun, size


def struck(folder: Path, name: str, lasts_s: float, size: int, chance: random.Random) -> str:
    """Interrupt a command once; return what is wrong, "" if nothing is."""
    words, file = COMMANDS[name]
    running = command(folder, words)
    time.sleep(chance.random() * lasts_s)
    begun = time.monotonic()
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=60)
    seconds = time.monotonic() - begun
    left = {path.name for path in folder.iterdir() if path.is_file()} - {"kept.npz"}
    parts = left - {file}
    written = (folder / file).stat().st_size if file in left else None
    for each in left:
        (folder / each).unlink()
    if running.returncode == 0:  # too late
        return ""
    if running.returncode not in (130, -signal.SIGINT) or "Traceback" in err:
        return f"exit {running.returncode}: {err}"
    if parts or written not in (None, size):
        return f"left {parts}, {file} of {written} bytes"
    return "" if seconds < SOON_S else f"{seconds:.1f} s until it ended"


def main(count: int = COUNT, seed: int = 1) -> int:
    """Return how many of `count` interrupts went wrong."""
    chance, wrong = random.Random(seed), 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        whole(folder, ["run", CITY, "--probe", "2", "--trace", "kept.npz"], "kept.npz")
        about = {name: whole(folder, *row) for name, row in COMMANDS.items()}
        for number in range(count):
            name = chance.choice(list(COMMANDS))
            problem = struck(folder, name, *about[name], chance)
            wrong += bool(problem)
            if problem:
                print(f"{number} {name}: {problem}", flush=True)
    print(f"{count - wrong} of {count} interrupts as they should be")
    return wrong


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # children inherit it
    sys.exit(main(*map(int, sys.argv[1:])) > 0)
