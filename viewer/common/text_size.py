"""How large text is: lengths in pixels were chosen for text 12 pixels high, and grow with it.

A system with larger text, or the projector theme, makes `QApplication.font()` larger. Pixels here
are Qt's: its scaling of the screen (high DPI) comes on top.
"""

from __future__ import annotations

from PyQt6.QtGui import QFont, QGuiApplication
from PyQt6.QtWidgets import QApplication

REFERENCE_PIXELS = 12  # height of the text that all lengths in pixels were chosen for
SMALL_PIXELS = 11  # numbers on axes, at that size
OWN_FONTS = ("QDockWidgetTitle", "QTipLabel")  # what the system may give fonts of their own
POINTS_AN_INCH = 72
SYSTEM_FONT = "system_font"  # property of the QApplication: its font before any theme


def text_pixels() -> int:
    """Return the height of the application's text, pixels, as it was asked for."""
    return pixels_of(QApplication.font())


def pixels_of(font: QFont) -> int:
    """Return the height of a font, pixels."""
    screen = QGuiApplication.primaryScreen()
    if font.pixelSize() > 0 or screen is None:
        return max(1, font.pixelSize())
    return max(1, round(font.pointSizeF() * screen.logicalDotsPerInch() / POINTS_AN_INCH))


def scaled(pixels: float) -> int:
    """Return a length that was chosen for 12-pixel text, for the text there is; at least 1."""
    return max(1, round(pixels * text_pixels() / REFERENCE_PIXELS))


def small_pixels() -> int:
    """Return the height of small text: numbers on axes."""
    return scaled(SMALL_PIXELS)


def small_font(font: QFont, more: int = 0) -> QFont:
    """Return a font as small as the numbers on axes, `more` pixels larger."""
    small = QFont(font)
    small.setPixelSize(small_pixels() + more)
    return small


def grown(font: QFont, factor: float) -> QFont:
    """Return a font `factor` times as large, in the unit in which its size was given."""
    larger = QFont(font)
    if font.pointSizeF() > 0:
        larger.setPointSizeF(font.pointSizeF() * factor)
    else:
        larger.setPixelSize(round(font.pixelSize() * factor))
    return larger


def scale_application_font(app: QApplication, factor: float, pixels: int = 0) -> bool:
    """Make the application's text `factor` times the system's; return whether that is news.

    pixels : its height instead, 0 for none
    """
    system = app.property(SYSTEM_FONT)
    if not isinstance(system, QFont):
        system = QFont(app.font())
        app.setProperty(SYSTEM_FONT, system)
    font = grown(system, pixels / pixels_of(system) if pixels else factor)
    if font == app.font():
        return False
    app.setFont(font)
    for part in OWN_FONTS:
        app.setFont(font, part)
    return True
