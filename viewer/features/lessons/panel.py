"""The Lesson panel: the list of lessons, then one step at a time.

The list shows the idea of each lesson, its length and the progress in it. A step shows its text,
then its question with one button, then the right answer and its reason. The text scrolls; Back and
Next stay at the bottom. The list shows which lesson comes next.

Nothing is fetched, and only links within the text do anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

from PyQt6.QtCore import Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QPushButton,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gpu.lessons.lesson import Lesson
from gpu.lessons.markdown import inline, to_html
from viewer.common.later import later
from viewer.common.small_widgets import OnePress, label, packed, run_button, scroller
from viewer.common.text_size import scaled
from viewer.common.theme import LIGHT, SPACING, Theme, mix
from viewer.features.lessons.model import LessonModel, Progress
from viewer.features.lessons.questions import ChoiceQuestion, QuestionWidget, make_question
from viewer.features.lessons.step_widgets import Figures, LessonCard, StepText

TURN = (72, 28)  # pixels, a button that turns pages, at the reference text size
LEAST_WIDTH = 240  # pixels at the reference text size
SETTLE_MS = 60  # until a page that grew has its height
HELD = "The microscope still shows the run of the step before."
TITLE_SCALE = 1.35  # of a step's title
Row = tuple[str, Lesson, Progress]  # of the list: path, lesson, how far somebody is


class LessonPanel(QWidget):
    """See the module docstring."""

    lesson_requested = pyqtSignal(str, bool)  # path, whether to begin anew
    leave_requested = pyqtSignal()

    def __init__(self, model: LessonModel) -> None:
        super().__init__()
        self.model, self._theme = model, LIGHT
        self.question: QuestionWidget | None = None
        self.cards: list[LessonCard] = []
        self.stack = QStackedWidget()
        packed(QVBoxLayout(self), self.stack)
        self._build_home()
        self._build_page()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        model.lesson_changed.connect(self.show_lesson)
        model.step_changed.connect(self.show_step)
        model.changed.connect(self.show_phase)
        self.show_lesson()

    # --- build

    def _build_home(self) -> None:
        self.home = scroller()
        self.home.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.stack.addWidget(self.home)

    def _build_page(self) -> None:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(SPACING, SPACING, SPACING, SPACING)
        top = QHBoxLayout()
        self.name = label("", "muted")
        self.leave = QToolButton()
        self.leave.setText("All lessons")
        self.leave.setProperty("role", "chip")
        self.leave.setToolTip("Leave this lesson; your answers are kept")
        self.leave.clicked.connect(self.leave_requested)
        top.addWidget(self.name, 1)
        top.addWidget(self.leave)
        column.addLayout(top)
        self.title = label("", "heading")
        column.addWidget(self.title)
        self.area = scroller()
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._fill_scroll()
        column.addWidget(self.area, 1)
        column.addLayout(self._bottom())
        self.stack.addWidget(page)

    def _fill_scroll(self) -> None:
        inside = QWidget()
        self.body = QVBoxLayout(inside)
        self.body.setContentsMargins(0, 0, SPACING, 0)
        self.body.setSpacing(SPACING)
        self.text, self.ask, self.outcome = (
            StepText(name) for name in ("Text of the step", "Question", "What came out")
        )
        self.check = run_button("Check")
        self.check.clicked.connect(self.model.check)
        self.hurry = QPushButton("Finish at full speed")
        self.hurry.clicked.connect(self.model.hurry)
        self.doing = label("", "muted")
        self.retry = run_button("Run again")
        self.retry.clicked.connect(self.model.retry)
        self.figures = Figures()
        parts = (self.text, self.ask, self.check, self.hurry, self.doing, self.outcome)
        for part in (*parts, self.figures, self.retry):
            self.body.addWidget(part)
        self.body.addStretch(1)
        self.area.setWidget(inside)

    def _bottom(self) -> QHBoxLayout:
        """Return Back and Next at the left: there they stay, however wide the panel is."""
        row = QHBoxLayout()
        self.back, self.next = QPushButton("Back"), QPushButton("Next")
        self.back.setToolTip("The step before (PgUp)")
        self.next.setToolTip("The next step (PgDn)")
        self.back.clicked.connect(lambda: self.model.go(self.model.place - 1))
        self.next.clicked.connect(self.forward)
        OnePress(self.back, self.next, self.leave)
        for button in (self.back, self.next):
            button.setFixedSize(*map(scaled, TURN))
            row.addWidget(button)
        row.addStretch(1)
        return row

    # --- show

    def show_home(self, rows: Sequence[Row], problems: str, to_a_class: bool) -> None:
        """Show the list of lessons, the one to take next in sight; to a class without progress."""
        next_place = next((k for k, row in enumerate(rows) if not row[2].finished), -1)
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(SPACING, SPACING, SPACING, SPACING)
        about = "Each lesson has one idea. You predict, then the program runs."
        column.addWidget(label(about))
        self.cards = []
        for place, (path, lesson, progress) in enumerate(rows):
            card = LessonCard(place + 1, lesson, progress, place == next_place, to_a_class)
            card.requested.connect(partial(self.lesson_requested.emit, path))
            self.cards.append(card)
            column.addWidget(card)
        if problems:
            column.addWidget(label(problems, "muted"))
        column.addStretch(1)
        self.home.setWidget(inside)
        if next_place >= 0:
            card = self.cards[next_place]
            later(card, lambda: self.home.ensureVisible(0, card.geometry().bottom(), 0, SPACING))

    def show_lesson(self) -> None:
        """Show the page of a lesson, or the list."""
        self.stack.setCurrentIndex(0 if self.model.lesson is None else 1)

    def show_step(self) -> None:
        """Show another step from its beginning."""
        model, lesson = self.model, self.model.lesson
        if lesson is None:
            return
        self.name.setText(f"{lesson.title}  ·  {model.place + 1} of {len(lesson.steps)}")
        self.title.setText(model.step.title)
        self._show_question()
        bar = self.area.verticalScrollBar()
        assert bar is not None
        bar.setValue(0)
        self.setFocus()

    def _show_question(self) -> None:
        old, self.question = self.question, None
        if old is not None:
            self.body.removeWidget(old)
            old.hide()
            old.deleteLater()
        question, bench = self.model.question, self.model.bench
        if question is not None and bench is not None:
            values: Sequence[float] = ()
            if question.kind == "curve" and question.answer is not None:
                swept = bench.lesson.sweep(question.answer.of)
                values = swept[1].values if swept is not None else ()
                values = sorted(values or bench.sweep_plan(*swept).values) if swept else ()
            self.question = make_question(question, values)
            self.question.setAccessibleName(question.ask)
            self.question.answered.connect(self.model.give)
            self.body.insertWidget(2, self.question)
            self.question.show_given(self.model.given)
        self._order_focus()

    def _order_focus(self) -> None:
        """Let Tab go down the page: a question is made later than what stands under it."""
        inner = self.question.stops if self.question is not None else []
        order = [self.leave, self.text, self.ask, *inner, self.check, self.hurry, self.outcome]
        order += [self.retry, self.back, self.next]
        for before, after in pairwise(order):
            QWidget.setTabOrder(before, after)

    def show_phase(self) -> None:
        """Show the text with the numbers there are, and what one can do now."""
        model = self.model
        if model.lesson is None:
            return
        working = model.phase == "working"
        self.text.show_html(to_html(model.text(model.step.text)))
        self.ask.show_html(self._ask_html())
        if self.question is not None:
            self.question.setEnabled(model.phase == "open")
            if isinstance(self.question, ChoiceQuestion):
                self.question.show_right(model.right_answer)
        self._show_check()
        self.hurry.setVisible(working and model.step.drive)
        held = model.question and model.step.microscope and model.look.in_microscope
        words = HELD if held and model.phase == "open" else model.doing
        self.doing.setVisible(bool(words))
        self.doing.setText(words)
        self._show_outcome()
        self.figures.show_figures(model.figures())
        self.retry.setVisible(bool(model.problem) and not working)
        self.back.setEnabled(model.place > 0 and not working)
        self.next.setEnabled(not working)
        self.next.setText("Finish" if model.is_last else "Next")
        self._lead_on(on=model.phase in ("judged", "done") and not model.problem)

    def _show_check(self) -> None:
        model, drive = self.model, self.model.step.drive
        asks = model.phase == "open" and (model.question is not None or drive)
        self.check.setVisible((asks or model.can_drive_again) and not model.problem)
        self.check.setEnabled(model.question is None or model.given is not None)
        words = "Drive again" if model.can_drive_again else "Start driving"
        if model.question is not None:
            words = "Check" if model.given is not None else "Answer first, then check"
        self.check.setText(words)

    def _lead_on(self, *, on: bool) -> None:
        role = "primary" if on else None
        if self.next.property("role") != role:
            self.next.setProperty("role", role)
            style = self.next.style()
            assert style is not None
            style.unpolish(self.next)
            style.polish(self.next)

    def _ask_html(self) -> str:
        question, theme = self.model.question, self._theme
        if question is None:
            return ""
        words = inline(self.model.text(question.ask))
        return _boxed(mix(theme.window, theme.muted, 0.12), words)

    def _show_outcome(self) -> None:
        model, theme = self.model, self._theme
        words, colour, head = "", theme.accent, ""
        if model.problem:
            words, colour, head = _line(model.problem), theme.error, "That did not work."
        elif model.phase == "judged" and model.answered is not None:
            right = bool(model.answered.right)
            colour, head = (theme.success, "✓ Right") if right else (theme.warning, "✗ Not quite")
            words = to_html(model.answered.words)
        elif model.score:
            words, head = _line(model.score), "Your run"
        tint = mix(theme.window, colour, 0.12)
        html = _boxed(tint, f'<b style="color:{colour}">{head}</b>{words}')
        seen = self.outcome.isVisible()
        self.outcome.show_html(html if words else "")
        if words and not seen:
            QTimer.singleShot(SETTLE_MS, self._scroll_to_outcome)  # once it has its height
            if self.isActiveWindow() and self.isAncestorOf(QApplication.focusWidget()):
                self.outcome.setFocus()  # a screen reader reads what it says

    def _scroll_to_outcome(self) -> None:
        if self.outcome.isVisible():
            self.area.ensureVisible(0, self.outcome.geometry().bottom(), 0, SPACING)

    def keyPressEvent(self, a0: QKeyEvent | None) -> None:
        """Check by Enter, which no part of a question takes."""
        if a0 is not None and a0.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.check.click()
        else:
            super().keyPressEvent(a0)

    def forward(self) -> None:
        """Go on, or leave after the last step."""
        if self.model.is_last:
            self.leave_requested.emit()
        else:
            self.model.go(self.model.place + 1)

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme, and room for its text."""
        self.setMinimumWidth(scaled(LEAST_WIDTH))
        self._theme = self.figures.theme = theme
        for button in (self.back, self.next):
            button.setFixedSize(*map(scaled, TURN))
        font = self.font()
        font.setPointSizeF(font.pointSizeF() * TITLE_SCALE)
        font.setBold(True)
        self.title.setFont(font)
        self.show_phase()


def _boxed(tint: str, html: str) -> str:
    return f'<table width="100%" cellpadding="8" bgcolor="{tint}"><tr><td>{html}</td></tr></table>'


def _line(words: str) -> str:
    return f"<p>{inline(words)}</p>"
