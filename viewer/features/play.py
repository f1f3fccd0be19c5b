"""You are the scheduler: take the waiting vertices of a small graph in an order of your own.

Waiting vertices have a dashed ring. Click one, or choose it in the list and press Enter: its edges
are relaxed, and vertices that improve wait, some again. *Take its bucket* (Shift+Enter)
takes all that wait in its bucket at once, as parallel workers do. Backspace takes a step back, H
gives a hint, a right click starts elsewhere, Esc leaves. Every order ends with the right distances,
but a vertex that was taken too early is processed again. The table compares you with modelled runs.

*Again*: vertices processed before; ADDS' queue keeps an item for each improvement, and ADDS takes
stale ones too. *Rank error*: how many waiting vertices were closer than the one taken. *Distance
error*: how much closer the closest was. Both are means over the vertices taken. *Time*, on the
Classroom GPU: one vertex costs what it costs the modelled Dijkstra, 0.4 ms for each level of the
heap, each 8 edges and each improvement; a bucket what a superstep costs the modelled Bellman-Ford,
0.9 ms for up to 8 vertices with 32 edges.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from PyQt6.QtCore import QSignalBlocker, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QHideEvent, QKeySequence, QPainter, QPen, QShortcut, QShowEvent
from PyQt6.QtWidgets import (
    QDoubleSpinBox,
    QGridLayout,
    QListWidget,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from gpu.errors import GpuError
from gpu.study.play import Game, Score, refusal, rivals
from gpu.words import short
from viewer.common.later import later
from viewer.common.small_widgets import fill, plain_table, wrapped_label
from viewer.common.theme import SPACING
from viewer.feature import DrawnGraph, Microscope, Scheduler, Window
from viewer.graph.colours import Legend, Look
from viewer.graph.picture import NewestFirst
from viewer.graph.vertex_words import Tentative
from viewer.models.session import RunRecord
from viewer.raster.raster import Colouring

DOCK = "play"
COLUMNS = (
    *("", "Vertices", "Again", "Edges", "Rank\nerror", "Distance\nerror"),
    "Time, modelled\nClassroom GPU",
)
LEGEND = Legend("Now", (), ((0, "unreached"), (1, "waiting"), (2, "taken")))
BUTTONS = {  # name: tooltip, and keys in the list
    "Take": ("Process the chosen vertex (Enter, or a click on the map)", "Return Enter"),
    "Take its bucket": (
        "Process all that wait in its bucket at once (Shift+Enter)",
        "Shift+Return Shift+Enter",
    ),
    "Undo": ("Take the last step back (Backspace)", "Backspace"),
    "Hint": ("Which waiting vertex is the closest (H)", "H"),
    "Show me the difference": ("Where you first left Dijkstra's order, and what that cost", ""),
    "Play again": ("Begin again", ""),
}
RING = 5.0  # pixels outside a disc


class PlayPanel(QWidget):
    """The game, while it is shown; see the module docstring."""

    finished = pyqtSignal(object)  # the Score of a game that is over

    def __init__(self, window: Window) -> None:
        super().__init__()
        self._window, self._view, session = window, window.graph_view, window.session
        self.game: Game | None = None
        self._left: Game | None = None  # when the panel was hidden
        self.others: list[Score] = []
        self._worker = NewestFirst(self)
        self._worker.done.connect(self._take_result)
        self._build()
        for signal in (session.graph_changed, session.graph_completed, session.source_changed):
            signal.connect(lambda *_: later(self, self.begin))
        self._view.more_marks.append(self._paint)
        self.list.currentRowChanged.connect(lambda _row: self._view.update())
        self.delta.valueChanged.connect(self._show_again)

    def _build(self) -> None:
        self.words, self.list, self.delta = wrapped_label(), QListWidget(), QDoubleSpinBox()
        self.words.setProperty("role", "")
        self.list.setAccessibleName("Waiting vertices, the closest first")
        self.delta.setRange(0.01, 1e9)
        self.delta.setPrefix("Δ = ")
        self.delta.setAccessibleName("Width Δ of a bucket")
        self.scores = plain_table(COLUMNS, "What your order cost, and that of others")
        words = str(__doc__).rpartition("\n\n")[2].replace("*", "").replace("\n", " ")
        self.scores.setToolTip(words)
        column, grid = QVBoxLayout(self), QGridLayout()
        column.setContentsMargins(SPACING, SPACING, SPACING, SPACING)
        done = [partial(self._do, act) for act in (Game.undo, Game.hint, Game.difference_words)]
        bucket = lambda: self.take(delta=self.delta.value())  # noqa: E731
        acts: list[Callable[..., None]] = [self.take, bucket, *done, self.begin]
        here = Qt.ShortcutContext.WidgetShortcut
        self.buttons: dict[str, QPushButton] = {}
        for place, (name, call) in enumerate(zip(BUTTONS, acts, strict=True)):
            button = self.buttons[name] = QPushButton(name)
            button.setToolTip(BUTTONS[name][0])
            button.clicked.connect(call)
            for keys in BUTTONS[name][1].split():
                QShortcut(QKeySequence(keys), self.list, button.click, context=here)
            grid.addWidget(button, place // 2, place % 2)
        for widget in (*self.buttons.values(), self.scores):
            widget.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # after a click, Enter is the game's
        grid.addWidget(self.delta, 0, 2)
        for part in (self.words, self.list, self.scores):
            column.addWidget(part, 0 if part is self.words else 1)
        column.insertLayout(2, grid)

    def showEvent(self, a0: QShowEvent | None) -> None:
        """Begin, or go on where a drawing lay over the game."""
        super().showEvent(a0)
        if self._window.modes.drawing and self._left is not None:
            self.game = self._left
            self._show_again()
            later(self, self.list.setFocus)
        else:
            later(self, self.begin)

    def hideEvent(self, a0: QHideEvent | None) -> None:
        """Give the map back."""
        super().hideEvent(a0)
        if self.game is not None:
            self._left, self.game = self.game, None
            self._show_map()

    # --- what a person does

    def begin(self) -> None:
        """Begin on the graph shown, from its source."""
        session = self._window.session
        graph = session.graph
        if not self.isVisible() or graph is None or session.arcs_missing:
            return
        self.game, self.others, words = None, [], refusal(graph)
        if not words:
            game = self.game = Game(graph, session.source)
            words = f"{game.step_words()} Press Enter, or click it."
            with QSignalBlocker(self.delta):
                self.delta.setValue(graph.mean_weight / 2)
            self._work(game)
        self._show(words)

    @property
    def chosen(self) -> int:
        """The vertex that is chosen in the list, -1 for none."""
        row = self.list.currentRow()
        return self.game.waiting[row] if self.game is not None and row >= 0 else -1

    def take(self, _checked: bool = False, *, delta: float | None = None) -> None:
        """Process the chosen vertex, or all that waits in its bucket."""
        if self.chosen >= 0:
            self._do(lambda game: game.take(self.chosen, delta))

    def _do(self, act: Callable[[Game], str | None], _checked: bool = False) -> None:
        """Do something to the game; show what it says, else what the last step did."""
        game = self.game
        if game is not None:
            words = act(game)
            self._show(words or game.step_words())
            if words is None and not game.waiting:
                self._work(game)

    def _click(self, vertex: int) -> None:
        self.list.setFocus()  # it takes the keys
        game = self.game
        if game is not None and vertex in game.now.waiting:
            self.list.setCurrentRow(game.waiting.index(vertex))
            self.take()
        elif game is not None:
            self._show(f"{game.name(vertex)} does not wait. {game.hint()}")

    def _work(self, game: Game) -> None:
        """Make the runs of the others, and prove a game that is over, on a thread."""
        others = self.others

        def job() -> tuple[Game, list[Score], str]:
            try:
                made = others or rivals(game.graph, game.source)
                return game, made, "" if game.waiting else game.end_words(made)
            except GpuError as error:
                return game, others, str(error)

        self._worker.submit(job)

    def _take_result(self, result: tuple[Game, list[Score], str]) -> None:
        game, others, words = result
        if game is self.game:
            self.others = others
            self.words.setText(words or self.words.text())
            self._show_again()
            if others and not game.waiting:
                self.finished.emit(game.score())

    # --- shown

    def _show(self, words: str, row: int = 0) -> None:
        """Show what waits, the tables, and a sentence; `row`: which vertex is chosen."""
        game = self.game
        self.words.setText(words)
        self.list.setAccessibleDescription(words)
        for part in (*self.buttons.values(), self.list, self.delta, self.scores):
            part.setVisible(game is not None)
        self._show_map()
        if game is None:
            return
        with QSignalBlocker(self.list):
            self.list.clear()
            for vertex in game.waiting:
                dist = game.now.dist[vertex]
                bucket = f"bucket {dist // self.delta.value():.0f}"
                self.list.addItem(f"{game.at(vertex, dist)}, {bucket}")
            self.list.setCurrentRow(row)
        scores = (game.score(), *self.others)
        rows = [(one.title, *map(short, one[1:6]), f"{one.time_ms:.3g} ms") for one in scores]
        fill(self.scores, rows)

    def _show_again(self) -> None:
        self._show(self.words.text(), self.list.currentRow())

    def _show_map(self) -> None:
        """Colour the map by what waits, write the distances so far, take its clicks."""
        game, view = self.game, self._view
        if game is None:
            view.distances_now = view.click_goes_to = None
            view.show_source(self._window.session.source)
            view.refresh()
            return
        dist = np.array(game.now.dist, float)
        first, waits = np.where(np.isfinite(dist), 0, -1), np.zeros(len(dist), int)
        waits[list(game.now.waiting)] = 1
        look = Look(Colouring("state", first=first, last=waits, cursor=0.0), "state", LEGEND)
        view.distances_now = lambda: Tentative(dist, "", look=look)
        view.click_goes_to, view.source = self._click, game.source
        view.refresh()

    def _paint(self, painter: QPainter) -> None:
        """Ring what waits."""
        game, view = self.game, self._view
        if game is None:
            return
        radius = view.disc_radius() + RING
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for vertex in game.now.waiting:
            at, chosen = view.place_of(vertex), vertex == self.chosen
            if at is not None:
                style = Qt.PenStyle.SolidLine if chosen else Qt.PenStyle.DashLine
                ink = QColor(self._window.theme.accent)
                painter.setPen(QPen(ink, 4.0 if chosen else 2.0, style))
                painter.drawEllipse(at, radius, radius)


class PlayFeature(Scheduler):
    """Opens the panel, and leaves it."""

    _pair: tuple[RunRecord | None, RunRecord | None] = None, None  # A and B before the game

    def make_panel(self, _dock: str) -> QWidget:
        """Return the panel."""
        panel = PlayPanel(self._window)
        panel.finished.connect(self.finished)
        return panel

    def open(self, *, beside: bool = False) -> None:
        """Show the panel; a drawing becomes the window's graph first."""
        window = self._window
        page = window.part(DrawnGraph) if window.modes.drawing else None
        if page is not None:
            page.give()
        if window.modes.drawing:
            return  # nothing is drawn: the page says so
        scope = window.part(Microscope) if window.docks.arrangement == "microscope" else None
        if scope is not None:
            scope.back()  # to the runs that were shown before it
        if not window.docks[DOCK].isVisible():
            self._pair = window.session.current, window.comparison.b
        window.comparison.end()
        if not beside:
            window.docks.gather(DOCK, (DOCK,))
        panel = window.show_dock(DOCK)
        if beside:
            wide, lesson = window.as_widget().width(), window.docks["lesson"]
            window.as_widget().resizeDocks([lesson], [wide // 4], Qt.Orientation.Horizontal)
        assert isinstance(panel, PlayPanel)
        later(panel, panel.list.setFocus)

    def back(self) -> bool:
        """Leave the game."""
        docks = self._window.docks
        shown = docks[DOCK].isVisible()
        if docks.arrangement == DOCK:
            docks.return_to(docks.base)
        docks[DOCK].close()
        if shown:
            self._window.comparison.compare_again(self._pair)
        return shown

    def close(self) -> None:
        """The next start shows what was there before the game."""
        self.back()


install = PlayFeature
