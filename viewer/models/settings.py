"""Settings that the window remembers between sessions: a typed face on QSettings.

A value that cannot be read becomes its default. The docks' state carries `STATE_VERSION`, since Qt
restores the state of another arrangement wrongly.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from PyQt6.QtCore import QByteArray, QSettings

from viewer.models.open_choices import known_options

ORGANISATION = "SSSP Scope"
APPLICATION = "sssp-scope"
STATE_VERSION = 2  # raise when docks are added, renamed or rearranged
MAX_RECENT = 10
DEFAULT_THEME = "light"
STILL = "still"  # key: less motion
THEME_NAMES = ("light", "dark", "projector")


class Settings:
    """Typed fields over one QSettings store.

    Parameters
    ----------
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
        name = self._store.value("theme", DEFAULT_THEME)
        return name if name in THEME_NAMES else DEFAULT_THEME

    @theme.setter
    def theme(self, name: str) -> None:
        self._store.setValue("theme", name)

    @property
    def recent_files(self) -> list[str]:
        """Paths last opened, newest first, at most MAX_RECENT."""
        names = self._read_json("recent_files", [])
        if not isinstance(names, list):
            return []
        return [name for name in names if isinstance(name, str)][:MAX_RECENT]

    @property
    def recent_options(self) -> dict[str, dict[str, Any]]:
        """How recent files were read, by path; one that is not in it was read as usual."""
        kept = self._read_json("recent_options", {})
        kept = kept if isinstance(kept, dict) else {}
        options = {path: known_options(kept.get(path)) for path in self.recent_files}
        return {path: options for path, options in options.items() if options}

    def add_recent(self, path: str | Path, options: dict[str, Any] | None = None) -> None:
        """Put a path first among the recent ones, with the options it was read with."""
        place = _place(path)
        rest = [name for name in self.recent_files if name != place]
        options = self.recent_options | {place: known_options(options)}
        self._store.setValue("recent_files", json.dumps([place, *rest][:MAX_RECENT]))
        self._store.setValue("recent_options", json.dumps(options))

    def remove_recent(self, path: str | Path) -> None:
        """Forget a path, for one that could not be opened."""
        rest = [name for name in self.recent_files if name != _place(path)]
        self._store.setValue("recent_files", json.dumps(rest))

    @property
    def geometry(self) -> QByteArray | None:
        """The window's saveGeometry(), None before the first time."""
        return self._read_bytes("window/geometry")

    @geometry.setter
    def geometry(self, value: QByteArray) -> None:
        self._store.setValue("window/geometry", value)

    @property
    def window_state(self) -> QByteArray | None:
        """The window's saveState(STATE_VERSION), None if absent or of another version."""
        if self._store.value("window/state_version", "") not in (STATE_VERSION, str(STATE_VERSION)):
            return None
        return self._read_bytes("window/state")

    @window_state.setter
    def window_state(self, value: QByteArray) -> None:
        self._store.setValue("window/state", value)
        self._store.setValue("window/state_version", STATE_VERSION)

    @property
    def run_panel(self) -> dict[str, Any]:
        """Values last used in the Run panel, by key; plain JSON types."""
        values = self._read_json("run_panel", {})
        return values if isinstance(values, dict) else {}

    @run_panel.setter
    def run_panel(self, values: dict[str, Any]) -> None:
        self._store.setValue("run_panel", json.dumps(values))

    def value(self, key: str, default: Any = None) -> Any:
        """Return any other remembered JSON value."""
        return self._read_json(f"other/{key}", default)

    def set_value(self, key: str, value: Any) -> None:
        """Remember any other JSON value."""
        self._store.setValue(f"other/{key}", json.dumps(value))

    def clear(self) -> None:
        """Forget everything."""
        self._store.clear()

    def sync(self) -> None:
        """Write to disk now."""
        self._store.sync()

    def _read_bytes(self, key: str) -> QByteArray | None:
        value = self._store.value(key)
        return value if isinstance(value, QByteArray) and not value.isEmpty() else None

    def _read_json(self, key: str, default: Any) -> Any:
        text = self._store.value(key)
        if not isinstance(text, str):
            return default
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return default


def _place(path: str | Path) -> str:
    """Return where a path leads from any folder: the next start may be in another one."""
    return str(Path(path).absolute())
