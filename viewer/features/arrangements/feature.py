"""The menu of arrangements: which one is up, and which have all their docks."""

from __future__ import annotations

from viewer.docks import ARRANGEMENTS
from viewer.feature import FeaturePart, Window
from viewer.features.arrangements.rows import need


class ArrangementsFeature(FeaturePart):
    """Marks the arrangement that is up; what is put up is the business of `Docks`."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        window.docks.named.connect(self._mark)
        self._mark(window.docks.arrangement)

    def needs(self) -> dict[str, bool]:
        """Say which arrangements have their docks: a feature may have been taken away."""
        docks = self._window.docks.by_key
        return {need(key): row.docks <= docks.keys() for key, row in ARRANGEMENTS.items()}

    def _mark(self, name: str) -> None:
        self._window.actions_by_key[f"layout_{name}"].setChecked(True)


install = ArrangementsFeature
