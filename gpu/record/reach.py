"""Which graph files may be opened because a workspace or a trace names them.

The file may come from a stranger, and looking at a path has effects: a network share learns our
name, an automount mounts, a device blocks. So files in the folder of the file itself are opened.
For other places the person confirms the full path first. Other computers, /dev, /proc and /sys are
never looked at.
"""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath, PureWindowsPath

SAMPLE = "sample:"


def is_elsewhere(place: str | Path) -> bool:
    """Whether a place is no folder of this computer's disks: another computer, /dev, /proc.

    Nor is a name that no file here can have: half a letter (a lone surrogate), a NUL.
    """
    try:
        if b"\0" in os.fsencode(place):
            return True
    except UnicodeEncodeError:
        return True
    if PureWindowsPath(place).drive.startswith("\\\\") or str(place).startswith("//"):
        return True
    return PurePosixPath(place).parts[:2] in {("/", top) for top in ("dev", "proc", "sys")}


def is_within(place: Path, folder: Path) -> bool:
    """Whether a place is in a folder, also where links lead; nothing outside it is looked at."""
    inside = Path(os.path.normpath(place)).is_relative_to(os.path.normpath(folder))
    if not inside:
        return False
    real = Path(os.path.realpath(place))
    return real.is_relative_to(os.path.realpath(folder)) and not is_elsewhere(real)


def question(what: str, folder: Path) -> str:
    """Return in words why a person is asked before `what` is opened; "" where nobody need be.

    what : "sample:..." or a path ; folder : where the file lies that names it
    """
    is_ours = what.startswith(SAMPLE) or is_within(folder / what, folder)
    return "" if is_ours else f"{what}, outside its folder"
