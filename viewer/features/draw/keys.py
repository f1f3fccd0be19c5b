"""The keyboard on the canvas: whatever the mouse can do, and by screen reader.

Tab, Shift+Tab   next vertex, the one before; after the last one the focus goes on
E, Shift+E       next arc that leaves the vertex, the one before
arrows           move what is selected (Shift: by one unit); with nothing selected, the view
N, Insert        a new vertex beside the current one
C                begin an arc; Tab or arrows choose its head, Enter draws it, Escape gives up
Enter, F2        edit the name or the weight; a digit begins to type a weight
Space            hold it to move the view with the mouse; S, V, A choose a tool
Ctrl+Space       select or not, F shows all, + and - zoom
"""

from __future__ import annotations

import math

from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtGui import QFocusEvent, QKeyEvent, QPainter

from viewer.features.draw.drawing import Drawing
from viewer.features.draw.mouse import Hand
from viewer.features.draw.rules import weight_words
from viewer.features.draw.surface import DrawSurface

Key = Qt.Key
STEP, GRID_STEP, FINE = 10.0, 40.0, 1.0  # units
PAN_STEP = 40  # pixels
NEW_AT = 130.0  # units beside the current vertex
DIRECTIONS = {
    Key.Key_Left: (-1, 0),
    Key.Key_Right: (1, 0),
    Key.Key_Up: (0, 1),
    Key.Key_Down: (0, -1),
}
TOOLS = {Key.Key_S: "select", Key.Key_V: "vertex", Key.Key_A: "arc"}
OWN = {
    *DIRECTIONS, *TOOLS, Key.Key_E, Key.Key_N, Key.Key_C, Key.Key_F, Key.Key_Insert, Key.Key_Return,
    Key.Key_Enter, Key.Key_F2, Key.Key_Space, Key.Key_Escape, Key.Key_Plus, Key.Key_Minus,
    Key.Key_Equal, Key.Key_Home, Key.Key_Period,
}  # fmt: skip
NONE = Qt.KeyboardModifier.NoModifier
SHIFT, CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
PAD = Qt.KeyboardModifier.KeypadModifier


