"""Measuring in the window: by keys, by mouse, in words; taken back, kept, taken along."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from pdf_files import words_of
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtGui import QContextMenuEvent, QMouseEvent
from PyQt6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from screen import hover
from test_controller import FakeHost
from whole_window import finished_run, whole_window

from gpu.record.trace import SAMPLE, Trace
from gpu.study.interval import QUANTITIES
from viewer.main_window import MainWindow

Key, Held = Qt.Key, Qt.KeyboardModifier
LEFT = Qt.MouseButton.LeftButton
COUNT, STEP_NS = 101, 10_000


@pytest.fixture
def window(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, host: FakeHost
) -> Iterator[MainWindow]:
    with whole_window(qtbot, tmp_path, host) as window:
        finished_run(window, host, steadily)
        yield window
        window.set_theme("light")


def steadily(trace: Trace) -> Trace:
    samples = np.zeros(COUNT, SAMPLE)
    number = np.arange(COUNT)
    samples["t_ns"], samples["assigned_edges"] = STEP_NS * number, number
    samples["processed_vertices"], samples["relaxed_edges"] = number, 3 * number
    samples["delta"] = 8.0
    samples["flags"][-1] = trace.samples["flags"][-1]
    return Trace(**{**vars(trace), "samples": samples})


def cell(window: MainWindow, key: str, row: int = 0) -> str:
    strip = window.features["measure"].strip
    strip.refresh()
    place = [one.key for one in QUANTITIES].index(key)
    return strip.cells.item(row, place + 1).text()


def drag(widget: QWidget, start: QPoint, end: QPoint, keys: Qt.KeyboardModifier) -> None:
    kinds = QMouseEvent.Type
    for kind, place, held in (
        (kinds.MouseButtonPress, start, LEFT),
        (kinds.MouseMove, (start + end) / 2, LEFT),
        (kinds.MouseMove, end, LEFT),
        (kinds.MouseButtonRelease, end, Qt.MouseButton.NoButton),
    ):
        button = Qt.MouseButton.NoButton if kind == kinds.MouseMove else LEFT
        where = QPointF(place)
        event = QMouseEvent(kind, where, widget.mapToGlobal(where), button, held, keys)
        QApplication.sendEvent(widget, event)


def test_one_mark_measures_to_the_cursor_and_two_stay(window: MainWindow, qtbot: QtBot) -> None:
    playback = window.playback
    assert not window.features["measure"].strip.isVisible()
    playback.set_cursor(200_000.0)
    qtbot.keyClick(window, Key.Key_M)
    assert window.playback.measure.marks == (200_000.0, None)
    assert window.features["measure"].strip.isVisible()
    playback.set_cursor(500_000.0)
    assert cell(window, "processed") == "30"
    playback.set_cursor(700_000.0)
    assert cell(window, "relaxed") == "150"
    qtbot.keyClick(window, Key.Key_M, Held.ShiftModifier)
    playback.set_cursor(0.0)
    assert cell(window, "time_ns") == "500.0 µs"
    assert cell(window, "parallelism") == "44.5"
    assert "processed 50" in window.features["measure"].strip.accessibleDescription()
    assert "processed 50" in window.timeline.summary_text()


def test_a_drag_with_ctrl_on_a_plot_measures_and_lines_can_be_dragged(
    window: MainWindow, qtbot: QtBot
) -> None:
    plot, measure = window.plots["work"], window.playback.measure
    window.docks["work"].raise_()
    QApplication.processEvents()
    plot.flush()
    viewport = plot.view.viewport()

    def at(time_ns: float) -> QPoint:
        scene = plot.view_box.mapViewToScene(QPointF(time_ns, 0.0))
        return QPoint(round(scene.x()), round(plot.view_box.sceneBoundingRect().center().y()))

    near = 2 * STEP_NS
    qtbot.mousePress(viewport, Qt.MouseButton.RightButton, pos=at(300_000))  # no release comes
    there = QContextMenuEvent.Reason.Mouse, QPoint(), viewport.mapToGlobal(at(300_000))
    plot.contextMenuEvent(QContextMenuEvent(*there))
    window.actions_by_key["mark_1"].trigger()
    assert measure.marks == (pytest.approx(300_000, abs=near), None)
    drag(viewport, at(200_000), at(600_000), Held.ControlModifier)
    assert measure.marks == pytest.approx((200_000, 600_000), abs=near)
    plot.flush()
    assert [line.isVisible() for line in plot.marks.lines] == [True, True]
    tint = plot.marks.tint.boundingRect()
    assert (tint.left(), tint.right()) == measure.ends(0.0)
    qtbot.wait(50)  # pyqtgraph looks at the pointer a hundred times a second
    hover(viewport, at(600_000))
    qtbot.wait(50)
    drag(viewport, at(600_000), at(800_000), Held.NoModifier)
    assert measure.marks == pytest.approx((200_000, 800_000), abs=near)
    assert [line.value() for line in plot.marks.lines] == list(measure.marks)
    assert window.playback.fitted


def test_the_table_is_part_of_a_picture(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    window.playback.measure.set_marks((100_000.0, 400_000.0))
    saved: list[object] = []
    monkeypatch.setattr(window.files, "save_in_background", lambda _p, write: saved.append(write))
    window.features["take_away"].save_panel("work", str(tmp_path / "work.pdf"))
    saved[0](str(tmp_path / "work.pdf"))
    assert "processed 30" in words_of(tmp_path / "work.pdf")
