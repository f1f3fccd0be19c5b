"""All pairs: the matrix of distances, who works on it, and beside it another run's.

The matrix of the current run, with B's beside it where two are compared, through one window, with
one chosen cell and one scale of colours. Below stands the cell under the pointer, or the chosen
one. Both runs are on one clock: B's rows are shown at the moment of B that the comparison lays on
the cursor.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import (
    QBoxLayout,
    QHBoxLayout,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from gpu.words import thousands
from viewer.common.elided import ElidedLabel
from viewer.common.small_widgets import centred_hint, wrapped_label
from viewer.common.text_size import scaled
from viewer.common.theme import SPACING, Theme
from viewer.features.matrix.canvas import MatrixCanvas
from viewer.features.matrix.look import MatrixLook
from viewer.features.matrix.scale import MatrixScale
from viewer.models.comparison import ComparisonModel
from viewer.models.matrix import BEGUN, MatrixModel, cell_words, name_of, states_at
from viewer.models.playback import PlaybackModel
from viewer.models.session import RunRecord, SessionModel
from viewer.plots.live import LivePanel

WIDE = 400  # pixels: with room for two matrices side by side
STACKED = 420  # pixels: high enough for one above the other where that is too narrow
NAMED = 380  # pixels: a matrix with room for its algorithm's name above
HEADROOM = 1.25  # of a scale that still grows


class MatrixPanel(LivePanel):
    """Shows the current run's matrix; see the module docstring."""

    TITLE = "All pairs"
    HINT = (
        "Choose an algorithm for all pairs in the Run panel and press Run: "
        "here are its distances, from every source to every vertex."
    )

    def __init__(
        self,
        session: SessionModel,
        playback: PlaybackModel,
        model: MatrixModel,
        pair: ComparisonModel,
        parent: QWidget | None = None,
    ) -> None:
        self.model, self._pair = model, pair
        self._top = 0.0
        self._pointed = (0, -1, -1)  # A or B, row and column under the pointer
        super().__init__(session, playback, parent)
        model.record_changed.connect(self._show_records)
        model.cell_changed.connect(self._show_cell)
        model.window_changed.connect(self._show_caption)
        pair.pair_changed.connect(self._show_records)
        self._show_records()

    # --- construction

    def _build(self) -> None:
        self.setMinimumSize(200, 160)
        self.canvases = tuple(MatrixCanvas(self._session, self.model) for _ in "AB")
        self.canvases[1].setAccessibleName("Matrix of B")
        self.canvases[1].hide()
        self.scale = MatrixScale()
        self.titles = (ElidedLabel(role="strong"), ElidedLabel(role="strong"))
        self.words = ElidedLabel(role="strong")
        self.words.setAccessibleName("The cell under the pointer, or the chosen one")
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(SPACING, SPACING // 2, SPACING, SPACING // 2)
        column.setSpacing(SPACING // 2)
        self.caption = wrapped_label()
        self.caption.setMinimumHeight(2 * self.fontMetrics().lineSpacing())  # no matrix jumps
        column.addWidget(self.caption)
        self._box = _side_by_side(tuple(map(_below, self.titles, self.canvases)))
        column.addLayout(self._box, 5)
        for place, canvas in enumerate(self.canvases):
            canvas.pointed.connect(partial(self._point_at, place))
            canvas.look.changed.connect(self._show_look)
        column.addWidget(self.words)
        column.addWidget(self.scale)
        self.hint = centred_hint(self.HINT)
        self._pages = QStackedLayout(self)
        self._pages.addWidget(self.hint)
        self._pages.addWidget(page)

    def apply_theme(self, theme: Theme) -> None:
        """Recolour everything."""
        for canvas in self.canvases:
            canvas.apply_theme(theme)
        self.scale.apply_theme(theme)
        super().apply_theme(theme)

    # --- the models change

    @property
    def records(self) -> tuple[RunRecord | None, RunRecord | None]:
        """A and B, as far as they have matrices."""
        a, b = self.model.record, self._pair.b
        return a, b if a is not None and b is not None and b.is_matrix else None

    def _show_records(self) -> None:
        a, b = self.records
        self._top = 0.0
        self._pages.setCurrentIndex(0 if a is None else 1)
        self._show_parts()
        for canvas, record, letter in zip(self.canvases, (a, b), "AB", strict=True):
            canvas.letter = letter if b is not None else ""
            canvas.show_record(record)
        self._show_cell()
        self._mark_dirty()

    def _point_at(self, place: int, row: int, column: int) -> None:
        self._pointed = (place if row >= 0 else 0, row, column)
        self._show_cell()

    def _show_cell(self) -> None:
        """Say what the pointer is on; where it is on nothing, the chosen cell."""
        place, row, column = self._pointed
        record, model = self.records[place], self.model
        if record is None:
            return
        if row < 0 and model.column < 0:
            source = name_of(self._session, record.shown_source)
            self.words.setText(f"row {source} · click a cell, or Shift+click a vertex: the column")
            return
        row, column = (model.row, model.column) if row < 0 else (row, column)
        words = f"{self.canvases[place].letter} " if place else ""
        words += cell_words(self._session, record, row, column)
        self.words.setText(words + self._pixel_words(self.canvases[place].look, row, column))

    def _pixel_words(self, look: MatrixLook, row: int, column: int) -> str:
        place = look.pixel(row, column)
        if place is None or look.grid is None or look.grid.row_step * look.grid.column_step == 1:
            return ""
        size = f"{look.grid.row_step} x {look.grid.column_step}"
        mean = float(look.mean[place])
        if not np.isfinite(mean):
            return f" · pixel of {size}: none reached"
        missing = int(look.unreached[place])
        more = f", {missing:,} unreached" if missing else ""
        return f" · pixel of {size}: mean {mean:,.6g}{more}"

    def _show_look(self) -> None:
        """Take over a larger scale, and show more of the picture."""
        shown = [
            canvas.look
            for canvas, record in zip(self.canvases, self.records, strict=True)
            if record is not None
        ]
        top = max((look.top for look in shown), default=0.0)
        live = any(record is not None and record.running for record in self.records)
        final = [look.most for look in shown if look.final]
        most = max(final or [look.most for look in shown], default=0.0)
        if final or not live:
            self._top = most
        elif not most <= self._top <= 2 * HEADROOM * most:  # it stands still most of the time
            self._top = most * HEADROOM
        for canvas in self.canvases:
            canvas.show_top(self._top or 1.0)
        self.scale.show_top(self._top or 1.0, further=top > self._top)
        self._show_caption()
        self._show_cell()

    def _show_caption(self) -> None:
        record, look = self.model.record, self.canvases[0].look
        if record is None or look.grid is None:
            return
        whole, grid = self.model.whole, look.grid
        words = [f"{thousands(whole.rows)} x {thousands(whole.columns)}"]
        if grid.row_step * grid.column_step > 1:
            words.insert(0, f"1 pixel: mean of {grid.row_step} x {grid.column_step} entries")
        if self.model.window != whole:
            part = self.model.window
            words.append(f"{thousands(part.rows)} x {thousands(part.columns)} shown")
        if look.share < 1 and not record.running:
            words.append(f"looking, {look.share:.0%}")
        states = self.canvases[0].states
        if states is not None and not self._pair.active:
            words.append(f"sources: {states.words}")
        self.caption.setText(" · ".join(words))
        for title, canvas, run in zip(self.titles, self.canvases, self.records, strict=True):
            if run is not None and canvas.states is not None:
                name = f"{run.algorithm.title}: " if canvas.width() >= scaled(NAMED) else ""
                title.setText(f"{canvas.letter} {name}{canvas.states.words}")

    # --- drawing

    def _draw_data(self) -> None:
        for canvas, record in zip(self.canvases, self.records, strict=True):
            canvas.show_record(record)
        self._show_look()

    def _draw_cursor(self) -> None:
        a, b = self.records
        now = np.inf if self._playback.following else self._playback.cursor_ns
        states = states_at(a, now) if a is not None else None
        self.canvases[0].show_states(states)
        if b is not None:
            other = np.inf if b.running else self._playback.cursor_ns
            self.canvases[1].show_states(states_at(b, other))
        begun = states is not None and bool((states.state == BEGUN).any())
        self.scale.show_begun(begun)
        self._show_caption()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Stack two matrices where the panel is narrow and high."""
        super().resizeEvent(event)
        self._show_parts()

    def _show_parts(self) -> None:
        pair, height = self.records[1] is not None, self.height()
        narrow = self.width() < scaled(WIDE)
        across, down = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        roomy = height >= scaled(STACKED)
        self._box.setDirection(down if narrow and roomy else across)
        for part in (self.canvases[1], self.canvases[1].parentWidget()):
            if part is not None:
                part.setVisible(pair)
        for title in self.titles:
            title.setVisible(pair)

    def flush(self) -> None:
        """Look at the whole picture and draw everything now: for pictures and tests."""
        super().flush()
        for canvas in self.canvases:
            canvas.look.finish()
        self._show_look()
        self._describe()

    def close_looks(self) -> None:
        """Look at no matrix any more."""
        for canvas in self.canvases:
            canvas.look.close()

    def summary_text(self) -> str:
        """Return size, chosen cell and progress in a sentence."""
        record = self.model.record
        if record is None:
            return self.HINT
        return f"{record.title}: {self.caption.text()}; {self.words.text()}"


def _below(title: QWidget, canvas: QWidget) -> QWidget:
    part = QWidget()
    column = QVBoxLayout(part)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(SPACING // 2)
    column.addWidget(title)
    column.addWidget(canvas, 1)
    return part


def _side_by_side(parts: tuple[QWidget, ...]) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(SPACING)
    for part in parts:
        row.addWidget(part, 1)
    return row
