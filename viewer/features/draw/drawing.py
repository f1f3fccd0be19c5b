"""What is drawn, as immutable values, and the model of the page: edits, undo, selection.

Every edit is one step: it makes a new `Drawing` and puts it behind the current one, or raises
ParameterError and changes nothing. Undo and redo move along the list of drawings. The selection is
no part of it. Vertices and arcs have keys that never change; names may.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from PyQt6.QtCore import QObject, pyqtSignal

from viewer.features.draw.rules import Weight, check_counts, checked_name, checked_weight, next_name

UNTITLED = "Drawing"


@dataclass(frozen=True, slots=True)
class Vertex:
    """A vertex: its key, its name, where it is."""

    key: int
    name: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Arc:
    """An arc, or an edge where the drawing is undirected; ends are keys of vertices."""

    key: int
    tail: int
    head: int
    weight: Weight


@dataclass(frozen=True)
class Drawing:
    """What is drawn, at one moment; `directed`: whether arcs lead one way."""

    name: str = UNTITLED
    vertices: tuple[Vertex, ...] = ()
    arcs: tuple[Arc, ...] = ()
    directed: bool = True

    @cached_property
    def by_key(self) -> dict[int, Vertex]:
        """Vertices by key."""
        return {vertex.key: vertex for vertex in self.vertices}

    @cached_property
    def arc_by_key(self) -> dict[int, Arc]:
        """Arcs by key."""
        return {arc.key: arc for arc in self.arcs}

    @cached_property
    def key_of_name(self) -> dict[str, int]:
        """Keys of vertices by name."""
        return {vertex.name: vertex.key for vertex in self.vertices}

    @property
    def decimals(self) -> bool:
        """Whether a weight is a decimal; the graph's weights are then all decimals."""
        return any(isinstance(arc.weight, float) for arc in self.arcs)

    def arc_words(self, arc: Arc) -> str:
        """Return "A → B"; a line instead of the arrow where the drawing is undirected."""
        mark = "→" if self.directed else "–"
        return f"{self.by_key[arc.tail].name} {mark} {self.by_key[arc.head].name}"


EMPTY = Drawing()


@dataclass(frozen=True)
class Step:
    """One entry of the history: the edit in words and its result."""

    words: str
    drawing: Drawing


