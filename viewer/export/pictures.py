"""Widgets as files: PNG with a caption and metadata, PDF with text that stays text.

In a PDF lines and text stay lines and text; what the window draws as a raster (a large graph, the
buckets over time) is a picture inside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from PyQt6.QtCore import QBuffer, QIODevice, QMarginsF, QPoint, QRect, QSize, Qt
from PyQt6.QtGui import (
    QFont,
    QFontMetrics,
    QImage,
    QPageSize,
    QPainter,
    QPalette,
    QPdfWriter,
    QPixmap,
)  # fmt: skip
from PyQt6.QtWidgets import QWidget

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
    """Draw widgets now, as one page of PDF; the function returned gives its bytes.

    size : of the page, pixels at 96 to the inch, the widgets' own if None
    """
    buffer, whole = QBuffer(), _whole_size(widgets, caption)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    page = QPdfWriter(buffer)
    page.setResolution(DOTS_PER_INCH)
    page.setPageSize(
        QPageSize((size or whole).toSizeF() * 72 / DOTS_PER_INCH, QPageSize.Unit.Point)
    )
    page.setPageMargins(QMarginsF())
    page.setTitle(title)
    page.setCreator("SSSP Scope")
    painter = QPainter(page)
    if size is not None:
        painter.scale(size.width() / whole.width(), size.height() / whole.height())
    paint(painter, widgets, caption)
    painter.end()
    return lambda: buffer.data().data()


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
