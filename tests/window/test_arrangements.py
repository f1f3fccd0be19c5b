"""Named layouts in the window: what stands where, at every size; rooms; keys; memory; names."""

from collections.abc import Iterator
from itertools import combinations, pairwise

import pytest
from PyQt6.QtCore import QPoint, QRect, Qt
from PyQt6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDockWidget,
    QHeaderView,
    QLineEdit,
    QScrollArea,
    QScrollBar,
    QTabBar,
    QWidget,
)
from pytestqt.qtbot import QtBot
from test_controller import FakeHost, path_graph
from test_features import opened
from test_window import close_for_good, with_finished_run

from viewer.docks import ARRANGEMENTS, BOTTOM, RIGHT, SIDES
from viewer.main_window import MainWindow
from viewer.models.session import Notice
from viewer.models.settings import Settings

SIZES = ((1024, 768), (3840, 2160))
FOCUSABLE = (
    QAbstractButton,
    QComboBox,
    QAbstractSpinBox,
    QLineEdit,
    QAbstractItemView,
    QAbstractSlider,
)


@pytest.fixture
def window(qapp: QApplication, settings: Settings, host: FakeHost) -> Iterator[MainWindow]:
    window = opened(settings, host)
    window.controller.show_graph(path_graph())
    yield window
    window.set_theme("light")
    close_for_good(window)


def in_sight(window: MainWindow) -> set[str]:
    QApplication.processEvents()
    docks = window.docks.by_key.items()
    return {key for key, d in docks if d.isVisible() and not d.visibleRegion().isEmpty()}


@pytest.mark.font
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("theme", ["light", "projector"])
def test_every_layout_fits_every_size(
    window: MainWindow, size: tuple[int, int], theme: str
) -> None:
    window.set_theme(theme)
    for name, layout in ARRANGEMENTS.items():
        window.docks.choose("simple")
        window.resize(*size)
        QApplication.processEvents()
        window.docks.choose(name)
        shown = in_sight(window)
        assert (window.width(), window.height()) == size, name
        visible = {key for key, dock in window.docks.by_key.items() if dock.isVisible()}
        assert visible == set(layout)
        low = [key for key in layout if SIDES.get(key) == BOTTOM]
        assert set(low) <= shown
        boxes = [window.docks[key].geometry() for key in shown]
        assert not [1 for a, b in combinations(boxes, 2) if a.intersects(b)], (name, shown)
        graph = window.graph_view
        assert graph.width() * graph.height() > 0.08 * size[0] * size[1], name
        for above, below in pairwise(low):
            assert window.docks[above].geometry().bottom() < window.docks[below].y(), name
        for key in shown & {"buckets", "delta", "parallelism", "work"}:
            assert window.docks[key].height() >= 110, (name, key)


@pytest.mark.parametrize("key", ["reset_layout", "layout_compare"])
def test_floating_panels_are_docked_again(window: MainWindow, key: str) -> None:
    for dock in ("work", "buckets"):
        window.docks[dock].setFloating(True)
    QApplication.processEvents()
    window.actions_by_key[key].trigger()
    QApplication.processEvents()
    for dock in ("work", "buckets"):
        assert not window.docks[dock].isFloating()
        assert window.docks[dock].isVisible()
        assert window.dockWidgetArea(window.docks[dock]) == RIGHT


@pytest.mark.parametrize("key", ["show_runs", "why", "notes"])
def test_a_key_pressed_again_hides_its_panel_and_the_others_stand_as_before(
    window: MainWindow, key: str, qtbot: QtBot
) -> None:
    window.resize(1280, 800)
    QApplication.processEvents()
    window.docks.reset()
    QApplication.processEvents()
    low = window.docks["timeline"]
    qtbot.waitUntil(lambda: low.geometry().bottom() < window.status_bar.y())
    dock = window.actions_by_key.table[key].argument or "runs"
    action = window.actions_by_key[key]
    before = {one: found.geometry() for one, found in window.docks.by_key.items()}
    shown = in_sight(window)
    for _ in range(2):
        action.setEnabled(True)
        action.trigger()
        QApplication.processEvents()
        assert dock in in_sight(window)
        action.trigger()
        QApplication.processEvents()
        QApplication.processEvents()
        assert in_sight(window) == shown
        for one in shown:
            assert window.docks[one].geometry() == before[one], one


@pytest.mark.parametrize("size", [(1264, 752), (1024, 700)])
def test_no_panel_that_is_shown_or_closed_makes_the_window_larger(
    window: MainWindow, size: tuple[int, int], qtbot: QtBot
) -> None:
    """On a small screen it took the Run button and the timeline off it."""
    inner = window.layout()
    for arrangement in ("explore", "compare"):
        window.docks.arrange(arrangement)
        for key in window.docks.extra:
            window.resize(*size)
            qtbot.wait(1)
            before = window.size()
            window.show_dock(key)
            qtbot.wait(1)
            most = before.expandedTo(inner.minimumSize())
            assert window.size() == window.size().boundedTo(most), key
            window.docks[key].close()
            qtbot.wait(1)
            assert window.size() == window.size().boundedTo(most), key


