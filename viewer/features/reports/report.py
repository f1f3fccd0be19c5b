"""What a report holds, as texts by file name; folders and archives of them.

    log.txt       the faults of this session, with where in the program they happened
    versions.txt  of the program, Python, Qt, the packages, the system
    actions.txt   the last actions, notices and runs, with the time of day

Folders of the person's home read `~`. No graph, no trace and no setting is in it.
"""

from __future__ import annotations

import platform
import sys
import time
import zipfile
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

from PyQt6.QtCore import PYQT_VERSION_STR, qVersion

from gpu.wholefile import new_archive, written_whole

PACKAGES = ("sssp-scope", "numpy", "numba", "scipy", "networkx", "pyqtgraph", "msgspec")
MOST_FOLDERS = 20  # reports that are kept


def versions() -> str:
    """Return the versions that matter, one a line."""
    lines = [f"Python {platform.python_version()} ({sys.executable})", platform.platform()]
    lines += [f"Qt {qVersion()}, PyQt {PYQT_VERSION_STR}"]
    for name in PACKAGES:
        try:
            lines.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            lines.append(f"{name} is not installed")
    return "\n".join(lines) + "\n"


def without_home(text: str) -> str:
    """Return a text in which the person's home reads `~`."""
    home = str(Path.home())
    return text.replace(home, "~") if len(home) > 1 else text


def write_folder(texts: Mapping[str, str], reports: Path) -> Path:
    """Write the files into a fresh folder below `reports`; return it. Raises OSError, GpuError."""
    seconds, rest = divmod(time.time_ns(), 10**9)
    name = f"{time.strftime('%Y-%m-%d-%H%M%S', time.localtime(seconds))}-{rest:09d}"
    folder = reports / name
    folder.mkdir(parents=True)
    for file, text in texts.items():
        with written_whole(folder / file) as out:
            out.write(without_home(text).encode("utf-8", "replace"))
    _forget_old(reports)
    return folder


def write_zip(texts: Mapping[str, str], path: str) -> None:
    """Write the files as one archive, whole or not at all. Raises GpuError."""
    with written_whole(path) as out, new_archive(out, zipfile.ZIP_DEFLATED) as archive:
        for file, text in texts.items():
            archive.writestr(file, without_home(text).encode("utf-8", "replace"))


def _forget_old(reports: Path) -> None:
    """Delete the oldest reports; of each only the files that a report has."""
    folders = sorted(path for path in reports.iterdir() if path.is_dir())
    for folder in folders[:-MOST_FOLDERS]:
        for file in folder.glob("*.txt"):
            file.unlink(missing_ok=True)
        if not any(folder.iterdir()):
            folder.rmdir()
