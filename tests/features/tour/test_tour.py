"""The tour: six stops beside the real panels and inside the window, left at any of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt6.QtCore import QPoint, QRect, QSize, Qt
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from test_controller import FakeHost, path_graph, say, trace_of
from test_window import close_for_good

from gpu.host import RunFinished, RunStarted
from viewer.features.tour.bubble import place_beside
from viewer.features.tour.feature import TourFeature
from viewer.features.tour.stops import STOPS
from viewer.main_window import MainWindow
from viewer.models.settings import Settings

LEFT = Qt.MouseButton.LeftButton
SIZES = [(1024, 720), (1264, 752), (1760, 1000)]


@pytest.fixture
def host() -> FakeHost:
    return FakeHost()


@pytest.fixture
def window(qapp: QApplication, tmp_path: Path, host: FakeHost) -> Iterator[MainWindow]:
    window = MainWindow(Settings(tmp_path / "window.ini"), host)  # type: ignore[arg-type]
    window.show()
    window.build_plots()
    window.features["compare"]
    window.start()
    yield window
    close_for_good(window)


def begun(window: MainWindow, qtbot: QtBot) -> TourFeature:
    window.actions_by_key["tour"].trigger()
    tour = window.features["tour"]
    assert isinstance(tour, TourFeature)
    qtbot.waitUntil(lambda: tour.place == 0 and tour.bubble.isVisible())
    return tour


def settled(tour: TourFeature, qtbot: QtBot) -> tuple[QRect, QRect]:
    """Return where the widget and the card are, in the window, once they stand."""
    main = tour._window.as_widget()

    def stands() -> bool:
        target = tour.target()
        assert target is not None
        rect = QRect(target.mapTo(main, QPoint(0, 0)), target.size())
        return tour.border.geometry() == rect

    qtbot.waitUntil(stands)
    return tour.border.geometry(), tour.bubble.geometry()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("theme", ["light", "projector"])
def test_every_stop_points_at_its_panel(
    window: MainWindow, qtbot: QtBot, size: tuple[int, int], theme: str
) -> None:
    window.set_theme(theme)
    window.resize(*size)
    tour = begun(window, qtbot)
    for place, stop in enumerate(STOPS):
        assert tour.place == place
        target = tour.target()
        assert target is not None
        assert target.objectName() == stop.place
        around, card = settled(tour, qtbot)
        assert window.rect().contains(around)
        assert window.rect().contains(card)
        if stop.place != "graph_view" and theme == "light":
            assert not card.intersects(around), stop.place
        assert tour.bubble.count.text() == f"{place + 1} of {len(STOPS)}"
        qtbot.mouseClick(tour.bubble.next, LEFT)
    assert tour.place == -1
    assert not tour.bubble.isVisible()
    assert not tour.border.isVisible()


def test_keys_turn_and_leave_and_it_comes_again(window: MainWindow, qtbot: QtBot) -> None:
    tour = begun(window, qtbot)
    qtbot.keyClick(tour.bubble, Qt.Key.Key_Return)
    assert tour.place == 1
    qtbot.keyClick(tour.bubble, Qt.Key.Key_Left)
    qtbot.keyClick(tour.bubble, Qt.Key.Key_Left)
    assert tour.place == 0
    qtbot.keyClick(tour.bubble, Qt.Key.Key_Escape)
    assert tour.place == -1
    tour = begun(window, qtbot)
    qtbot.mouseClick(tour.bubble.skip, LEFT)
    assert tour.place == -1


def test_it_follows_the_window(window: MainWindow, qtbot: QtBot) -> None:
    tour = begun(window, qtbot)
    tour.go(5)
    settled(tour, qtbot)
    window.resize(1500, 900)
    QApplication.processEvents()
    around, card = settled(tour, qtbot)
    assert window.rect().contains(card)
    assert not card.intersects(around)


def test_one_s_own_run_comes_back(window: MainWindow, host: FakeHost, qtbot: QtBot) -> None:
    window.controller.show_graph(path_graph())
    window.start_run()
    record = window.session.current
    assert record is not None
    trace = trace_of(path_graph(), record.settings)
    say(window.controller, host, RunStarted(record.run_id), RunFinished(record.run_id, trace))
    window.docks.choose("compare")
    tour = begun(window, qtbot)
    assert window.session.current is not None
    assert window.session.current.recorded_on
    shown: list[object] = []
    window.controller.show_run = shown.append  # type: ignore[method-assign, assignment]
    tour.end()
    assert shown == [record]
    assert window.docks.arrangement == "compare"


def test_the_line_of_prepared_starts_leads_here(window: MainWindow, qtbot: QtBot) -> None:
    card = window.features["opening"]._card  # type: ignore[attr-defined]
    qtbot.mouseClick(card.tour, LEFT)
    tour = window.features["tour"]
    qtbot.waitUntil(lambda: tour.place == 0)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        (QRect(0, 0, 300, 700), QPoint(310, 0)),  # right of a panel at the left
        (QRect(900, 100, 380, 200), QPoint(590, 100)),  # left of a panel at the right
        (QRect(0, 650, 1280, 100), QPoint(0, 490)),  # above a bar at the bottom
        (QRect(0, 0, 1280, 60), QPoint(0, 69)),  # below a bar at the top
        (QRect(0, 0, 1280, 800), QPoint(490, 325)),  # inside where there is no room beside
    ],
)
def test_where_a_card_stands(target: QRect, expected: QPoint) -> None:
    found = place_beside(target, QSize(300, 150), QSize(1280, 800))
    assert (found - expected).manhattanLength() <= 2
