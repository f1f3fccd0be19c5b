"""Problems of the program itself: a dialog says where they are written down, Help makes a zip."""

from __future__ import annotations

from viewer.actions import ActionRow
from viewer.feature import Feature, Reports

FEATURE = Feature(
    "reports",
    (
        ActionRow(
            "report_problem",
            "Report a p&roblem…",
            "help",
            4,
            "Save log, versions and your last actions as a zip; nothing is sent anywhere",
            "ask_report",
        ),
    ),
    provides=Reports,
)
