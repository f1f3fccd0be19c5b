"""The menu of arrangements: which one is up."""

from __future__ import annotations

from viewer.feature import FeaturePart, Window


class ArrangementsFeature(FeaturePart):
    """Marks the arrangement that is up; what is put up is the business of `Docks`."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        window.docks.named.connect(self._mark)
        self._mark(window.docks.arrangement)

    def _mark(self, name: str) -> None:
        self._window.actions_by_key[f"layout_{name}"].setChecked(True)


install = ArrangementsFeature