class Keys:
    """See the module docstring."""

    def __init__(self, canvas: DrawSurface, hand: Hand) -> None:
        self._canvas, self._hand = canvas, hand
        self.tail = -1  # an arc from here is being drawn by keys
        self.head = -1  # and would end here

    # --- events

    def wants(self, event: QKeyEvent) -> bool:
        """Whether a key is the canvas's, before any shortcut of the window."""
        held = event.modifiers() & ~PAD
        if held == CTRL:
            return event.key() == Key.Key_Space
        if held not in (NONE, SHIFT):
            return False
        typing = event.text().isdigit() and bool(self._canvas.model.selected_arcs)
        return event.key() in OWN or typing

    def press(self, event: QKeyEvent) -> bool:
        """Act on a key; return whether it was one of ours."""
        key, held = Key(event.key()), event.modifiers() & ~PAD
        model, canvas = self._canvas.model, self._canvas
        if held == CTRL and key == Key.Key_Space:
            self._toggle_current()
        elif held not in (NONE, SHIFT):
            return False
        elif self.tail >= 0 and self._press_while_connecting(key):
            return True
        elif key in DIRECTIONS:
            self._arrow(key, held == SHIFT)
        elif key == Key.Key_Space:
            if not event.isAutoRepeat():
                self._hold_space(True)
        elif key in (Key.Key_Return, Key.Key_Enter, Key.Key_F2):
            self._edit_current()
        elif model.selected_arcs and event.text() and event.text() in "0123456789.":
            chosen = model.selected_arcs
            canvas.edit(model.current if model.current in chosen else min(chosen), event.text())
        else:
            return self._press_letter(key, held == SHIFT)
        return True

    def _press_letter(self, key: Qt.Key, shift: bool) -> bool:
        canvas = self._canvas
        if key in TOOLS:
            canvas.set_tool(TOOLS[key])
        elif key == Key.Key_E:
            self.walk_arcs(-1 if shift else 1)
        elif key in (Key.Key_N, Key.Key_Insert):
            self.new_vertex()
        elif key == Key.Key_C:
            self.connect()
        elif key in (Key.Key_F, Key.Key_Home):
            canvas.fit()
        elif key in (Key.Key_Plus, Key.Key_Equal, Key.Key_Minus):
            canvas.zoom_by(1 / 1.25 if key == Key.Key_Minus else 1.25)
        elif key == Key.Key_Escape:
            self._escape()
        else:
            return False
        return True

    def release(self, event: QKeyEvent) -> None:
        """A key comes up."""
        if event.key() == Key.Key_Space and not event.isAutoRepeat():
            self._hold_space(False)

    def arrive(self, event: QFocusEvent | None) -> None:
        """The focus came by Tab: begin at an end of the vertices where none is current."""
        reason = event.reason() if event is not None else None
        by_tab = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
        if reason in by_tab and self._canvas.model.current < 0:
            self.walk_vertices(1 if reason == by_tab[0] else -1)
        self._hold_space(False)

    # --- walking

    def walk_vertices(self, by: int) -> bool:
        """Go to the next vertex; return False after the last one."""
        model = self._canvas.model
        if self.tail >= 0:
            self._choose_head(by)
            return True
        keys = [vertex.key for vertex in model.drawing.vertices]
        current = model.current
        if current in model.drawing.arc_by_key:
            current = model.drawing.arc_by_key[current].tail
        place = keys.index(current) + by if current in keys else (0 if by > 0 else len(keys) - 1)
        if not 0 <= place < len(keys):
            return False
        model.select([keys[place]])
        self._canvas.show_current()
        return True

    def walk_arcs(self, by: int, edit: bool = False) -> None:
        """Go to the next arc that leaves the current vertex, or that follows the current arc."""
        model, drawing = self._canvas.model, self._canvas.model.drawing
        arc = drawing.arc_by_key.get(model.current)
        vertex = arc.tail if arc is not None else model.current
        here = [
            one.key
            for one in drawing.arcs
            if edit or vertex in ((one.tail,) if drawing.directed else (one.tail, one.head))
        ]
        if not here:
            self._canvas.said.emit("No arc leaves this vertex; C begins one.")
            return
        first = 0 if by > 0 else len(here) - 1
        place = (here.index(model.current) + by) if model.current in here else first
        if edit and not 0 <= place < len(here):
            return
        model.select([], [here[place % len(here)]])
        self._canvas.show_current()
        if edit:
            self._canvas.edit(here[place])

    # --- acting

    def new_vertex(self) -> None:
        """Add a vertex beside the current one, or in the middle of the view."""
        canvas = self._canvas
        item = canvas.vertices.get(canvas.model.current)
        middle = canvas.mapToScene(canvas.viewport().rect().center())  # type: ignore[union-attr]
        place = free_place(
            canvas.model.drawing,
            item.outline.x if item is not None else middle.x(),
            -item.outline.y if item is not None else -middle.y(),
        )
        x, y = canvas.snapped(place[0], -place[1])
        canvas.attempt(canvas.model.add_vertex, x, -y)
        canvas.show_current()

    def connect(self) -> None:
        """Begin an arc at the current vertex."""
        model = self._canvas.model
        if model.current not in model.drawing.by_key:
            self._canvas.said.emit("Choose where the arc begins, with Tab; then press C.")
            return
        self.tail = self.head = model.current
        self._choose_head(1)

    def _press_while_connecting(self, key: Qt.Key) -> bool:
        canvas = self._canvas
        if key in (Key.Key_Return, Key.Key_Enter, Key.Key_C):
            tail, head = self.tail, self.head
            self._stop_connecting()
            canvas.attempt(canvas.model.add_arc, tail, head)
        elif key in (Key.Key_Right, Key.Key_Down):
            self._choose_head(1)
        elif key in (Key.Key_Left, Key.Key_Up):
            self._choose_head(-1)
        elif key == Key.Key_Escape:
            self._stop_connecting()
            canvas.said.emit("No arc was drawn.")
        else:
            self._stop_connecting()
            return False
        return True

    def _choose_head(self, by: int) -> None:
        drawing = self._canvas.model.drawing
        keys = [vertex.key for vertex in drawing.vertices]
        if self.tail not in keys or self.head not in keys:
            self._stop_connecting()
            return
        self.head = keys[(keys.index(self.head) + by) % len(keys)]
        tail, head = drawing.by_key[self.tail].name, drawing.by_key[self.head].name
        for key, item in self._canvas.vertices.items():
            item.light(key == self.head)
        words = "a loop" if tail == head else f"an arc to {head}"
        self._canvas.said.emit(f"From {tail}: {words}. Tab chooses, Enter draws, Escape gives up.")
        self._canvas.viewport().update()  # type: ignore[union-attr]

    def _stop_connecting(self) -> None:
        self.tail = self.head = -1
        for item in self._canvas.vertices.values():
            item.light(False)
        self._canvas.viewport().update()  # type: ignore[union-attr]

    def _arrow(self, key: Qt.Key, fine: bool) -> None:
        canvas, model = self._canvas, self._canvas.model
        dx, dy = DIRECTIONS[key]
        if not model.selected_vertices:
            canvas.pan(PAN_STEP * dx, -PAN_STEP * dy)
            return
        step = FINE if fine else (GRID_STEP if canvas.snap else STEP)
        places = {}
        for vertex in model.selected_vertices:
            here = model.drawing.by_key[vertex]
            x, y = here.x + step * dx, here.y + step * dy
            places[vertex] = (x, y) if fine else _flipped(canvas.snapped(x, -y))
        model.move(places, "keys")
        canvas.show_current()

    def _edit_current(self) -> None:
        model = self._canvas.model
        chosen = [*model.selected_arcs, *model.selected_vertices]
        if model.current >= 0 or chosen:
            self._canvas.edit(model.current if model.current >= 0 else min(chosen))
        else:
            self._canvas.said.emit("Choose a vertex with Tab, or an arc with E; Enter edits it.")

    def _toggle_current(self) -> None:
        model = self._canvas.model
        if model.current in model.drawing.by_key:
            model.select(
                model.selected_vertices ^ {model.current}, model.selected_arcs, model.current
            )

    def _escape(self) -> None:
        canvas = self._canvas
        if self._hand.give_up():
            return
        if canvas.tool != "select":
            canvas.set_tool("select")
        else:
            canvas.model.select()

    def _hold_space(self, held: bool) -> None:
        canvas = self._canvas
        if held != self._hand.space:
            self._hand.space = held
            if held:
                canvas.viewport().setCursor(Qt.CursorShape.OpenHandCursor)  # type: ignore[union-attr]
            else:
                canvas.viewport().unsetCursor()  # type: ignore[union-attr]

    # --- what is seen and heard of it

    def menu_place(self) -> QPoint:
        """Return where a menu asked for by a key should stand."""
        canvas = self._canvas
        item = canvas.vertices.get(canvas.model.current)
        line = canvas.arcs.get(canvas.model.current)
        if item is not None:
            return canvas.mapFromScene(item.outline.x, item.outline.y)
        if line is not None:
            return canvas.mapFromScene(line.weight_box.center())
        return canvas.viewport().rect().center()  # type: ignore[union-attr]

    def paint(self, painter: QPainter) -> None:
        """Paint the arc that is being drawn by keys."""
        vertices = self._canvas.vertices
        if self.tail in vertices and self.head in vertices:
            self._hand.paint_arc(painter, self.tail, self.head, QPointF())


