"""Time travel in the menus: kinds of step, marks, the range, speed; what is remembered.

Speed, kind of step and repeating are chosen by a person and come back the next time; so
does whether edges are drawn. A replay's own speed is not a choice and is not kept.
"""

from __future__ import annotations

from typing import Any

from viewer.actions import ActionRow
from viewer.feature import Feature

STEPS = (  # kind of step, menu text, key, what it is
    ("sample", "Step by s&ample", "1", "A step goes to the next sample"),
    ("switch", "Step by &bucket switch", "2", "A step goes to where the head bucket moves on"),
    ("delta", "Step by Δ &change", "3", "A step goes to where the bucket width changes"),
    ("superstep", "Step by s&uperstep", "4", "A step goes to the next superstep, in runs with any"),
)


def _row(key: str, text: str, section: int, tooltip: str, hint: str, **more: Any) -> ActionRow:
    return ActionRow(key, text, "playback", section, tooltip, hint=hint, **more)


FEATURE = Feature(
    "time",
    (
        _row(
            "mark_back",
            "Mark be&fore",
            2,
            "Go to the mark before: a change of Δ, the peak, starvation, or one of few switches",
            "Ctrl+Left",
            handler="window.timeline.mark_back",
            needs="run",
        ),
        _row(
            "mark_forward",
            "&Next mark",
            2,
            "Go to the next mark: a change of Δ, the peak, starvation, or one of few switches",
            "Ctrl+Right",
            handler="window.timeline.mark_forward",
            needs="run",
        ),
        *(
            _row(
                f"step_by_{kind}",
                text,
                4,
                tooltip,
                key,
                handler="window.timeline.choose_step",
                argument=kind,
                checkable=True,
                group="step_kind",
            )
            for kind, text, key, tooltip in STEPS
        ),
        _row(
            "range_in",
            "Range begins &here",
            5,
            "Begin the range that is repeated here (Shift+drag on the timeline: both ends)",
            "I",
            handler="window.timeline.range_in",
            needs="run",
        ),
        _row(
            "range_out",
            "Range en&ds here",
            5,
            "End the range that is repeated at the cursor",
            "O",
            handler="window.timeline.range_out",
            needs="run",
        ),
        _row(
            "loop",
            "Re&peat the range",
            5,
            "Play the range again and again, or the whole run where none is marked",
            "R",
            handler="window.playback.set_looping",
            checkable=True,
        ),
        _row(
            "range_clear",
            "F&orget the range",
            5,
            "Mark no range and repeat nothing",
            "Esc",
            handler="window.timeline.clear_range",
            needs="run",
        ),
        _row(
            "slower",
            "Slo&wer",
            6,
            "Play at half the speed or less, down to a ten-thousandth",
            "Ctrl+Down",
            handler="window.timeline.slower",
        ),
        _row(
            "faster",
            "Fas&ter",
            6,
            "Play at twice the speed or more, up to ten times",
            "Ctrl+Up",
            handler="window.timeline.faster",
        ),
        ActionRow(
            "edges",
            "Show &edges",
            "view",
            0,
            "Draw edges: as lines where there is room, else as a grey layer under the vertices",
            "set_edges",
            checkable=True,
            needs="graph",
        ),
    ),
)
