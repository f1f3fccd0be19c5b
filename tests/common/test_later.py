"""What comes after the events under way: done once, never after the end of its owner."""

from __future__ import annotations

from PyQt6 import sip
from PyQt6.QtCore import QObject
from pytestqt.qtbot import QtBot

from viewer.common.later import later


def test_a_call_comes_once_and_after_what_is_under_way(qtbot: QtBot) -> None:
    calls: list[int] = []
    owner = QObject()
    later(owner, lambda: calls.append(1))
    assert calls == []
    qtbot.waitUntil(lambda: calls == [1] and not owner.children())


def test_an_owner_that_is_gone_is_not_called_for(qtbot: QtBot) -> None:
    calls: list[str] = []
    gone, here = QObject(), QObject()
    later(gone, lambda: calls.append("gone"))
    sip.delete(gone)
    later(here, lambda: calls.append("here"))
    qtbot.waitUntil(lambda: calls == ["here"])
