"""A chart as SVG: points and lines, on linear or logarithmic axes; no script, no library."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import numpy as np

from gpu.words import short

WIDTH, HEIGHT = 520, 350  # of the drawing, SVG units
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 26, 46  # around the axes
LINE = 15  # height of a name above them
COLOURS = ("#0b62c4", "#c2410c", "#15803d", "#7e22ce", "#8a6d00")
TICKS = 6  # on an axis, about


@dataclass(frozen=True)
class Series:
    """Points, or a line through them, float64 (k,) each; `titles` are shown under the pointer."""

    name: str
    x: np.ndarray
    y: np.ndarray
    line: bool = False
    titles: tuple[str, ...] = ()


@dataclass(frozen=True)
class Axis:
    """One axis: its words, its scale, and `most`, where its values are capped."""

    words: str
    log: bool = False
    most: float = np.inf

    def place(self, values: np.ndarray) -> np.ndarray:
        """Return values as they lie along the axis."""
        capped = np.minimum(values, self.most)
        return np.log10(np.maximum(capped, 1e-9)) if self.log else capped


def chart(title: str, x: Axis, y: Axis, series: list[Series], marks: list[float]) -> str:
    """Return the chart; a dashed line at each y of `marks`."""
    places = [(x.place(one.x), y.place(one.y)) for one in series]
    spans = [
        _span(np.concatenate([pair[0] for pair in places])),
        _span(np.concatenate([*(pair[1] for pair in places), y.place(np.array(marks))])),
    ]
    top = TOP + LINE * len(series)
    scale = (WIDTH - LEFT - RIGHT) / spans[0][1], (HEIGHT - top - BOTTOM) / spans[1][1]

    def at(px: np.ndarray, py: np.ndarray) -> list[tuple[str, str]]:
        across = LEFT + (px - spans[0][0]) * scale[0]
        up = HEIGHT - BOTTOM - (py - spans[1][0]) * scale[1]
        return [(f"{a:.1f}", f"{b:.1f}") for a, b in zip(across, up, strict=True)]

    parts = [_text(LEFT, 16, title, "bold"), _text(LEFT, HEIGHT - 8, x.words)]
    parts.append(f'<g transform="translate(11 {HEIGHT - BOTTOM}) rotate(-90)">')
    parts.append(_text(0, 0, y.words) + "</g>")
    for axis, (low, size), is_x in ((x, spans[0], True), (y, spans[1], False)):
        for tick in _ticks(low, low + size, axis.log):
            px, py = at(np.array([tick if is_x else low]), np.array([low if is_x else tick]))[0]
            words = short(10**tick if axis.log else tick)
            parts.append(
                _text(px, HEIGHT - BOTTOM + 14, words, "middle")
                if is_x
                else _text(LEFT - 4, float(py) + 4, words, "end")
            )
    for mark in marks:
        height = at(np.zeros(1), y.place(np.array([mark])))[0][1]
        parts.append(f'<path class="mark" d="M{LEFT} {height}H{WIDTH - RIGHT}"/>')
    frame = f'x="{LEFT}" y="{top}" width="{WIDTH - LEFT - RIGHT}" height="{HEIGHT - top - BOTTOM}"'
    parts.append(f'<rect class="frame" {frame}/>')
    for number, (one, pair) in enumerate(zip(series, places, strict=True)):
        colour = COLOURS[number % len(COLOURS)]
        parts.append(_text(LEFT, TOP + 6 + LINE * number, one.name, colour=colour))
        points = at(*pair)
        if one.line:
            path = "L".join(f"{px} {py}" for px, py in points)
            parts.append(f'<path fill="none" stroke="{colour}" stroke-width="1.5" d="M{path}"/>')
            continue
        for k, (px, py) in enumerate(points):
            words = f"<title>{escape(one.titles[k])}</title>" if one.titles else ""
            circle = f'cx="{px}" cy="{py}" r="3.5" fill="{colour}" fill-opacity="0.7"'
            parts.append(f"<circle {circle}>{words}</circle>")
    style = (
        "text{font:12px sans-serif;fill:currentColor}.bold{font-weight:bold}"
        ".middle{text-anchor:middle}.end{text-anchor:end}"
        ".frame{fill:none;stroke:currentColor;stroke-opacity:.5}"
        ".mark{stroke:currentColor;stroke-dasharray:4 3;stroke-opacity:.7}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">'
        f"<style>{style}</style><title>{escape(title)}</title>{''.join(parts)}</svg>"
    )


def _span(values: np.ndarray) -> tuple[float, float]:
    """Return where an axis begins and how much it spans, with a little room."""
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    room = 0.04 * (high - low) or 0.5
    return low - room, high - low + 2 * room


def _ticks(low: float, high: float, is_log: bool) -> list[float]:
    """Return round numbers within, or the logarithms of some."""
    if is_log and high - low >= 1:
        step = max(1, round((high - low) / TICKS))
        return [float(k) for k in range(int(np.ceil(low)), int(high) + 1, step)]
    if is_log:
        values = [base * 10.0**k for k in range(-9, 10) for base in (1, 2, 5)]
        return [float(np.log10(v)) for v in values if low <= np.log10(v) <= high]
    rough = (high - low) / TICKS
    unit = 10.0 ** np.floor(np.log10(rough))
    step = unit * next(base for base in (1, 2, 5, 10) if base * unit >= rough)
    return [float(step * k) for k in range(int(np.ceil(low / step)), int(high / step) + 1)]


def _text(x: float | str, y: float, words: str, style: str = "", colour: str = "") -> str:
    fill = f' style="fill:{colour}"' if colour else ""
    kind = f' class="{style}"' if style else ""
    return f'<text x="{x}" y="{y}"{kind}{fill}>{escape(words)}</text>'
