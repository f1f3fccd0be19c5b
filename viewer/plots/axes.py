"""Axes that read well at any size: time in fitting units, short numbers, steady widths.

The time axis picks ns, µs, ms or s and says which clock it is: "time, ms (modelled)". Number axes
have one fixed width, so plots stand exactly above each other.
Logarithmic axes label 1, 2 and 5 of every decade, or decades only; plotted values are log10.
"""

from __future__ import annotations

import math
from typing import Any

import pyqtgraph as pg
from PyQt6.QtGui import QFont, QFontMetricsF, QGuiApplication

from gpu.words import short, time_unit
from viewer.common.text_size import scaled, small_font, small_pixels
from viewer.common.theme import Theme

AXIS_WIDTH = 46  # pixels of every number axis, at the reference text size
AXIS_HEIGHT = 38  # of every time axis: numbers and label
BARE_HEIGHT = 10  # of one whose numbers stand below another plot
LABEL_WIDTH = 50  # least distance between two labels of a time axis
LABEL_PIXELS = 26  # least height between two labels of a number axis
UNDER_PIXELS = 46  # of two numbers of a LogAxis
NAME_PIXELS = 14  # least height between two names of rows


class TimeAxis(pg.AxisItem):
    """Bottom axis; the view is in ns, labels in the unit that fits."""

    def __init__(self) -> None:
        super().__init__("bottom", maxTickLength=-4)
        self._clock = "modelled"
        self.bare = False
        self.unit = time_unit(0)
        self.enableAutoSIPrefix(False)
        self.fit_height()
        self.setStyle(tickTextOffset=3, hideOverlappingLabels=False, autoExpandTextSpace=False)
        self._show_label()

    def set_clock(self, clock: str) -> None:
        """Say "modelled" or "measured"."""
        if clock != self._clock:
            self._clock = clock
            self._show_label()

    def show_unit(self, last_ns: float) -> None:
        """Choose the unit for a view that ends at `last_ns`."""
        unit = time_unit(last_ns)
        if unit != self.unit:
            self.unit = unit
            self._show_label()

    def set_bare(self, bare: bool) -> None:
        """Show the line and its ticks alone: the plot below has numbers and name, at the same x."""
        if bare != self.bare:
            self.bare = bare
            self.picture = None
            self.showLabel(not bare)
            self.fit_height()

    def fit_height(self) -> None:
        """Take the height that text of today's size needs."""
        self.setHeight(scaled(BARE_HEIGHT if self.bare else AXIS_HEIGHT))

    def labelString(self) -> str:
        """Return pyqtgraph's HTML of the label without the blank before no unit."""
        html: str = super().labelString()
        return html.replace(" </span>", "</span>")

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        """Return one level of ticks at round numbers of the unit."""
        return even_ticks(low, high, max(1, int(size / scaled(LABEL_WIDTH))), self.unit.factor)

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Return plain decimals, as many as the spacing needs."""
        if self.bare:
            return [""] * len(values)
        factor = self.unit.factor
        decimals = decimals_of(spacing * factor)
        return [f"{value * factor:.{decimals}f}" for value in values]

    def resizeEvent(self, ev: Any = None) -> None:
        """Say as much below the axis as there is room for."""
        if hasattr(self, "unit"):
            self._show_label()
        else:
            super().resizeEvent(ev)

    def _show_label(self) -> None:
        unit, metrics = self.unit.word, QFontMetricsF(small_font(QGuiApplication.font()))
        forms = (f"time, {unit} ({self._clock})", f"{unit} ({self._clock})")
        fitting = [words for words in forms if metrics.horizontalAdvance(words) <= self.width()]
        self.setLabel((*fitting, unit)[0])
        self.showLabel(not self.bare)
        super().resizeEvent()  # puts the label into the middle


class NumberAxis(pg.AxisItem):
    """Left axis of fixed width with short numbers; linear or logarithmic."""

    def __init__(self, logarithmic: bool = False, side: str = "left") -> None:
        super().__init__(side, maxTickLength=-4)
        self.logarithmic = logarithmic
        self.enableAutoSIPrefix(False)
        if side == "left":
            self.setWidth(scaled(AXIS_WIDTH))
        self.setStyle(tickTextOffset=4, autoExpandTextSpace=False, autoReduceTextSpace=False)

    def set_logarithmic(self, logarithmic: bool) -> None:
        """Read plotted values as log10 from now on, or as they are."""
        if logarithmic != self.logarithmic:
            self.logarithmic = logarithmic
            self.picture = None  # pyqtgraph's own cache of the drawn axis
            self.update()

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        """Return one level of ticks, labelled all: round numbers, as many as fit."""
        room = max(2, int(size / scaled(LABEL_PIXELS)))
        apart = scaled(NAME_PIXELS) * (high - low) / max(size, 1.0)
        if self.logarithmic and math.isfinite(low) and math.isfinite(high):
            return [(1.0, thinned(log_ticks(low, high, room), apart))]
        return [(step, thinned(ticks, apart)) for step, ticks in even_ticks(low, high, room)]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Return 950, 1.2k, 34k, 5.6M."""
        return [short(10 ** min(value, 300) if self.logarithmic else value) for value in values]


