"""Why Δ changed, at work: makes the panel; makes the run that a steered one is compared with."""

from __future__ import annotations

from PyQt6.QtWidgets import QWidget

from viewer.feature import FeaturePart
from viewer.features.why.panel import WhyPanel
from viewer.models.session import RunRecord


class WhyFeature(FeaturePart):
    """See the module docstring."""

    def make_panel(self, _dock: str) -> QWidget:
        """Return the panel."""
        panel = WhyPanel(self._window.session, self._window.playback)
        panel.controller_requested.connect(self.run_controllers)
        return panel

    def run_controllers(self, record: RunRecord) -> None:
        """Make the same run with nobody at the wheel, then show the steered one again."""
        self._window.controller.start_run(record.settings, None)


install = WhyFeature
