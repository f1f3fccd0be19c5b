"""Widgets as files: PNG with a caption and metadata, SVG with text that stays text.

pyqtgraph's own SVG exporter crashes under Qt 6.11, so a widget is painted onto a QSvgGenerator as
onto a screen: lines and text stay lines and text, and what the window draws as a raster (a large
graph, the buckets over time) comes as a picture inside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from PyQt6.QtCore import QBuffer, QIODevice, QPoint, QRect, QRectF, QSize, Qt
from PyQt6.QtGui import QFont, QFontMetrics, QImage, QPainter, QPalette, QPixmap
from PyQt6.QtSvg import QSvgGenerator
from PyQt6.QtWidgets import QGraphicsView, QWidget

from viewer.export.svg import on_the_picture

DENSER = 2.0  # pixels of a PNG for one of the screen
MARGIN = 8  # pixels around a caption
DOTS_PER_INCH = 96


def paint(painter: QPainter, widgets: Sequence[QWidget], caption: str = "") -> None:
    """Paint widgets as they are now, side by side, the caption below."""
    colours, place = widgets[0].palette(), _caption_place(widgets, caption)
    whole = QRect(QPoint(), _whole_size(widgets, caption))
    painter.fillRect(whole, colours.color(QPalette.ColorRole.Window))
    left = 0
    for widget in widgets:
        widget.render(painter, QPoint(left, 0))
        left += widget.width()
    if caption:
        painter.setPen(colours.color(QPalette.ColorRole.WindowText))
        painter.setFont(_caption_font(widgets[0]))
        lines = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(place, int(lines), caption)


def picture(widgets: Sequence[QWidget], title: str, caption: str = "") -> Callable[[], bytes]:
    """Draw widgets now; the function returned encodes them as PNG, in any thread."""
    image = QImage(_whole_size(widgets, caption) * DENSER, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(DENSER)
    image.setText("Title", title)
    image.setText("Description", caption)
    image.setText("Software", "SSSP Scope")
    painter = QPainter(image)
    paint(painter, widgets, caption)
    painter.end()
    return lambda: png_bytes(image)


def drawing(
    widgets: Sequence[QWidget], title: str, caption: str = "", size: QSize | None = None
) -> Callable[[], bytes]:
    """Draw widgets now, as SVG; the function returned gives its bytes.

    size : pixels of the drawing at 96 to the inch, the widgets' own if None
    """
    buffer, whole = QBuffer(), _whole_size(widgets, caption)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator(QSvgGenerator.SvgVersion.Svg11)  # SVG Tiny has no clipping
    generator.setOutputDevice(buffer)
    generator.setResolution(DOTS_PER_INCH)
    generator.setSize(whole if size is None else size)
    generator.setViewBox(QRect(QPoint(), whole))
    generator.setTitle(title)
    generator.setDescription(caption)
    views = [
        (widget, view)
        for widget in widgets
        for view in widget.findChildren(QGraphicsView)
        if view.isVisibleTo(widget)
    ]
    for _, view in views:
        _inside(view).hide()  # painted below: here Qt would put their clipping elsewhere
    painter = QPainter(generator)
    paint(painter, widgets, caption)
    for widget, view in views:
        _inside(view).show()
        _paint_view(painter, widget, view)
    painter.end()
    return lambda: on_the_picture(buffer.data().data())


def _paint_view(painter: QPainter, widget: QWidget, view: QGraphicsView) -> None:
    """Paint a scene where it stands in a widget, its marks as shapes."""
    room = _inside(view).rect()
    marks = _marks(view)
    for mark in marks:
        mark.opts["useCache"] = False  # their atlas is torn apart in an SVG
    painter.save()
    painter.translate(_inside(view).mapTo(widget, QPoint()).toPointF())
    view.render(painter, QRectF(room), room)
    painter.restore()
    for mark in marks:
        mark.opts["useCache"] = True


def _inside(view: QGraphicsView) -> QWidget:
    viewport = view.viewport()
    assert viewport is not None
    return viewport


def png_bytes(image: QImage | QPixmap) -> bytes:
    """Return a picture as a PNG file's bytes; OSError where Qt cannot make one."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if not image.save(buffer, "PNG"):
        raise OSError("the picture could not be written")
    return buffer.data().data()


def frame_bytes(image: QImage) -> bytes:
    """Return the height x width x 3 bytes of an image."""
    image = image.convertToFormat(QImage.Format.Format_RGB888)
    bits = image.constBits()
    assert bits is not None
    lines = np.frombuffer(bits.asstring(image.sizeInBytes()), np.uint8)
    return lines.reshape(image.height(), -1)[:, : 3 * image.width()].tobytes()


def _whole_size(widgets: Sequence[QWidget], caption: str) -> QSize:
    width = sum(widget.width() for widget in widgets)
    height = max(widget.height() for widget in widgets)
    return QSize(width, height + _caption_place(widgets, caption).height())


def _caption_place(widgets: Sequence[QWidget], caption: str) -> QRect:
    """Return where the caption stands below widgets, as many lines as it needs."""
    top = max(widget.height() for widget in widgets)
    width = sum(widget.width() for widget in widgets) - 2 * MARGIN
    if not caption:
        return QRect(MARGIN, top, width, 0)
    words = QFontMetrics(_caption_font(widgets[0]))
    wrapped = words.boundingRect(QRect(0, 0, width, 0), int(Qt.TextFlag.TextWordWrap), caption)
    return QRect(MARGIN, top, width, wrapped.height() + MARGIN)


def _caption_font(widget: QWidget) -> QFont:
    font = QFont(widget.font())
    if font.pointSizeF() > 0:
        font.setPointSizeF(max(7.0, font.pointSizeF() * 0.85))
    return font


def _marks(view: QGraphicsView) -> list[Any]:
    """Return pyqtgraph's scatter plots of a view that are painted from an atlas."""
    items: list[Any] = view.items()
    return [item for item in items if getattr(item, "opts", {}).get("useCache")]
