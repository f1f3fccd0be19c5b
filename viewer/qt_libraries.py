"""The libraries of the system that Qt loads, and the packages to install where they are missing.

PyQt6's wheel brings Qt, but none of the libraries of X, Wayland, OpenGL, fonts and D-Bus that every
desktop has and a server or a container has not. Where one is missing, Qt ends the process, or
Python cannot import it: so they are tried before, and the answer is one line to install them all.

Asked by `viewer.app` before a window opens, and by CI before anything is installed:

    python3 -m viewer.qt_libraries      prints the packages of Debian and Ubuntu
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path
from typing import NamedTuple


class Package(NamedTuple):
    """What to install, and the libraries that come with it: its own and those that they need."""

    debian: str
    fedora: str
    libraries: tuple[str, ...]


PACKAGES = (
    Package("libegl1", "mesa-libEGL", ("libEGL.so.1",)),
    Package("libgl1", "mesa-libGL", ("libGL.so.1", "libX11.so.6")),
    Package("libglib2.0-0", "glib2", ("libglib-2.0.so.0", "libgthread-2.0.so.0")),
    Package("libdbus-1-3", "dbus-libs", ("libdbus-1.so.3",)),
    Package(  # and a font: without any, words are drawn as boxes
        "libfontconfig1 fonts-dejavu-core",
        "fontconfig dejavu-sans-fonts",
        ("libfontconfig.so.1", "libfreetype.so.6"),
    ),
    Package("libx11-xcb1", "libX11-xcb", ("libX11-xcb.so.1",)),
    Package(
        "libxkbcommon-x11-0",
        "libxkbcommon-x11",
        ("libxkbcommon-x11.so.0", "libxkbcommon.so.0", "libxcb-xkb.so.1", "libxcb.so.1"),
    ),
    Package(
        "libxcb-cursor0",
        "xcb-util-cursor",
        ("libxcb-cursor.so.0", "libxcb-render.so.0", "libxcb-render-util.so.0"),
    ),
    Package(
        "libxcb-image0",
        "xcb-util-image",
        ("libxcb-image.so.0", "libxcb-shm.so.0", "libxcb-util.so.1"),
    ),
    Package("libxcb-icccm4", "xcb-util-wm", ("libxcb-icccm.so.4",)),
    Package("libxcb-keysyms1", "xcb-util-keysyms", ("libxcb-keysyms.so.1",)),
    Package("libxcb-glx0", "libxcb", ("libxcb-glx.so.0",)),
    Package("libxcb-randr0", "libxcb", ("libxcb-randr.so.0",)),
    Package("libxcb-shape0", "libxcb", ("libxcb-shape.so.0",)),
    Package("libxcb-sync1", "libxcb", ("libxcb-sync.so.1",)),
    Package("libxcb-xfixes0", "libxcb", ("libxcb-xfixes.so.0",)),
    Package(
        "libwayland-cursor0",
        "libwayland-cursor",
        ("libwayland-cursor.so.0", "libwayland-client.so.0"),
    ),
    Package("libwayland-egl1", "libwayland-egl", ("libwayland-egl.so.1",)),
)
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
        return _say(name, str(error))
    problem = _plugin_problem()
    return _say(name, problem) if problem else 0


def advice(name: str, reason: str) -> str:
    """Return why Qt cannot start and what to install: what is missing here, or all of it."""
    missing = [package for package in PACKAGES if _lacks(package, reason)] or PACKAGES
    return ADVICE.format(
        name=name,
        reason=reason,
        debian=" ".join(package.debian for package in missing),
        fedora=" ".join(dict.fromkeys(package.fedora for package in missing)),
    )


def _say(name: str, reason: str) -> int:
    if "No module named" in reason:
        print(f"{name}: {reason}; pip install PyQt6", file=sys.stderr)
    else:
        print(advice(name, reason), file=sys.stderr)
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
        problem = _problem_of(str(file)) if file.is_file() else None
        if problem is None:
            return None
    return problem


def _plugins() -> list[str]:
    """Return the platform plugins that Qt would try, first choice first."""
    named = os.environ.get("QT_QPA_PLATFORM")
    if named:
        return [one.partition(":")[0].partition("-")[0] for one in named.split(";")]
    sessions = {"WAYLAND_DISPLAY": "wayland", "DISPLAY": "xcb"}
    plugins = [plugin for variable, plugin in sessions.items() if os.environ.get(variable)]
    return plugins or ["offscreen"]


def _lacks(package: Package, reason: str) -> bool:
    return any(name in reason or _problem_of(name) for name in package.libraries)


def _problem_of(library: str) -> str | None:
    """Return what the system's loader says against a library, None where it takes it."""
    try:
        ctypes.CDLL(library)
    except OSError as error:
        return str(error)
    return None


if __name__ == "__main__":
    print(*(package.debian for package in PACKAGES))
