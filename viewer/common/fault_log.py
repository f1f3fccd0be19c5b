"""The log file: faults of the program itself, newest last. Help > About names it."""

from __future__ import annotations

import platform
import time
import traceback
from pathlib import Path

from PyQt6.QtCore import PYQT_VERSION_STR, qVersion

from gpu.errors import GpuError
from gpu.files import written_whole
from gpu.interpreter import version
from viewer.common.kept_graphs import kept_folder

MOST_CHARACTERS = 1 << 20  # kept; older faults go


def log_path() -> Path:
    """Return where the log file is, or will be once there is a fault."""
    return kept_folder("faults.log")


def write_fault(error: BaseException) -> Path | None:
    """Append a fault to the log file, unless it repeats the last one; return the file, or None."""
    path = log_path()
    details = "".join(traceback.format_exception(error))
    try:
        before = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
        if not before.endswith(details):
            entry = f"{time.strftime('%Y-%m-%d %H:%M:%S')} {versions()}\n{details}"
            path.parent.mkdir(parents=True, exist_ok=True)
            with written_whole(path) as file:
                file.write(f"{before}{entry}"[-MOST_CHARACTERS:].encode("utf-8", "replace"))
    except (OSError, GpuError):
        return None
    return path


def versions() -> str:
    """Return the versions of the program, of Python, Qt and the system, in one line."""
    python, qt = f"Python {platform.python_version()}", f"Qt {qVersion()}, PyQt {PYQT_VERSION_STR}"
    return f"SSSP Scope {version()}, {python}, {qt}, {platform.platform()}"
