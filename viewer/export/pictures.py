"""Widgets as files: PNG with a caption and metadata, SVG with text that stays text.

pyqtgraph's own SVG exporter crashes under Qt 6.11, so a widget is painted onto a
QSvgGenerator as onto a screen: lines and text stay lines and text, and what the window
draws as a raster (a graph of a million vertices, the buckets over time) comes as a picture
inside.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PyQt6.QtCore import QBuffer, QIODevice, QPoint, QRect, QSize, Qt
from PyQt6.QtGui import QColor, QFont, QFontMetrics, QImage, QPainter, QPalette, QPixmap
from PyQt6.QtSvg import QSvgGenerator
from PyQt6.QtWidgets import QGraphicsView, QWidget

from viewer.export.svg import on_the_picture

DENSER = 2.0  # pixels of a PNG for one of the screen
MARGIN = 8  # pixels around a caption
DOTS_PER_INCH = 96


def frame_bytes(image: QImage, size: tuple[int, int]) -> bytes:
    """Return height x width x 3 bytes of an image, scaled to `size` where it is not so large."""
    target = QSize(*size)
    if image.size() != target:
        smooth = Qt.TransformationMode.SmoothTransformation
        image = image.scaled(target, Qt.AspectRatioMode.IgnoreAspectRatio, smooth)
    image = image.convertToFormat(QImage.Format.Format_RGB888)
    width, line = target.width() * 3, image.bytesPerLine()
    bits = image.constBits()
    assert bits is not None
    whole = bits.asstring(image.sizeInBytes())
    if width == line:
        return whole
    return b"".join(whole[row * line : row * line + width] for row in range(target.height()))


def _place_of_caption(widget: QWidget, caption: str) -> QRect:
    """Return where the caption stands below a widget, as many lines as it needs."""
    top, width = widget.height(), widget.width() - 2 * MARGIN
    if not caption:
        return QRect(MARGIN, top, width, 0)
    words = QFontMetrics(_caption_font(widget))
    wrapped = words.boundingRect(QRect(0, 0, width, 0), int(Qt.TextFlag.TextWordWrap), caption)
    return QRect(MARGIN, top, width, wrapped.height() + MARGIN)


def _caption_font(widget: QWidget) -> QFont:
    font = QFont(widget.font())
    if font.pointSizeF() > 0:
        font.setPointSizeF(max(7.0, font.pointSizeF() * 0.85))
    return font


def _whole_size(widget: QWidget, caption: str) -> QSize:
    return widget.size() + QSize(0, _place_of_caption(widget, caption).height())


def paint(painter: QPainter, widget: QWidget, caption: str = "") -> None:
    """Paint a widget as it is now, its marks as shapes whatever the screen, its caption below."""
    size = _whole_size(widget, caption)
    colours = widget.palette()
    painter.fillRect(QRect(QPoint(), size), colours.color(QPalette.ColorRole.Window))
    marks = _marks(widget)
    kept = [mark.opts["useCache"] for mark in marks]
    for mark in marks:
        mark.opts["useCache"] = False  # as shapes: their atlas is torn apart in an SVG
    widget.render(painter, QPoint())
    for mark, cached in zip(marks, kept, strict=True):
        mark.opts["useCache"] = cached
    if caption:
        painter.setPen(colours.color(QPalette.ColorRole.WindowText))
        painter.setFont(_caption_font(widget))
        lines = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(_place_of_caption(widget, caption), int(lines), caption)


def _marks(widget: QWidget) -> list[Any]:
    """Return pyqtgraph's scatter plots inside a widget."""
    scenes = [view.scene() for view in widget.findChildren(QGraphicsView)]
    items: list[Any] = [item for scene in scenes if scene is not None for item in scene.items()]
    return [item for item in items if "useCache" in getattr(item, "opts", {})]


def picture(widget: QWidget, title: str, caption: str = "") -> Callable[[], bytes]:
    """Draw a widget now; what is returned makes it a PNG, in any thread (it takes a while)."""
    image = QImage(_whole_size(widget, caption) * DENSER, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(DENSER)
    image.fill(QColor("white"))
    image.setText("Title", title)
    image.setText("Description", caption)
    image.setText("Software", "SSSP Scope")
    painter = QPainter(image)
    paint(painter, widget, caption)
    painter.end()

    return lambda: png_bytes(image)


def png_bytes(image: QImage | QPixmap) -> bytes:
    """Return a picture as a PNG file's bytes; OSError where Qt cannot make one."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if not image.save(buffer, "PNG"):
        raise OSError("the picture could not be written")
    return buffer.data().data()


def drawing(
    widget: QWidget, title: str, caption: str = "", size: QSize | None = None
) -> Callable[[], bytes]:
    """Draw a widget now, as SVG; what is returned gives its bytes.

    size : pixels of the drawing at 96 to the inch, the widget's own if None
    """
    buffer, whole = QBuffer(), _whole_size(widget, caption)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(DOTS_PER_INCH)
    generator.setSize(whole if size is None else size)
    generator.setViewBox(QRect(QPoint(), whole))
    generator.setTitle(title)
    generator.setDescription(caption)
    painter = QPainter(generator)
    paint(painter, widget, caption)
    painter.end()
    return lambda: on_the_picture(buffer.data().data())
