"""A window with every feature and plot in place, and a run that has ended in it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pytestqt.qtbot import QtBot
from screen import all_controls
from test_controller import FakeHost, path_graph, say, trace_of
from test_window import close_for_good

from gpu.host import RunFinished, RunStarted
from gpu.record.trace import Trace
from viewer.main_window import MainWindow
from viewer.models.session import RunRecord


@contextmanager
def whole_window(
    qtbot: QtBot, folder: Path, host: FakeHost, size: tuple[int, int] = (1280, 800)
) -> Iterator[MainWindow]:
    """Open a window of a size on a path, active, everything installed; close it for good."""
    window = MainWindow(all_controls(folder / "window.ini"), host)  # type: ignore[arg-type]
    window.controller.replay_short = False
    window.show()
    window.resize(*size)
    window.controller.show_graph(path_graph())
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.build_plots()
    while window.features.install_next():
        pass
    yield window
    close_for_good(window)


def finished_run(
    window: MainWindow, host: FakeHost, dressed: Callable[[Trace], Trace] = lambda trace: trace
) -> RunRecord:
    """Start a run and let it end with the usual trace, or with what `dressed` makes of that."""
    window.start_run()
    record = window.session.runs[-1]
    trace = dressed(trace_of(window.session.graph, record.settings))
    say(window.controller, host, RunStarted(record.run_id), RunFinished(record.run_id, trace))
    return record
