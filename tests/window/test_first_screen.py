"""The first screen: few controls, one sentence, a Δ that answers, nothing lost by running."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from PyQt6.QtCore import QEvent, QObject, QPoint, Qt
from PyQt6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QSlider,
    QTabBar,
    QWidget,
)
from PyQt6.sip import isdeleted
from pytestqt.qtbot import QtBot
from test_controller import FakeHost, say
from test_features import opened
from test_window import close_for_good

from gpu.host import RunFinished, RunStarted, Verified
from gpu.record.trace import Verification
from sample_graphs import open_sample
from viewer.features.simple import SimpleFeature
from viewer.main_window import MainWindow
from viewer.models.session import RunRecord
from viewer.models.settings import Settings

LEFT = Qt.MouseButton.LeftButton
TOUCHED = (QAbstractButton, QComboBox, QAbstractSpinBox, QLineEdit, QSlider, QTabBar)
MOST_CONTROLS = 12
LONGEST_VERDICT = 100
PATIENCE = 60_000  # ms


@pytest.fixture
def fresh(tmp_path: Path) -> Settings:
    return Settings(tmp_path / "fresh.ini")


@pytest.fixture
def window(qapp: QApplication, fresh: Settings, host: FakeHost) -> Iterator[MainWindow]:
    window = opened(fresh, host)
    window.resize(1280, 800)
    window.start()
    yield window
    close_for_good(window)


def screen(window: MainWindow) -> SimpleFeature:
    return window.features["simple"]


def controls(window: MainWindow) -> list[QWidget]:
    """Return what can be pressed, chosen, moved or typed into, outside the menu bar."""
    QApplication.processEvents()
    found = []
    for part in window.findChildren(QWidget):
        inside = isinstance(part.parentWidget(), QComboBox | QAbstractSpinBox)
        if not isinstance(part, TOUCHED) or inside or part.window() is not window:
            continue
        if part.isVisible() and part.isEnabled() and not part.visibleRegion().isEmpty():
            found.append(part)
    return found


def finish(window: MainWindow, host: FakeHost) -> RunRecord:
    """Let the run that goes on end as the recording did, and be proved."""
    record = next(run for run in window.session.runs if run.running)
    recorded = next(run for run in window.session.runs if run.recorded_on)
    trace = replace(
        recorded.trace,
        settings=record.settings,
        clock="modelled",
        environment={},
        verification=None,
    )
    say(window.controller, host, RunStarted(record.run_id), RunFinished(record.run_id, trace))
    say(window.controller, host, Verified(record.run_id, Verification(True, True, "both hold")))
    return record


def run_both(window: MainWindow, host: FakeHost, qtbot: QtBot) -> None:
    qtbot.mouseClick(screen(window).bottom.run, LEFT)
    finish(window, host)
    qtbot.waitUntil(lambda: window.controller.running)
    finish(window, host)


def test_at_most_twelve_controls_are_in_sight(window: MainWindow) -> None:
    seen = controls(window)
    names = [f"{type(part).__name__} {part.accessibleName() or part.toolTip()}" for part in seen]
    assert 8 <= len(seen) <= MOST_CONTROLS, "\n".join(names)
    shown = {key for key, dock in window.docks.by_key.items() if dock.isVisible()}
    assert shown == {"buckets", "delta", "parallelism"}
    assert not window.toolbar.isVisible()
    window.actions_by_key["all_controls"].trigger()
    assert len(controls(window)) > MOST_CONTROLS


def test_one_short_sentence_and_the_whole_of_it_on_a_sheet(
    window: MainWindow, qtbot: QtBot
) -> None:
    top = screen(window).top
    assert top.verdict.text() == "ADDS did 8x the work and finished in half the time."
    assert len(top.verdict.text()) <= LONGEST_VERDICT
    assert top.whence.text() == "recorded on an H100, ✓ verified"
    assert not window.features["compare"].bar.isVisible()
    assert "was faster in spite of its extra work" in top.more.accessibleDescription()
    qtbot.keyClick(top.more, Qt.Key.Key_Space)
    old = QApplication.activePopupWidget()
    top.say("", "", "Other words.")
    sheet = QApplication.activePopupWidget()
    assert sheet is not None
    assert sheet is not old
    qtbot.mouseClick(sheet, LEFT)  # the second of a double click
    assert sheet.isVisible()
    qtbot.keyClick(sheet, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: isdeleted(sheet) or not sheet.isVisible())


def test_one_legend_and_one_axis_of_time(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: window.graph_view.drawn_text() != "")
    legends = window.findChildren(type(window.graph_view.legend))
    qtbot.waitUntil(lambda: [one.isVisible() for one in legends].count(True) == 1)
    top = window.graph_view.mapTo(window, QPoint(0, 0)).y()
    plots = [window.docks[key] for key in ("buckets", "delta", "parallelism")]
    assert abs(plots[0].y() - top) < 12
    bottom = window.graph_view.mapTo(window, QPoint(0, window.graph_view.height())).y()
    assert abs(plots[-1].y() + plots[-1].height() - bottom) < 12


def test_all_controls_come_and_go_as_they_were_left(window: MainWindow, qtbot: QtBot) -> None:
    view, top = window.graph_view, screen(window).top
    view.zoom(3.0)
    scale, centre = view.camera.scale, (view.camera.cx, view.camera.cy)
    qtbot.mouseClick(top.controls, LEFT)
    assert window.toolbar.isVisible()
    assert window.docks["run"].isVisible()
    assert not top.isVisible()
    assert (view.camera.scale, (view.camera.cx, view.camera.cy)) == (scale, centre)
    window.docks["work"].close()
    for shown in (False, True):
        window.actions_by_key["all_controls"].trigger()
        assert top.isVisible() is not shown
        assert view.camera.scale == scale
    assert not window.docks["work"].isVisible()


def test_running_here_loses_nothing(window: MainWindow, host: FakeHost, qtbot: QtBot) -> None:
    bottom = screen(window).bottom
    recorded = (window.comparison.a, window.comparison.b)
    assert not any(button.isVisible() for button in bottom.pairs.values())
    run_both(window, host, qtbot)
    assert [asked.algorithm for asked in host.asked("run")] == ["adds", "near_far"]
    window.controller.set_source(7)
    run_both(window, host, qtbot)
    assert [asked.source for asked in host.asked("run")[2:]] == [7, 7]
    window.comparison.b.state = "stopped"
    run_both(window, host, qtbot)  # B to its end, too
    here = (window.comparison.a, window.comparison.b)
    for made, shown in zip(here, recorded, strict=True):
        assert made.settings.parameters.items() >= shown.settings.parameters.items()
    assert screen(window).top.whence.text().startswith("made here, modelled")
    assert bottom.pairs["here"].isChecked()
    for name, pair in (("recorded", recorded), ("here", here)):
        qtbot.mouseClick(bottom.pairs[name], LEFT)
        assert (window.comparison.a, window.comparison.b) == pair
        assert bottom.pairs[name].isChecked()
    assert len(controls(window)) <= MOST_CONTROLS


def test_letting_go_of_delta_runs_again(window: MainWindow, host: FakeHost, qtbot: QtBot) -> None:
    bottom = screen(window).bottom
    assert bottom.auto.isChecked()
    bottom.delta.setSliderDown(True)
    bottom.delta.setSliderPosition(bottom.delta.value() + 16)
    chosen = bottom.delta.delta
    assert not host.asked("run")
    bottom.delta.setSliderDown(False)
    made = host.asked("run")[-1]
    assert made.delta == pytest.approx(chosen, rel=0.01)
    finish(window, host)
    qtbot.waitUntil(lambda: window.controller.running)
    b = finish(window, host)
    assert not bottom.auto.isChecked()
    assert "Δ" in screen(window).top.verdict.text()
    qtbot.mouseClick(bottom.auto, LEFT)
    assert host.asked("run")[-1].delta is None
    finish(window, host)
    assert window.comparison.b is b
    assert not window.controller.running


def test_delta_steers_a_run_that_goes_on_slowly_while_it_is_held(
    window: MainWindow, host: FakeHost, qtbot: QtBot
) -> None:
    bottom = screen(window).bottom
    qtbot.mouseClick(bottom.run, LEFT)
    before = len(host.asked("set_pace"))
    bottom.delta.setSliderDown(True)
    bottom.delta.setSliderPosition(bottom.delta.value() - 8)
    assert host.asked("set_delta")[-1] == pytest.approx(bottom.delta.delta)
    bottom.delta.setSliderDown(False)
    slow, after = host.asked("set_pace")[before:]
    assert 0 < slow < 100
    assert after is None
    assert len(host.asked("run")) == 1
    qtbot.mouseClick(bottom.auto, LEFT)
    assert host.asked("set_delta")[-1] is None


def test_the_keys_of_playback_work_at_once(window: MainWindow, qtbot: QtBot) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    before = window.playback.cursor_ns
    focused = QApplication.focusWidget()
    qtbot.keyClick(focused, Qt.Key.Key_Right)
    assert window.playback.cursor_ns > before
    qtbot.keyClick(focused, Qt.Key.Key_Space)
    assert window.playback.playing


def test_presenting_shows_this_screen_without_its_top_row(window: MainWindow) -> None:
    top, bottom = screen(window).top, screen(window).bottom
    for _ in range(2):
        window.actions_by_key["present"].trigger()
        assert not any(part.isVisible() for part in (top.graph, top.open, top.controls))
        assert top.verdict.isVisible()
        assert bottom.run.isVisible()
        window.back()
        assert top.graph.isVisible()


@pytest.mark.parametrize("what", ["lesson", "microscope", "recorded_sweep", "show_runs"])
def test_esc_comes_back_to_it(window: MainWindow, qtbot: QtBot, what: str) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    top = screen(window).top
    if what == "lesson":
        window.actions_by_key["lessons"].trigger()
        window.features["lessons"].start(1)
        panel = "lesson"
    else:
        window.actions_by_key[what].trigger()
        panel = {"recorded_sweep": "sweep", "show_runs": "runs"}.get(what, what)
    qtbot.waitUntil(window.docks[panel].isVisible)
    if what != "show_runs":
        qtbot.waitUntil(lambda: "Esc" in window.status_bar.currentMessage())
    for _ in range(2):  # a lesson first shows the list of lessons again, with this screen
        qtbot.keyClick(window, Qt.Key.Key_Escape)
        QApplication.processEvents()
    qtbot.waitUntil(lambda: not window.docks[panel].isVisible())
    assert window.docks.arrangement == "simple"
    assert top.isVisible()
    assert not any(part.isVisible() for part in (window.toolbar, window.docks["run"]))
    assert window.comparison.active
    assert window.controller._load_id < 0  # no graph of the lesson comes after it


def test_nothing_flashes_while_it_is_built_and_it_plays_once(
    qapp: QApplication, fresh: Settings, qtbot: QtBot
) -> None:
    """The parts of a screen with two runs stand in it from their first moment."""
    window = MainWindow(fresh, FakeHost())  # type: ignore[arg-type]
    shown = Shown(window)
    qapp.installEventFilter(shown)
    window.show()
    window.start()
    assert not window.complete
    screen(window)._play_once()
    assert not window.playback.playing  # with one map, and without plots
    qtbot.waitUntil(lambda: window.complete, timeout=PATIENCE)
    qapp.removeEventFilter(shown)
    assert shown.windows == ["main_window"]
    qtbot.waitUntil(lambda: window.playback.playing, timeout=PATIENCE)
    close_for_good(window)
    again = MainWindow(fresh, FakeHost())  # type: ignore[arg-type]
    again.start()
    screen(again)._play_once()
    assert not again.playback.playing
    close_for_good(again)


class Shown(QObject):
    """Notes the windows that are shown."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.windows: list[str] = []

    def eventFilter(self, a0: QObject | None, a1: QEvent | None) -> bool:
        is_shown = a1 is not None and a1.type() == QEvent.Type.Show
        if is_shown and isinstance(a0, QWidget) and a0.isWindow():
            self.windows.append(a0.objectName())
        return False


