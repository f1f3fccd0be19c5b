"""Features: parts of the window that can be taken away, as data.

A feature is a module here, or a folder with a module `feature`; its `install(window)` returns its
`FeaturePart`. It is built after the first paint, or when first used. Its actions stand in
`viewer.actions`. No feature imports another; what several need is a field of
`viewer.feature.Window`, or a class of `viewer.feature` that one of them provides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar, cast

from viewer.feature import (
    DrawnGraph,
    Feature,
    FeaturePart,
    Microscope,
    Opening,
    Pairs,
    Scheduler,
    Screen,
    Window,
)

if TYPE_CHECKING:
    from PyQt6.QtWidgets import QWidget

T = TypeVar("T")
FEATURES: tuple[Feature, ...] = (
    Feature("simple", provides=Screen),
    Feature("opening", provides=Opening),
    Feature("compare", docks={"runs": "Runs"}, provides=Pairs),
    Feature("manual"),
    Feature("measure"),
    Feature("notes", docks={"notes": "Notes"}),
    Feature("sweep", docks={"sweep": "Sweep"}),
    Feature("lab", docks={"lab": "Lab"}, opens_files=True),
    Feature("policy", docks={"policy": "Write a scheduler"}),
    Feature("why", docks={"why": "Why Δ changed"}),
    Feature("palette"),
    Feature("placement"),
    Feature("microscope", docks={"microscope": "Microscope", "code": "Code"}, provides=Microscope),
    Feature("draw", provides=DrawnGraph),
    Feature("matrix", docks={"matrix": "All pairs"}),
    Feature("open_options"),
    Feature("workspace", opens_files=True),
    Feature("take_away"),
    Feature("lessons", docks={"lesson": "Lesson"}),
    Feature("play", docks={"play": "Be the scheduler"}, provides=Scheduler),
    Feature("present"),
    Feature("access"),
)


def installer(key: str) -> Callable[[Window], FeaturePart]:
    """Return the function that builds a feature; its module is imported now."""
    module = import_module(f"{__name__}.{key}")
    if hasattr(module, "__path__"):
        module = import_module(f"{__name__}.{key}.feature")
    return cast("Callable[[Window], FeaturePart]", module.install)


class Features:
    """The features of one window by key, each built when it is first used."""

    def __init__(self, window: Window, features: tuple[Feature, ...]) -> None:
        self._window = window
        self._features = {feature.key: feature for feature in features}
        self._built: dict[str, FeaturePart] = {}

    def __getitem__(self, key: str) -> FeaturePart:
        if key not in self._built:
            if key not in self._features:
                raise KeyError(key)
            self._built[key] = installer(key)(self._window)
        return self._built[key]

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of all of them."""
        return tuple(self._features)

    @property
    def docks(self) -> dict[str, str]:
        """The titles of their panels by dock."""
        return {key: title for each in self._features.values() for key, title in each.docks.items()}

    @property
    def built(self) -> tuple[FeaturePart, ...]:
        """The features that are built so far."""
        return tuple(self._built.values())

    def install_next(self) -> bool:
        """Build one feature that is not built yet; return whether there was one."""
        missing = next((key for key in self._features if key not in self._built), None)
        return missing is not None and self[missing] is not None

    def panel(self, dock: str) -> QWidget:
        """Return a new panel for a dock, made by the feature that brings it."""
        owner = next(key for key, feature in self._features.items() if dock in feature.docks)
        return self[owner].make_panel(dock)

    def part(self, kind: type[T]) -> T | None:
        """Return the feature that provides this, built if need be, None where there is none."""
        for key, feature in self._features.items():
            if feature.provides is kind:
                return cast("T", self[key])
        return None

    def of_files(self) -> Iterator[FeaturePart]:
        """Yield the features that open files which are no graphs."""
        return (self[key] for key, feature in self._features.items() if feature.opens_files)
