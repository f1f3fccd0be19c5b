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
COLOURS = ("#0b62c4", "#c2410c", "#15803d", "#7e22ce", "#8a6d00")
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


@dataclass(frozen=True)
class Axis:
    """One axis: its words, its scale, and `most`, where its values are capped."""

    words: str
    log: bool = False
    most: float = np.inf


class _Scale:
    """Where the values of an axis lie on the drawing, from `begin` to `end`."""

    def __init__(self, axis: Axis, values: list[np.ndarray], begin: float, end: float) -> None:
        self._axis = axis
        lengths = self._lengths(np.concatenate(values))
        room = 0.04 * float(np.ptp(lengths)) or 0.5
        self._low, self._high = float(lengths.min()) - room, float(lengths.max()) + room
        self._begin, self._factor = begin, (end - begin) / (self._high - self._low)

    def _lengths(self, values: np.ndarray) -> np.ndarray:
        capped = np.minimum(values, self._axis.most)
        return np.log10(np.maximum(capped, 1e-9)) if self._axis.log else capped

    def places(self, values: np.ndarray | list[float]) -> list[str]:
        """Return SVG coordinates."""
        lengths = self._lengths(np.asarray(values, float)) - self._low
        return [f"{place:.1f}" for place in self._begin + lengths * self._factor]

    def ticks(self) -> list[float]:
        """Return round numbers within."""
        size = self._high - self._low
        if self._axis.log:
            bases = (1, 2, 5) if size < 2 else (1,)
            values = [base * 10.0**power for power in range(-9, 16) for base in bases]
            return [value for value in values if self._low <= np.log10(value) <= self._high]
        unit = 10.0 ** np.floor(np.log10(size / TICKS))
        step = unit * next(base for base in (1, 2, 5, 10) if base * unit >= size / TICKS)
        first, last = np.ceil(self._low / step), np.floor(self._high / step)
        return [float(step * k) for k in range(int(first), int(last) + 1)]


def chart(
    title: str, x: Axis, y: Axis, series: Sequence[Series], marks: Sequence[float] = ()
) -> str:
    """Return the chart; a dashed line at each y of `marks`."""
    top, bottom, right = TOP + LINE * len(series), HEIGHT - BOTTOM, WIDTH - RIGHT
    across = _Scale(x, [one.x for one in series], LEFT, right)
    up = _Scale(y, [*(one.y for one in series), np.array(marks)], bottom, top)
    parts = [_text(LEFT, 16, title, "bold"), _text(LEFT, HEIGHT - 8, x.words)]
    parts.append(f'<g transform="translate(11 {bottom}) rotate(-90)">{_text(0, 0, y.words)}</g>')
    for place, tick in zip(across.places(across.ticks()), across.ticks(), strict=True):
        parts.append(_text(place, bottom + 14, short(tick), "middle"))
    for place, tick in zip(up.places(up.ticks()), up.ticks(), strict=True):
        parts.append(_text(LEFT - 4, float(place) + 4, short(tick), "end"))
    parts += [f'<path class="mark" d="M{LEFT} {p}H{right}"/>' for p in up.places([*marks])]
    parts.append(f'<path class="frame" d="M{LEFT} {top}H{right}V{bottom}H{LEFT}Z"/>')
    for number, one in enumerate(series):
        colour = COLOURS[number % len(COLOURS)]
        parts.append(_text(LEFT, TOP + 6 + LINE * number, one.name, colour=colour))
        parts += _drawn(one, list(zip(across.places(one.x), up.places(one.y), strict=True)), colour)
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
        f'<circle cx="{x}" cy="{y}" r="3.5" fill="{colour}" fill-opacity="0.7">'
        f"<title>{escape(title)}</title></circle>"
        for (x, y), title in zip(points, titles, strict=True)
    ]


def _text(x: float | str, y: float, words: str, style: str = "", colour: str = "") -> str:
    fill = f' style="fill:{colour}"' if colour else ""
    kind = f' class="{style}"' if style else ""
    return f'<text x="{x}" y="{y}"{kind}{fill}>{escape(words)}</text>'