class LogAxis(NumberAxis):
    """Bottom axis of log10 values with short numbers, as many as fit."""

    def __init__(self) -> None:
        super().__init__(True, "bottom")

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        """Return round numbers, as many as fit."""
        if not (math.isfinite(low) and math.isfinite(high)):
            return []
        return [(1.0, log_ticks(low, high, max(2, int(size / scaled(UNDER_PIXELS)))))]


class NameAxis(NumberAxis):
    """Left axis whose ticks are names of rows."""

    def __init__(self) -> None:
        super().__init__()
        self._names: list[tuple[float, str]] = []

    def set_names(self, names: list[tuple[float, str]]) -> None:
        """Show each name at its height, most important first."""
        self._names = names
        self.picture = None
        self.update()

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        """Return the heights of the names that fit, a line of text apart."""
        kept: list[float] = []
        apart = scaled(NAME_PIXELS) * (high - low) / max(size, 1.0)
        for height, _ in self._names:
            if all(abs(height - other) >= apart for other in kept):
                kept.append(height)
        return [(1.0, kept)]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Return the names at these heights."""
        return [dict(self._names).get(value, "") for value in values]


def round_step(least: float) -> float:
    """Return the smallest of 1, 2, 2.5, 5 x 10^k that is at least `least`."""
    power = 10.0 ** math.floor(math.log10(max(least, 1e-300)))
    steps = [power * digit for digit in (1, 2, 2.5, 5, 10)]
    return next(step for step in steps if step >= least * (1 - 1e-9))


def decimals_of(step: float) -> int:
    """Return how many decimals show every multiple of a round step."""
    for decimals in range(10):
        scaled = step * 10**decimals
        if abs(scaled - round(scaled)) < 1e-6 * scaled:
            return decimals
    return 10


def even_ticks(
    low: float, high: float, room: int, factor: float = 1.0
) -> list[tuple[float, list[float]]]:
    """Return one level of at most `room` ticks that are round after multiplying by `factor`."""
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return []
    step = round_step((high - low) * factor / room) / factor
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [(step, [step * number for number in range(first, last + 1)])]


def thinned(ticks: list[float], apart: float) -> list[float]:
    """Return, of rising ticks, the greatest and those at least `apart` from the next kept."""
    kept: list[float] = []
    for tick in reversed(ticks):
        if not kept or kept[-1] - tick >= apart:
            kept.append(tick)
    return kept[::-1]


def log_ticks(low: float, high: float, room: int) -> list[float]:
    """Return log10 of round numbers within [low, high], at most about `room`."""
    decades = range(math.floor(low), math.ceil(high) + 1)
    for digits in ((1, 2, 3, 4, 5, 6, 7, 8, 9), (1, 2, 5), (1, 3), (1,)):
        ticks = [d + math.log10(digit) for d in decades for digit in digits]
        ticks = [tick for tick in ticks if low - 1e-9 <= tick <= high + 1e-9]
        if len(ticks) <= room:
            return ticks
    return ticks[:: math.ceil(len(ticks) / room)]


def dress_axis(axis: pg.AxisItem, theme: Theme, font: QFont) -> None:
    """Give an axis the theme's colours, small text of the panel's font, and the room for it."""
    if isinstance(axis, TimeAxis):
        axis.fit_height()
    elif axis.orientation == "bottom":
        axis.setHeight(scaled(AXIS_HEIGHT))
    else:
        axis.setWidth(scaled(AXIS_WIDTH))
    axis.setPen(pg.mkPen(theme.border))
    axis.setTextPen(pg.mkPen(theme.muted))
    axis.setTickPen(pg.mkPen(theme.border))
    axis.setTickFont(small_font(font))
    axis.labelStyle = {"color": theme.muted, "font-size": f"{small_pixels()}px"}
    axis.setLabel(axis.labelText)
    if isinstance(axis, TimeAxis):
        axis.showLabel(not axis.bare)
