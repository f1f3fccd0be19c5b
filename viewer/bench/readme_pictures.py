"""The pictures of the README, drawn anew: the window driven by its own actions.

python -m viewer.bench.readme_pictures [assets]

screenshot.png           the first start: the recorded pair
pictures/teacher.png     ADDS and Near-Far on one clock, as a class sees it at the projector
pictures/student.png     the microscope at an event of the paper's figure 6
pictures/researcher.png  the recorded sweep of delta on city roads
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from viewer.main_window import MainWindow

SIZE = (1280, 800)
FIRST_SIZE = (1400, 840)
HEAD_EVENTS = 3  # moves of the head bucket, up to the event that is shown


def main(argv: list[str] | None = None) -> int:
    """Draw every picture into a folder; return 0."""
    given = sys.argv[1:] if argv is None else argv
    folder = Path(given[0] if given else "assets")
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ["XDG_CONFIG_HOME"] = tempfile.mkdtemp()  # a newcomer has no last session
    from viewer.bench.contact_sheet import grab
    from viewer.common.application import make_application
    from viewer.features.lessons.hint import LessonHint

    application = make_application()
    (folder / "pictures").mkdir(parents=True, exist_ok=True)
    window = _first_start()
    try:
        for name, prepare in PICTURES.items():
            prepare(window)
            for hint in window.findChildren(LessonHint):
                hint.hide()
            grab(window, None).save(str(folder / name))
            print(folder / name)
    finally:
        window.close()
        application.processEvents()
    return 0


def _first_start() -> MainWindow:
    """Return what a newcomer sees once the graph of the recorded pair is there."""
    from viewer.bench.contact_sheet import wait_until
    from viewer.main_window import MainWindow
    from viewer.models.settings import Settings

    window = MainWindow(Settings(Path(tempfile.mkdtemp()) / "window.ini"))
    window.show()
    window.start()
    wait_until(lambda: window.session.current is not None and not window.session.arcs_missing)
    wait_until(lambda: not window.comparison.busy and window.controller.ready)
    return window


def _pair(window: MainWindow) -> None:
    window.resize(*FIRST_SIZE)
    window.docks.arrange(window.docks.arrangement)  # for that size


def _teacher(window: MainWindow) -> None:
    window.set_theme("projector")
    window.actions_by_key["present"].trigger()
    window.showNormal()  # a screen of SIZE
    window.resize(*SIZE)


def _researcher(window: MainWindow) -> None:
    window.actions_by_key["present"].trigger()
    window.set_theme("light")
    window.resize(*SIZE)
    window.actions_by_key["recorded_sweep"].trigger()


def _student(window: MainWindow) -> None:
    from viewer.bench.contact_sheet import finished, grab, wait_until

    window.open_path("sample:figure_6")
    wait_until(lambda: window.windowTitle().startswith("Figure 6"))
    window.actions_by_key["microscope"].trigger()
    wait_until(lambda: finished(window, 3))
    window.resize(*SIZE)
    step = window.actions_by_key["event_head"]
    wait_until(step.isEnabled)
    grab(window, None)  # the replay is there once it has been drawn
    for _ in range(HEAD_EVENTS):
        step.trigger()


PICTURES: dict[str, Callable[[MainWindow], None]] = {
    "screenshot.png": _pair,
    "pictures/teacher.png": _teacher,
    "pictures/researcher.png": _researcher,
    "pictures/student.png": _student,
}

if __name__ == "__main__":
    sys.exit(main())