def test_the_right_side_keeps_its_share_of_a_window_that_grows(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.resize(1280, 800)
    window.docks.choose("explore")
    window.show_dock("runs")  # in front of the buckets
    qtbot.wait(400)
    share = lambda: window.docks["delta"].width() / window.width()  # noqa: E731
    before = share()
    for size in ((3840, 2160), (900, 700), (1280, 800)):
        window.resize(*size)
        qtbot.wait(400)
    assert share() == pytest.approx(before, abs=0.02)


def test_keys_and_menu_choose_layouts(window: MainWindow, settings: Settings, qtbot: QtBot) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    for number, name in enumerate(("simple", "explore", "compare"), 1):
        qtbot.keyClick(
            window, getattr(Qt.Key, f"Key_{number}"), Qt.KeyboardModifier.ControlModifier
        )
        assert window.docks.arrangement == name
        assert window.actions_by_key[f"layout_{name}"].isChecked()


def test_what_shows_something_that_is_gone_does_not_come_back(
    window: MainWindow, settings: Settings
) -> None:
    window.actions_by_key["layout_compare"].trigger()
    window.actions_by_key["microscope"].trigger()
    assert window.docks.arrangement == "microscope"
    window.close()
    again = MainWindow(settings, FakeHost())  # type: ignore[arg-type]
    again.show()
    assert again.docks.arrangement == "compare"
    assert again.docks["runs"].isVisible()
    assert not again.docks["microscope"].isVisible()
    close_for_good(again)
    settings.set_value("arrangement", "of another version")
    again = MainWindow(settings, FakeHost())  # type: ignore[arg-type]
    assert again.docks.arrangement == "simple"
    close_for_good(again)


def test_a_window_closed_in_a_lesson_while_maximised_comes_back_with_its_bars(
    window: MainWindow, settings: Settings, qtbot: QtBot
) -> None:
    window.docks.choose("simple")
    window.showMaximized()
    window.actions_by_key["lessons"].trigger()
    QApplication.processEvents()
    window.close()
    again = MainWindow(settings, FakeHost())  # type: ignore[arg-type]
    again.show()
    qtbot.wait(200)
    assert in_sight(again) == set(ARRANGEMENTS["simple"])
    bottom = again.features["simple"].bottom
    assert bottom.mapTo(again, bottom.rect().topLeft()).y() > again.height() / 2
    close_for_good(again)


def test_one_long_word_in_a_notice_does_not_widen_the_window(window: MainWindow) -> None:
    window.resize(1000, 700)
    window.session.set_notice(Notice("error", "a" * 1000))
    QApplication.processEvents()
    assert window.width() == 1000
    window.back()
    assert window.session.notice is None


def nameless(window: MainWindow) -> list[str]:
    """What can have the focus and would be read out as nothing."""
    found = []
    for part in window.findChildren(QWidget):
        inner = isinstance(part, QScrollBar | QTabBar | QHeaderView)  # Qt's own parts
        inside = isinstance(part.parent(), QAbstractSpinBox | QComboBox | QTabBar | QDockWidget)
        popup = part.window() is not window  # lists of combo boxes, menus that are never shown
        own = part.objectName().startswith("qt_")
        if inner or inside or popup or own or not isinstance(part, FOCUSABLE):
            continue
        text = part.text() if isinstance(part, QAbstractButton) else ""
        if not (part.accessibleName() or text):
            found.append(f"{type(part).__name__} in {type(part.parent()).__name__}")
    return found


def test_whatever_takes_the_focus_has_a_name(window: MainWindow, host: FakeHost) -> None:
    with_finished_run(window, host)
    for key in window.docks.extra:
        window.show_dock(key)
    QApplication.processEvents()
    missing = nameless(window)
    assert not missing, "; ".join(missing)
    for dock in window.docks.by_key.values():
        assert dock.widget().accessibleName()


def test_tab_goes_through_the_run_panel_from_top_to_bottom(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    panel = window.run_panel
    panel._graph.setFocus()
    scroll = panel.findChild(QScrollArea)
    inside = scroll.widget()  # large fonts make it scroll from field to field
    places = []
    for _ in range(40):
        part = QApplication.focusWidget()
        if part is None or not panel.isAncestorOf(part):
            break
        whole = inside if inside.isAncestorOf(part) else panel
        place = QRect(part.mapTo(whole, QPoint()), part.size())
        places.append(place if whole is inside else place.translated(0, inside.height()))
        qtbot.keyClick(part, Qt.Key.Key_Tab)
    assert len(places) > 6
    for one, following in pairwise(places):  # below it, or beside it to the right
        assert following.top() > one.center().y() or following.left() > one.right()


def test_a_panel_left_open_comes_back_and_hinders_nothing(
    window: MainWindow, settings: Settings, qtbot: QtBot
) -> None:
    window.show_dock("runs")
    window.docks.gather("play", ("play",))
    window.actions_by_key["notes"].trigger()
    for opened_last in ("notes", "play", "runs", "run"):
        assert opened_last in in_sight(window)
        window.back()
        assert opened_last not in in_sight(window)
    window.show_dock("runs")
    window.close()
    again = MainWindow(settings, FakeHost())  # type: ignore[arg-type]
    again.show()
    qtbot.waitUntil(lambda: again.complete)
    close_for_good(again)
