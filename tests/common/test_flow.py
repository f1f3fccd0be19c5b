"""A row that takes another line: every item whole, in order, inside."""

from hypothesis import HealthCheck, given, settings, strategies as st
from PyQt6.QtCore import QRect
from PyQt6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from viewer.common.flow import FlowLayout

fixed = st.lists(st.integers(10, 120), min_size=1, max_size=8)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(fixed, st.integers(130, 500))
def test_items_stand_in_order_and_none_is_cut(qtbot: QtBot, widths: list[int], room: int) -> None:
    panel = QWidget()
    row = FlowLayout(panel)
    parts = [QLabel(panel) for _ in widths]
    for part, width in zip(parts, widths, strict=True):
        part.setFixedSize(width, 20)
        row.addWidget(part)
    row.setContentsMargins(3, 3, 3, 3)
    height = row.heightForWidth(room)
    row.setGeometry(QRect(0, 0, room, height))
    places = [part.geometry() for part in parts]
    inside = QRect(3, 3, room - 6, height - 6)
    assert all(inside.contains(place) for place in places)
    assert [place.width() for place in places] == widths
    assert places == sorted(places, key=lambda place: (place.y(), place.x()))
    assert not any(a.intersects(b) for a in places for b in places if a is not b)
    assert row.heightForWidth(row.sizeHint().width()) == 26
    assert row.minimumSize().width() == max(widths) + 6
    panel.deleteLater()
