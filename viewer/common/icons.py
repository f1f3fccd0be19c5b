"""Icons: SVG strokes of `assets/icons`, drawn in the colour of the theme's text."""

from __future__ import annotations

from importlib import resources

from PyQt6.QtCore import QByteArray, QRectF, Qt
from PyQt6.QtGui import QColor, QIcon, QPainter, QPixmap, QPixmapCache
from PyQt6.QtSvg import QSvgRenderer

INK = "#000000"  # what the drawings use and what is replaced
ICON_SIZES = (20, 40)  # device pixels: plain and high-density screens
APP_ICON_SIZES = (16, 32, 48, 64, 128, 256)


def read_icon(name: str) -> str:
    """Return the SVG text of `assets/icons/<name>.svg`."""
    return resources.files("assets").joinpath("icons", f"{name}.svg").read_text(encoding="utf-8")


def stroke_icon(name: str, colour: str, faint: str) -> QIcon:
    """Return a drawing in `colour`, in `faint` where its action is disabled."""
    text = read_icon(name)
    icon = QIcon()
    for mode, ink in ((QIcon.Mode.Normal, colour), (QIcon.Mode.Disabled, faint)):
        drawing = text.replace(INK, QColor(ink).name())
        for size in ICON_SIZES:
            icon.addPixmap(svg_pixmap(drawing, size), mode)
    return icon


def app_icon() -> QIcon:
    """Return the program's own icon, the same in every theme."""
    icon, text = QIcon(), read_icon("app")
    for size in APP_ICON_SIZES:
        icon.addPixmap(svg_pixmap(text, size))
    return icon


def svg_pixmap(svg: str, width: int) -> QPixmap:
    """Return a drawing in pixels, as high as its shape says."""
    if (kept := QPixmapCache.find(f"{width} {svg}")) is not None:
        return kept
    renderer = QSvgRenderer(QByteArray(svg.encode()))
    shape = renderer.viewBoxF()
    pixmap = QPixmap(width, round(width * shape.height() / shape.width()))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    renderer.render(painter, QRectF(pixmap.rect()))
    painter.end()
    QPixmapCache.insert(f"{width} {svg}", pixmap)
    return pixmap