class DrawingModel(QObject):
    """The drawing, its history, its selection; see the module docstring."""

    changed = pyqtSignal()  # another drawing
    selection_changed = pyqtSignal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._steps = [Step("", EMPTY)]
        self._at = 0
        self._next_key = 1
        self.selected_vertices: frozenset[int] = frozenset()
        self.selected_arcs: frozenset[int] = frozenset()
        self.current = -1  # key of the vertex or arc that keys act on, -1 for none

    @property
    def drawing(self) -> Drawing:
        """What is drawn now."""
        return self._steps[self._at].drawing

    # --- history

    @property
    def undo_words(self) -> str:
        """The edit that undo would take back, "" for none."""
        return self._steps[self._at].words if self._at else ""

    @property
    def redo_words(self) -> str:
        """The edit that redo would do again, "" for none."""
        return self._steps[self._at + 1].words if self._at + 1 < len(self._steps) else ""

    def undo(self) -> None:
        """Take back one step, if there is one."""
        self._at = max(self._at - 1, 0)
        self._settle()

    def redo(self) -> None:
        """Do again the step that was taken back last, if there is one."""
        self._at = min(self._at + 1, len(self._steps) - 1)
        self._settle()

    def start_with(self, drawing: Drawing) -> None:
        """Begin anew, without a history, with a drawing that was kept."""
        self._steps, self._at = [Step("", drawing)], 0
        self._reserve_keys(drawing)
        self._settle()

    def _push(self, words: str, drawing: Drawing) -> None:
        """Put a new drawing behind the current one; what was undone is gone."""
        if drawing == self.drawing:
            return
        del self._steps[self._at + 1 :]
        self._steps.append(Step(words, drawing))
        self._at = len(self._steps) - 1
        self._settle()

    def _settle(self) -> None:
        """Deselect what is gone, then report another drawing."""
        drawing, before = self.drawing, (self.selected_vertices, self.selected_arcs, self.current)
        self.selected_vertices &= drawing.by_key.keys()
        self.selected_arcs &= drawing.arc_by_key.keys()
        if self.current not in drawing.by_key and self.current not in drawing.arc_by_key:
            self.current = -1
        self.changed.emit()
        if before != (self.selected_vertices, self.selected_arcs, self.current):
            self.selection_changed.emit()

    def _new_key(self) -> int:
        self._next_key += 1
        return self._next_key - 1

    def _reserve_keys(self, drawing: Drawing) -> None:
        keys = [*drawing.by_key, *drawing.arc_by_key]
        self._next_key = max([self._next_key, *(key + 1 for key in keys)])

    # --- selection

    def select(
        self, vertices: Iterable[int] = (), arcs: Iterable[int] = (), current: int | None = None
    ) -> None:
        """Select by keys; `current` is the one that keys act on (None: the only one selected)."""
        chosen, lines = frozenset(vertices), frozenset(arcs)
        if current is None:
            both = [*chosen, *lines]
            current = both[0] if len(both) == 1 else -1
        if (chosen, lines, current) != (self.selected_vertices, self.selected_arcs, self.current):
            self.selected_vertices, self.selected_arcs, self.current = chosen, lines, current
            self.selection_changed.emit()

    def select_all(self) -> None:
        """Select every vertex and arc."""
        self.select(self.drawing.by_key, self.drawing.arc_by_key)

    # --- edits; each is one step, or raises ParameterError and changes nothing

    def add_vertex(self, x: float, y: float, name: str = "") -> int:
        """Add a vertex, select it, return its key."""
        old = self.drawing
        check_counts(len(old.vertices) + 1, len(old.arcs))
        taken = old.key_of_name
        vertex = Vertex(
            self._new_key(), checked_name(name, taken) if name else next_name(taken), x, y
        )
        self._push(f"vertex {vertex.name}", replace(old, vertices=(*old.vertices, vertex)))
        self.select([vertex.key])
        return vertex.key

    def add_arc(self, tail: int, head: int, weight: Weight = 1) -> int:
        """Add an arc from one vertex to another or itself, select it, return its key."""
        old = self.drawing
        check_counts(len(old.vertices), len(old.arcs) + 1)
        arc = Arc(self._new_key(), tail, head, checked_weight(weight))
        self._push(f"edge {old.arc_words(arc)}", replace(old, arcs=(*old.arcs, arc)))
        self.select([], [arc.key])
        return arc.key

    def add_arc_to_new(self, tail: int, x: float, y: float) -> int:
        """Add a vertex and an edge to it in one step, select the edge, return its key."""
        old = self.drawing
        check_counts(len(old.vertices) + 1, len(old.arcs) + 1)
        vertex = Vertex(self._new_key(), next_name(old.key_of_name), x, y)
        new = replace(old, vertices=(*old.vertices, vertex))
        arc = Arc(self._new_key(), tail, vertex.key, 1)
        words = f"edge {new.arc_words(arc)}"
        self._push(words, replace(new, arcs=(*new.arcs, arc)))
        self.select([], [arc.key])
        return arc.key

    def move(self, places: Mapping[int, tuple[float, float]]) -> None:
        """Move vertices."""
        old = self.drawing
        moved = tuple(
            replace(vertex, x=places[vertex.key][0], y=places[vertex.key][1])
            if vertex.key in places
            else vertex
            for vertex in old.vertices
        )
        names = [vertex.name for vertex in old.vertices if vertex.key in places]
        words = f"move of {names[0]}" if len(names) == 1 else f"move of {len(names)} vertices"
        self._push(words, replace(old, vertices=moved))

    def rename(self, key: int, text: str) -> None:
        """Give a vertex another name."""
        old = self.drawing
        taken = {vertex.name for vertex in old.vertices if vertex.key != key}
        name = checked_name(text, taken)
        renamed = tuple(
            replace(vertex, name=name) if vertex.key == key else vertex for vertex in old.vertices
        )
        self._push(f"name {name}", replace(old, vertices=renamed))

    def set_weight(self, keys: Collection[int], weight: Weight) -> None:
        """Give arcs another weight."""
        old, weight = self.drawing, checked_weight(weight)
        arcs = tuple(replace(arc, weight=weight) if arc.key in keys else arc for arc in old.arcs)
        self._push("weight", replace(old, arcs=arcs))

    def remove(self, vertices: Collection[int], arcs: Collection[int]) -> None:
        """Take vertices away, with their arcs, and arcs."""
        old = self.drawing
        gone = set(vertices)
        kept = tuple(vertex for vertex in old.vertices if vertex.key not in gone)
        lines = tuple(
            arc
            for arc in old.arcs
            if arc.key not in arcs and arc.tail not in gone and arc.head not in gone
        )
        words = "deletion of everything" if not kept and old.vertices else "deletion"
        self._push(words, replace(old, vertices=kept, arcs=lines))

    def set_directed(self, directed: bool) -> None:
        """Let arcs lead one way, or both."""
        self._push("direction of all", replace(self.drawing, directed=directed))

    def replace_all(self, drawing: Drawing, words: str) -> None:
        """Draw something else instead; undo brings back what was there."""
        check_counts(len(drawing.vertices), len(drawing.arcs))
        self._reserve_keys(drawing)
        self._push(words, drawing)
        self.select()
