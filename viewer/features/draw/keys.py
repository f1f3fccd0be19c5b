"""The keyboard on the canvas: everything that the mouse can do.

Tab, Shift+Tab   next vertex, the one before, round and round; with Ctrl the focus goes on
E, Shift+E       next edge that leaves the vertex, the one before
arrows           move the selection; with nothing selected, the view
N, Insert        a new vertex beside the current one
C                an edge: type its tail, head and weight, or its head where a vertex is chosen
Enter            edit the name or the weight
F shows all, + and - zoom, Escape deselects
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from PyQt6.QtCore import QRectF, Qt
from PyQt6.QtGui import QKeyEvent

from gpu.errors import ParameterError
from gpu.words import plural
from viewer.features.draw.drawing import Drawing
from viewer.features.draw.rules import read_weight, weight_words
from viewer.features.draw.text import columns_of

if TYPE_CHECKING:
    from viewer.features.draw.canvas import DrawCanvas

Key = Qt.Key
STEP = 10.0  # units
PAN_STEP = 40  # pixels
NEW_AT = 130.0  # units beside the current vertex
GOLDEN = math.pi * (3 - math.sqrt(5))  # radians
ZOOM = 1.25
DIRECTIONS = {
    Key.Key_Left: (-1, 0),
    Key.Key_Right: (1, 0),
    Key.Key_Up: (0, 1),
    Key.Key_Down: (0, -1),
}
OWN = {
    *DIRECTIONS, Key.Key_E, Key.Key_N, Key.Key_C, Key.Key_F, Key.Key_Insert, Key.Key_Return,
    Key.Key_Enter, Key.Key_Escape, Key.Key_Plus, Key.Key_Minus, Key.Key_Equal,
    Key.Key_Home,
}  # fmt: skip
PLAIN, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier
PAD = Qt.KeyboardModifier.KeypadModifier


class Keys:
    """See the module docstring."""

    def __init__(self, canvas: DrawCanvas) -> None:
        self._canvas, self._model = canvas, canvas.model

    # --- events

    def wants(self, event: QKeyEvent) -> bool:
        """Whether a key is the canvas's, before any shortcut of the window."""
        return event.modifiers() & ~PAD in (PLAIN, SHIFT) and event.key() in OWN

    def press(self, event: QKeyEvent) -> bool:
        """Act on a key; return whether it was one of ours."""
        if not self.wants(event):
            return False
        canvas, model, key = self._canvas, self._model, Key(event.key())
        if key in DIRECTIONS:
            self._arrow(key)
        elif key in (Key.Key_Return, Key.Key_Enter):
            self._edit_current()
        elif key == Key.Key_E:
            self._walk_arcs(-1 if event.modifiers() & SHIFT else 1)
        elif key in (Key.Key_N, Key.Key_Insert):
            self._new_vertex()
        elif key == Key.Key_C:
            self._connect()
        elif key in (Key.Key_F, Key.Key_Home):
            canvas.fit()
        elif key in (Key.Key_Plus, Key.Key_Equal, Key.Key_Minus):
            canvas.zoom_by(1 / ZOOM if key == Key.Key_Minus else ZOOM)
        elif not canvas.give_up() and not (model.selected_vertices or model.selected_arcs):
            return False  # Escape: the page is left
        else:
            model.select()
        return True

    # --- walking

    def walk_vertices(self, by: int) -> None:
        """Go to the next vertex, round and round; begin at the first one, or at the last."""
        keys = [vertex.key for vertex in self._model.drawing.vertices]
        if keys:
            current = self._model.current
            place = keys.index(current) + by if current in keys else min(by, 0) % len(keys)
            self._model.select([keys[place % len(keys)]])
            self._canvas.show_current()

    def _walk_arcs(self, by: int) -> None:
        """Go to the next edge that leaves the current vertex, or that follows the current edge."""
        model, drawing = self._model, self._model.drawing
        arc = drawing.arc_by_key.get(model.current)
        vertex = arc.tail if arc is not None else model.current
        here = [
            one.key
            for one in drawing.arcs
            if vertex in ((one.tail,) if drawing.directed else (one.tail, one.head))
        ]
        if not here:
            nothing = "No edge leaves this vertex; C begins one."
            self._canvas.said.emit(nothing if drawing.vertices else "N adds a vertex.")
            return
        first = 0 if by > 0 else len(here) - 1
        place = (here.index(model.current) + by) if model.current in here else first
        model.select([], [here[place % len(here)]])
        self._canvas.show_current()

    # --- acting

    def _new_vertex(self) -> None:
        """Add a vertex beside the current one, or in the middle of the view."""
        canvas, drawing = self._canvas, self._model.drawing
        vertex = drawing.by_key.get(self._model.current)
        middle = canvas.units_at(QRectF(canvas.rect()).center())
        x, y = middle if vertex is None else (vertex.x, vertex.y)
        canvas.attempt(canvas.model.add_vertex, *free_place(drawing, x, y))

    def _connect(self) -> None:
        """Add the edge that is typed: "S A 10", or "A" where S is chosen."""
        canvas, model = self._canvas, self._model
        names, vertex = model.drawing.key_of_name, model.drawing.by_key.get(model.current)
        begin = vertex.name if vertex is not None else ""
        if not names:
            canvas.said.emit("N adds a vertex.")
            return

        def take(text: str) -> None:
            text = text.strip()
            one = begin and (text in names or " " not in text)
            tail, head, *weight = [begin, text] if one else columns_of(text)[0]
            for name in (tail, head):
                if name not in names:
                    raise ParameterError(f"There is no vertex {name}: type the name of one.")
            arc = model.add_arc(names[tail], names[head], *map(read_weight, weight))
            if not weight:
                canvas.edit(arc)

        place = canvas.layout_now.place_of(model.current) or QRectF(canvas.rect()).center()
        words = "type both ends and the weight, such as S A 10."
        words = f"Edge from {begin}: type its end, or {words}" if begin else f"Edge: {words}"
        canvas.field.edit(place.toPoint(), words, "", take)
        canvas.said.emit(words)

    def _arrow(self, key: Qt.Key) -> None:
        canvas, model = self._canvas, self._model
        dx, dy = DIRECTIONS[key]
        if not model.selected_vertices:
            canvas.pan(-PAN_STEP * dx, PAN_STEP * dy)
            return
        here = (model.drawing.by_key[vertex] for vertex in model.selected_vertices)
        model.move({v.key: (v.x + STEP * dx, v.y + STEP * dy) for v in here})
        canvas.show_current()

    def _edit_current(self) -> None:
        model = self._model
        chosen = [*model.selected_arcs, *model.selected_vertices]
        if model.current >= 0 or chosen:
            self._canvas.edit(model.current if model.current >= 0 else min(chosen))
        else:
            self._canvas.said.emit("Choose a vertex with Tab, or an edge with E; Enter edits it.")


