"""Settings that the window remembers between sessions; what cannot be read becomes its default."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Any

from PyQt6.QtCore import QByteArray, QSettings

from gpu.record.workspace import reader_options

ORGANISATION = "SSSP Scope"
APPLICATION = "sssp-scope"
MAX_RECENT = 10
DEFAULT_THEME = "light"
STILL = "still"  # key: less motion
THEME_NAMES = ("light", "dark", "projector")


class Settings:
    """JSON values and bytes by key in one QSettings store.

    path : an .ini file to use instead of the user's own settings (tests, portable use)
    """

    def __init__(self, path: str | Path | None = None) -> None:
        if path is None:
            self._store = QSettings(ORGANISATION, APPLICATION)
        else:
            self._store = QSettings(str(path), QSettings.Format.IniFormat)

    @property
    def theme(self) -> str:
        """Name of the colour theme, one of THEME_NAMES."""
        name = self.value("theme")
        return name if name in THEME_NAMES else DEFAULT_THEME

    @property
    def recent(self) -> dict[str, dict[str, Any]]:
        """Paths last opened, newest first, and the options that they were read by."""
        kept = self.value("recent")
        kept = kept if isinstance(kept, dict) else {}
        return {path: reader_options(options) for path, options in kept.items()}

    def add_recent(self, path: str | Path, options: dict[str, Any] | None = None) -> None:
        """Put a path first among the recent ones, with the options it was read with."""
        place = _place(path)
        rest = {name: read for name, read in self.recent.items() if name != place}
        recent = {place: reader_options(options)} | rest
        self.set_value("recent", dict(islice(recent.items(), MAX_RECENT)))

    def remove_recent(self, path: str | Path) -> None:
        """Forget a path, for one that could not be opened."""
        rest = {name: read for name, read in self.recent.items() if name != _place(path)}
        self.set_value("recent", rest)

    def value(self, key: str, default: Any = None) -> Any:
        """Return a remembered JSON value."""
        text = self._store.value(f"other/{key}")
        try:
            return json.loads(text) if isinstance(text, str) else default
        except (ValueError, RecursionError):
            return default

    def set_value(self, key: str, value: Any) -> None:
        """Remember a JSON value."""
        self._store.setValue(f"other/{key}", json.dumps(value))

    def bytes_value(self, key: str) -> QByteArray:
        """Return what `set_bytes` remembered, else empty."""
        value = self._store.value(f"window/{key}")
        return value if isinstance(value, QByteArray) else QByteArray()

    def set_bytes(self, key: str, value: QByteArray) -> None:
        """Remember what Qt saved: the geometry of the window, the state of its docks."""
        self._store.setValue(f"window/{key}", value)

    def sync(self) -> None:
        """Write to disk now."""
        self._store.sync()


def _place(path: str | Path) -> str:
    """Return where a path leads from any folder: the next start may be in another one."""
    return str(Path(path).absolute())
