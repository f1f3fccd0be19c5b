"""All pairs in the window: the matrix of distances, its sources, another run's beside it.

The rows; what they do is in `viewer.features.matrix.feature`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from viewer.action_rows import ActionRow
from viewer.features import Feature

if TYPE_CHECKING:
    from viewer.features.window import Window

MATRIX = "matrix"  # ActionRow.needs: the current run is from many sources


def _row(key: str, text: str, tooltip: str, *keys: str, **more: Any) -> ActionRow:
    needs = more.pop("needs", MATRIX)
    handler = f"features.matrix.{key}"
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
                checkable=True,
                group="matrix_statistic",
            )
            for key, word in (("mean", "mean"), ("least", "least"))
        ),
        _row("matrix_fit", "Matrix: all of it", "Show every row and column of the matrix"),
    ),
    (("matrix", "All pairs"),),
)


def install(window: Window) -> Any:
    """Build the feature."""
    from viewer.features.matrix.feature import MatrixFeature

    return MatrixFeature(window)