def test_a_run_that_begins_says_its_delta(window: MainWindow, host: FakeHost, qtbot: QtBot) -> None:
    bottom = screen(window).bottom
    run_both(window, host, qtbot)
    bottom.delta.chosen.emit(512.0)
    assert window.session.current.running
    assert bottom.value.text() == "512"
    assert not bottom.auto.isChecked()
    assert bottom.pairs["here"].isVisible()
    window.controller.show_graph(open_sample("sample:figure_1"))
    assert not any(button.isVisible() for button in bottom.pairs.values())


def test_a_double_click_runs_and_does_not_stop(
    window: MainWindow, host: FakeHost, qtbot: QtBot
) -> None:
    run = screen(window).bottom.run
    qtbot.mouseClick(run, LEFT)
    qtbot.mouseDClick(run, LEFT)
    assert window.controller.running
    window.actions_by_key["lessons"].trigger()
    qtbot.keyClick(window, Qt.Key.Key_Escape)  # goes back, as the status bar says
    assert window.docks.arrangement == "simple"
    assert not host.asked("stop")


def test_the_window_fits_into_640_by_480(window: MainWindow, qtbot: QtBot) -> None:
    for shown in (False, True):
        window.actions_by_key["all_controls"].setChecked(not shown)
        window.actions_by_key["all_controls"].trigger()
        qtbot.waitUntil(partial(shrunk, window), timeout=PATIENCE)
    words = window.features["compare"].bar.words
    qtbot.waitUntil(lambda: words.height() >= words.heightForWidth(words.width()))  # none is cut
    assert words.text() == screen(window).top.verdict.text()


