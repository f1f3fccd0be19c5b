"""Every layout, theme and size as pictures, with a finished run and a comparison, to look at.

    python -m viewer.bench.contact_sheet FOLDER [--layouts a,b] [--themes a,b] [--sizes
    1280x720,...]
        [--sample KEY] [--docks sweep,why] [--scale N]

writes FOLDER/LAYOUT-THEME-SIZE.png for each, without a screen, and FOLDER/sheet-SIZE.png with
all of one size beside each other. A real engine process makes both runs; the cursor stands
where the first run has settled about half.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from gpu.interpreter import module_command

if TYPE_CHECKING:
    from PyQt6.QtGui import QPixmap

    from viewer.main_window import MainWindow

SIZES = ("1280x720", "1920x1080", "3840x2160")
SAMPLE = "sample:city_roads"
PATIENCE_S = 120.0
THUMBNAIL = 640  # pixels, width of one picture on the sheet
LARGE = 3000  # pixels, width of a screen that people scale by two
CURSOR = 0.45  # of the run


def main(argv: list[str] | None = None) -> int:
    """Write the pictures; return 0."""
    from viewer.common.application import make_application
    from viewer.common.theme import THEMES
    from viewer.docks import ARRANGEMENTS

    parser = argparse.ArgumentParser(description="pictures of every layout, theme and size")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--layouts", default=",".join(ARRANGEMENTS), help="[all]")
    parser.add_argument("--themes", default=",".join(THEMES), help="[all]")
    parser.add_argument("--sizes", default=",".join(SIZES), help="[%(default)s]")
    parser.add_argument("--sample", default=SAMPLE, help="[%(default)s]")
    parser.add_argument("--scale", type=int, default=0, help="of the screen [2 for 3840, else 1]")
    parser.add_argument("--docks", default="", help="panels of features to show as well")
    args = parser.parse_args(argv)
    args.folder.mkdir(parents=True, exist_ok=True)
    if not args.scale:
        return _each_scale(args)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ["QT_SCALE_FACTOR"] = str(args.scale)
    application = make_application()  # held: one that nobody holds is gone
    window = window_with_two_runs(args.sample)
    try:
        _write_all(window, args)
    finally:
        window.close()
        application.processEvents()
    return 0


def _each_scale(args: argparse.Namespace) -> int:
    """Run once for usual screens, once for those of 3840 pixels, which people scale by two."""
    given = args.sizes.split(",")
    for scale in (1, 2):
        sizes = [size for size in given if (int(size.split("x")[0]) >= LARGE) == (scale == 2)]
        if not sizes:
            continue
        command = module_command("viewer.bench.contact_sheet", str(args.folder))
        command += ["--scale", str(scale), "--sizes", ",".join(sizes), "--sample", args.sample]
        for name in ("layouts", "themes", "docks"):
            command += [f"--{name}", getattr(args, name)]
        subprocess.run(command, check=True)
    return 0


def _write_all(window: MainWindow, args: argparse.Namespace) -> None:
    from PyQt6.QtCore import QSize

    for size in args.sizes.split(","):
        rows: list[list[QPixmap]] = []
        window.resize(QSize(*map(int, size.split("x"))) / args.scale)
        for theme in args.themes.split(","):
            window.set_theme(theme)
            rows.append([])
            for layout in args.layouts.split(","):
                window.docks.choose(layout)
                for dock in filter(None, args.docks.split(",")):
                    window.show_dock(dock)
                picture = grab(window)
                picture.save(str(args.folder / f"{layout}-{theme}-{size}.png"))
                rows[-1].append(picture)
        sheet(rows).save(str(args.folder / f"sheet-{size}.png"))


def window_with_two_runs(sample: str) -> MainWindow:
    """Return a shown window whose current run is compared with a rival's."""
    from viewer.main_window import MainWindow
    from viewer.models.settings import Settings

    window = MainWindow(Settings(Path(tempfile.mkdtemp()) / "window.ini"))
    window.run_on_start = window.controller.replay_short = False
    window.show()
    window.start()
    window.open_path(sample)
    wait_until(lambda: window.session.graph is not None and window.controller.ready)
    wait_until(lambda: window.session.graph.provenance.origin.startswith(sample))  # type: ignore[union-attr]
    window.start_run()
    wait_until(lambda: finished(window, 1))
    compare = window.actions_by_key["compare_rival"]
    wait_until(compare.isEnabled)
    compare.trigger()
    wait_until(lambda: finished(window, 2))
    return window


def finished(window: MainWindow, runs: int) -> bool:
    """Return whether so many runs are made and verified."""
    done = [run for run in window.session.runs if run.verification is not None]
    return len(done) >= runs and not window.controller.running


def wait_until(ready: Callable[[], bool]) -> None:
    """Let the window work until something is so."""
    from PyQt6.QtCore import QEventLoop
    from PyQt6.QtWidgets import QApplication

    end = time.monotonic() + PATIENCE_S
    while not ready():
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        if time.monotonic() > end:
            raise TimeoutError("the engine did not answer")


def grab(window: MainWindow, cursor: float | None = CURSOR) -> QPixmap:
    """Return the window, every panel drawn; the cursor at a share of the run, None: as it is."""
    from PyQt6.QtWidgets import QApplication

    window.playback.pause()
    if cursor is not None:
        window.playback.set_cursor(cursor * window.playback.duration_ns)
    end = time.monotonic() + 0.8  # the graph is painted by another thread
    while time.monotonic() < end:
        QApplication.processEvents()
    for panel in [*window.plots.values(), *window.panels.values()]:
        if hasattr(panel, "flush") and panel.isVisible():
            panel.flush()
    QApplication.processEvents()
    return window.grab()


def sheet(rows: list[list[QPixmap]]) -> QPixmap:
    """Return pictures in a grid, one row a theme."""
    from PyQt6.QtCore import Qt
    from PyQt6.QtGui import QPainter, QPixmap

    small = [[_thumbnail(picture) for picture in row] for row in rows]
    height = small[0][0].height()
    sheet = QPixmap(len(small[0]) * (THUMBNAIL + 8), len(small) * (height + 8))
    sheet.fill(Qt.GlobalColor.gray)
    painter = QPainter(sheet)
    for down, row in enumerate(small):
        for across, picture in enumerate(row):
            painter.drawPixmap(4 + across * (THUMBNAIL + 8), 4 + down * (height + 8), picture)
    painter.end()
    return sheet


def _thumbnail(picture: QPixmap) -> QPixmap:
    from PyQt6.QtCore import Qt

    small = picture.scaledToWidth(THUMBNAIL, Qt.TransformationMode.SmoothTransformation)
    small.setDevicePixelRatio(1.0)
    return small


if __name__ == "__main__":
    sys.exit(main())
