"""Undo at work: wishes are watched where they live, and set again there.

A `Wish` is one thing that a person sets: how to read it, how to set it, what to call a change.
Models and panels say that something changed; the feature compares with what it knew and puts the
difference on a QUndoStack. So no panel knows of undo, and a wish that is set by a menu, a
field, a click or the palette is one and the same.

Changes of one field within `TYPING_S` of each other are one step, until the focus moves. What
cannot be set now (the source of a graph that is not shown, a run that is forgotten) is passed
over. A run that begins is shown by itself: that is no wish, and no step.

A text field keeps Ctrl+Z for what is typed in it and not yet taken; with nothing typed the key
belongs to the window.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from PyQt6 import sip
from PyQt6.QtCore import QEvent, QObject
from PyQt6.QtGui import QKeyEvent, QKeySequence, QUndoCommand, QUndoStack
from PyQt6.QtWidgets import QApplication, QDoubleSpinBox, QLineEdit, QSpinBox, QWidget

from viewer.action_set import plain
from viewer.common.theme import Theme
from viewer.feature import FeaturePart, Window
from viewer.models.measure import NO_MARKS, Marks
from viewer.models.notes import Pin
from viewer.models.run_choices import RunChoices
from viewer.models.session import RunRecord

TYPING_S = 1.0  # between two changes of one field that are one step
LIMIT = 200  # steps kept
FIELDS = {  # of RunChoices, the most telling first
    "algorithm": "algorithm",
    "device": "machine",
    "delta": "Δ",
    "probe": "what is recorded",
    "pace": "pace",
    "parameters": "parameter",
}


@dataclass(frozen=True)
class Wish:
    """One thing that a person sets.

    name : (old, new) -> what changed, in words; changes of one name may be one step
    able : whether a value can be set now
    """

    read: Callable[[], Any]
    write: Callable[[Any], None]
    name: Callable[[Any, Any], str]
    able: Callable[[Any], bool] = lambda _value: True


class Change(QUndoCommand):
    """From an old value of a wish to a new one."""

    def __init__(self, owner: UndoFeature, key: str, old: Any, new: Any) -> None:
        super().__init__(owner.wishes[key].name(old, new))
        self._owner, self.key, self.old, self.new = owner, key, old, new
        self.at = time.monotonic()
        self._done = True  # by the person: the first redo, of push, does nothing

    def id(self) -> int:
        """Let Qt offer every later change for merging."""
        return 1

    def mergeWith(self, other: QUndoCommand | None) -> bool:
        """Take a later change of the same field, if it came soon enough."""
        if not isinstance(other, Change) or (other.key, other.text()) != (self.key, self.text()):
            return False
        if self._owner.moved or other.at - self.at > TYPING_S:
            return False
        self.new, self.at = other.new, other.at
        self.setObsolete(self.new == self.old)
        return True

    def undo(self) -> None:
        """Set the old value."""
        self._owner.put(self.key, self.old)

    def redo(self) -> None:
        """Set the new value."""
        if self._done:
            self._done = False
        else:
            self._owner.put(self.key, self.new)


class UndoFeature(FeaturePart):
    """Watches, remembers, sets again."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self.stack = QUndoStack(self)
        self.stack.setUndoLimit(LIMIT)
        self.moved = False  # the focus, since the last change
        self._setting = False
        self._shown_runs: set[int] = set()
        self.wishes = self._make_wishes()
        self._known = {key: wish.read() for key, wish in self.wishes.items()}
        self._shown_runs |= {run for run in self._known["runs"] if run is not None}
        self._field: QWidget | None = None
        self._connect()

    def _make_wishes(self) -> dict[str, Wish]:
        window = self._window
        return {
            "source": Wish(
                self._source, self._set_source, lambda *_: "source", self._is_source_here
            ),
            "choices": Wish(window.run_panel.choices, window.run_panel.set_choices, _field_name),
            "colour": Wish(
                lambda: window.graph_view.colour_by,
                window.graph_view.set_colour_by,
                lambda *_: "colouring",
            ),
            "theme": Wish(lambda: window.settings.theme, window.choose_theme, lambda *_: "theme"),
            "arrangement": Wish(self._arrangement, self._set_arrangement, lambda *_: "layout"),
            "measure": Wish(
                self._measured,
                lambda value: window.playback.measure.set_marks(value[1]),
                _marks_name,
                lambda value: value[0] == self._measured()[0],
            ),
            "notes": Wish(
                lambda: window.session.notes.pinned,
                window.session.notes.put_back,
                _notes_name,
            ),
            "runs": Wish(self._runs, self._set_runs, lambda *_: "runs shown", self._are_runs_here),
        }

    def _connect(self) -> None:
        window = self._window
        window.session.source_changed.connect(lambda _source: self._look("source"))
        window.run_panel.choices_changed.connect(lambda: self._look("choices"))
        window.graph_view.colour_by_changed.connect(lambda _key: self._look("colour"))
        window.session.current_changed.connect(lambda _run: self._look("runs"))
        window.comparison.pair_changed.connect(lambda: self._look("runs"))
        window.playback.measure.settled.connect(lambda: self._look("measure"))
        window.session.notes.edited.connect(lambda: self._look("notes"))
        window.session.notes.read.connect(self._note_notes)
        window.docks.leaving.connect(self._note_arrangement)
        window.docks.chosen.connect(lambda _name: self._look("arrangement"))
        window.modes.guest_changed.connect(self._show)
        self.stack.indexChanged.connect(self._show)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._follow_focus)

    # --- for the window

    def needs(self) -> dict[str, bool]:
        """Say whether there is anything to undo, to redo."""
        guest = self._window.modes.guest
        if guest is not None:
            return {"undoable": bool(guest.undo_words), "redoable": bool(guest.redo_words)}
        return {"undoable": self._next(-1) is not None, "redoable": self._next(1) is not None}

    def apply_theme(self, _theme: Theme) -> None:
        """A theme was put on."""
        self._look("theme")

    def undo(self) -> None:
        """Take back the last change that can be taken back now."""
        if self._window.modes.guest is not None:
            self._window.modes.guest.undo()
            return
        while (change := self._change(-1)) is not None:
            able = self._able(change, change.old)
            self.stack.undo()
            if able:
                return

    def redo(self) -> None:
        """Set again what was taken back last, of what can be set now."""
        if self._window.modes.guest is not None:
            self._window.modes.guest.redo()
            return
        while (change := self._change(1)) is not None:
            able = self._able(change, change.new)
            self.stack.redo()
            if able:
                return

    def close(self) -> None:
        """Let go of the application's signal; the window closes."""
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.disconnect(self._follow_focus)

    def put(self, key: str, value: Any) -> None:
        """Set a wish to a value, where it can be set; that is no change of its own."""
        if not self.wishes[key].able(value):
            return
        self._setting = True
        try:
            self.wishes[key].write(value)
        finally:
            self._setting = False
            for name, wish in self.wishes.items():
                self._known[name] = wish.read()

    # --- what changed

    def _look(self, key: str) -> None:
        """Compare a wish with what was known; put the difference on the stack."""
        if self._setting:
            return
        old, new = self._known[key], self.wishes[key].read()
        self._known[key] = new
        if old == new or (key == "runs" and self._began(old, new)):
            return
        if key == "source" and (None in (old, new) or old[0] != new[0]):
            return  # another graph
        if key == "measure" and old[0] != new[0]:
            return  # another run: its marks are forgotten
        if key == "colour" and {old, new} & set(self._window.graph_view.more_looks):
            return  # a comparison came or went
        self.stack.push(Change(self, key, old, new))
        self.moved = False

    def _began(self, old: tuple[int | None, ...], new: tuple[int | None, ...]) -> bool:
        """Whether a run is shown for the first time, or one is gone."""
        fresh = {run for run in new if run is not None} - self._shown_runs
        self._shown_runs |= fresh
        return bool(fresh) or not (self._are_runs_here(old) and self._are_runs_here(new))

    def _change(self, direction: int) -> Change | None:
        place = self.stack.index() - (direction < 0)
        found = self.stack.command(place) if 0 <= place < self.stack.count() else None
        return found if isinstance(found, Change) else None

    def _next(self, direction: int) -> Change | None:
        """Return the change that undo (-1) or redo (+1) would do, None where there is none."""
        place = self.stack.index() - (direction < 0)
        while 0 <= place < self.stack.count():
            found = self.stack.command(place)
            if isinstance(found, Change):
                value = found.old if direction < 0 else found.new
                if self._able(found, value):
                    return found
            place += direction
        return None

    def _able(self, change: Change, value: Any) -> bool:
        return self.wishes[change.key].able(value)

    def _show(self) -> None:
        for key, direction in (("undo", -1), ("redo", 1)):
            action, found = self._window.actions_by_key[key], self._next(direction)
            word = plain(self._window.actions_by_key.table[key].text)
            what = found.text() if found is not None else ""
            guest = self._window.modes.guest
            if guest is not None:
                what = guest.undo_words if direction < 0 else guest.redo_words
            action.setText(f"&{word} {what}" if what else f"&{word}")
        self._window.enable_actions()

    # --- the wishes

    def _source(self) -> tuple[str, int] | None:
        graph = self._window.session.graph
        return None if graph is None else (graph.hash, self._window.session.source)

    def _is_source_here(self, value: tuple[str, int]) -> bool:
        graph = self._window.session.graph
        return graph is not None and graph.hash == value[0]

    def _set_source(self, value: tuple[str, int]) -> None:
        self._window.controller.set_source(value[1])

    def _runs(self) -> tuple[int | None, int | None]:
        current, other = self._window.session.current, self._window.comparison.b
        return (None if current is None else current.run_id), (
            None if other is None else other.run_id
        )

    def _measured(self) -> tuple[int | None, Marks]:
        return self._runs()[0], self._window.playback.measure.marks

    def _record(self, run_id: int) -> RunRecord | None:
        graph, found = self._window.session.graph, self._window.session.run_by_id(run_id)
        same = found is not None and graph is not None and found.graph_reference.hash == graph.hash
        return found if same else None

    def _are_runs_here(self, value: tuple[int | None, ...]) -> bool:
        return value[0] is not None and all(
            run is None or self._record(run) is not None for run in value
        )

    def _set_runs(self, value: tuple[int, int | None]) -> None:
        model = self._window.comparison
        self._window.session.set_current(self._record(value[0]))
        other = self._record(value[1]) if value[1] is not None else None
        if other is None:
            model.end()
        elif other is not model.b:
            model.compare_with(other)

    def _arrangement(self) -> tuple[str, bytes]:
        return self._window.docks.arrangement, self._window.as_widget().saveState().data()

    def _note_arrangement(self) -> None:
        """Know how the docks stand now: a person may have moved them."""
        self._known["arrangement"] = self._arrangement()

    def _note_notes(self) -> None:
        """Know the notes that came with a file: nobody made them here."""
        self._known["notes"] = self._window.session.notes.pinned

    def _set_arrangement(self, value: tuple[str, bytes]) -> None:
        docks = self._window.docks
        docks.arrange(value[0])
        self._window.as_widget().restoreState(value[1])
        docks.mark(value[0])

    # --- keys in fields

    def _follow_focus(self, _old: QWidget | None, now: QWidget | None) -> None:
        self.moved = True
        if self._field is not None and not sip.isdeleted(self._field):
            self._field.removeEventFilter(self)
        field = now if isinstance(now, QLineEdit | QSpinBox | QDoubleSpinBox) else None
        self._field = field
        if field is not None:
            field.installEventFilter(self)
            field.destroyed.connect(self._forget_field)

    def _forget_field(self) -> None:
        self._field = None

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Keep a field from taking Ctrl+Z where it has nothing typed to take back."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            keys = QKeySequence(event.keyCombination())
            ours = [
                key
                for name in ("undo", "redo")
                for key in self._window.actions_by_key[name].shortcuts()
            ]
            if keys in ours and not _typed(watched):
                event.ignore()
                return True
        return False


