"""Pieces of the Lesson panel: text as high as it is, figures, the card of a lesson."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from PyQt6.QtCore import QEvent, Qt, QUrl, pyqtSignal
from PyQt6.QtGui import QResizeEvent, QTextOption
from PyQt6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from gpu.lessons.figures import SIDE, WIDE, Figure
from gpu.lessons.lesson import Lesson
from viewer.common.icons import svg_pixmap
from viewer.common.small_widgets import label, packed
from viewer.common.text_size import scaled
from viewer.common.theme import LIGHT
from viewer.features.lessons.model import Progress

_WORDS = QTextOption.WrapMode.WordWrap
TABLE_SIZES = (1.0, 0.88, 0.76, 0.76)  # of the text's size: of tables and code
WRAPS = (_WORDS, _WORDS, _WORDS, QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)


class StepText(QTextBrowser):
    """Rich text as high as it is; fetches nothing. `name` is for screen readers."""

    def __init__(self, name: str = "") -> None:
        super().__init__()
        self.setAccessibleName(name)
        self._html, self._fitted = "", 0  # the width that it was laid out for
        self.setOpenLinks(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.viewport().setAutoFillBackground(False)  # type: ignore[union-attr]
        self.document().setDocumentMargin(0)  # type: ignore[union-attr]
        self.anchorClicked.connect(self._follow)

    def loadResource(self, type: int, name: QUrl) -> Any:
        """Bring nothing from anywhere."""
        return None

    def show_html(self, html: str) -> None:
        """Show, and take the height that is needed; hide where there is nothing to show."""
        self.setVisible(bool(html))
        html = html.replace("<table>", f'<table cellpadding="{scaled(3)}">')
        if html != self._html:
            self._html, self._fitted = html, 0
            self._fit()

    def changeEvent(self, e: QEvent | None) -> None:
        """Take the height that another size of text needs."""
        super().changeEvent(e)
        if e is not None and e.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fitted = 0
            self._fit()

    def resizeEvent(self, e: QResizeEvent | None) -> None:
        """Take the height that is needed at this width."""
        super().resizeEvent(e)
        self._fit()

    def _fit(self) -> None:
        """Lay out; a table or code that does not fit is set smaller, and broken only in need."""
        document, width = self.document(), max(1, self.viewport().width())  # type: ignore[union-attr]
        if document is None or width == self._fitted:
            return
        self._fitted = width
        wide = "<table" in self._html or "<pre" in self._html
        sizes = TABLE_SIZES if wide else TABLE_SIZES[:1]
        for size, wrap in zip(sizes, WRAPS, strict=False):
            points = self.font().pointSizeF() * size
            document.setDefaultStyleSheet(f"td, th, pre {{ font-size: {points:.1f}pt }}")
            self.setWordWrapMode(wrap)
            broken = wrap is WRAPS[-1]
            pre = '<pre style="white-space: pre-wrap">' if broken else "<pre>"
            self.setHtml(self._html.replace("<pre>", pre))
            document.setTextWidth(width)
            if document.idealWidth() <= width:
                break
        self.setFixedHeight(int(document.size().height()) + 2)

    def _follow(self, link: QUrl) -> None:
        if link.isRelative() and link.hasFragment():
            self.scrollToAnchor(link.fragment())


class LessonCard(QFrame):
    """One lesson of the list; `is_next`: the one to take next; `to_a_class`: without progress."""

    requested = pyqtSignal(bool)  # whether to begin anew

    def __init__(
        self, place: int, lesson: Lesson, progress: Progress, is_next: bool, to_a_class: bool
    ) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.StyledPanel)
        column = QVBoxLayout(self)
        column.addWidget(label(f"{place}. {lesson.title}", "heading"))
        column.addWidget(label(lesson.idea))
        row = QHBoxLayout()
        words = f"{lesson.minutes} minutes"
        if progress.finished and not to_a_class:
            judged = [given.right for given in progress.answers.values() if given.right is not None]
            right = f" · {sum(judged)} of {len(judged)} right" if judged else ""
            words += f" · finished{right}"
        elif progress.begun and not to_a_class:
            words += f" · step {progress.step + 1} of {len(lesson.steps)}"
        row.addWidget(label(words, "muted"), 1)
        going = progress.begun and not progress.finished
        self.button = QPushButton("Go on" if going else "Again" if progress.finished else "Start")
        if is_next:
            self.button.setProperty("role", "primary")
        self.anew = QPushButton("Begin anew")
        self.anew.setToolTip("Forget the answers, begin at step 1")
        for button, anew in ((self.anew, True), (self.button, progress.finished)):
            button.setAccessibleName(f"{button.text()}: lesson {place}, {lesson.title}")
            button.clicked.connect(partial(self.requested.emit, anew))
            row.addWidget(button)
        column.addLayout(row)
        self.anew.setVisible(going)


class Figures(QWidget):
    """Figures of a step, the caption beside a small one, below a wide one.

    `theme` colours those that are shown next.
    """

    def __init__(self) -> None:
        super().__init__()
        self.theme = LIGHT
        self._shown: tuple[str, list[Figure]] = ("", [])  # name of the theme, figures
        self._grid = packed(QGridLayout(self))
        self._grid.setColumnStretch(1, 1)

    def show_figures(self, figures: Sequence[Figure]) -> None:
        """Show these figures."""
        self.setVisible(bool(figures))
        if self._shown == (self.theme.name, list(figures)):
            return
        self._shown = (self.theme.name, list(figures))
        while (item := self._grid.takeAt(0)) is not None:
            part = item.widget()
            if part is not None:
                part.deleteLater()
        for row, figure in enumerate(figures):
            self._add(2 * row, figure)

    def _add(self, row: int, figure: Figure) -> None:
        caption, picture = label(f"{figure.title}: {figure.words}"), QLabel()
        wide = figure.kind == "plane"
        colour = self.theme.text if wide else self.theme.error
        svg = figure.svg.replace("currentColor", colour)
        picture.setPixmap(svg_pixmap(svg, scaled(WIDE if wide else SIDE)))
        picture.setAccessibleName(caption.text())
        self._grid.addWidget(picture, row, 0, 1, 2 if wide else 1, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(caption, row + wide, 0 if wide else 1, 1, 2 if wide else 1)
