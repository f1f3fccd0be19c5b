"""Pseudocode and the kernel's own source, side by side: the current line lit, counts as heat.

Counts are those of the events up to the one shown; the colour of a line says how often it ran
compared with the busiest line. The source scrolls to the current line only where that is out of
sight.
"""

from __future__ import annotations

import math

from PyQt6.QtCore import QRectF, QSize, Qt
from PyQt6.QtGui import QColor, QFontDatabase, QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PyQt6.QtWidgets import QLabel, QScrollArea, QSplitter, QVBoxLayout, QWidget

from gpu.replay.pseudocode import Pseudocode, pseudocode_of
from viewer.common.later import once
from viewer.common.small_widgets import centred_hint, hint_or_page, packed, scroller
from viewer.common.text_size import scaled
from viewer.common.theme import LIGHT, SPACING, Theme, mix
from viewer.features.microscope.model import MicroscopeModel

ROOM_ABOVE = 0.35  # of the height, above the lit line
CODE_PIXELS = 11  # height of the code's type, at the reference text size
NO_CODE = "There is no pseudocode for this algorithm."


class Lines(QWidget):
    """Lines of text in a fixed pitch, with counts in a gutter; paints what is in view."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self.lines: tuple[str, ...] = ()
        self.counts: dict[int, int] = {}
        self.lit = -1
        self.numbered = False
        self._use_type()

    def show_lines(self, lines: tuple[str, ...], numbered: bool) -> None:
        """Take other lines; `numbered`: from 1, in the gutter."""
        if lines != self.lines:
            self.lines, self.numbered, self.lit = lines, numbered, -1
            self.setMinimumSize(self.sizeHint())
            self.resize(self.sizeHint())
        self.update()

    def light(self, lit: int, counts: dict[int, int]) -> None:
        """Light one line (-1 none) and take the counts of lines."""
        self.lit, self.counts = lit, counts
        self.update()

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme, and its size of text."""
        self._theme = theme
        self._use_type()
        self.setMinimumSize(self.sizeHint())
        self.update()

    def _use_type(self) -> None:
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPixelSize(scaled(CODE_PIXELS))
        self.setFont(font)

    @property
    def row_height(self) -> float:
        """Pixels of a line."""
        return QFontMetricsF(self.font()).height() + 3

    @property
    def _gutter(self) -> float:
        most = max(self.counts.values(), default=0) if not self.numbered else len(self.lines)
        words = f"{max(most, 999):,}"
        return QFontMetricsF(self.font()).horizontalAdvance(f"0{words}") + SPACING

    def sizeHint(self) -> QSize:
        """Return the size of all lines."""
        metrics = QFontMetricsF(self.font())
        widest = max((metrics.horizontalAdvance(line) for line in self.lines), default=100)
        return QSize(
            int(self._gutter + widest + 2 * SPACING), int(len(self.lines) * self.row_height) + 4
        )

    def paintEvent(self, a0: QPaintEvent | None) -> None:
        """Paint the lines in view."""
        if a0 is None:
            return
        painter, theme, height = QPainter(self), self._theme, self.row_height
        painter.fillRect(a0.rect(), QColor(theme.base))
        busiest = max(self.counts.values(), default=0)
        first = max(0, int(a0.rect().top() / height))
        last = min(len(self.lines), int(a0.rect().bottom() / height) + 1)
        for k in range(first, last):
            box = QRectF(0, k * height + 2, max(self.width(), a0.rect().right()), height)
            count, lit = self.counts.get(k, 0), k == self.lit
            if count and busiest:
                share = math.log1p(count) / math.log1p(busiest)
                painter.fillRect(box, QColor(mix(theme.base, theme.data.work, 0.06 + 0.24 * share)))
            if lit:
                painter.fillRect(box, QColor(mix(theme.base, theme.accent, 0.30)))
                painter.fillRect(QRectF(0, box.y(), 4, height), QColor(theme.accent))
            gutter = QRectF(4, box.y(), self._gutter - SPACING - 4, height)
            beside = f"{k + 1}" if self.numbered else (f"{count:,}" if count else "")
            painter.setPen(QColor(theme.text if count and not self.numbered else theme.muted))
            painter.drawText(gutter, Qt.AlignmentFlag.AlignRight, beside)
            comment = self.lines[k].lstrip().startswith(("//", "#", "*", "/*"))
            painter.setPen(QColor(theme.muted if comment else theme.text))
            words = box.adjusted(self._gutter, 0, 0, 0)
            painter.drawText(words, Qt.AlignmentFlag.AlignLeft, self.lines[k])
        painter.end()


