"""What comes after the events under way: done once, never after the end of its owner."""

from PyQt6 import sip
from PyQt6.QtCore import QObject
from pytestqt.qtbot import QtBot

from viewer.common.later import later


def test_an_owner_that_is_gone_is_not_called_for(qtbot: QtBot) -> None:
    calls: list[str] = []
    gone, here = QObject(), QObject()
    later(gone, lambda: calls.append("gone"))
    sip.delete(gone)
    later(here, lambda: calls.append("here"))
    qtbot.waitUntil(lambda: calls == ["here"])
