"""The QApplication, as every way to open a window makes it."""

from __future__ import annotations

import ctypes
import sys

from PyQt6.QtGui import QGuiApplication
from PyQt6.QtWidgets import QApplication

from viewer.common.icons import app_icon

NAME = "sssp-scope"
LARGE_BLOCK = 256 << 10  # bytes: from here on a block goes back to the system when it is freed
M_MMAP_THRESHOLD = -3  # of glibc's malloc.h


def make_application() -> QApplication:
    """Make the QApplication with our names and icon."""
    give_back_large_blocks()
    app = QApplication([NAME])
    app.setApplicationName(NAME)
    app.setApplicationDisplayName("SSSP Scope")
    app.setWindowIcon(app_icon())
    QGuiApplication.setDesktopFileName(NAME)
    return app


def give_back_large_blocks() -> None:
    """Have glibc map large blocks each by itself, for good; elsewhere nothing is done.

    Left alone it moves the bound up to 32 MB, to the largest block freed so far. Then pictures come
    out of the heap, and small blocks that outlive them keep what they leave from being given back.
    """
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # musl has none
        if mallopt is not None:
            mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK)
