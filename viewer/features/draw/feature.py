"""Drawing in the window: the page takes the graph's place, the drawing becomes the graph.

While the page is open the panels that show a run are put away, undo and redo serve the drawing, and
Run, from wherever it is asked for, runs on the drawing. Whatever else shows a graph or begins a run
(a sample, a lesson, a file) closes the page; the drawing stays and is there again with Ctrl+D,
also after the program was closed. Opening a graph into the drawing is a step of its history.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtCore import QByteArray, Qt, QTimer
from PyQt6.QtGui import QAction
from PyQt6.QtWidgets import QVBoxLayout

from gpu.errors import GpuError
from gpu.study.compare import Align
from viewer.feature import Microscope, Window
from viewer.features.draw import files as draw_files
from viewer.features.draw.graph import can_be_drawn, source_index, to_graph
from viewer.features.draw.page import DrawPage
from viewer.features.draw.presets import PRESETS
from viewer.features.draw.tools import SNAP, DrawTools
from viewer.models.session import Notice, RunRecord

if TYPE_CHECKING:
    from viewer.common.theme import Theme

Compared = tuple[RunRecord | None, RunRecord | None, Align]
NOTHING_COMPARED: Compared = (None, None, "time")
KEEP_MS = 800  # after an edit, before the drawing is written
BAR = (
    ("draw_tool_select", "draw_tool_vertex", "draw_tool_arc"),
    ("draw_undo", "draw_redo", "draw_delete"),
    ("draw_new", "draw_presets", "draw_paste", "draw_save"),
    ("draw_snap", "draw_fit"),
)


class DrawFeature(DrawTools):
    """See the module docstring."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._folder = draw_files.drawings_folder()
        self._docks: tuple[QByteArray, set[str]] | None = None  # as they stood, as they were left
        self._in_presentation = False  # the page was opened in one
        self._after_presentation: QByteArray | None = None  # how the docks shall stand then
        self._compared: Compared = NOTHING_COMPARED  # when the page was opened
        self._giving = False  # the graph that comes is the drawing
        self._next: Callable[[], None] | None = None  # to do when the run has ended
        self._dirty = self._problem_told = False
        self._keep = QTimer(self)
        self._keep.setSingleShot(True)
        self._keep.setInterval(KEEP_MS)
        self._keep.timeout.connect(self._write_latest)
        kept = draw_files.latest(self._folder)
        if kept is not None:
            self.model.forget_history(kept)
        self._connect()
        self._fill_presets()

    def _connect(self) -> None:
        window = self._window
        self.model.changed.connect(self._drawing_changed)
        self.model.selection_changed.connect(window.enable_actions)
        window.session.graph_changed.connect(self._graph_came)
        window.session.run_added.connect(self._run_began)
        window.controller.running_changed.connect(self._run_ended)
        window.docks.chosen.connect(self._arrangement_chosen)
        window.modes.presentation_ended.connect(self._presentation_ended)

    def _fill_presets(self) -> None:
        menu = self._window.actions_by_key.menu("draw_presets")
        menu.setToolTipsVisible(True)
        for key, (title, sentence, _) in PRESETS.items():
            action = QAction(title, menu)
            action.setToolTip(sentence)
            action.setStatusTip(sentence)
            action.triggered.connect(partial(self.preset, key))
            menu.addAction(action)

    # --- for the window

    @property
    def open(self) -> bool:
        """Whether the page is open."""
        return self.page is not None and not self.page.isHidden()

    def needs(self) -> dict[str, bool]:
        """Say what can be done with the drawing now; Run can, where something is drawn."""
        model, here = self.model, self.open
        drawn = here and bool(model.drawing.vertices)
        arcs, vertices = model.selected_arcs, model.selected_vertices
        state = {
            "drawing": here,
            "drawn": drawn,
            "drawn_undoable": here and bool(model.undo_words),
            "drawn_redoable": here and bool(model.redo_words),
            "drawn_watchable": drawn and self._window.provides(Microscope),
            "drawn_picked": here and bool(arcs or vertices),
            "drawn_arc_picked": here and bool(arcs),
            "drawn_vertex_picked": here and len(vertices) == 1,
            "drawable": not here and can_be_drawn(self._window.session.graph),
        }
        return state | ({"idle": True} if drawn and not self._window.controller.running else {})

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        if self.page is not None:
            self.page.apply_theme(theme)

    def before_run(self) -> None:
        """A run is about to begin: while the page is open it is the drawing's."""
        if self.open and self.model.drawing.vertices:
            self._give()

    def close(self) -> None:
        """The window closes: keep the drawing, let the docks stand as before the page."""
        self._write_latest()
        if self.open and self._docks is not None:
            self._put_docks_back()

    # --- the page

    def draw(self) -> None:
        """Open the page, or close it."""
        self.leave() if self.open else self.show()

    def show(self) -> None:
        """Open the page on what was drawn last."""
        window = self._window
        if not self.open:
            self._make_page()
            assert self.page is not None
            self._compared = (window.session.current, window.comparison.b, window.comparison.how)
            window.comparison.end()
            self._in_presentation = window.modes.presenting
            self._put_docks_away()
            self._give_room(True)
            window.modes.set_drawing(True)
            window.enable_actions()
            self._name_run()
        assert self.page is not None
        self.page.canvas.setFocus(Qt.FocusReason.OtherFocusReason)

    def leave(self) -> None:
        """Close the page; the drawing is kept."""
        if not self.open or self.page is None:
            return
        self.page.canvas.field.leave()
        self._give_room(False)
        self._put_docks_back()
        self._window.modes.set_drawing(False)
        self._compare_again()
        self._window.enable_actions()
        self._name_run()
        self._window.graph_view.setFocus()

    def _compare_again(self) -> None:
        """Show what was compared when the page was opened, unless something else was run since."""
        session, pair, (a, b, how) = self._window.session, self._window.comparison, self._compared
        self._compared = NOTHING_COMPARED
        if a is session.current and b in session.runs and pair.b is None:
            pair.compare_or_say(b)
            pair.set_align(how)

    def _name_run(self) -> None:
        """Say at the Run panel's button that it takes the drawing, while it does."""
        drawn = self.open and bool(self.model.drawing.vertices)
        self._window.run_panel.name_what("the drawing" if drawn else "")

    def _make_page(self) -> None:
        if self.page is not None:
            return
        window = self._window
        page = self.page = DrawPage(self.model, window.theme)
        column = self._centre_column()
        page.hide()
        column.addWidget(page, 1)
        found = [[window.actions_by_key.find(key) for key in group] for group in BAR]
        page.fill_bar([[action for action in group if action is not None] for group in found])
        page.use_requested.connect(self.use)
        page.watch_requested.connect(self.watch)
        page.leave_requested.connect(self.leave)
        page.canvas.tool_changed.connect(self._show_tool)
        page.canvas.menu_requested.connect(self._show_menu)
        page.save_requested.connect(self.save)
        snap = bool(window.settings.value(SNAP, False))
        window.actions_by_key["draw_snap"].setChecked(snap)
        page.canvas.set_snap(snap)
        page.apply_theme(window.theme)
        self._show_tool("select")

    def _centre_column(self) -> QVBoxLayout:
        centre = self._window.notice_bar.parentWidget()
        column = centre.layout() if centre is not None else None
        assert isinstance(column, QVBoxLayout)
        return column

    def _give_room(self, drawing: bool) -> None:
        """Let the page stand in the place of the graph, or the graph in the page's."""
        column, page, graph = self._centre_column(), self.page, self._window.graph_view
        assert page is not None
        for place in range(column.count()):  # what is stretched and empty would keep its share
            item = column.itemAt(place)
            inner = item.layout() if item is not None else None
            holds = inner is not None and inner.indexOf(graph) >= 0
            if holds or (item is not None and item.widget() is graph):
                column.setStretch(place, 0 if drawing else 1)
        graph.setVisible(not drawing)
        page.setVisible(drawing)

    def _shown_docks(self) -> set[str]:
        return {key for key, dock in self._window.docks.by_key.items() if not dock.isHidden()}

    def _put_docks_away(self) -> None:
        """Hide what shows a run: there is none of the drawing yet, and it needs the room."""
        before = self._window.as_widget().saveState()
        self._hide_docks()
        self._docks = before, self._shown_docks()

    def _hide_docks(self) -> None:
        run, docks = self._window.docks["run"], self._window.docks.by_key
        width = run.width()
        for key, dock in docks.items():
            if key != "run" and not dock.isFloating():
                dock.hide()
        if run.isVisible() and not run.isFloating():
            self._window.as_widget().resizeDocks([run], [width], Qt.Orientation.Horizontal)

    def _put_docks_back(self) -> None:
        """Let the docks stand as before, unless somebody has arranged them since.

        Within a presentation that began later, they wait for its end.
        """
        kept, self._docks = self._docks, None
        if self._window.modes.presenting and not self._in_presentation:
            self._after_presentation = kept[0] if kept is not None else None
            self._window.docks.arrange("present")
        elif kept is not None and kept[1] == self._shown_docks():
            self._window.as_widget().restoreState(kept[0])

    def _presentation_ended(self) -> None:
        state, self._after_presentation = self._after_presentation, None
        if state is not None and not self.open:
            self._window.as_widget().restoreState(state)

    def _arrangement_chosen(self, _name: str) -> None:
        """An arrangement was put up: the page keeps its room, and comes back to it."""
        if self.open and self._window.modes.presenting and not self._in_presentation:
            self._hide_docks()
        elif self.open:
            self._put_docks_away()

    # --- the drawing becomes the graph

    def use(self) -> None:
        """Give the drawing to the window and run on it."""
        self._when_idle(self._window.start_run)

    def watch(self) -> None:
        """Give the drawing to the window, run and step through every event."""
        self._when_idle(self._watch_now)

    def _watch_now(self) -> None:
        drawing = self.model.drawing
        arcs = len(drawing.arcs) * (1 if drawing.directed else 2)
        microscope = self._window.part(Microscope)
        if microscope is None:
            self._refuse("There is no microscope here. Use and run shows the drawing.")
        elif not 0 < arcs <= microscope.most_arcs:
            allowed = f"1 to {microscope.most_arcs} arcs can be followed one by one"
            self._refuse(f"The drawing has {arcs} arcs; {allowed}. Use and run shows the rest.")
        elif self._give():
            microscope.show()
            microscope.record()

    def _when_idle(self, act: Callable[[], None]) -> None:
        """Act now, or when the run that is going has been stopped."""
        controller = self._window.controller
        if not self.model.drawing.vertices:
            self._refuse("Nothing is drawn yet: double-click the canvas to add a vertex.")
        elif controller.running:
            self._next = act
            controller.stop()
        else:
            act()

    def _give(self) -> bool:
        """Show the drawing as the graph, if it is not that already; close the page."""
        drawing, window = self.model.drawing, self._window
        try:
            graph = to_graph(drawing, self._origin())
        except (GpuError, OSError) as error:
            self._refuse(f"The drawing cannot be used: {error}")
            return False
        self._giving = True
        try:
            window.controller.show_graph(graph)
            window.controller.set_source(source_index(drawing))
        finally:
            self._giving = False
        self.leave()
        return True

    def _origin(self) -> str:
        """Return the path of a file that holds the drawing as it is now."""
        drawing = self.model.drawing
        if self._saved is not None and self._saved[0] == drawing and Path(self._saved[1]).is_file():
            return self._saved[1]
        return str(draw_files.keep_used(drawing, self._folder))

    def _graph_came(self) -> None:
        if not self._giving:
            self.leave()

    def _run_began(self, _record: object) -> None:
        self.leave()

    def _run_ended(self, running: bool) -> None:
        act, self._next = self._next, None
        if not running and act is not None:
            act()

    # --- what is kept

    def _drawing_changed(self) -> None:
        self._dirty = True
        self._keep.start()
        if self.open:
            self._show_history()
            self._name_run()

    def _show_history(self) -> None:
        """Say in the menu what undo would take back, and redo would make again."""
        actions, model = self._window.actions_by_key, self.model
        actions["draw_undo"].setText(f"&Undo {model.undo_words}".rstrip())
        actions["draw_redo"].setText(f"&Redo {model.redo_words}".rstrip())
        self._window.enable_actions()

    def _write_latest(self) -> None:
        if not self._dirty:
            return
        self._dirty = False
        self._keep.stop()
        try:
            draw_files.keep_latest(self.model.drawing, self._folder)
        except (GpuError, OSError) as error:
            if not self._problem_told:
                words = f"The drawing is not kept between sessions: {error}."
                self._window.session.set_notice(Notice("warning", words, "Save it as a file."))
            self._problem_told = True


install = DrawFeature