def _flipped(place: tuple[float, float]) -> tuple[float, float]:
    return place[0], -place[1]


def free_place(drawing: Drawing, x: float, y: float) -> tuple[float, float]:
    """Return a place near (x, y) where no vertex is: there, or to its right, below, around."""
    spots = [(vertex.x, vertex.y) for vertex in drawing.vertices]
    for ring in range(60):
        for turn in range(max(1, 6 * ring)):
            angle = -2 * math.pi * turn / max(1, 6 * ring)
            px, py = x + ring * NEW_AT * math.cos(angle), y + ring * NEW_AT * math.sin(angle)
            if all(math.hypot(px - a, py - b) > 0.7 * NEW_AT for a, b in spots):
                return px, py
    return x, y


def described(drawing: Drawing, vertices: frozenset[int], arcs: frozenset[int]) -> str:
    """Return the selection in words, for the line under the canvas and for screen readers."""
    if len(vertices) == 1 and not arcs:
        vertex = drawing.by_key[next(iter(vertices))]
        out = [arc for arc in drawing.arcs if arc.tail == vertex.key]
        into = sum(arc.head == vertex.key for arc in drawing.arcs)
        leads = ", ".join(
            f"{drawing.by_key[arc.head].name} ({weight_words(arc.weight)})" for arc in out[:4]
        )
        more = " …" if len(out) > 4 else ""
        if not drawing.directed:
            return f"Vertex {vertex.name}: {_count(len(out) + into, 'edge')}"
        leads = f", to {leads}{more}" if leads else ""
        return f"Vertex {vertex.name}: {into} in, {len(out)} out{leads}"
    if len(arcs) == 1 and not vertices:
        arc = drawing.arc_by_key[next(iter(arcs))]
        kind = "Arc" if drawing.directed else "Edge"
        return f"{kind} {drawing.arc_words(arc)}, weight {weight_words(arc.weight)}"
    kind = "arc" if drawing.directed else "edge"
    if vertices or arcs:
        return f"Selected: {_count(len(vertices), 'vertex')}, {_count(len(arcs), kind)}"
    return f"{_count(len(drawing.vertices), 'vertex')}, {_count(len(drawing.arcs), kind)}"


def _count(count: int, word: str) -> str:
    plural = "vertices" if word == "vertex" else f"{word}s"
    return f"{count} {word if count == 1 else plural}"