def shrunk(window: MainWindow) -> bool:
    """Make the window small, as a person drags its corner."""
    window.resize(640, 480)
    return (window.width(), window.height()) == (640, 480)


def test_b_can_be_adds_as_published(window: MainWindow, host: FakeHost, qtbot: QtBot) -> None:
    run_both(window, host, qtbot)
    menu = window.actions_by_key.menu("compare_other")
    menu.aboutToShow.emit()
    (row,) = [one for one in menu.actions() if one.text() == "ADDS, as published"]
    row.trigger()
    assert host.asked("run")[-1].parameters["as_published"]
    b = finish(window, host)
    assert window.comparison.b is b
    assert "as published" in b.title.lower()
    assert any("s published" in name for name in window.comparison.names)


def test_drawing_gives_the_pair_back(window: MainWindow) -> None:
    pair = window.session.current, window.comparison.b
    assert None not in pair
    window.features["draw"].show()
    assert window.comparison.b is None
    assert "Draw" in screen(window).top.verdict.text()  # nothing is said of another graph
    assert "ADDS" not in window.status_bar._state.text()
    window.features["draw"].leave()
    assert (window.session.current, window.comparison.b) == pair


def test_another_b_beside_a_recording_is_made_here_with_its_a(
    window: MainWindow, host: FakeHost, qtbot: QtBot
) -> None:
    window.features["compare"].compare_algorithm("delta_stepping")
    a = finish(window, host)
    qtbot.waitUntil(lambda: window.controller.running)
    b = finish(window, host)
    made = [(asked.algorithm, asked.engine) for asked in host.asked("run")]
    assert made == [("adds", "model"), ("delta_stepping", "model")]
    assert (window.comparison.a, window.comparison.b) == (a, b)
    assert a.verification is not None
    assert window.status_bar._state.text().startswith("Finished: Δ-stepping")
    assert window.files._name_of(a, b).endswith("-adds-delta_stepping")
    window.comparison.end()
    window.features["compare"].compare_rival()  # the one chosen last
    assert window.comparison.b is b
    window.run_panel.set_choices(replace(window.run_panel.choices(), probe=1))
    run_both(window, host, qtbot)  # B as A: samples alone
    screen(window)._open("sample:city_roads", None)
    assert window.status_bar.currentMessage().startswith("B is Near-Far in this recording")
    run_both(window, host, qtbot)  # what is shown
    made = [(asked.algorithm, asked.probe) for asked in host.asked("run")[2:]]
    assert made == [("adds", 1), ("delta_stepping", 1), ("adds", 1), ("near_far", 1)]
