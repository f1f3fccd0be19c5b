"""Text twice as large, in the smallest window: it fits the screen, and what is said can be read."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt6.QtGui import QFont
from PyQt6.QtWidgets import QApplication, QLabel, QPushButton, QToolButton, QWidget
from screen import all_controls
from test_controller import FakeHost
from test_features import opened
from test_window import close_for_good, with_finished_run

from viewer.common.elided import ElidedLabel
from viewer.common.text_size import SYSTEM_FONT, grown
from viewer.docks import ARRANGEMENTS
from viewer.main_window import MainWindow

pytestmark = pytest.mark.font
WIDTH, HEIGHT = 1280, 752  # of a screen of 1280 x 800, less a title


@pytest.fixture
def window(qapp: QApplication, tmp_path: Path, host: FakeHost) -> Iterator[MainWindow]:
    before = QFont(qapp.font())
    larger = grown(before, 2.0)
    qapp.setFont(larger)
    qapp.setProperty(SYSTEM_FONT, larger)
    window = opened(all_controls(tmp_path / "window.ini"), host)
    window.controller.replay_short = False
    window.resize(WIDTH, HEIGHT)
    with_finished_run(window, host)
    window.comparison.compare_or_say(window.session.runs[0])
    yield window
    close_for_good(window)
    qapp.setFont(before)
    qapp.setProperty(SYSTEM_FONT, before)


def settle() -> None:
    for _ in range(4):
        QApplication.processEvents()


def cut(part: QWidget) -> bool:
    """Whether a button or a label of one line is narrower or lower than its words.

    One that says less where it has no room is cut where it ends in an ellipsis.
    """
    if isinstance(part, ElidedLabel):
        return part.isVisible() and part.shown().endswith("…")
    needed = part.minimumSizeHint()
    return part.isVisible() and (part.width() < needed.width() or part.height() < needed.height())


def test_every_arrangement_fits_the_screen(window: MainWindow) -> None:
    window.playback.measure.set_marks((0.0, window.playback.duration_ns))
    window.features["measure"].strip.refresh()  # not at the next of its beats
    for name in ARRANGEMENTS:
        window.docks.choose(name)
        settle()
        assert (window.width(), window.height()) == (WIDTH, HEIGHT), name
    label = ElidedLabel("Modelled GPU (no GPU here: no driver)")  # cut in no bracket
    label.resize(label.fontMetrics().horizontalAdvance("Modelled GPU (no GPU here: n"), 20)
    assert label.shown() == "Modelled GPU"


def test_words_above_and_below_the_map_are_whole_or_scroll(window: MainWindow) -> None:
    window.docks.choose("explore")
    window.playback.measure.set_marks((0.0, window.playback.duration_ns))
    window.features["measure"].strip.refresh()
    settle()
    centre = window.centralWidget()
    buttons = [*centre.findChildren(QPushButton), *centre.findChildren(QToolButton)]
    assert [part.text() for part in buttons if cut(part)] == []
    bar = centre.findChild(QWidget, "compare_bar")
    for label in bar.findChildren(QLabel):
        if label.isVisible() and label.wordWrap():
            assert label.height() >= label.heightForWidth(label.width())  # else it would be cut
