"""The moment in words, less motion, a focus that is seen, text at twice its size."""

import itertools

import pytest
from colour_vision import contrast
from PyQt6.QtCore import QPoint, QRect, Qt
from PyQt6.QtWidgets import QApplication, QComboBox, QLabel, QLineEdit, QTabBar, QWidget
from pytestqt.qtbot import QtBot
from screen import grabbed
from test_controller import FakeHost
from test_window import with_finished_run

from viewer.features.access import MomentDialog
from viewer.main_window import MainWindow
from viewer.models.playback import STILL_S, PlaybackModel
from viewer.models.settings import STILL, Settings
from viewer.plots.live import LivePanel

GRAPHIC = 3.0  # WCAG 2.2: least contrast of what shows where the focus is
FRAME_S = 1 / 30


def test_the_moment_is_said_for_every_panel(
    window: MainWindow, host: FakeHost, qtbot: QtBot
) -> None:
    with_finished_run(window, host)
    window.playback.set_cursor(window.playback.duration_ns / 2)
    qtbot.keyClick(window, Qt.Key.Key_I, Qt.KeyboardModifier.ControlModifier)
    dialog = window.findChild(MomentDialog)
    words = dialog.text.toPlainText()
    graph = window.session.graph
    assert words.startswith(f"Graph: {graph.name}, ")
    assert "Distance from " in words.splitlines()[0]
    panels = [panel for panel in window.plots.values() if isinstance(panel, LivePanel)]
    assert len(panels) > 4
    for panel in panels:
        assert panel.summary_text().rstrip(".") in words
    assert dialog.focusWidget() is dialog.text
    dialog.reject()
    window.playback.set_cursor(0)
    assert window.features["access"].moment_words() != words


def test_still_playback_goes_in_steps() -> None:
    playback = PlaybackModel()
    playback.set_duration(1e9)
    playback.set_cursor(0)
    playback.still = True
    playback.play()
    seen = []
    for _ in range(round(2 / FRAME_S)):
        playback.advance(FRAME_S)
        seen.append(playback.cursor_ns)
    moves = sum(a != b for a, b in itertools.pairwise(seen))
    assert 2 <= moves <= 2 / STILL_S
    assert seen[-1] == pytest.approx(0.4e9, rel=STILL_S / 2)
    playback.still = False
    playback.advance(FRAME_S)
    assert playback.cursor_ns > seen[-1]


def test_still_is_remembered(window: MainWindow, settings: Settings) -> None:
    assert not window.playback.still
    window.actions_by_key["still"].trigger()
    assert window.playback.still
    assert not window.isAnimated()
    assert settings.value(STILL) is True
    again = MainWindow(settings, FakeHost())  # type: ignore[arg-type]
    again.features["access"]
    assert again.playback.still
    assert again.actions_by_key["still"].isChecked()
    again.close()
    again.deleteLater()


@pytest.mark.font
@pytest.mark.parametrize("name", ["dark", "projector"])
def test_the_focus_is_seen_wherever_tab_goes(
    window: MainWindow, host: FakeHost, qtbot: QtBot, name: str
) -> None:
    """Around each part stands a ring whose colour differs from the window's by 3 to 1."""
    with_finished_run(window, host)
    window.set_theme(name)
    window.run_panel._advanced.click()
    focus = window.features["access"].focus
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.graph_view.setFocus(Qt.FocusReason.MouseFocusReason)
    assert focus.isHidden()
    accent = window.theme.accent
    assert contrast(accent, window.theme.window) >= GRAPHIC
    seen: list[QWidget] = []
    while (part := QApplication.focusWidget()) not in seen:
        assert part is not None
        seen.append(part)
        qtbot.keyClick(part, Qt.Key.Key_Tab)
        now = QApplication.focusWidget()
        if isinstance(now, QTabBar) and not window.rect().intersects(now.geometry()):
            continue  # a bar of tabs that Qt keeps outside until docks want it
        qtbot.waitUntil(focus.isVisible)
        assert focus.geometry().intersects(QRect(now.mapTo(window, QPoint()), now.size()))
        middle = focus.geometry().center()
        picture = grabbed(window)
        column = [picture.pixelColor(middle.x(), y).name() for y in range(picture.height())]
        assert accent in column, (type(now).__name__, now.accessibleName())
    assert window.graph_view in seen
    assert len(seen) > 20
    qtbot.mouseClick(window.run_panel.findChild(QLineEdit), Qt.MouseButton.LeftButton)
    assert focus.isHidden(), "a click is seen where it went"


def test_every_list_of_choices_has_a_label(window: MainWindow, host: FakeHost) -> None:
    """On Linux its accessible name is what is chosen; the label says of what."""
    with_finished_run(window, host)
    labelled = {label.buddy() for label in window.findChildren(QLabel)} - {None}
    boxes = window.run_panel.findChildren(QComboBox)
    assert len(boxes) >= 5
    assert [box.accessibleName() for box in boxes if box not in labelled] == []
