"""Why Δ changed: the log of the controller's decisions, and a score for who drives by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from viewer.action_rows import ActionRow
from viewer.features import Feature

if TYPE_CHECKING:
    from viewer.features.window import Window

FEATURE = Feature(
    "why",
    (
        ActionRow(
            "why",
            "Why did Δ c&hange?",
            "run",
            1,
            "Every change of Δ with its reason and numbers",
            "features.why.show",
            ("Ctrl+Shift+Y",),
            needs="run",
        ),
    ),
    (("why", "Why Δ changed"),),
)


def install(window: Window) -> Any:
    """Build the feature."""
    from PyQt6.QtWidgets import QWidget

    from viewer.features.why.panel import WhyPanel
    from viewer.models.session import RunRecord

    class WhyFeature:
        """Makes the panel; runs the controller's run that a steered one is compared with."""

        def make_panel(self, _dock: str) -> QWidget:
            """Return the panel."""
            panel = WhyPanel(window.session, window.playback)
            panel.controller_requested.connect(self.run_controllers)
            return panel

        def show(self) -> None:
            """Show the log."""
            window.show_dock("why")

        def run_controllers(self, record: RunRecord) -> None:
            """Make the same run with nobody at the wheel, then show the steered one again."""
            window.controller.start_run(record.settings, None)

    return WhyFeature()
