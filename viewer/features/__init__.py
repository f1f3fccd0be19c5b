"""Parts of the window that one could take away: each brings rows, docks and its own wiring.

A feature is one module here with a constant `FEATURE` (data, read at start, so the module
imports nothing heavy) and a function `install(window)`, called once after the first paint, which
imports and builds what it needs and returns an object. Action rows reach its methods as
`features.<key>.<method>`.

The object may have (all optional)

    make_panel(dock) -> QWidget    called when a dock of the feature is first seen
    needs() -> dict[str, bool]     states for `ActionRow.needs`, asked whenever they may change
    apply_theme(theme)             after a change of theme; panels in docks get it by themselves
    close()                        the window closes

To add one: a module, its name in NAMES.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from viewer.action_rows import ActionRow

if TYPE_CHECKING:
    from viewer.features.window import Window

NAMES: tuple[str, ...] = (
    "time",
    "sweep",
    "why",
    "palette",
    "compare",
    "themes",
    "arrangements",
    "placement",
    "undo",
    "microscope",
    "draw",
    "matrix",
    "open_options",
    "workspace",
    "take_away",
    "lessons",
    "present",
)


@dataclass(frozen=True)
class Feature:
    """One part of the window, as data.

    key : names the object in `window.features`
    rows : its actions; docks : (key, title) of the panels it brings, hidden at first
    """

    key: str
    rows: tuple[ActionRow, ...] = ()
    docks: tuple[tuple[str, str], ...] = ()


def all_features() -> tuple[Feature, ...]:
    """Return what every feature brings, in the order of NAMES."""
    return tuple(_module(name).FEATURE for name in NAMES)


class Features:
    """The installed features of one window, as attributes; built on first use."""

    def __init__(self, window: Window, known: tuple[Feature, ...]) -> None:
        self._window = window
        self._known = {feature.key: feature for feature in known}
        self._built: dict[str, Any] = {}

    def __getattr__(self, key: str) -> Any:
        if key.startswith("_") or key not in self._known:
            raise AttributeError(key)
        if key not in self._built:
            install: Callable[[Window], Any] = _module(key).install
            self._built[key] = install(self._window)
        return self._built[key]

    def panel(self, dock: str) -> Any:
        """Return a new panel for a dock, made by the feature that brings it."""
        owner = next(key for key, row in self._known.items() if dock in dict(row.docks))
        return getattr(self, owner).make_panel(dock)

    def install_next(self) -> bool:
        """Build one feature that is not built yet; return whether there was one."""
        for key in self._known:
            if key not in self._built:
                getattr(self, key)
                return True
        return False

    def call(self, method: str, *arguments: Any) -> list[Any]:
        """Call a method of every built feature that has it; return what they returned."""
        found = [getattr(part, method, None) for part in self._built.values()]
        return [ask(*arguments) for ask in found if ask is not None]


def _module(name: str) -> Any:
    return import_module(f"viewer.features.{name}.rows")
