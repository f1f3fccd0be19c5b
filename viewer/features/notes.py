"""Notes at moments and vertices: made, listed, changed.

The list has the notes of the runs that are shown in order of time, then those of their graph. A
click, or Enter, goes there; a double click, or Ctrl+Enter, changes the words; Delete removes it.
"""

from __future__ import annotations

from functools import partial

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QListWidget, QMenu, QWidget

from gpu.record.notes import MOST_NOTES, note
from gpu.words import in_sight, plural, time_unit, time_words
from viewer.common.small_widgets import centred_hint, hint_or_page, label, panel_column
from viewer.common.text_size import scaled
from viewer.docks import PLOTS
from viewer.feature import FeaturePart, Window
from viewer.frame.vertex_dialog import ask_text, ask_vertex
from viewer.models.notes import Flag, Pin
from viewer.models.playback import PlaybackModel
from viewer.models.session import NOTHING_RECORDED, Notice, SessionModel

WIDTH = 420  # pixels, at the reference text size
ELSEWHERE = " on other runs of this graph, seen when their run is shown (Runs)."
HINT = "No notes yet: press N for one at the cursor, Shift+N for one at a vertex."


class NotesPanel(QWidget):
    """See the module docstring."""

    vertex_chosen = pyqtSignal(int)  # 0-based: look there
    change_requested = pyqtSignal(object)  # Pin

    def __init__(self, session: SessionModel, playback: PlaybackModel) -> None:
        super().__init__()
        self._session, self._playback, self._notes = session, playback, session.notes
        self._pins: list[Pin] = []
        self._flags: dict[Pin, Flag] = {}  # of those at moments
        self.setMinimumSize(200, 96)
        self.list = QListWidget()
        self.list.setAccessibleName("Notes")
        self.list.setWordWrap(True)
        self._hint = centred_hint(HINT)
        page = QWidget()
        column = panel_column(page)
        column.addWidget(self.list)
        column.addWidget(label("A double click changes a note, Delete removes it.", "muted"))
        self._pages = hint_or_page(self, self._hint, page)
        self.list.itemClicked.connect(self._go)
        self.list.itemDoubleClicked.connect(self._change)
        self._notes.changed.connect(self._show_notes)
        session.current_changed.connect(self._show_notes)
        session.graph_changed.connect(self._show_notes)
        self._show_notes()

    def _show_notes(self, _news: object = None) -> None:
        row = self.list.currentRow()
        self._pins = self._notes.shown()
        self._flags = {flag.pin: flag for flag in self._notes.flags()}
        self.list.clear()
        self.list.addItems([f"{self._where(pin)}: {pin.note.text}" for pin in self._pins])
        self.list.setCurrentRow(min(row, len(self._pins) - 1))
        others = self._notes.of_other_runs()
        self._hint.setText(f"{plural(others, 'note')}{ELSEWHERE}" if others else HINT)
        self._pages.setCurrentIndex(1 if self._pins else 0)
        self.setAccessibleDescription(self.summary_text())

    def _where(self, pin: Pin) -> str:
        if pin.note.vertex is None:
            flag = self._flags[pin]
            words = time_words(flag.time_ns, time_unit(self._playback.duration_ns))
            return f"run {flag.letter}, {words}" if flag.letter else words
        graph = self._session.graph
        here = graph is not None and pin.at < graph.n
        return f"vertex {in_sight(str(graph.id_of(pin.at))) if graph and here else pin.at}"

    def summary_text(self) -> str:
        """Return all notes in a sentence, for screen readers."""
        said = [f"{self._where(pin)}: {pin.note.text}" for pin in self._pins]
        return "; ".join(said or [self._hint.text()])

    def _chosen(self) -> Pin | None:
        row = self.list.currentRow()
        return self._pins[row] if 0 <= row < len(self._pins) else None

    def _go(self, _item: object = None) -> None:
        pin = self._chosen()
        if pin is not None and pin.note.vertex is None:
            self._playback.pause()
            self._playback.set_cursor(self._flags[pin].time_ns)
        elif pin is not None:
            self.vertex_chosen.emit(pin.at)

    def _change(self, _item: object = None) -> None:
        pin = self._chosen()
        if pin is not None:
            self.change_requested.emit(pin)

    def keyPressEvent(self, a0: QKeyEvent | None) -> None:
        """Take the keys that the list leaves; see the module docstring."""
        pin, key = self._chosen(), a0.key() if a0 is not None else None
        if a0 is not None and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            held = a0.modifiers() & Qt.KeyboardModifier.ControlModifier
            self._change() if held else self._go()
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and pin is not None:
            self._notes.remove(pin)
        else:
            super().keyPressEvent(a0)


