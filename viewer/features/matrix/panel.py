"""All pairs: the matrix of distances of the current run, and the sources that work on it.

Below the matrix stand the cell under the pointer, or the chosen one, and the legend.
"""

from __future__ import annotations

import numpy as np
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QColor
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QWidget

from gpu.words import short, thousands
from viewer.common.colormaps import table_for
from viewer.common.elided import ElidedLabel
from viewer.common.ramp import Ramp
from viewer.common.small_widgets import (
    centred_hint,
    hint_or_page,
    packed,
    panel_column,
    wrapped_label,
)
from viewer.common.text_size import small_font
from viewer.common.theme import THEMES, Theme
from viewer.features.matrix.canvas import MatrixCanvas, state_colours
from viewer.models.matrix import STATE_NAMES, MatrixModel, cell_words, name_of, states_at
from viewer.models.playback import PlaybackModel
from viewer.models.session import SessionModel
from viewer.plots.live import LivePanel

HEADROOM = 1.25  # of a scale that still grows
STOPS = 16  # of the colour map, on the ramp


class MatrixPanel(LivePanel):
    """Shows the current run's matrix; see the module docstring."""

    TITLE = "All pairs"
    HINT = (
        "Choose an algorithm for all pairs in the Run panel (menu View, Panels) and press Run: "
        "here are its distances, from every source to every vertex."
    )

    def __init__(
        self,
        session: SessionModel,
        playback: PlaybackModel,
        model: MatrixModel,
        parent: QWidget | None = None,
    ) -> None:
        self.model = model
        self._top = 0.0
        self._pointed = (-1, -1)  # row and column under the pointer
        super().__init__(session, playback, parent)
        model.record_changed.connect(self._show_matrix)
        model.cell_changed.connect(self._show_cell)
        model.window_changed.connect(self._show_caption)
        self._show_matrix()

    def _build(self) -> None:
        self.setMinimumSize(200, 160)
        self.canvas = MatrixCanvas(self._session, self.model)
        self.setFocusProxy(self.canvas)
        self.scale = MatrixScale()
        self.words = ElidedLabel(role="strong")
        self.words.setAccessibleName("The cell under the pointer, or the chosen one")
        self.caption = wrapped_label()
        self.caption.setMinimumHeight(2 * self.fontMetrics().lineSpacing())  # no matrix jumps
        page = QWidget()
        column = panel_column(page)
        column.addWidget(self.caption)
        column.addWidget(self.canvas, 5)
        column.addWidget(self.words)
        column.addWidget(self.scale)
        self.canvas.pointed.connect(self._point_at)
        self.canvas.look.changed.connect(self._show_look)
        self.hint = centred_hint(self.HINT)
        self._pages = hint_or_page(self, self.hint, page)

    def apply_theme(self, theme: Theme) -> None:
        """Recolour everything."""
        self.canvas.apply_theme(theme)
        self.scale.apply_theme(theme)
        super().apply_theme(theme)

    # --- the models change

    def _show_matrix(self) -> None:
        self._top = 0.0
        self._pages.setCurrentIndex(0 if self.model.record is None else 1)
        self.canvas.show_record(self.model.record)
        self._show_cell()
        self._mark_dirty()

    def _point_at(self, row: int, column: int) -> None:
        self._pointed = (row, column)
        self._show_cell()

    def _show_cell(self) -> None:
        row, column = self._pointed
        record, model = self.model.record, self.model
        if record is None:
            return
        if row < 0 and model.column < 0:
            source = name_of(self._session, record.shown_source)
            self.words.setText(f"row {source} · click a cell, or Shift+click a vertex: the column")
            return
        row, column = (model.row, model.column) if row < 0 else (row, column)
        words = cell_words(self._session, record, row, column)
        self.words.setText(words + self._pixel_words(row, column))

    def _pixel_words(self, row: int, column: int) -> str:
        look = self.canvas.look
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
        look, record = self.canvas.look, self.model.record
        if look.final or record is None or not record.running:
            self._top = look.most
        elif not look.most <= self._top <= 2 * HEADROOM * look.most:  # it changes seldom
            self._top = look.most * HEADROOM
        self.canvas.show_top(self._top or 1.0)
        self.scale.show_top(self._top or 1.0, further=look.top > self._top)
        self._show_caption()
        self._show_cell()

    def _show_caption(self) -> None:
        record, look = self.model.record, self.canvas.look
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
        if self.canvas.states is not None:
            words.append(f"sources: {self.canvas.states.words}")
        self.caption.setText(" · ".join(words))

    # --- drawing

    def _draw_data(self) -> None:
        self.canvas.show_record(self.model.record)
        self._show_look()

    def _draw_cursor(self) -> None:
        record = self.model.record
        now = np.inf if self._playback.following else self._playback.cursor_ns
        self.canvas.show_states(states_at(record, now) if record is not None else None)
        self._show_caption()

    def flush(self) -> None:
        """Look at the whole picture and draw everything now: for pictures and tests."""
        super().flush()
        self.canvas.look.finish()
        self._show_look()
        self._describe()

    def summary_text(self) -> str:
        """Return size, chosen cell and progress in a sentence."""
        record = self.model.record
        if record is None:
            return self.HINT
        return f"{record.title}: {self.caption.text()}; {self.words.text()}"


class MatrixScale(QWidget):
    """Shows where the colour map ends and what single colours mean."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme: Theme = THEMES["light"]
        self.setAccessibleName("Legend of the matrix")
        self.ramp = Ramp("Distance, weight units")
        self.words = QLabel()
        self.words.setTextFormat(Qt.TextFormat.RichText)
        self.words.setWordWrap(True)
        packed(QHBoxLayout(self), QLabel("distance"), self.ramp).addWidget(self.words, 1)
        self.apply_theme(self._theme)

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self._theme = theme
        table = table_for("distance", theme)
        places = range(1, 256, 254 // (STOPS - 1))
        self.ramp.set_colours([QColor(*table[place].tolist()).name() for place in places])
        self.words.setFont(small_font(self.font()))
        self._show_words()

    def show_top(self, top: float, further: bool = False) -> None:
        """End the ramp at a distance; `further`: larger ones share its last colour."""
        self.ramp.show_ends("0", f"{'≥ ' if further else ''}{short(top)}")
        self.setAccessibleDescription(f"Distance, weight units, 0 to {short(top)}")

    def _show_words(self) -> None:
        theme = self._theme
        states = zip(STATE_NAMES, state_colours(theme), strict=True)
        unreached = QColor(*table_for("distance", theme)[0].tolist()).name()
        signs = [("unreached", unreached), *states]
        parts = [
            f'<span style="color:{colour}">■</span>&nbsp;'
            f'<span style="color:{theme.muted}">{name}</span>'
            for name, colour in signs
        ]
        self.words.setText("&nbsp; ".join(parts))
