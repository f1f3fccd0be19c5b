"""Measuring between two moments; the rows. Marks: `viewer.models.measure`, numbers: `gpu.study`."""

from __future__ import annotations

from typing import Any

from viewer.actions import ActionRow
from viewer.feature import Feature

MEASURING = "measuring"  # ActionRow.needs


def _row(key: str, text: str, tooltip: str, *shortcuts: str, **more: Any) -> ActionRow:
    return ActionRow(key, text, "playback", 7, tooltip, shortcuts=shortcuts, **more)


FEATURE = Feature(
    "measure",
    (
        _row(
            "mark_1",
            "&Measure from here",
            "Put mark 1 at the sample nearest to the cursor (Ctrl+drag on a plot: both marks)",
            "M",
            handler="put",
            argument=0,
            needs="run",
        ),
        _row(
            "mark_2",
            "Measure &to here",
            "Put mark 2 at the sample nearest to the cursor; without it the cursor is the end",
            "Shift+M",
            handler="put",
            argument=1,
            needs="run",
        ),
        _row(
            "measure_copy",
            "&Copy what is measured",
            "Put the numbers between the marks on the clipboard, as a table",
            handler="copy",
            needs=MEASURING,
        ),
        _row(
            "measure_end",
            "Take the marks a&way",
            "Measure no more",
            hint="Esc",
            handler="window.playback.measure.clear",
            needs=MEASURING,
        ),
    ),
)
