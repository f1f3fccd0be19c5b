"""The command `sssp-scope`: a window, a command without one, or a picture without a screen.

    sssp-scope [FILE]           the window, on the first sample or on FILE
    sssp-scope run|info|...     `gpu.cli`: everything that needs no window
    sssp-scope render|bench ... the same, with modules of this room

This is decided before Qt is imported: `sssp-scope run` works where there is no Qt. Where no display
can be reached, the dashboard of the first sample (or FILE) is written into the current folder.

Hidden switches, each a way to open the window, for `bench` and the tests:

    --measure-start             print the seconds from process start to first paint, quit
    --measure-stall [FILE]      run once, print the longest stall of the GUI thread in ms
    --signal-ready              print "ready" once the window has been painted
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
import traceback
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from gpu.interpreter import require_threads, settle_process

if TYPE_CHECKING:
    from viewer.main_window import MainWindow

NAME = "sssp-scope"
SWITCHES = ("--measure-start", "--measure-stall", "--signal-ready")
OF_THE_WINDOW = {  # as `COMMANDS`
    "bench": ("measure the program itself on this computer", "viewer.bench.rows"),
    "render": ("draw a saved run", "viewer.export.render"),
}
FREEZE_MS = 10_000  # what is here then stays; a collection that walked it took 50 ms of a click
WINDOW_THREADS = 32  # ours, Qt's, processes: Qt waits for ever where it gets none to paint with
STARTED = "SSSP_SCOPE_STARTED"  # environment: time.time() just before this process was made


def main(argv: list[str] | None = None) -> int:
    """Return the exit code, see `gpu.cli.terminal`."""
    settle_process()
    arguments = list(sys.argv[1:] if argv is None else argv)
    first = arguments[0] if arguments else ""
    if not _is_for_window(first):
        from gpu.cli import main as cli

        cli.COMMANDS.update(OF_THE_WINDOW)  # this room's modules, which `gpu` must not import
        return cli.main(argv)
    from gpu.cli.main import guarded

    switch = first if first in SWITCHES else ""
    file = next((name for name in arguments if name not in SWITCHES), None)
    problem = None if switch.startswith("--measure") else display_problem()
    named = file is not None and not file.startswith("sample:")
    if named and not Path(str(file)).is_file():
        return guarded(arguments, lambda: _refuse(str(file)))
    if problem:
        return _qt_missing() or guarded(arguments, lambda: _draw(file, problem))
    return _qt_missing() or _too_few_threads() or _open(file, switch)


def display_problem() -> str | None:
    """Return why no window can be shown here, in words, or None if one can."""
    if sys.platform in ("win32", "darwin") or os.environ.get("QT_QPA_PLATFORM"):
        return None
    if os.environ.get("WAYLAND_DISPLAY"):
        return None
    name = os.environ.get("DISPLAY")
    if not name:
        return "no display here"
    return None if _x_server_answers() else f"display {name} does not answer"


def _is_for_window(first: str) -> bool:
    """Whether the first argument opens a window; a missing file is reported, not parsed."""
    from gpu.cli.main import COMMANDS

    if first in {*COMMANDS, *OF_THE_WINDOW}:
        return False
    if first in {"", "-", *SWITCHES} or first.startswith("sample:"):
        return True
    looks_like_a_file = Path(first).exists() or Path(first).suffix or os.sep in first
    return not first.startswith("-") and bool(looks_like_a_file)


def _refuse(file: str) -> int:
    from gpu.errors import GpuError
    from gpu.formats.reading import refuse_web_address

    refuse_web_address(file)
    if file == "-" or Path(file).exists():
        raise GpuError(
            f"{file}: a folder, pipe or device; the window opens files ({NAME} run reads pipes too)"
        )
    raise GpuError(f"{file}: no such file")


def _draw(file: str | None, problem: str) -> int:
    from viewer.export.render import dashboard_without_display

    return dashboard_without_display(file, problem)


def _qt_missing() -> int:
    from viewer.qt_libraries import say_if_missing

    return say_if_missing(NAME)


def _too_few_threads() -> int:
    from gpu.cli.terminal import failure

    try:
        require_threads(WINDOW_THREADS)
    except RuntimeError as error:
        return failure(error)
    return 0


def _x_server_answers() -> bool:
    """Ask $DISPLAY for a connection and drop it; True where that cannot be asked."""
    import ctypes

    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return True
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connect.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    xcb.xcb_connection_has_error.argtypes = [ctypes.c_void_p]
    xcb.xcb_disconnect.argtypes = [ctypes.c_void_p]
    connection = xcb.xcb_connect(None, None)
    failed = bool(xcb.xcb_connection_has_error(connection))
    xcb.xcb_disconnect(connection)
    return not failed


def _open(file: str | None, switch: str) -> int:
    if switch.startswith("--measure") and display_problem():
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from viewer.common.application import make_application

    app = make_application()
    from PyQt6.QtCore import QTimer

    from viewer.main_window import MainWindow

    window = MainWindow()
    if switch:
        _measure(switch, window)
    window.show()
    window.start(file)
    QTimer.singleShot(FREEZE_MS, gc.freeze)
    _quit_on_signals(window)
    sys.excepthook = _reporter(window)
    return app.exec()


def _measure(switch: str, window: MainWindow) -> None:
    from viewer.bench.start import print_stall, when_painted

    if switch == "--measure-stall":
        print_stall(window)
        return

    def painted() -> None:
        if switch == "--signal-ready":
            print("ready", flush=True)
        else:
            print(f"{time.time() - float(os.environ.get(STARTED, time.time())):.3f}", flush=True)
            window.close()

    when_painted(window, painted)


def _quit_on_signals(window: MainWindow) -> None:
    """Close on Ctrl+C and on a polite kill: from the event loop, not in the middle of a paint."""
    from PyQt6.QtCore import QTimer

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: QTimer.singleShot(0, window.close))


def _reporter(window: MainWindow):  # type: ignore[no-untyped-def]
    """Return an excepthook: a bug of ours goes to stderr whole, to the window as one line."""

    def report(kind: type[BaseException], error: BaseException, where: TracebackType) -> None:
        traceback.print_exception(kind, error, where)
        window.report_bug(error)

    return report


if __name__ == "__main__":
    sys.exit(main())
