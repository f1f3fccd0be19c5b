"""Every lesson walked from its first step to its last, by right answers; one by wrong ones.

One window for all of them: a class does the same, and its engine is started once. The numbers in
every text are compared with those of a second bench that made the runs by itself.
"""

from collections.abc import Iterator

import pytest
from lesson_stage import PATHS, open_window, walk
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from test_window import close_for_good

from viewer.main_window import MainWindow

PLAYED = "10_be_the_scheduler"


@pytest.fixture(scope="module")
def window(qapp: QApplication, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MainWindow]:
    window = open_window(tmp_path_factory.mktemp("walks") / "window.ini")
    for dock in window.docks.extra:  # panels made now are no leak of the first lesson
        window.show_dock(dock)
    window.docks.choose("explore")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gpu.study.sweep.cores", lambda: 1)  # a process a sweep is enough here
        yield window
    close_for_good(window)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "right"),
    [*((key, True) for key in PATHS), ("4_why_near_far_starves", False), (PLAYED, False)],
)
def test_walk_through_a_lesson(window: MainWindow, qtbot: QtBot, key: str, right: bool) -> None:
    feature = window.features["lessons"]
    window.settings.set_value("lessons", {})
    graph = window.session.graph
    feature.open_path(str(PATHS[key]))
    asked = sum(step.question is not None for step in feature.model.lesson.steps)
    assert walk(window, qtbot, right) == [right] * asked
    assert window.session.graph is graph, "the window is as it was before the lesson"
    known = window.settings.value("lessons")[key]
    assert known["finished"]
    assert {one["right"] for one in known["answers"].values()} == {right}
    window.sweep.close()
