"""Figures of a lesson as SVG: wrong entries of a faulty listing, the plane of work and time.

Lines and words are `currentColor`, which a page and the window replace by a colour of their theme.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape
from math import log2
from typing import NamedTuple

import numpy as np

from gpu.lessons.answers import Bench, formatted
from gpu.lessons.lesson import Step

Dot = tuple[str, float, float]  # name, work saved, time won; both are factors
SIDE = 72  # of wrong entries, pixels
WIDE, HIGH = 210, 200  # of the plane, pixels
DOUBLING = 38  # pixels of the plane for a factor of two
TICKS = {0.25: "4x", 0.5: "2x", 2.0: "½", 4.0: "¼"}  # of work and time; less is right and up


class Figure(NamedTuple):
    """A drawing with its caption. kind : "wrong" or "plane"."""

    kind: str
    svg: str
    title: str
    words: str


def figures(bench: Bench, step: Step, made: Collection[str]) -> list[Figure]:
    """Return the figures of a step whose runs, and those of earlier steps, are in `made`."""
    faulty = [run.name for run in step.runs if run.variant and run.name in made]
    drawn = [_wrong(bench, name) for name in faulty]
    return [*drawn, plane(bench.dots(made))] if bench.lesson.dots else drawn


def _wrong(bench: Bench, name: str) -> Figure:
    fault, wrong = bench.fault(name), bench.wrong_entries(name)
    title = fault.key.replace("_", " ").replace("arcs", "edges").capitalize()
    words = f"{fault.wrong:,} of {wrong.size:,} entries are wrong: {fault.sentence}."
    cell = SIDE / len(wrong)
    squares = "".join(
        f"M{column * cell:g} {row * cell:g}h{cell:g}v{cell:g}h{-cell:g}z"
        for row, column in np.argwhere(wrong).tolist()
    )
    ground = f'<rect width="{SIDE}" height="{SIDE}" fill-opacity="0.1"/>'
    drawing = f'<g fill="currentColor">{ground}<path d="{squares}"/></g>'
    return Figure("wrong", _svg(drawing, SIDE, SIDE, f"{title}: {words}"), title, words)


def plane(dots: Sequence[Dot]) -> Figure:
    """Return dots on two logarithmic axes that cross at 1; on the diagonal time follows work."""
    x, y = WIDE / 2, HIGH / 2
    reach = y - 16
    parts = [
        f'<path d="M0 {y}H{WIDE}M{x} 0V{HIGH}" stroke-opacity="0.4"/>',
        f'<path d="M{x - reach} {y + reach}L{x + reach} {y - reach}" stroke-dasharray="4 4"/>',
        _text(2, 11, "↑ less time", "start"),
        _text(WIDE - 2, HIGH - 3, "less work →", "end"),
        _text(2, HIGH - 3, "time follows work", "start"),
    ]
    for tick, words in TICKS.items():
        at = DOUBLING * log2(tick)
        parts += [_text(x + at, y + 12, words), _text(x - 3, y - at + 4, words, "end")]
    for name, saved, won in dots:
        right = min(max(x + DOUBLING * log2(saved), 5), WIDE - 5)
        down = min(max(y - DOUBLING * log2(won), 20), HIGH - 5)
        parts.append(f'<circle cx="{right:.1f}" cy="{down:.1f}" r="4" fill="currentColor"/>')
        parts.append(_text(min(max(right, 35), WIDE - 35), down - 8, name))
    said = [f"{name}: {formatted(1 / a)}x work, {formatted(1 / b)}x time" for name, a, b in dots]
    title, words = "Work and time against the other run", "; ".join(said) or "each run adds a dot"
    drawing = f'<g fill="none" stroke="currentColor">{"".join(parts)}</g>'
    return Figure("plane", _svg(drawing, WIDE, HIGH, f"{title}: {words}"), title, words)


def _text(x: float, y: float, words: str, anchor: str = "middle") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="11" '
        f'font-family="sans-serif" stroke="none" fill="currentColor">{escape(words)}</text>'
    )


def _svg(drawing: str, wide: int, high: int, said: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" role="img">'
        f"<title>{escape(said)}</title>{drawing}</svg>"
    )
