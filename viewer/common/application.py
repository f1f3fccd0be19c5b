"""The QApplication, as every way to open a window makes it."""

from __future__ import annotations

from PyQt6.QtGui import QGuiApplication
from PyQt6.QtWidgets import QApplication

from viewer.common.icons import app_icon

NAME = "sssp-scope"


def make_application() -> QApplication:
    """Make the QApplication with our names and icon."""
    app = QApplication([NAME])
    app.setApplicationName(NAME)
    app.setApplicationDisplayName("SSSP Scope")
    app.setWindowIcon(app_icon())
    QGuiApplication.setDesktopFileName(NAME)
    return app