class NotesFeature(FeaturePart):
    """Makes and changes notes."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self.notes = window.session.notes
        window.graph_view.more_menu.append(self._add_to_menu)
        for key in PLOTS:
            window.docks[key].addAction(window.actions_by_key["note_moment"])

    def make_panel(self, _dock: str) -> QWidget:
        """Return the list of notes."""
        panel = NotesPanel(self._window.session, self._window.playback)
        panel.vertex_chosen.connect(self._window.graph_view.look_at)
        panel.change_requested.connect(self.ask_change)
        return panel

    def ask_at_cursor(self) -> None:
        """Ask for a note at the moment shown."""
        window = self._window
        run = window.session.current
        if run is None:
            return
        if run.failure and not len(run.samples):
            window.session.set_notice(Notice("info", NOTHING_RECORDED, "It has no moment to note."))
            return
        when = self.notes.at_moment(run, window.playback.cursor_ns)
        of = f" on run A ({run.algorithm.title})" if window.comparison.active else ""
        title = f"Note{of} at {time_words(when, time_unit(window.playback.duration_ns))}"
        self._ask(title, run.run_id, run.graph_reference.hash, t_ns=when)

    def ask_at_vertex(self) -> None:
        """Ask for a note at the vertex pointed at; where none is, ask for the vertex first."""
        window = self._window
        if window.graph_view.pointed >= 0:
            self._ask_at(window.graph_view.pointed)
        else:
            ask_vertex(window.session, "Note at a vertex", self._ask_at, window.as_widget())

    def _ask_at(self, vertex: int) -> None:
        graph = self._window.session.graph
        if graph is not None and not self._window.session.arcs_missing:
            title = f"Note at vertex {in_sight(str(graph.id_of(vertex)))}"
            self._ask(title, 0, graph.hash, vertex=vertex)

    def ask_change(self, pin: Pin) -> None:
        """Ask for other words of a note; without any it is removed."""
        place = {"t_ns": pin.note.t_ns, "vertex": pin.note.vertex}
        self._ask("Note", pin.run_id, pin.graph, before=pin, **place)

    def _ask(
        self, title: str, run_id: int, graph: str, before: Pin | None = None, **place: int | None
    ) -> None:
        def take(text: str) -> None:
            made = note(text, **place)
            self._put(before, Pin(made, run_id, graph) if made is not None else None)
            self._window.show_dock("notes")

        text = before.note.text if before is not None else ""
        dialog = ask_text("Note", title, take, self._window.as_widget(), text)
        dialog.setMinimumWidth(scaled(WIDTH))

    def _put(self, before: Pin | None, pin: Pin | None) -> None:
        if before is not None and pin is not None:
            self.notes.change(before, pin)
        elif before is not None:
            self.notes.remove(before)
        elif pin is not None and not self.notes.pin(pin):
            words = f"There are {MOST_NOTES:,} notes already; a saved run holds no more."
            self._window.session.set_notice(Notice("warning", words, "Delete one first."))

    def _add_to_menu(self, menu: QMenu, vertex: int) -> None:
        menu.addSeparator()
        menu.addAction("&Note here…", partial(self._ask_at, vertex))


install = NotesFeature
