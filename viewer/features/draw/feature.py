"""Drawing in the window: the page takes the graph's place, the drawing becomes the graph.

While the page is open, the panels that show a run are put away, and Run, from wherever it is
asked for, runs on the drawing. Whatever else shows a graph or begins a run (a sample, a lesson, a
file) closes the page; the drawing stays and is there again with Ctrl+D, also after the program was
closed. Taking the graph shown into the drawing is one step of its history.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from PyQt6.QtCore import QByteArray, Qt
from PyQt6.QtWidgets import QApplication, QVBoxLayout

from gpu.errors import GpuError, ParameterError
from viewer.common.kept_graphs import kept_folder
from viewer.common.later import later
from viewer.feature import DrawnGraph, Window
from viewer.features.draw import graph as graphs
from viewer.features.draw.drawing import EMPTY, Drawing, DrawingModel
from viewer.features.draw.graph import can_be_drawn, from_graph, placed, to_graph
from viewer.features.draw.page import DrawPage
from viewer.features.draw.text import edge_text, parse_edges
from viewer.models.session import Notice

if TYPE_CHECKING:
    from viewer.common.theme import Theme
    from viewer.models.session import RunRecord

ALL_ROOM = 1000  # stretch of the page, against 1 of the hidden graph
BAR = (
    ("draw_undo", "draw_redo", "draw_delete"),
    ("draw_new", "draw_paste", "draw_save"),
    ("draw_fit",),
)
MENU = ("draw_copy", "draw_delete", "draw_all", "draw_arrange")
SAVED_AS = (
    ("SSSP Scope graph, keeps names and places", ".npz"),
    ("Table, keeps names", ".csv"),
    ("DIMACS, places in a .co file beside", ".gr"),
    ("Matrix Market", ".mtx"),
)


class DrawFeature(DrawnGraph):
    """See the module docstring."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self.model = DrawingModel(self)
        self.page: DrawPage | None = None
        self._folder = kept_folder("drawings")
        self._docks: QByteArray | None = None  # their state before the page opened
        self._pair: tuple[RunRecord | None, RunRecord | None] = None, None  # A and B before
        kept = graphs.latest(self._folder)
        if kept is not None:
            self.model.start_with(kept)
        self._kept = self.model.drawing  # as it is on the disk
        self._connect()

    def _connect(self) -> None:
        window = self._window
        self.model.changed.connect(self._show_state)
        self.model.selection_changed.connect(window.enable_actions)
        window.session.graph_changed.connect(self.leave)
        window.session.run_added.connect(self.leave)
        window.docks.chosen.connect(self._arrangement_chosen)

    # --- for the window

    @property
    def open(self) -> bool:
        """Whether the page is open."""
        return self.page is not None and not self.page.isHidden()

    def needs(self) -> dict[str, bool]:
        """Return which actions on the drawing are possible; Run is, where something is drawn."""
        model, here = self.model, self.open
        drawn = here and bool(model.drawing.vertices)
        arcs, vertices = model.selected_arcs, model.selected_vertices
        state = {
            "drawing": here,
            "drawn": drawn,
            "drawn_picked": here and bool(arcs or vertices),
            "drawn_undoable": here and bool(model.undo_words),
            "drawn_redoable": here and bool(model.redo_words),
            "drawable": not here and can_be_drawn(self._window.session.graph),
        }
        return state | ({"idle": True} if drawn and not self._window.controller.running else {})

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        if self.page is not None:
            self.page.apply_theme(theme)

    def refuses_run(self) -> bool:
        """While the page is open a run is the drawing's: make it the graph, if there is one.

        A text that was refused just now is looked at first; the next wish runs.
        """
        if self.open and self.page is not None:
            self.page.canvas.setFocus()  # the field, if there is one, takes its text
            field = self.page.canvas.field
            refused, field.problem = field.problem, ""
            if not refused or self.page.words.text() != refused:
                self.give()
        return self.open

    def back(self) -> bool:
        """Close the page."""
        was_open = self.open
        self.leave()
        return was_open

    def close(self) -> None:
        """The window closes: keep the drawing, put the docks back."""
        self._write_latest()
        if self.open:
            self._put_docks_back()

    # --- the page

    def draw(self) -> None:
        """Open the page, or close it."""
        self.leave() if self.open else self.show()

    def show(self) -> None:
        """Open the page on the last drawing."""
        window = self._window
        page = self._page()
        if not self.open:
            self._pair = window.session.current, window.comparison.b
            window.comparison.end()
            self._put_docks_away()
            window.graph_view.hide()
            page.show()
            window.modes.set_drawing(True)
            window.run_panel.show_drawing(True)
            self._show_state()
            self.model.selection_changed.emit()  # what was said before is over
            later(page, page.canvas.fit)
        page.canvas.setFocus(Qt.FocusReason.OtherFocusReason)

    def leave(self, *_: object) -> None:
        """Close the page; the drawing is kept."""
        if not self.open or self.page is None:
            return
        self.page.canvas.field.leave()
        self._write_latest()
        self.page.hide()
        self._window.graph_view.show()
        self._put_docks_back()
        self._window.modes.set_drawing(False)
        self._window.run_panel.show_drawing(False)
        self._show_state()
        self._window.graph_view.setFocus()
        self._window.comparison.compare_again(self._pair)

    def _show_state(self) -> None:
        """Enable actions, and name in them what they undo."""
        actions, model = self._window.actions_by_key, self.model
        self._window.status_bar.show_run(None if self.open else self._window.session.current)
        actions["draw_undo"].setText(f"&Undo {model.undo_words}".rstrip())
        actions["draw_redo"].setText(f"&Redo {model.redo_words}".rstrip())
        self._window.enable_actions()

    def _page(self) -> DrawPage:
        if self.page is not None:
            return self.page
        window = self._window
        page = self.page = DrawPage(self.model, window.theme)
        page.hide()
        centre = window.notice_bar.parentWidget()
        column = centre.layout() if centre is not None else None
        assert isinstance(column, QVBoxLayout)
        column.addWidget(page, ALL_ROOM)
        page.fill_bar([[window.actions_by_key[key] for key in group] for group in BAR])
        page.leave_requested.connect(self.leave)
        page.canvas.addActions([window.actions_by_key[key] for key in MENU])
        page.apply_theme(window.theme)
        return page

    def _put_docks_away(self) -> None:
        """Hide the panels that show a run; the drawing has none yet, and needs the room."""
        self._docks = self._window.as_widget().saveState()
        run, docks = self._window.docks["run"], self._window.docks.by_key
        width = run.width()
        for key, dock in docks.items():
            if key != "run" and not dock.isFloating():
                dock.hide()
        if run.isVisible() and not run.isFloating():
            self._window.as_widget().resizeDocks([run], [width], Qt.Orientation.Horizontal)

    def _put_docks_back(self) -> None:
        if self._docks is not None:
            self._window.as_widget().restoreState(self._docks)
            self._docks = None

    def _arrangement_chosen(self, _name: str) -> None:
        """Keep the room of the page; leaving it comes back to this arrangement."""
        if self.open:
            self._put_docks_away()

    # --- a graph or a text becomes the drawing

    def edit(self) -> None:
        """Open the page on the graph that is shown."""
        session = self._window.session
        if session.graph is None:
            return
        try:
            drawing = from_graph(session.graph, session.positions)
        except ParameterError as error:
            session.set_notice(Notice("warning", str(error)))
            return
        self._begin(drawing, f"edit of {drawing.name}")

    def new(self) -> None:
        """Begin with nothing."""
        self._begin(EMPTY, "new drawing")

    def _begin(self, drawing: Drawing, words: str) -> None:
        """Draw something else; say that Undo brings back the drawing before."""
        old = self.model.drawing
        self.show()
        assert self.page is not None
        self.model.replace_all(drawing, words)
        if old.vertices and old != drawing:
            self.page.say(f"{old.name} comes back with Undo.")
        self.page.canvas.fit()

    def paste(self) -> None:
        """Draw the edge list on the clipboard; Undo brings back the drawing before."""
        clipboard = QApplication.clipboard()
        try:
            drawing = placed(parse_edges(clipboard.text() if clipboard is not None else ""))
        except ParameterError as error:
            self._page().say(str(error), refused=True)
            return
        self._begin(drawing, "pasted list")

    def copy(self) -> None:
        """Copy the selected edges, or all, as lines of text."""
        model, clipboard = self.model, QApplication.clipboard()
        chosen = [arc for arc in model.drawing.arcs if arc.key in model.selected_arcs]
        text = edge_text(model.drawing, chosen or model.drawing.arcs)
        if clipboard is not None:
            clipboard.setText(text)
        self._page().say("Copied as lines of text.")

    def save(self) -> None:
        """Ask where to save the drawing, and in which format."""
        kinds = ";;".join(f"{title} (*{suffix})" for title, suffix in SAVED_AS)
        name = self.model.drawing.name.replace(" ", "-").lower()
        self._window.files.ask_save("Save drawing", kinds, ".npz", self.save_as, name)

    def save_as(self, path: str) -> None:
        """Save the drawing in the format of the suffix."""
        from gpu.formats import save_graph

        drawing = self.model.drawing

        def write(to: str) -> None:
            save_graph(to_graph(drawing, to), to)

        self._window.files.save_in_background(path, write)

    # --- edits of the selection

    def delete(self) -> None:
        """Delete the selection."""
        self.model.remove(self.model.selected_vertices, self.model.selected_arcs)

    def arrange(self) -> None:
        """Place all vertices anew."""
        vertices = placed(self.model.drawing).vertices
        self.model.move({vertex.key: (vertex.x, vertex.y) for vertex in vertices})
        self.fit()

    def fit(self) -> None:
        """Show all of the drawing."""
        if self.page is not None:
            self.page.canvas.fit()

    # --- the drawing becomes the graph

    def use(self) -> None:
        """Give the drawing to the window and run on it."""
        if self._window.controller.running:
            self._page().say("A run is going on: wait for it, or press Stop.", refused=True)
        else:
            self._window.start_run()

    def give(self) -> None:
        """Show the drawing as the graph, if it is not that already; close the page."""
        drawing, window = self.model.drawing, self._window
        if not drawing.vertices:
            self._page().say("Nothing is drawn yet: double-click the canvas.", refused=True)
            return
        try:
            path = graphs.keep_used(drawing, self._folder)
            graph = to_graph(drawing, str(path))
        except (GpuError, OSError) as error:
            self._page().say(f"The drawing cannot be used: {error}", refused=True)
            return
        before, source = window.session.graph, 0
        if before is not None:  # the source stays where a vertex of that name is
            with suppress(GpuError):
                source = graph.vertex_of(str(before.id_of(window.session.source)))
        window.controller.show_graph(graph)
        window.controller.set_source(source)
        self.leave()

    # --- what is kept

    def _write_latest(self) -> None:
        if self.model.drawing is self._kept:
            return
        self._kept = self.model.drawing
        try:
            graphs.keep_latest(self._kept, self._folder)
        except (GpuError, OSError) as error:
            words = f"The drawing is not kept between sessions: {error}."
            self._window.session.set_notice(Notice("warning", words, "Save it as a file."))


install = DrawFeature
