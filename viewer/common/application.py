"""The QApplication, as every way to open a window makes it."""

from __future__ import annotations

import atexit
import ctypes
import gc
import sys
from types import BuiltinFunctionType

from PyQt6.QtCore import QCoreApplication, QEvent
from PyQt6.QtGui import QGuiApplication
from PyQt6.QtWidgets import QApplication

from viewer.common.icons import app_icon

NAME = "sssp-scope"
LARGE_BLOCK = 256 << 10  # bytes: from here on a block goes back to the system when it is freed
M_MMAP_THRESHOLD = -3  # of glibc's malloc.h


def make_application() -> QApplication:
    """Make the QApplication with our names and icon."""
    give_back_large_blocks()
    app = kept_for_good(QApplication([NAME]))
    app.setApplicationName(NAME)
    app.setApplicationDisplayName("SSSP Scope")
    app.setWindowIcon(app_icon())
    QGuiApplication.setDesktopFileName(NAME)
    return app


def kept_for_good(app: QApplication) -> QApplication:
    """Return the application, which Python now never frees: the process ends with it.

    Else PyQt frees objects when Python ends that others still visit: one process in twenty ended by
    a signal instead (PyQt 6.11, `sip_api_visit_wrappers`).
    """
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(app))
    atexit.register(_free_nothing)  # what is registered last is called first
    return app


def _free_nothing() -> None:
    """Take back what PyQt has registered for the end, and delete now what waits for it."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    QCoreApplication.removePostedEvents(None)
    for thing in gc.get_objects():
        if type(thing) is BuiltinFunctionType and thing.__name__ == "_qtcore_cleanup":
            atexit.unregister(thing)


def give_back_large_blocks() -> None:
    """Have glibc map large blocks each by itself, so that freed pictures go back to the system."""
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # musl has none
        if mallopt is not None:
            mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK)
