"""Named arrangements of the docks, each for one thing that a person does.

What stands where is data in `viewer.docks`. Choosing one puts it up as designed; what a
person moves afterwards is remembered until the next one is chosen, over the end of the program
too (the window keeps Qt's state of its docks, with a version that a new dock changes).
"""

from __future__ import annotations

from viewer.actions import ActionRow
from viewer.docks import ARRANGEMENTS, need
from viewer.feature import Feature

FEATURE = Feature(
    "arrangements",
    tuple(
        ActionRow(
            f"layout_{key}",
            f"Layout &{place}: {arrangement.title}",
            "view",
            1,
            arrangement.tip,
            "window.docks.choose",
            (f"Ctrl+{place}",),
            checkable=True,
            group="layout",
            needs=need(key),
            argument=key,
        )
        for place, (key, arrangement) in enumerate(ARRANGEMENTS.items(), 1)
    ),
)
