"""Notes at moments and vertices: made, listed, changed.

The list has the notes of the runs that are shown in order of time, then those of their graph. A
click, or Enter, goes there; a double click, or F2, changes the words; Delete removes a note.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PyQt6.QtCore import QEvent, QObject, QSignalBlocker, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QInputDialog,
    QMenu,
    QPushButton,
    QStackedLayout,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gpu.record.notes import MOST_NOTES, note
from gpu.words import in_sight, time_unit, time_words
from viewer.common.flow import FlowLayout
from viewer.common.small_widgets import centred_hint, plain_table
from viewer.common.text_size import scaled
from viewer.common.theme import SPACING
from viewer.docks import PLOTS
from viewer.feature import FeaturePart, Table, Window
from viewer.frame.vertex_dialog import VertexDialog
from viewer.models.notes import Flag, Pin
from viewer.models.playback import PlaybackModel
from viewer.models.session import Notice, SessionModel

WIDTH = 420  # pixels, at the reference text size
HINT = "No notes yet: press N for one at the cursor, Shift+N for one at a vertex."
COLUMNS = ("Where", "Note")
WORDS = 1  # the column that is edited
HEADER = ("at", "t_ns", "vertex", "note")


class NotesPanel(QWidget):
    """See the module docstring."""

    vertex_chosen = pyqtSignal(int)  # 0-based: look there
    moment_wanted = pyqtSignal()  # a note at the cursor
    vertex_wanted = pyqtSignal()  # a note at a vertex

    def __init__(self, session: SessionModel, playback: PlaybackModel) -> None:
        super().__init__()
        self._session, self._playback = session, playback
        self._notes = session.notes
        self._pins: list[Pin] = []
        self._flags: dict[Pin, Flag] = {}  # of those at moments
        self._build()
        self._connect()
        self._show_notes()

    def _build(self) -> None:
        self.setMinimumSize(200, 96)
        self.table = plain_table(COLUMNS, "Notes")
        triggers = QAbstractItemView.EditTrigger
        self.table.setEditTriggers(triggers.DoubleClicked | triggers.EditKeyPressed)
        down, across = self.table.verticalHeader(), self.table.horizontalHeader()
        assert down is not None
        assert across is not None
        down.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        across.setSectionResizeMode(WORDS, QHeaderView.ResizeMode.Stretch)
        self.new_button = QPushButton("At the cursor…")
        self.vertex_button = QPushButton("At a vertex…")
        self.remove_button = QPushButton("Take away")
        self.new_button.setToolTip("A new note at the cursor (N)")
        self.vertex_button.setToolTip("A new note at a vertex (Shift+N)")
        self.remove_button.setToolTip("Take the chosen note away (Delete)")
        buttons = (self.new_button, self.vertex_button, self.remove_button)
        foot = FlowLayout()
        for button in buttons:
            foot.addWidget(button)
        self.hint = centred_hint(HINT)
        pages = QWidget()
        self._pages = QStackedLayout(pages)
        self._pages.addWidget(self.hint)
        self._pages.addWidget(self.table)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACING, SPACING // 2, SPACING, SPACING // 2)
        column.addWidget(pages, 1)
        column.addLayout(foot)

    def _connect(self) -> None:
        self.table.cellClicked.connect(self._go)
        self.table.itemSelectionChanged.connect(self._enable)
        self.table.itemChanged.connect(self._take_words)
        self.table.installEventFilter(self)
        self.new_button.clicked.connect(self.moment_wanted)
        self.vertex_button.clicked.connect(self.vertex_wanted)
        self.remove_button.clicked.connect(self._remove)
        self._notes.changed.connect(self._show_notes)
        self._session.current_changed.connect(self._show_notes)
        self._session.graph_changed.connect(self._show_notes)

    # --- what it shows

    def _show_notes(self, _news: object = None) -> None:
        row = self.table.currentRow()
        self._pins = self._notes.shown()
        self._flags = {flag.pin: flag for flag in self._notes.flags()}
        with QSignalBlocker(self.table):
            self.table.setRowCount(len(self._pins))
            for place, pin in enumerate(self._pins):
                where, words = QTableWidgetItem(self._where(pin)), QTableWidgetItem(pin.note.text)
                where.setFlags(where.flags() & ~Qt.ItemFlag.ItemIsEditable)
                words.setToolTip(pin.note.text)
                self.table.setItem(place, 0, where)
                self.table.setItem(place, WORDS, words)
            self.table.setCurrentCell(min(row, len(self._pins) - 1), WORDS)
        self._pages.setCurrentIndex(1 if self._pins else 0)
        self.new_button.setEnabled(self._session.current is not None)
        self.vertex_button.setEnabled(self._session.graph is not None)
        self._enable()
        self.setAccessibleDescription(self.summary_text())

    def _where(self, pin: Pin) -> str:
        if pin.note.vertex is None:
            flag = self._flags[pin]
            words = time_words(flag.time_ns, time_unit(self._playback.duration_ns))
            return f"{flag.letter}, {words}" if flag.letter else words
        graph = self._session.graph
        here = graph is not None and pin.at < graph.n
        return f"vertex {in_sight(str(graph.id_of(pin.at))) if graph and here else pin.at}"

    def _enable(self) -> None:
        self.remove_button.setEnabled(self._chosen() is not None)

    def summary_text(self) -> str:
        """Return all notes in a sentence, for screen readers."""
        said = [f"{self._where(pin)}: {pin.note.text}" for pin in self._pins]
        return "; ".join(said) if said else HINT

    # --- what a person does

    def _chosen(self) -> Pin | None:
        row = self.table.currentRow()
        return self._pins[row] if 0 <= row < len(self._pins) else None

    def _go(self, row: int, _column: int = 0) -> None:
        if not 0 <= row < len(self._pins):
            return
        pin = self._pins[row]
        if pin.note.vertex is None:
            self._playback.pause()
            self._playback.set_cursor(self._flags[pin].time_ns)
        else:
            self.vertex_chosen.emit(pin.at)

    def _take_words(self, item: QTableWidgetItem) -> None:
        pin = self._pins[item.row()]
        made = note(item.text(), t_ns=pin.note.t_ns, vertex=pin.note.vertex)
        if made is None:
            self._notes.remove(pin)
        else:
            self._notes.change(pin, pin.told(made.text))

    def _remove(self) -> None:
        pin = self._chosen()
        if pin is not None:
            self._notes.remove(pin)

    def eventFilter(self, a0: QObject | None, a1: QEvent | None) -> bool:
        """Take Enter and Delete in the list."""
        if isinstance(a1, QKeyEvent) and a1.type() == QEvent.Type.KeyPress:
            if a1.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._go(self.table.currentRow())
                return True
            if a1.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
                self._remove()
                return True
        return super().eventFilter(a0, a1)

    # --- on paper

    def paper_table(self) -> Table:
        """Return a row for each note."""
        rows = [
            (self._where(pin), pin.note.t_ns, pin.note.vertex, pin.note.text) for pin in self._pins
        ]
        return HEADER, rows

    def to_paper(self, on: bool) -> QSize | None:
        """Show every row, and no bar to scroll with."""
        off, needed = Qt.ScrollBarPolicy.ScrollBarAlwaysOff, Qt.ScrollBarPolicy.ScrollBarAsNeeded
        self.table.setVerticalScrollBarPolicy(off if on else needed)
        down, across = self.table.verticalHeader(), self.table.horizontalHeader()
        if not on or down is None or across is None or not self._pins:
            return None
        return QSize(self.width(), down.length() + across.height() + 4 * SPACING)


class NotesFeature(FeaturePart):
    """Makes and changes notes."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self.notes = window.session.notes
        window.graph_view.more_menu.append(self._add_to_menu)
        for key in PLOTS:
            window.docks.offer(key, window.actions_by_key["note_moment"])

    def make_panel(self, _dock: str) -> QWidget:
        """Return the list of notes."""
        panel = NotesPanel(self._window.session, self._window.playback)
        panel.vertex_chosen.connect(self._window.graph_view.look_at)
        panel.moment_wanted.connect(self.ask_at_cursor)
        panel.vertex_wanted.connect(self.ask_at_vertex)
        return panel

    # --- handlers of the rows

    def ask_at_cursor(self) -> None:
        """Ask for a note at the moment shown."""
        window = self._window
        run = window.session.current
        if run is None:
            return
        when, graph = self.notes.at_moment(run, window.playback.cursor_ns), run.graph_reference.hash
        of = " on A" if window.comparison.active else ""
        title = f"Note{of} at {time_words(when, time_unit(window.playback.duration_ns))}"

        def pin(text: str) -> None:
            self._pin(text, run.run_id, graph, t_ns=when)

        self._ask(title, pin)

    def ask_at_vertex(self) -> None:
        """Ask for a note at the vertex pointed at; where none is, ask for the vertex first."""
        graph, view = self._window.session.graph, self._window.graph_view
        if view.pointed >= 0:
            self._ask_at(view.pointed)
        elif graph is not None:
            self._ask_vertex("Note at a vertex", self._ask_at)

    # --- how

    def _ask_vertex(self, title: str, then: Callable[[int], object]) -> None:
        graph = self._window.session.graph
        assert graph is not None
        VertexDialog(graph, title, then, self._window.as_widget()).open()

    def _ask_at(self, vertex: int) -> None:
        graph = self._window.session.graph
        if graph is None or self._window.session.arcs_missing:
            return
        title = f"Note at vertex {in_sight(str(graph.id_of(vertex)))}"
        self._ask(title, lambda text: self._pin(text, 0, graph.hash, vertex=vertex))

    def _ask(self, title: str, then: Callable[[str], object]) -> None:
        dialog = QInputDialog(self._window.as_widget())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle("Note")
        dialog.setLabelText(title)
        dialog.setMinimumWidth(scaled(WIDTH))
        dialog.textValueSelected.connect(then)
        dialog.open()

    def _pin(
        self,
        text: str,
        run_id: int,
        graph: str,
        t_ns: int | None = None,
        vertex: int | None = None,
    ) -> None:
        made = note(text, t_ns=t_ns, vertex=vertex)
        if made is not None and not self.notes.pin(Pin(made, run_id, graph)):
            words = f"There are {MOST_NOTES:,} notes already; a saved run holds no more."
            self._window.session.set_notice(Notice("warning", words, "Take one away first."))

    def _add_to_menu(self, menu: QMenu, vertex: int) -> None:
        """Offer a note at a vertex."""
        menu.addSeparator()
        menu.addAction("&Note here…", partial(self._ask_at, vertex))


install = NotesFeature
