"""Two runs on one clock: the table of runs, the overlay of a second run, what differs in words.

The rows; what they do is in `viewer.features.compare.feature`.
"""

from __future__ import annotations

from typing import Any

from viewer.actions import ActionRow
from viewer.feature import Feature

PAIR = "comparing"  # ActionRow.needs: two runs are compared
READY = "comparable"  # ActionRow.needs: there is a run that another can be laid upon


def _row(key: str, text: str, section: int, tooltip: str, **more: Any) -> ActionRow:
    handler = "" if more.get("submenu") else f"{key}"
    return ActionRow(key, text, "compare", section, tooltip, **{"handler": handler, **more})


FEATURE = Feature(
    "compare",
    (
        _row(
            "compare_rival",
            "&Compare",
            0,
            "Run another algorithm on the same graph and lay it upon this run",
            shortcuts=("Ctrl+B",),
            icon="compare",
            toolbar=True,
            label="Compare",
            needs=READY,
        ),
        _row(
            "compare_other",
            "Compare &with",
            0,
            "Make a second run from this one, with another algorithm or another Δ",
            needs=READY,
            submenu=True,
        ),
        _row(
            "swap_runs",
            "&Swap A and B",
            1,
            "B becomes the run that every panel shows",
            handler="window.comparison.swap",
            shortcuts=("Ctrl+Shift+B",),
            needs=PAIR,
        ),
        _row(
            "end_comparison",
            "&End comparison",
            1,
            "Show A alone again",
            handler="window.comparison.end",
            shortcuts=("Ctrl+Shift+E",),
            needs=PAIR,
        ),
        *(
            _row(
                f"align_{key}",
                f"Align by {words}",
                2,
                tip,
                handler="window.comparison.set_align",
                argument=key,
                shortcuts=(f"Alt+{number}",),
                needs=PAIR,
                checkable=True,
                group="align",
            )
            for number, (key, words, tip) in enumerate(
                (
                    ("time", "&time", "Both runs start at 0 and run on"),
                    ("share", "s&hare settled", "Show B where it had settled as much as A"),
                    ("bucket", "&bucket", "Show B where its head bucket was as far as A's"),
                ),
                1,
            )
        ),
        *(
            _row(
                f"pair_{key}",
                words,
                3,
                tip,
                handler="window.comparison.set_view",
                argument=key,
                shortcuts=(f"Alt+{number}",),
                needs=PAIR,
                checkable=True,
                group="pair_view",
            )
            for number, (key, words, tip) in enumerate(
                (
                    ("split", "Graphs side by &side", "A map for each run, one cursor"),
                    ("difference", "Graph shows the &difference", "Who settled a vertex first"),
                    ("work", "Graph shows &wasted work", "Who processed a vertex more often"),
                    ("single", "Graph shows &A alone", "The plots still show both"),
                ),
                4,
            )
        ),
        _row(
            "show_runs",
            "&Runs",
            4,
            "Every run so far: show one, compare two, forget one",
            shortcuts=("Ctrl+Shift+R",),
        ),
    ),
    (("runs", "Runs"),),
)
