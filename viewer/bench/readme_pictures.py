"""The pictures of the README, drawn anew: the window driven by its own actions.

python -m viewer.bench.readme_pictures [assets]

screenshot.png           the first start: the recorded pair
pictures/teacher.png     ADDS and Near-Far on one clock, as a class sees it at the projector
pictures/student.png     the microscope at an event of the paper's figure 6
pictures/researcher.png  a sweep of delta on city roads
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
CITY = "sample:city_roads"


def main(argv: list[str] | None = None) -> int:
    """Draw every picture into a folder; return 0."""
    given = sys.argv[1:] if argv is None else argv
    folder = Path(given[0] if given else "assets")
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from viewer.bench.contact_sheet import grab, window_with_two_runs
    from viewer.common.application import make_application
    from viewer.features.lessons.hint import LessonHint

    application = make_application()
    (folder / "pictures").mkdir(parents=True, exist_ok=True)
    _first_start(folder / "screenshot.png")
    window = window_with_two_runs(CITY)
    for hint in window.findChildren(LessonHint):
        hint.hide()
    try:
        for name, (prepare, cursor) in PICTURES.items():
            prepare(window)
            grab(window, cursor).save(str(folder / name))
            print(folder / name)
    finally:
        window.close()
        application.processEvents()
    return 0


def _first_start(path: Path) -> None:
    """Draw what a newcomer sees once the graph of the recorded pair is there."""
    from viewer.bench.contact_sheet import grab, wait_until
    from viewer.main_window import MainWindow
    from viewer.models.settings import Settings

    window = MainWindow(Settings(Path(tempfile.mkdtemp()) / "window.ini"))
    window.show()
    window.start()
    window.resize(*FIRST_SIZE)
    window.docks.arrange(window.docks.arrangement)  # for that size
    try:
        wait_until(lambda: window.session.current is not None and not window.session.arcs_missing)
        wait_until(lambda: not window.comparison.busy and window.controller.ready)
        grab(window, None).save(str(path))
        print(path)
    finally:
        window.close()


def _teacher(window: MainWindow) -> None:
    window.set_theme("projector")
    window.actions_by_key["present"].trigger()
    window.showNormal()  # a screen of SIZE
    window.resize(*SIZE)


def _student(window: MainWindow) -> None:
    from viewer.bench.contact_sheet import finished, grab, wait_until

    window.actions_by_key["present"].trigger()
    window.set_theme("light")
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


def _researcher(window: MainWindow) -> None:
    from PyQt6.QtWidgets import QPushButton

    from viewer.bench.contact_sheet import finished, wait_until

    window.actions_by_key["microscope_leave"].trigger()
    window.open_path("sample:city_roads")
    wait_until(lambda: "roads" in window.windowTitle())
    window.start_run()
    wait_until(lambda: finished(window, 4))
    panel = window.show_dock("sweep")
    button = next(b for b in panel.findChildren(QPushButton) if b.text() == "Sweep")
    wait_until(button.isEnabled)
    button.click()
    wait_until(lambda: button.text() == "Sweep")
    window.resize(*SIZE)


PICTURES: dict[str, tuple[Callable[[MainWindow], None], float | None]] = {
    "pictures/teacher.png": (_teacher, 0.45),
    "pictures/student.png": (_student, None),
    "pictures/researcher.png": (_researcher, 0.45),
}

if __name__ == "__main__":
    sys.exit(main())
