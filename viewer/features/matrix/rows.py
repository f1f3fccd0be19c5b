"""All pairs in the window: the matrix of distances, its sources, another run's beside it.

The rows; what they do is in `viewer.features.matrix.feature`.
"""

from __future__ import annotations

from typing import Any

from viewer.actions import ActionRow
from viewer.feature import Feature

MATRIX = "matrix"  # ActionRow.needs: the current run is from many sources


def _row(key: str, text: str, tooltip: str, *keys: str, **more: Any) -> ActionRow:
    needs = more.pop("needs", MATRIX)
    handler = more.pop("handler", key)
    return ActionRow(key, text, "view", 3, tooltip, handler, keys, needs=needs, **more)


FEATURE = Feature(
    "matrix",
    (
        _row(
            "show_matrix",
            "All-pairs matri&x",
            "The distances from every source to every vertex, and who works on them",
            "Ctrl+Shift+X",
            needs="",
        ),
        *(
            _row(
                f"matrix_{key}",
                f"Matrix: {word} of a pixel",
                f"Where a pixel is many entries, show their {word}",
                handler="model.set_statistic",
                argument=key,
                checkable=True,
                group="matrix_statistic",
            )
            for key, word in (("mean", "mean"), ("least", "least"))
        ),
        _row(
            "matrix_fit",
            "Matrix: all of it",
            "Show every row and column of the matrix",
            handler="model.fit",
        ),
    ),
    (("matrix", "All pairs"),),
)
