"""The palette: finding by letters, keys, every action is in it."""

import pytest
from PyQt6.QtCore import Qt
from pytestqt.qtbot import QtBot
from test_controller import FakeHost

from viewer.main_window import MainWindow


def test_every_action_is_in_the_palette(window: MainWindow) -> None:
    found = {entry.action for entry in window.features["palette"].entries()}
    for key, row in window.actions_by_key.table.items():
        if not row.submenu and key != "palette":
            assert window.actions_by_key[key] in found, key
    words = [entry.words for entry in window.features["palette"].entries()]
    assert any(word.startswith("Colour by: ") for word in words)


def test_typing_and_enter_does_it(window: MainWindow, qtbot: QtBot) -> None:
    before = window.theme.name
    palette = window.features["palette"].show()
    qtbot.keyClicks(palette.field, "theme dar")
    assert palette.list.topLevelItem(0).text(0) == "Dark theme"
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert window.theme.name == "dark" != before
    again = window.features["palette"].show()
    qtbot.keyClick(again.field, Qt.Key.Key_Down)
    assert again.list.currentIndex().row() == 1
    for word in ("notes", "sweep"):  # no "Export panel: Notes"
        again.field.setText(word)
        assert not again.list.topLevelItem(0).text(0).startswith("Export")
    qtbot.keyClick(again.field, Qt.Key.Key_Escape)
    assert not again.isVisible()


def test_what_cannot_be_used_now_says_so(window: MainWindow, host: FakeHost, qtbot: QtBot) -> None:
    palette = window.features["palette"].show()
    qtbot.keyClicks(palette.field, "stop")
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.isVisible()
    assert "not now" in palette.about.text()
    assert host.asked("stop") == []
    palette.field.clear()
    qtbot.keyClicks(palette.field, "zzzz")
    assert palette.list.topLevelItemCount() == 0
    assert "Nothing is called" in palette.about.text()
    palette.reject()
    with pytest.raises(KeyError):
        _ = window.features["nothing"]
