"""A chart as SVG: points and lines, on linear or logarithmic axes; no script, no library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import numpy as np

from gpu.words import short

WIDTH, HEIGHT = 520, 350  # of the drawing, SVG units
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 26, 46  # around the axes
LINE = 15  # height of a name above them
COLOURS = (
    *("#0b62c4", "#c2410c", "#15803d", "#7e22ce", "#8a6d00"),
    *("#0e7490", "#be185d", "#4d7c0f", "#57534e", "#1e293b"),
)
TICKS = 6  # on an axis, about
STYLE = Path(__file__).with_name("draw.css").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Series:
    """Points, or a line through them, float64 (k,) each; `titles` are shown under the pointer."""

    name: str
    x: np.ndarray
    y: np.ndarray
    line: bool = False
    titles: Sequence[str] = ()
    radius: float = 3.5


class _Scale:
    """Where values lie on an axis from `begin` to `end`."""

    def __init__(
        self, values: list[np.ndarray], log: bool, most: float, begin: float, end: float
    ) -> None:
        self._log, self._most, self._begin = log, most, begin
        lengths = self._lengths(np.concatenate(values))
        room = 0.04 * float(np.ptp(lengths)) or 0.5
        self._low, self._high = float(lengths.min()) - room, float(lengths.max()) + room
        self._factor = (end - begin) / (self._high - self._low)

    def _lengths(self, values: np.ndarray) -> np.ndarray:
        capped = np.minimum(values, self._most)
        return np.log10(np.maximum(capped, 1e-9)) if self._log else capped

    def places(self, values: Sequence[float] | np.ndarray) -> list[str]:
        """Return SVG coordinates."""
        lengths = self._lengths(np.asarray(values, float)) - self._low
        return [f"{place:.1f}" for place in self._begin + lengths * self._factor]

    def ticks(self) -> list[tuple[str, str]]:
        """Return coordinates and words of round numbers within."""
        size = self._high - self._low
        if self._log:
            bases = (1, 2, 5) if size < 2 else (1,)
            values = [base * 10.0**power for power in range(-9, 16) for base in bases]
            values = [value for value in values if self._low <= np.log10(value) <= self._high]
        else:
            unit = 10.0 ** np.floor(np.log10(size / TICKS))
            step = unit * next(base for base in (1, 2, 5, 10) if base * unit >= size / TICKS)
            first = np.ceil(self._low / step) + 0.0  # never -0
            values = [*(step * np.arange(first, self._high / step))]
        return list(zip(self.places(values), map(short, values), strict=True))


def chart(
    title: str,
    axes: tuple[str, str],
    series: Sequence[Series],
    log: str = "",
    most: float = np.inf,
    marks: Sequence[float] = (),
) -> str:
    """Return the chart.

    axes : words of x and y    log : those of "xy" that are logarithmic
    most : larger values are drawn there    marks : values of y that get a dashed line
    """
    top, bottom, right = TOP + LINE * len(series), HEIGHT - BOTTOM, WIDTH - RIGHT
    x = _Scale([one.x for one in series], "x" in log, most, LEFT, right)
    y = _Scale([*(one.y for one in series), np.array(marks)], "y" in log, most, bottom, top)
    parts = [_text(LEFT, 16, title, "bold"), _text(LEFT, HEIGHT - 8, axes[0])]
    parts.append(f'<g transform="translate(11 {bottom}) rotate(-90)">{_text(0, 0, axes[1])}</g>')
    parts += [_text(place, bottom + 14, words, "middle") for place, words in x.ticks()]
    parts += [_text(LEFT - 4, float(place) + 4, words, "end") for place, words in y.ticks()]
    parts += [f'<path class="mark" d="M{LEFT} {place}H{right}"/>' for place in y.places(marks)]
    parts.append(f'<path class="frame" d="M{LEFT} {top}H{right}V{bottom}H{LEFT}Z"/>')
    for number, one in enumerate(series):
        colour = COLOURS[number % len(COLOURS)]
        parts.append(_text(LEFT, TOP + 6 + LINE * number, one.name, colour=colour))
        parts += _drawn(one, list(zip(x.places(one.x), y.places(one.y), strict=True)), colour)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">'
        f"<style>{STYLE}</style><title>{escape(title)}</title>{''.join(parts)}</svg>"
    )


def _drawn(series: Series, points: list[tuple[str, str]], colour: str) -> list[str]:
    if series.line:
        path = "L".join(f"{x} {y}" for x, y in points)
        return [f'<path class="line" stroke="{colour}" d="M{path}"/>']
    titles = series.titles or [""] * len(points)
    return [
        f'<circle cx="{x}" cy="{y}" r="{series.radius:.1f}" fill="{colour}" fill-opacity="0.7">'
        f"<title>{escape(title)}</title></circle>"
        for (x, y), title in zip(points, titles, strict=True)
    ]


def _text(x: float | str, y: float, words: str, style: str = "", colour: str = "") -> str:
    fill = f' style="fill:{colour}"' if colour else ""
    kind = f' class="{style}"' if style else ""
    return f'<text x="{x}" y="{y}"{kind}{fill}>{escape(words)}</text>'
