"""A window with all controls; a widget's picture and a pointer over it, in its own pixels."""

from pathlib import Path

from PyQt6.QtCore import QEvent, QPoint, QPointF, Qt
from PyQt6.QtGui import QImage, QMouseEvent
from PyQt6.QtWidgets import QApplication, QWidget

from viewer.models.settings import Settings


def all_controls(path: str | Path) -> Settings:
    """Return the settings in a file; the window begins with all controls, unless it says."""
    settings = Settings(path)
    if settings.value("arrangement") is None:
        settings.set_value("arrangement", "explore")
    return settings


def grabbed(widget: QWidget) -> QImage:
    """Return what it looks like, a pixel for each of its own; colours are not mixed."""
    image = widget.grab().toImage()
    image.setDevicePixelRatio(1.0)
    nearest = Qt.TransformationMode.FastTransformation
    return image.scaled(widget.size(), Qt.AspectRatioMode.IgnoreAspectRatio, nearest)


def hover(widget: QWidget, place: QPoint) -> None:
    """Move the pointer there. QTest goes by the screen's pixels and misses on a denser one."""
    where, none = QPointF(place), Qt.MouseButton.NoButton
    above = QPointF(widget.mapToGlobal(place))
    plain = Qt.KeyboardModifier.NoModifier
    move = QMouseEvent(QEvent.Type.MouseMove, where, above, none, none, plain)
    QApplication.sendEvent(widget, move)
