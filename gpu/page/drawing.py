"""A run as a small drawing (SVG), for notebooks: its words, and each edge by its distance.

The colours are few and fixed, since a drawing does not know the theme of its surroundings.
"""

from __future__ import annotations

from html import escape

import numpy as np

from gpu.graph import CSRGraph
from gpu.page.graph import placed
from gpu.page.words import subtitle_words, title_words, totals_words
from gpu.record.trace import Trace, reached_mask

WIDTH, MAP, MARGIN = 720, 420, 16  # pixels
MOST_LINES = 20_000
STOPS = ("440154", "3b528b", "21918c", "5ec962", "c2df23")  # near to far, as the window's
GREY = "#c8ccd2"
INK, QUIET = "#1b1f24", "#59616b"


def run_drawing(trace: Trace, graph: CSRGraph | None) -> str:
    """Return a run as SVG, with its map where the graph is there and small enough."""
    high = 64
    parts = [
        _text(MARGIN, 24, title_words(trace), 16, INK),
        _text(MARGIN, 44, subtitle_words(trace), 11, QUIET),
    ]
    if graph is not None and graph.m <= 2 * MOST_LINES and trace.dist.ndim == 1:
        parts.append(f'<g transform="translate(0 {high})">{_map(trace, graph)}</g>')
        high += MAP
    high += 8
    parts.append(_text(MARGIN, high, totals_words(trace), 11, QUIET))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {high + 16}" role="img" '
        f'width="{WIDTH}" font-family="sans-serif"><title>{escape(title_words(trace))}</title>'
        f'<rect width="100%" height="100%" fill="#ffffff"/>{"".join(parts)}</svg>'
    )


def _map(trace: Trace, graph: CSRGraph) -> str:
    """Return the arcs, one path a colour; unreached ones first, below the others."""
    where = placed(graph).positions
    assert where is not None
    low, high = np.nanmin(where, axis=0), np.nanmax(where, axis=0)
    room = np.array([WIDTH - 2 * MARGIN, MAP - 2 * MARGIN])
    scale = float((room / np.maximum(high - low, 1e-9)).min())
    x = MARGIN + (where[:, 0] - low[0]) * scale + (room[0] - (high - low)[0] * scale) / 2
    y = MARGIN + (high[1] - where[:, 1]) * scale + (room[1] - (high - low)[1] * scale) / 2
    tails = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    ends = np.stack([np.minimum(tails, graph.indices), np.maximum(tails, graph.indices)], axis=1)
    ends = np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0)
    reached = reached_mask(trace.dist)
    top = float(trace.dist[reached].max(initial=0)) or 1.0
    share = np.where(reached, trace.dist, 0) / top
    level = np.minimum(share * len(STOPS), len(STOPS) - 1).astype(int)
    level[~reached] = -1
    colour = level[ends].min(axis=1)
    parts = []
    for place, name in enumerate((GREY, *(f"#{stop}" for stop in STOPS)), -1):
        lines = [
            f"M{x[a]:.1f} {y[a]:.1f}L{x[b]:.1f} {y[b]:.1f}"
            for a, b in ends[colour == place].tolist()
        ]
        if lines:
            parts.append(f'<path stroke="{name}" stroke-width="1.1" d="{"".join(lines)}"/>')
    source = trace.settings.source
    parts.append(f'<circle cx="{x[source]:.1f}" cy="{y[source]:.1f}" r="6" stroke="#b3261e"/>')
    return f'<g fill="none">{"".join(parts)}</g>'


def _text(x: float, y: float, words: str, size: int, colour: str) -> str:
    return f'<text x="{x}" y="{y}" font-size="{size}" fill="{colour}">{escape(words)}</text>'
