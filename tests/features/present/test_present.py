"""Presenting: full screen and back, larger text, the keys of playback."""

from PyQt6.QtCore import Qt
from pytestqt.qtbot import QtBot
from test_controller import FakeHost
from test_window import with_finished_run

from viewer.common.text_size import text_pixels
from viewer.main_window import MainWindow
from viewer.models.session import Notice


def test_f5_presents_and_esc_puts_everything_back(
    window: MainWindow, host: FakeHost, qtbot: QtBot
) -> None:
    with_finished_run(window, host)
    window.session.set_notice(Notice("info", "what this person did"))
    window.playback.pause()
    window.playback.set_cursor(0.0)
    before, text = (window.theme.name, window.docks.arrangement), text_pixels()
    place = window.geometry()
    shown = {key for key, dock in window.docks.by_key.items() if not dock.isHidden()}
    window.actions_by_key["present"].trigger()
    assert window.isFullScreen()
    assert window.size() == window.screen().size()  # also without a window manager
    assert window.theme.name == "projector"
    assert window.menuBar().isHidden()
    assert window.session.notice.words == "Esc or F5 goes back."
    large = text_pixels()
    assert large >= round(0.022 * window.screen().size().height())
    qtbot.keyClick(window, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
    assert text_pixels() > large
    qtbot.keyClick(window, Qt.Key.Key_Minus, Qt.KeyboardModifier.ControlModifier)
    assert text_pixels() == large
    window.status_bar.showMessage("Esc goes back")
    qtbot.keyClick(window, Qt.Key.Key_Right)
    assert window.playback.cursor_ns == window.session.current.samples["t_ns"][1] > 0
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert not window.isFullScreen()
    assert not window.status_bar.currentMessage()  # two texts would stand on one another
    assert (window.theme.name, window.docks.arrangement) == before
    assert text_pixels() == text
    assert window.geometry() == place
    assert not window.menuBar().isHidden()
    assert {key for key, dock in window.docks.by_key.items() if not dock.isHidden()} == shown


def test_what_a_feature_shows_is_presented(window: MainWindow, qtbot: QtBot) -> None:
    window.docks.gather("microscope", ("microscope", "code"))
    window.actions_by_key["present"].trigger()
    assert window.docks["microscope"].isVisible()
    window.docks.choose("simple")
    window.docks._gathered.clear()  # left and forgotten before the class
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert window.docks.arrangement == "explore"
    assert not window.status_bar.currentMessage()