def _typed(field: QObject | None) -> bool:
    """Whether a field holds something typed that nobody has taken yet."""
    if isinstance(field, QSpinBox | QDoubleSpinBox):
        taken: str = field.specialValueText() if field.value() == field.minimum() else ""
        taken = taken or field.prefix() + field.textFromValue(field.value()) + field.suffix()  # type: ignore[arg-type]
        return field.text() != taken
    return isinstance(field, QLineEdit) and field.isUndoAvailable()


def _notes_name(old: tuple[Pin, ...], new: tuple[Pin, ...]) -> str:
    if len(old) != len(new):
        return "new note" if len(new) > len(old) else "taking a note away"
    texts = ({pin.note.text for pin in pins} for pins in (old, new))
    return "note moved" if next(texts) == next(texts) else "note changed"


def _marks_name(_old: Any, new: tuple[int | None, Marks]) -> str:
    return "taking marks away" if new[1] == NO_MARKS else "marks of measuring"


def _field_name(old: RunChoices, new: RunChoices) -> str:
    """Return what changed between two choices: the first field that differs."""
    one, other = asdict(old), asdict(new)
    found = next((name for name in FIELDS if one[name] != other[name]), "parameters")
    if found != "parameters":
        return FIELDS[found]
    before = one["parameters"].get(new.algorithm, {})
    after = other["parameters"].get(new.algorithm, {})
    keys = [key for key in after if before.get(key) != after[key]]
    titles = {row.key: row.title for row in _parameters(new.algorithm)}
    return titles.get(keys[0], FIELDS[found]) if keys else FIELDS[found]


def _parameters(algorithm: str) -> Any:
    from gpu.algorithms import find

    return find(algorithm).parameters


install = UndoFeature
