"""Notes in the window: made by keys and menu, listed, changed, taken back, saved, read again."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QApplication, QDialog, QInputDialog, QLineEdit
from pytestqt.qtbot import QtBot
from test_controller import FakeHost
from whole_window import finished_run, whole_window

from gpu.record.notes import LONGEST_NOTE, Note
from gpu.record.tracefile import load_trace, save_trace
from gpu.record.workspace import load_workspace, save_workspace
from viewer.main_window import MainWindow
from viewer.models.notes import NotesModel, Pin
from viewer.models.session import RunRecord

Key, Held = Qt.Key, Qt.KeyboardModifier
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def window(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, host: FakeHost
) -> Iterator[MainWindow]:
    with whole_window(qtbot, tmp_path, host) as window:
        finished_run(window, host)
        yield window


def notes_of(window: MainWindow) -> NotesModel:
    return window.session.notes


def texts(window: MainWindow) -> list[str]:
    return [pin.note.text for pin in notes_of(window).shown()]


def answer(window: MainWindow, qtbot: QtBot, kind: type[QDialog], words: str) -> None:
    """Type into the dialog that is open, and press Enter."""
    dialog = next(one for one in window.findChildren(kind) if one.isVisible())
    field = dialog.findChild(QLineEdit)
    field.selectAll()
    qtbot.keyClicks(field, words)
    qtbot.keyClick(field, Key.Key_Return)


def test_a_note_at_the_cursor_and_one_at_a_vertex_by_keys(window: MainWindow, qtbot: QtBot) -> None:
    window.playback.set_cursor(300.0)
    qtbot.keyClick(window, Key.Key_N)
    answer(window, qtbot, QInputDialog, "here it starves")
    qtbot.keyClick(window, Key.Key_N, Held.ShiftModifier)
    answer(window, qtbot, QInputDialog, "99")
    assert "99 is not a vertex" in window.session.notice.words
    qtbot.keyClick(window, Key.Key_N, Held.ShiftModifier)
    answer(window, qtbot, QInputDialog, "2")
    answer(window, qtbot, QInputDialog, "the bridge")
    pins = notes_of(window).shown()
    assert [pin.note for pin in pins] == [
        Note("here it starves", t_ns=300),
        Note("the bridge", vertex=2),
    ]
    window.graph_view.pointed = 1
    qtbot.keyClick(window, Key.Key_N, Held.ShiftModifier)
    answer(window, qtbot, QInputDialog, "   ")  # nothing is left of it
    assert len(notes_of(window).shown()) == 2


def test_the_list_goes_there_changes_and_takes_away(window: MainWindow, qtbot: QtBot) -> None:
    notes, panel = notes_of(window), window.show_dock("notes")
    run = window.session.current
    graph = run.graph_reference.hash
    notes.pin(Pin(Note("late", t_ns=300), run.run_id, graph))
    notes.pin(Pin(Note("early", t_ns=100), run.run_id, graph))
    notes.pin(Pin(Note("<b>not bold</b>", vertex=3), 0, graph))
    notes_list = panel.list
    words = [notes_list.item(row).text() for row in range(3)]
    assert [one.split(": ")[1] for one in words] == ["early", "late", "<b>not bold</b>"]
    assert words[2].startswith("vertex 3: ")
    notes_list.setCurrentRow(1)
    notes_list.itemClicked.emit(notes_list.item(1))
    assert window.playback.cursor_ns == 300
    notes_list.setCurrentRow(0)
    qtbot.keyClick(notes_list, Key.Key_Return)
    assert window.playback.cursor_ns == 100
    qtbot.keyClick(notes_list, Key.Key_Return, Held.ControlModifier)
    answer(window, qtbot, QInputDialog, "x" * (LONGEST_NOTE + 50))
    assert len(texts(window)[0]) == LONGEST_NOTE
    notes_list.setCurrentRow(0)
    qtbot.keyClick(notes_list, Key.Key_Delete)
    assert texts(window) == ["late", "<b>not bold</b>"]
    assert "vertex 3: <b>not bold</b>" in panel.accessibleDescription()


def test_the_notes_of_both_runs_fly_on_one_clock(
    window: MainWindow, host: FakeHost, qtbot: QtBot
) -> None:
    notes, pair, a = notes_of(window), window.comparison, window.session.current
    b = finished_run(window, host)
    window.session.set_current(a)
    pair.compare_with(b)
    times, graph = a.samples["t_ns"], a.graph_reference.hash
    notes.pin(Pin(Note("of a", t_ns=int(times[2])), a.run_id, graph))
    notes.pin(Pin(Note("of b", t_ns=10), b.run_id, graph))
    flags = {flag.pin.note.text: flag for flag in notes.flags()}
    assert {text: (flag.letter, flag.time_ns) for text, flag in flags.items()} == {
        "of a": ("A", times[2]),
        "of b": ("B", 10.0),
    }
    panel = window.show_dock("notes")
    where = [panel.list.item(row).text()[:7] for row in range(panel.list.count())]
    assert sorted(where) == ["run A, ", "run B, "]
    pair.end()
    assert [(flag.pin.note.text, flag.letter) for flag in notes.flags()] == [("of a", "")]


def test_notes_are_saved_with_the_run_and_come_back(
    window: MainWindow, host: FakeHost, tmp_path: Path
) -> None:
    notes, run = notes_of(window), window.session.current
    graph = run.graph_reference.hash
    notes.pin(Pin(Note("a moment", t_ns=100), run.run_id, graph))
    notes.pin(Pin(Note("a vertex", vertex=1), 0, graph))
    save_trace(notes.trace_of(run), tmp_path / "run.npz")
    kept = load_trace(tmp_path / "run.npz")
    assert kept.notes == (Note("a moment", t_ns=100), Note("a vertex", vertex=1))
    part = window.features["workspace"]
    save_workspace(part.workspace("a.ssspw"), tmp_path / "a.ssspw", window.session.graph)
    back = load_workspace(tmp_path / "a.ssspw")
    assert back.runs[0][1].notes == kept.notes
    assert back.window["notes"] == [{"text": "a vertex", "vertex": 1}]
    second = RunRecord.from_trace(-5, kept)
    window.session.add_run(second)
    assert texts(window) == ["a moment", "a vertex"]  # the vertex's is there once
    window.session.remove_run(second)
    assert texts(window) == ["a moment", "a vertex"]
    other = finished_run(window, host)
    assert texts(window) == ["a vertex"]
    assert notes.trace_of(other).notes == (Note("a vertex", vertex=1),)
