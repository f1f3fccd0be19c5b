"""The packages that Qt needs from the system, and what to say where they are missing.

PyQt6's wheel brings Qt, but none of the libraries of X, Wayland, OpenGL, fonts and D-Bus that every
desktop has and a server or a container has not. Where one is missing, Qt ends the process: so its
plugin is loaded before, and the answer is one line to install them all.

    python3 -m viewer.qt_libraries      prints the packages of Debian and Ubuntu
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

DEBIAN = """
libegl1 libgl1 libglib2.0-0 libdbus-1-3 libfontconfig1 fonts-dejavu-core libx11-xcb1
libxkbcommon-x11-0 libxcb-cursor0 libxcb-image0 libxcb-icccm4 libxcb-keysyms1 libxcb-glx0
libxcb-randr0 libxcb-shape0 libxcb-sync1 libxcb-xfixes0 libwayland-cursor0 libwayland-egl1
"""
FEDORA = """
mesa-libEGL mesa-libGL glib2 dbus-libs fontconfig dejavu-sans-fonts libX11-xcb libxkbcommon-x11
libxcb xcb-util-cursor xcb-util-image xcb-util-wm xcb-util-keysyms libwayland-cursor libwayland-egl
"""
ADVICE = """\
{name}: Qt cannot start: {reason}
  Debian, Ubuntu: apt install {debian}
  Fedora:         dnf install {fedora}
  Without Qt:     {name} run FILE, and the rest of {name} --help"""


def say_if_missing(name: str) -> int:
    """Return 1, having said what `name` needs installed, where Qt cannot be loaded; else 0."""
    try:
        import PyQt6.QtSvg
        import PyQt6.QtWidgets  # noqa: F401
    except ImportError as error:
        problem: str | None = str(error)
    else:
        problem = _plugin_problem()
    if problem is None:
        return 0
    if "No module named" in problem:
        print(f"{name}: {problem}; pip install PyQt6", file=sys.stderr)
        return 1
    debian, fedora = " ".join(DEBIAN.split()), " ".join(FEDORA.split())
    print(ADVICE.format(name=name, reason=problem, debian=debian, fedora=fedora), file=sys.stderr)
    return 1


def _plugin_problem() -> str | None:
    """Load the plugins that Qt would choose from: Qt itself would end the process without one."""
    if not sys.platform.startswith("linux"):
        return None
    from PyQt6.QtCore import QLibraryInfo

    folder = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath)) / "platforms"
    problem = None
    for plugin in _plugins():
        file = folder / f"libq{plugin}.so"
        try:
            if file.is_file():
                ctypes.CDLL(str(file))
            return None
        except OSError as error:
            problem = str(error)
    return problem


def _plugins() -> list[str]:
    """Return the platform plugins that Qt would try, first choice first."""
    named = os.environ.get("QT_QPA_PLATFORM")
    if named:
        return [one.partition(":")[0].partition("-")[0] for one in named.split(";")]
    sessions = {"WAYLAND_DISPLAY": "wayland", "DISPLAY": "xcb"}
    plugins = [plugin for variable, plugin in sessions.items() if os.environ.get(variable)]
    return plugins or ["offscreen"]


if __name__ == "__main__":
    print(*DEBIAN.split())
