"""Presenting: full screen and back, blank, keys of fields."""

from __future__ import annotations

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QApplication, QComboBox, QLineEdit
from pytestqt.qtbot import QtBot
from test_controller import FakeHost
from test_window import with_finished_run

from viewer.common.text_size import text_pixels
from viewer.main_window import MainWindow
from viewer.models.session import Notice

LEFT = Qt.MouseButton.LeftButton


def test_f5_presents_and_esc_puts_everything_back(
    window: MainWindow, host: FakeHost, qtbot: QtBot
) -> None:
    with_finished_run(window, host)
    before = (window.theme.name, window.docks.arrangement)
    shown = {key for key, dock in window.docks.by_key.items() if not dock.isHidden()}
    window.actions_by_key["present"].trigger()
    assert window.isFullScreen()
    assert window.theme.name == "projector"
    assert window.menuBar().isHidden()
    assert window.actions_by_key["blank"].isEnabled()
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert not window.isFullScreen()
    assert (window.theme.name, window.docks.arrangement) == before
    assert not window.menuBar().isHidden()
    assert {key for key, dock in window.docks.by_key.items() if not dock.isHidden()} == shown
    assert not window.actions_by_key["blank"].isEnabled()


def test_its_type_grows_with_the_screen_and_by_keys(window: MainWindow, qtbot: QtBot) -> None:
    window.session.set_notice(Notice("info", "what this person did"))
    window.actions_by_key["present"].trigger()
    least = round(0.022 * window.screen().size().height())
    assert text_pixels() >= least
    assert window.session.notice is None
    before = text_pixels()
    qtbot.keyClick(window, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
    assert text_pixels() > before
    qtbot.keyClick(window, Qt.Key.Key_Minus, Qt.KeyboardModifier.ControlModifier)
    assert text_pixels() == before
    window.actions_by_key["present"].trigger()
    assert text_pixels() < before


def test_b_blanks_until_any_key_or_click(window: MainWindow, qtbot: QtBot) -> None:
    feature = window.features["present"]
    feature.blank()
    assert not feature.curtain.isVisible(), "only while presenting"
    window.actions_by_key["present"].trigger()
    qtbot.keyClick(window, Qt.Key.Key_B)
    assert feature.curtain.isVisible()
    assert feature.curtain.size() == window.size()
    qtbot.keyClick(window, Qt.Key.Key_Space)
    assert not feature.curtain.isVisible()
    qtbot.keyClick(window, Qt.Key.Key_B)
    qtbot.mouseClick(feature.curtain, LEFT)
    assert not feature.curtain.isVisible()
    window.actions_by_key["present"].trigger()
    assert not feature.on


def test_fields_keep_their_letters(window: MainWindow, qtbot: QtBot) -> None:
    window.actions_by_key["present"].trigger()
    field = QLineEdit(window)
    field.show()
    field.setFocus()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is field)
    qtbot.keyClicks(field, "b")
    assert field.text() == "b"
    assert not window.features["present"].curtain.isVisible()
    window.actions_by_key["present"].trigger()


def test_arrows_are_playbacks_whatever_has_the_focus(
    window: MainWindow, host: FakeHost, qtbot: QtBot
) -> None:
    with_finished_run(window, host)
    window.playback.pause()
    window.playback.set_cursor(0.0)
    box = QComboBox(window)
    box.addItems(["time", "share"])
    box.show()
    window.actions_by_key["present"].trigger()
    window.actions_by_key["lessons"].trigger()
    box.setFocus()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is box)
    qtbot.keyClick(box, Qt.Key.Key_Right)
    assert window.playback.cursor_ns == window.session.current.samples["t_ns"][1] > 0
    qtbot.keyClick(box, Qt.Key.Key_End)
    assert window.playback.cursor_ns == window.playback.duration_ns
    qtbot.keyClick(box, Qt.Key.Key_Left)
    assert window.playback.cursor_ns < window.playback.duration_ns
    assert box.currentIndex() == 0
    qtbot.keyClick(box, Qt.Key.Key_Space)
    assert window.playback.playing
    window.actions_by_key["present"].trigger()
    window.playback.pause()
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_Down)
    assert box.currentIndex() == 1  # only while one presents
