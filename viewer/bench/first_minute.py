"""The first minute of somebody who has just installed the program: a picture a second, and a log.

    python -m viewer.bench.first_minute FOLDER [--seconds 60] [--size 1280x800]
        [--do 6=run,20=compare_rival,30=run,40=open:sample:rmat?n=1048576,50=run]

The window is started with a home that is empty, so nothing is compiled and nothing remembered.
`--do` presses an action (a key of the window's actions) or opens a graph at a second. Written are

    FOLDER/NN.png     the window after NN seconds
    FOLDER/sheet.png  all of them beside each other
    FOLDER/log.txt    by the second: what the status bar says, what is under way, what was pressed,
                      each run with how long it took from the press to its end and to its proof, and
                      the longest stall of the window in that second

Seconds count from the start of the process that makes the window. Nothing is pressed that could
not be clicked, and nothing waits: where a press does nothing, the log says that the action was off.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gpu.interpreter import module_command

if TYPE_CHECKING:
    from viewer.main_window import MainWindow
    from viewer.models.session import RunRecord

PRESSES = "6=run,20=compare_rival,30=run,40=open:sample:rmat?n=1048576,50=run"
OPEN = "open:"
STARTED = "SSSP_SCOPE_FILM_STARTED"  # environment: time.time() just before the filmed process
COLUMNS = 6  # of the sheet
EMPTY = ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "CUPY_CACHE_DIR")


def main(argv: list[str] | None = None) -> int:
    """Film, in a process of its own whose home is empty; return its exit code."""
    parser = argparse.ArgumentParser(description="the first minute, a picture a second")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=int, default=60, help="[%(default)s]")
    parser.add_argument("--size", default="1280x800", help="[%(default)s]")
    parser.add_argument("--do", default=PRESSES, help="SECOND=ACTION or SECOND=open:WHAT, ...")
    args = parser.parse_args(argv)
    args.folder.mkdir(parents=True, exist_ok=True)
    if STARTED in os.environ:
        return _film(args)
    given = sys.argv[1:] if argv is None else argv
    with tempfile.TemporaryDirectory() as home:
        env = {**os.environ, **{name: str(Path(home, name.lower())) for name in EMPTY}}
        env.pop("SSSP_SCOPE_CACHE", None)
        Path(env["HOME"]).mkdir()
        env[STARTED] = repr(time.time())
        env.setdefault("QT_QPA_PLATFORM", "offscreen")
        command = module_command("viewer.bench.first_minute", *given)
        return subprocess.run(command, env=env, check=False).returncode


def _film(args: argparse.Namespace) -> int:
    from viewer.common.application import make_application
    from viewer.common.later import later
    from viewer.main_window import MainWindow

    app = make_application()
    window = MainWindow()
    window.resize(*map(int, args.size.split("x")))
    film = Film(window, args.folder)
    film.note("window made")
    window.show()
    window.start()
    presses = dict(one.split("=", 1) for one in args.do.split(",") if one)
    for second, what in presses.items():
        later(window, partial(film.press, what), film.milliseconds_until(float(second)))
    for second in range(1, args.seconds + 1):
        later(window, partial(film.take, second), film.milliseconds_until(second))
    later(window, window.close, film.milliseconds_until(args.seconds + 0.5))
    app.exec()
    film.end()
    return 0


class Film:
    """Pictures and a log of one window."""

    def __init__(self, window: MainWindow, folder: Path) -> None:
        from viewer.bench.start import StallWatch

        self._window, self._folder = window, folder
        self._started = float(os.environ[STARTED])
        self._lines: list[str] = []
        self._pressed: dict[int, float] = {}  # run id: seconds at which it was asked for
        self._told: set[tuple[int, str]] = set()
        self._pictures: list[Path] = []
        self._stall = StallWatch(window)
        self._stall.restart()
        session, controller = window.session, window.controller
        session.run_added.connect(self._add)
        session.run_changed.connect(self._change)
        session.graph_changed.connect(lambda: self.note(f"graph: {_graph(window)}"))
        session.notice_changed.connect(lambda notice: self.note(f"notice: {notice or 'none'}"))
        session.waiting_changed.connect(lambda words: self.note(f"a run waits for: {words}"))
        controller.engine_changed.connect(lambda words: self.note(f"engine: {words or 'ready'}"))

    def seconds(self) -> float:
        """Return the seconds since the process was started."""
        return time.time() - self._started

    def milliseconds_until(self, second: float) -> int:
        """Return how long it is until then, 0 where that has passed."""
        return max(0, round(1e3 * (second - self.seconds())))

    def note(self, words: str) -> None:
        """Write one line."""
        self._lines.append(f"{self.seconds():7.2f}  {words}")

    def press(self, what: str) -> None:
        """Trigger an action, or open a graph."""
        if what.startswith(OPEN):
            self.note(f"opened {what.removeprefix(OPEN)}")
            self._window.open_path(what.removeprefix(OPEN))
            return
        action = self._window.actions_by_key[what]
        self.note(f"pressed {what}" + ("" if action.isEnabled() else ", which was off"))
        action.trigger()

    def take(self, second: int) -> None:
        """Keep a picture, and say how the window stands."""
        from viewer.common.elided import ElidedLabel

        path = self._folder / f"{second:02d}.png"
        self._window.grab().save(str(path))
        self._pictures.append(path)
        bar = self._window.status_bar
        parts = (label.text() for label in bar.findChildren(ElidedLabel))
        words = " | ".join(part for part in parts if part)
        self.note(f"[{second:02d}] stalled {self._stall.longest_ms:.0f} ms; {words}")
        self._stall.restart()

    def end(self) -> None:
        """Write the log and the sheet."""
        from PyQt6.QtGui import QPixmap

        from viewer.bench.contact_sheet import sheet

        (self._folder / "log.txt").write_text("\n".join(self._lines) + "\n", encoding="utf-8")
        pictures = [QPixmap(str(path)) for path in self._pictures]
        rows = [pictures[at : at + COLUMNS] for at in range(0, len(pictures), COLUMNS)]
        if rows:
            sheet(rows).save(str(self._folder / "sheet.png"))

    def _add(self, record: RunRecord) -> None:
        self._pressed[record.run_id] = self.seconds()
        if not record.recorded_on:
            settings = record.settings
            self.note(f"asked for: {settings.algorithm} on {settings.device}")

    def _change(self, record: RunRecord) -> None:
        waited = self.seconds() - self._pressed.get(record.run_id, self.seconds())
        kind: str = record.state
        if record.verification is not None:
            kind = "proved" if record.verification.passed else "not proved"
        if record.running or (record.run_id, kind) in self._told:
            return
        self._told.add((record.run_id, kind))
        took = f", {record.trace.time_ns / 1e6:.3f} ms" if record.trace is not None else ""
        words = f"{record.settings.algorithm} on {record.settings.device}{took}"
        self.note(f"{kind}: {words}, {waited:.2f} s after it was asked for")


def _graph(window: MainWindow) -> str:
    graph = window.session.graph
    return "none" if graph is None else f"{graph.name}, {graph.m:,} arcs"


if __name__ == "__main__":
    sys.exit(main())
