"""What is done to a drawing, by an action or the canvas's menu."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtWidgets import QApplication, QMenu

from gpu.errors import ParameterError
from viewer.feature import FeaturePart, Window
from viewer.features.draw.drawing import (
    EMPTY,
    Arc,
    Drawing,
    DrawingModel,
)
from viewer.features.draw.graph import from_graph, from_parsed, to_graph
from viewer.features.draw.page import DrawPage
from viewer.features.draw.positions import spring
from viewer.features.draw.presets import PRESETS
from viewer.features.draw.text import Parsed, edge_text
from viewer.models.session import Notice

SNAP = "draw_snap"  # key in Settings
MENUS = {  # of the canvas: for a vertex, an arc, nothing
    "vertex": ("draw_start", "draw_copy", "draw_delete"),
    "arc": ("draw_reverse", "draw_copy", "draw_delete"),
    "": ("draw_paste", "draw_all", "draw_arrange", "draw_fit"),
}
SAVED_AS = (  # what is kept is said where one chooses
    ("SSSP Scope graph, keeps names and places", ".npz"),
    ("Table, keeps names", ".csv"),
    ("DIMACS, places in a .co file beside", ".gr"),
    ("GAP edge list with weights", ".wel"),
    ("Matrix Market", ".mtx"),
    ("METIS, undirected", ".graph"),
    ("Galois binary", ".gr"),
    ("Tabbed table, keeps names", ".tsv"),
)


class DrawTools(FeaturePart):
    """Acts on the drawing, and says so on the page."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self.model = DrawingModel(self)
        self.page: DrawPage | None = None
        self._saved: tuple[Drawing, str] | None = None  # as it was saved, and where

    def show(self) -> None:
        """Open the page."""

    # --- the graph becomes the drawing

    def edit(self) -> None:
        """Open the page on the graph that is shown."""
        session = self._window.session
        if session.graph is None:
            return
        try:
            drawing = from_graph(session.graph, session.positions, session.source)
        except ParameterError as error:
            self._window.session.set_notice(Notice("warning", str(error)))
            return
        self._begin(drawing, f"edit of {drawing.name}")

    def new(self) -> None:
        """Begin with nothing."""
        self._begin(EMPTY, "new drawing")

    def preset(self, key: str, _checked: bool = False) -> None:
        """Begin with a graph that is there."""
        title, _, make = PRESETS[key]
        self._begin(make(), f"new {title.split(':')[0].lower()}")

    def _begin(self, drawing: Drawing, words: str) -> None:
        """Draw something else; say how to come back to what was drawn."""
        old = self.model.drawing
        same = bool(old.vertices and drawing.vertices)
        same = same and to_graph(old).hash == to_graph(drawing).hash and old.name == drawing.name
        self.show()
        assert self.page is not None
        if not same:
            self.model.replace_all(drawing, words)
            if old.vertices:
                self.page.say(f"{old.name} comes back with Undo.")
        self.page.canvas.fit()

    # --- text, files

    def paste(self) -> None:
        """Ask for a text; it begins with what the clipboard holds."""
        from gpu.formats import load_graph
        from viewer.features.draw.paste import PasteDialog

        clipboard = QApplication.clipboard()
        dialog = PasteDialog(
            clipboard.text() if clipboard is not None else "",
            self._window.as_widget(),
            lambda path, name: load_graph(path, format=name),
        )
        dialog.taken.connect(self._draw_text)
        dialog.open()

    def _draw_text(self, found: Parsed) -> None:
        try:
            drawing = from_parsed(found)
        except ParameterError as error:
            self._refuse(str(error))
            return
        self._begin(drawing, "pasted list")

    def copy(self) -> None:
        """Copy the selected arcs, or all, as lines of text."""
        model, clipboard = self.model, QApplication.clipboard()
        arcs: tuple[Arc, ...] | None = None
        if model.selected_arcs:
            arcs = tuple(arc for arc in model.drawing.arcs if arc.key in model.selected_arcs)
        text = edge_text(model.drawing, arcs)
        if clipboard is not None:
            clipboard.setText(text)
        count = text.count("\n")
        self._say(f"Copied {count} line{'' if count == 1 else 's'} of text.")

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
            if to.endswith(".npz"):
                self._saved = drawing, str(Path(to).resolve())

        self._window.files.save(path, write)

    # --- handlers for what is selected, and for tools

    def delete(self) -> None:
        """Take away what is selected."""
        self.model.remove(self.model.selected_vertices, self.model.selected_arcs)

    def reverse(self) -> None:
        """Turn the selected arcs around."""
        self.model.reverse(self.model.selected_arcs)

    def start(self) -> None:
        """Let runs start from the selected vertex."""
        for key in self.model.selected_vertices:
            self.model.set_source(key)

    def arrange(self) -> None:
        """Find places for all vertices."""
        drawing = self.model.drawing
        place = {vertex.key: k for k, vertex in enumerate(drawing.vertices)}
        spots = spring(len(place), [(place[arc.tail], place[arc.head]) for arc in drawing.arcs])
        self.model.move({key: (float(spots[k][0]), float(spots[k][1])) for key, k in place.items()})
        self.fit()

    def snap(self, on: bool) -> None:
        """Let vertices stand on a grid."""
        self._window.settings.set_value(SNAP, on)
        if self.page is not None:
            self.page.canvas.set_snap(on)

    def fit(self) -> None:
        """Show all of the drawing."""
        if self.page is not None:
            self.page.canvas.fit()

    def take_tool(self, tool: str) -> None:
        """Take a tool: "select", "vertex" or "arc"."""
        if self.page is not None:
            self.page.canvas.set_tool(tool)
            self.page.canvas.setFocus()

    def _show_tool(self, tool: str) -> None:
        self._window.actions_by_key[f"draw_tool_{tool}"].setChecked(True)

    def _show_menu(self, place: QPoint) -> None:
        model = self.model
        kind = "vertex" if model.selected_vertices else "arc" if model.selected_arcs else ""
        menu = QMenu(self.page)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if model.current >= 0 and self.page is not None:
            title = "Rename…" if kind == "vertex" else "Weight…"
            menu.addAction(title, partial(self.page.canvas.edit, model.current))
        menu.addActions([self._window.actions_by_key[key] for key in MENUS[kind]])
        menu.popup(place)

    # --- what is said

    def _say(self, words: str) -> None:
        if self.page is not None:
            self.page.say(words)

    def _refuse(self, words: str) -> None:
        if self.page is not None:
            self.page.refuse(words)