def free_place(drawing: Drawing, x: float, y: float) -> tuple[float, float]:
    """Return a place near (x, y) where no vertex is: there, or around it, close to the others.

    Each vertex turns by the golden angle: in a row, edges would run through vertices.
    """
    spots = [(vertex.x, vertex.y) for vertex in drawing.vertices]
    middle = np.mean(spots or [(x, y)], axis=0)
    first = GOLDEN * (len(spots) - 1)
    for ring in range(60):
        free = []
        for turn in range(max(1, 6 * ring)):
            angle = -2 * math.pi * turn / max(1, 6 * ring) - first
            px, py = x + ring * NEW_AT * math.cos(angle), y + ring * NEW_AT * math.sin(angle)
            if all(math.hypot(px - a, py - b) > 0.7 * NEW_AT for a, b in spots):
                free.append((px, py))
        if free:
            return min(free, key=lambda spot: math.dist(spot, middle))
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
            return f"Vertex {vertex.name}: {plural(len(out) + into, 'edge')}"
        leads = f", to {leads}{more}" if leads else ""
        return f"Vertex {vertex.name}: {into} in, {len(out)} out{leads}"
    if len(arcs) == 1 and not vertices:
        arc = drawing.arc_by_key[next(iter(arcs))]
        return f"Edge {drawing.arc_words(arc)}, weight {weight_words(arc.weight)}"
    if vertices or arcs:
        return f"Selected: {plural(len(vertices), 'vertex')}, {plural(len(arcs), 'edge')}"
    return f"{plural(len(drawing.vertices), 'vertex')}, {plural(len(drawing.arcs), 'edge')}"