class CodePanel(QWidget):
    """Shows what a MicroscopeModel does in code; see the module docstring."""

    def __init__(self, model: MicroscopeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._code: Pseudocode | None = None
        self.setAccessibleName("Code")
        self.pseudo, self.source = Lines(), Lines()
        self.pseudo_title, self.source_title = QLabel(), QLabel()
        self._scrolls: dict[Lines, QScrollArea] = {}
        self._file = ""  # of the source that is shown
        split = self._split = QSplitter(Qt.Orientation.Horizontal)
        for title, lines in ((self.pseudo_title, self.pseudo), (self.source_title, self.source)):
            split.addWidget(self._part(title, lines))
        split.setChildrenCollapsible(False)
        split.setStretchFactor(1, 1)
        self.hint = centred_hint(margin=0)
        self._pages = hint_or_page(self, self.hint, split)
        self.setMinimumSize(260, 140)
        self._again = once(self, self._fit)  # for other sizes, once they are there
        model.replay_changed.connect(self._show_replay)
        model.words_changed.connect(self._show_words)
        model.moved.connect(self._show_event)
        self._show_replay()

    def _part(self, title: QLabel, lines: Lines) -> QWidget:
        scroll = self._scrolls[lines] = scroller(lines, across=True)
        title.setProperty("role", "muted")
        title.setContentsMargins(SPACING, 2, SPACING, 2)
        part = QWidget()
        packed(QVBoxLayout(part), title, spacing=0).addWidget(scroll, 1)
        part.setMinimumWidth(110)
        return part

    def resizeEvent(self, a0: QResizeEvent | None) -> None:
        """Look for the lines anew once they have their places."""
        super().resizeEvent(a0)
        self._again.start()

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self.pseudo.apply_theme(theme)
        self.source.apply_theme(theme)
        self._again.start()

    def _show_replay(self) -> None:
        record = self._model.record
        self._code = pseudocode_of(record.algorithm.key) if record is not None else None
        shown = self._model.replay is not None and self._code is not None
        self._pages.setCurrentIndex(1 if shown else 0)
        self._show_words()
        if self._code is not None and shown:
            self.pseudo_title.setText(f"{self._code.title}: times so far")
            self.pseudo.show_lines(tuple(line.text for line in self._code.lines), False)
            self._show_event()
            self._again.start()

    def _show_words(self) -> None:
        self.hint.setText(self._model.words or NO_CODE)

    def _fit(self) -> None:
        """Show the pseudocode whole: of the source, lines are cut anyway."""
        wide = self.pseudo.sizeHint().width() + 3 * SPACING
        self._split.setSizes([wide, max(self.width() - wide, wide)])
        self._show_event()

    def _show_event(self) -> None:
        code, event, kind = self._code, self._model.shown, self._model.kind
        if code is None or self._model.replay is None:
            return
        done = code.counts(lambda line: self._model.count_of(line.kinds, line.only))
        lit = -1
        if kind is not None and event is not None:
            lit = code.lit_by(kind, int(event["a"]), self._model.count_of([kind]) == 1)
        self.pseudo.light(lit, dict(enumerate(done)))
        self._reveal(self.pseudo, lit)
        file = code.lines[lit].file if lit >= 0 else self._file
        file = file if file in code.sources else code.lines[0].file
        self._show_file(file, code.sources[file])
        heat: dict[int, int] = {}
        for line, count in zip(code.lines, done, strict=True):
            if line.file == file:
                heat[line.row] = heat.get(line.row, 0) + count
        row = code.lines[lit].row if lit >= 0 else -1
        self.source_title.setText(f"{file}, line {row + 1}" if row >= 0 else file)
        self.source.light(row, heat)
        self._reveal(self.source, row)
        words = code.lines[lit].text.strip() if lit >= 0 else "no line"
        self.setAccessibleDescription(f"Line at work: {words}")

    def _show_file(self, file: str, lines: tuple[str, ...]) -> None:
        bar = self._scrolls[self.source].verticalScrollBar()
        if (file == self._file and self.source.lines == lines) or bar is None:
            return
        self._file = file
        self.source.show_lines(lines, True)
        bar.setValue(0)

    def _reveal(self, lines: Lines, row: int) -> None:
        bar = self._scrolls[lines].verticalScrollBar()
        if row < 0 or bar is None:
            return
        top, seen = row * lines.row_height, bar.pageStep()
        if not bar.value() <= top <= bar.value() + seen - lines.row_height:
            bar.setMaximum(max(bar.maximum(), int(lines.sizeHint().height() - seen)))
            bar.setValue(int(top - ROOM_ABOVE * seen))
