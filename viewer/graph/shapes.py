"""A map for paper as shapes: the picture that the raster shows, of lines and discs.

The two halves of an edge have the colours of its ends, as in the raster; a hairball has grey
lines. With more than `MOST_ARCS` arcs a file of shapes is slow to open, so the raster is kept.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PyQt6.QtCore import QPointF, Qt
from PyQt6.QtGui import QColor, QPainter, QPainterPath, QPen

from viewer.common.theme import Theme, mix
from viewer.graph.picture import Colours, Sheet
from viewer.raster.raster import Colouring, View, index_of

MOST_ARCS = 20_000
LEAST_RADIUS = 0.6  # pixels of a disc that the raster shows as one pixel
GREY, THIN = 0.3, 0.5  # of the text colour; pixels: a line of a hairball
FAR = 1e6  # pixels; farther lines would not fit into a drawing


def paint_shapes(
    painter: QPainter, theme: Theme, sheet: Sheet, camera: View, looks: tuple[Colouring, Colours]
) -> None:
    """Paint every edge as two lines, every vertex as a disc."""
    assert sheet.pixels is not None
    graph, style = sheet.drawing.graph, sheet.pixels.style
    places = np.clip(np.nan_to_num(camera.to_pixels(sheet.drawing.positions)), -FAR, FAR)
    index, _ = index_of(looks[0], np.arange(graph.n, dtype=np.int32))
    tails = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    ends = np.unique(np.sort(np.stack([tails, graph.indices]), axis=0), axis=1)
    if style.line_width > 0:
        middles = places[ends].mean(axis=0)
        width = style.line_width / sheet.ratio
        for one in ends:
            lines = np.concatenate([places[one], middles], axis=1)
            for colour, path in _by_colour(index[one], looks[1], lines, _line):
                painter.strokePath(path, QPen(colour, width))
    elif style.density:
        path = QPainterPath()
        for line in np.concatenate([places[ends[0]], places[ends[1]]], axis=1).tolist():
            _line(path, line)
        painter.strokePath(path, QPen(QColor(mix(theme.plot, theme.text, GREY)), THIN))
    radius = max(style.radius / sheet.ratio, LEAST_RADIUS)

    def disc(path: QPainterPath, place: list[float]) -> None:
        path.addEllipse(QPointF(*place), radius, radius)

    for colour, path in _by_colour(index, looks[1], places, disc):
        path.setFillRule(Qt.FillRule.WindingFill)
        painter.fillPath(path, colour)


def _line(path: QPainterPath, ends: list[float]) -> None:
    path.moveTo(ends[0], ends[1])
    path.lineTo(ends[2], ends[3])


def _by_colour(
    index: np.ndarray,
    colours: Colours,
    rows: np.ndarray,
    add: Callable[[QPainterPath, list[float]], None],
) -> list[tuple[QColor, QPainterPath]]:
    """Return one path for each colour, of the shapes that `add` makes of the rows."""
    paths = []
    for level in np.unique(index).tolist():
        path = QPainterPath()
        for row in rows[index == level].tolist():
            add(path, row)
        paths.append((colours.single[level], path))
    return paths
