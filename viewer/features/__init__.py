"""Parts of the window that one could take away: each brings rows, docks and its own wiring.

A feature is a folder here, with its name in NAMES:

    rows.py      FEATURE: its actions and docks as data, read at start, so it imports nothing heavy
    feature.py   `install(window)`, its `FeaturePart`: after the first paint, or on first use
    panel.py     what stands in its dock, where it has one

No feature imports another. What several need is below them: a field of `viewer.feature.Window`
(the comparison, the sweep, the docks, the modes), or a class of `viewer.feature` that one provides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar, cast

from viewer.feature import Feature, FeaturePart, Window

if TYPE_CHECKING:
    from PyQt6.QtWidgets import QWidget

    from viewer.actions import ActionRow

T = TypeVar("T")
NAMES: tuple[str, ...] = (
    "opening",
    "tour",
    "manual",
    "time",
    "measure",
    "notes",
    "sweep",
    "why",
    "palette",
    "compare",
    "arrangements",
    "placement",
    "undo",
    "history",
    "microscope",
    "draw",
    "matrix",
    "open_options",
    "workspace",
    "take_away",
    "lessons",
    "present",
    "reports",
    "autosave",
    "classroom",
    "computers",
    "access",
)


def all_features() -> tuple[Feature, ...]:
    """Return what every feature brings, in the order of NAMES."""
    return tuple(import_module(f"viewer.features.{name}.rows").FEATURE for name in NAMES)


def installer(key: str) -> Callable[[Window], FeaturePart]:
    """Return what builds a feature; its module is imported now."""
    return cast(
        "Callable[[Window], FeaturePart]", import_module(f"viewer.features.{key}.feature").install
    )


class Features:
    """The features of one window by key, each built when it is first asked for."""

    def __init__(self, window: Window, known: tuple[Feature, ...]) -> None:
        self._window = window
        self._known = {feature.key: feature for feature in known}
        self._bringers = {row.key: feature.key for feature in known for row in feature.rows}
        self._built: dict[str, FeaturePart] = {}

    def __getitem__(self, key: str) -> FeaturePart:
        if key not in self._built:
            if key not in self._known:
                raise KeyError(key)
            self._built[key] = installer(key)(self._window)
        return self._built[key]

    @property
    def built(self) -> tuple[FeaturePart, ...]:
        """Those that are built so far."""
        return tuple(self._built.values())

    def install_next(self) -> bool:
        """Build one feature that is not built yet; return whether there was one."""
        missing = next((key for key in self._known if key not in self._built), None)
        return missing is not None and self[missing] is not None

    def bringer_of(self, row: ActionRow) -> FeaturePart | None:
        """Return the feature that brings a row, None where the window does."""
        key = self._bringers.get(row.key)
        return self[key] if key is not None else None

    def panel(self, dock: str) -> QWidget:
        """Return a new panel for a dock, made by the feature that brings it."""
        owner = next(key for key, row in self._known.items() if dock in dict(row.docks))
        return self[owner].make_panel(dock)

    def provides(self, kind: type[FeaturePart]) -> bool:
        """Whether a feature provides this; nothing is built: it is asked while others are."""
        return any(feature.provides is kind for feature in self._known.values())

    def part(self, kind: type[T]) -> T | None:
        """Return the feature that provides this, built if need be, None where there is none."""
        for key, feature in self._known.items():
            if feature.provides is kind:
                return cast("T", self[key])
        return None

    def of_files(self) -> Iterator[FeaturePart]:
        """Yield the features that know files which are no graphs."""
        return (self[key] for key, feature in self._known.items() if feature.opens_files)
