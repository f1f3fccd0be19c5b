"""What film of a replay? A dialog that says what it will cost before a frame is drawn.

It begins with the whole run, or the range that is repeated; every change shows at once how many
frames that is, about how large the file and how much memory, or in one sentence why it cannot be
made. "Save as…" hands the plan over; the dialog makes nothing itself.
"""

from __future__ import annotations

from typing import Any

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QIcon
from PyQt6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from gpu.errors import GpuError
from viewer.common.small_widgets import choice
from viewer.common.theme import SPACING, THEMES
from viewer.common.units import time_unit
from viewer.export.animate import LEAST_SECONDS, MOST_SECONDS, check_encoder
from viewer.export.film import (
    PANELS,
    SIZES,
    USUAL_RATE,
    FilmPlan,
)

KINDS = {".gif": "GIF", ".mp4": "MP4", ".webp": "WebP", ".apng": "APNG"}
DECIMALS = 3
WORDS_WIDTH = 380  # pixels: the sentence below wraps there


class FilmDialog(QDialog):
    """Chooses a FilmPlan; see the module docstring."""

    chosen = pyqtSignal(object)  # FilmPlan

    def __init__(
        self,
        duration_ns: float,
        loop_ns: tuple[float, float] | None,
        first: FilmPlan,
        has_graph: bool,
        parent: QWidget | None = None,
    ) -> None:
        """duration_ns : of the run; loop_ns : the range that is repeated, if there is one."""
        super().__init__(parent)
        self._duration_ns, self._loop_ns, self._has_graph = duration_ns, loop_ns, has_graph
        self._unit = time_unit(duration_ns)
        self.setWindowTitle("Export film")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._build(first)
        self._connect()
        self._show_cost()

    def _build(self, first: FilmPlan) -> None:
        self.kind = choice(KINDS, first.suffix, "Format of the film")
        sizes = {size: f"{size[0]} × {size[1]}" for size in SIZES}
        self.size_box = choice(sizes, first.size, "Size, pixels")
        self.seconds = _number(LEAST_SECONDS, MOST_SECONDS, first.seconds, "Length, seconds", " s")
        self.seconds.setDecimals(1)
        self.rate = QSpinBox()
        self.rate.setRange(1, 60)
        self.rate.setValue(first.rate)
        self.rate.setSuffix(" frames/s")
        self.rate.setAccessibleName("Frames a second")
        themes = {key: key.capitalize() for key in THEMES}
        self.theme_box = choice(themes, first.theme, "Theme of the film")
        word, end = f" {self._unit.word}", self._duration_ns * self._unit.factor
        self.start = _number(0.0, end, 0.0, "From this moment of the run", word)
        self.end = _number(0.0, end, end, "To this moment of the run", word)
        self.whole = QPushButton("Whole run")
        self.loop = QPushButton("Loop range")
        self.loop.setEnabled(self._loop_ns is not None)
        self.loop.setToolTip("The range that is repeated: Shift+drag on the timeline, or I and O")
        self.panels = {key: QCheckBox(title) for key, title in PANELS.items()}
        for key, box in self.panels.items():
            box.setChecked(key in first.panels)
        self.panels["graph"].setEnabled(self._has_graph)
        self.cost = QLabel()
        self.cost.setWordWrap(True)
        self.cost.setMinimumWidth(WORDS_WIDTH)
        self.cost.setMinimumHeight(3 * self.fontMetrics().lineSpacing())
        self.cost.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.cost.setAccessibleName("What the film will cost")
        self._lay_out()
        if self._loop_ns is not None:
            self._set_range(*self._loop_ns)

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setSpacing(SPACING)
        form.addRow("&Format", self.kind)
        form.addRow("&Size", self.size_box)
        form.addRow("Length", _row(self.seconds, self.rate))
        form.addRow("From", _row(self.start, QLabel("to"), self.end))
        form.addRow("", _row(self.whole, self.loop))
        grid = QGridLayout()
        for place, box in enumerate(self.panels.values()):
            grid.addWidget(box, place // 3, place % 3)
        form.addRow("Panels", grid)
        form.addRow("&Theme", self.theme_box)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        save = self.buttons.addButton("Save as…", QDialogButtonBox.ButtonRole.AcceptRole)
        assert save is not None
        self.save_button = save
        save.setProperty("role", "primary")
        for button in self.buttons.buttons():
            button.setIcon(QIcon())
        column = QVBoxLayout(self)
        column.setContentsMargins(*([2 * SPACING] * 4))
        column.setSpacing(2 * SPACING)
        column.addLayout(form)
        column.addWidget(self.cost)
        column.addWidget(self.buttons)

    def _connect(self) -> None:
        self.kind.currentIndexChanged.connect(self._take_kind)
        for box in (self.size_box, self.theme_box):
            box.currentIndexChanged.connect(self._show_cost)
        for spin in (self.seconds, self.rate, self.start, self.end):
            spin.valueChanged.connect(self._show_cost)
        for check in self.panels.values():
            check.toggled.connect(self._show_cost)
        self.whole.clicked.connect(lambda: self._set_range(0.0, self._duration_ns))
        self.loop.clicked.connect(self._take_loop)
        self.buttons.rejected.connect(self.reject)
        self.buttons.accepted.connect(self._accept)

    def plan(self) -> FilmPlan:
        """Return what is chosen now."""
        factor = self._unit.factor
        last = min(self.end.value() / factor, self._duration_ns)
        whole = self.end.value() >= self.end.maximum()
        return FilmPlan(
            self.kind.currentData(),
            tuple(self.size_box.currentData()),
            self.seconds.value(),
            self.rate.value(),
            self.start.value() / factor,
            self._duration_ns if whole else last,
            tuple(key for key, box in self.panels.items() if box.isChecked() and box.isEnabled()),
            self.theme_box.currentData(),
        )

    def _take_kind(self) -> None:
        self.rate.setValue(USUAL_RATE[self.kind.currentData()])
        self._show_cost()

    def _take_loop(self) -> None:
        if self._loop_ns is not None:
            self._set_range(*self._loop_ns)

    def _set_range(self, first_ns: float, last_ns: float) -> None:
        self.start.setValue(first_ns * self._unit.factor)
        self.end.setValue(last_ns * self._unit.factor)

    def _show_cost(self, *_: Any) -> None:
        plan = self.plan()
        problem = plan.problem
        if not problem:
            try:
                check_encoder(plan.suffix)
            except GpuError as error:
                problem = str(error)
        self.save_button.setEnabled(not problem)
        if problem:
            self.cost.setText(f"{problem[:1].upper()}{problem[1:]}.")
            return
        self.cost.setText(
            f"{len(plan.moments)} frames. The file: about {_size(plan.bytes_expected)}, more the "
            f"more moves. Memory meanwhile: up to {_size(plan.bytes_needed)}."
        )

    def _accept(self) -> None:
        plan = self.plan()
        self.accept()
        self.chosen.emit(plan)


def _number(low: float, high: float, value: float, name: str, suffix: str) -> QDoubleSpinBox:
    spin = QDoubleSpinBox()
    spin.setDecimals(DECIMALS)
    spin.setRange(low, round(high, DECIMALS))
    spin.setValue(value)
    spin.setSuffix(suffix)
    spin.setAccessibleName(name)
    spin.setStepType(QDoubleSpinBox.StepType.AdaptiveDecimalStepType)
    return spin


def _row(*parts: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(SPACING)
    for part in parts:
        row.addWidget(part, 0 if isinstance(part, QLabel) else 1)
    return row


def _size(count: float) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{max(count / 1e6, 0.1):.1f} MB"
