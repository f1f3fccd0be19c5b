"""Notes at work: asks for their words, adds them to the menu of a vertex, makes the panel."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PyQt6.QtWidgets import QMenu, QWidget

from gpu.record.notes import MOST_NOTES, note
from gpu.words import in_sight, time_unit, time_words
from viewer.common.foreign_words import button_words
from viewer.docks import PLOTS
from viewer.feature import FeaturePart, Window
from viewer.features.notes.dialog import NoteDialog
from viewer.features.notes.panel import NotesPanel
from viewer.frame.vertex_dialog import VertexDialog
from viewer.models.notes import Pin
from viewer.models.session import Notice


class NotesFeature(FeaturePart):
    """Makes and changes notes."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self.notes = window.session.notes
        self.notes.set_comparison(window.comparison)
        window.graph_view.more_menu.append(self._add_to_menu)
        for key in PLOTS:
            window.docks.offer(key, window.actions_by_key["note_moment"])

    def make_panel(self, _dock: str) -> QWidget:
        """Return the list of notes."""
        panel = NotesPanel(self._window.session, self._window.playback)
        panel.vertex_chosen.connect(self._window.graph_view.look_at)
        panel.moment_wanted.connect(self.ask_at_cursor)
        panel.vertex_wanted.connect(self.ask_at_vertex)
        panel.move_wanted.connect(self.move_here)
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

        self._ask(title, "", pin)

    def ask_at_vertex(self) -> None:
        """Ask for a note at the vertex pointed at; where none is, ask for the vertex first."""
        graph, view = self._window.session.graph, self._window.graph_view
        if view.pointed >= 0:
            self._ask_at(view.pointed)
        elif graph is not None:
            self._ask_vertex("Note at a vertex", self._ask_at)

    def move_here(self, pin: Pin) -> None:
        """Move a note to the cursor; one at a vertex to the vertex that is asked for."""
        if pin.note.vertex is None:
            self.notes.move_flag(self.notes.flag_of(pin), self._window.playback.cursor_ns)
        elif self._window.session.graph is not None:
            self._ask_vertex(
                "Move the note to", lambda vertex: self.notes.change(pin, pin.moved(vertex))
            )

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
        self._ask(title, "", lambda text: self._pin(text, 0, graph.hash, vertex=vertex))

    def _ask(self, title: str, text: str, then: Callable[[str], object]) -> None:
        NoteDialog(title, text, then, self._window.as_widget()).open()

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
        """Add what can be done with the notes at a vertex."""
        menu.addSeparator()
        menu.addAction("&Note here…", partial(self._ask_at, vertex))
        for pin in self._window.graph_view.notes_at(vertex):
            below = menu.addMenu(button_words(in_sight(pin.note.text, 30)))
            assert below is not None
            below.addAction("&Change…", partial(self._change, pin))
            below.addAction("&Move to another vertex…", partial(self.move_here, pin))
            below.addAction("&Take away", partial(self.notes.remove, pin))

    def _change(self, pin: Pin) -> None:
        def told(text: str) -> None:
            made = note(text, t_ns=pin.note.t_ns, vertex=pin.note.vertex)
            if made is None:
                self.notes.remove(pin)
            else:
                self.notes.change(pin, pin.told(made.text))

        self._ask("Change the note", pin.note.text, told)


install = NotesFeature
