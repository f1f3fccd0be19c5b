"""Where things lie in a picture: views, windows of a matrix, colours, each by hand."""

import numpy as np
import pytest

from viewer.raster.matrix import Window, colour_index, packed_pixels
from viewer.raster.raster import View

WHOLE = Window(0, 100, 0, 50)


def test_a_view_puts_its_centre_in_the_middle() -> None:
    view = View(2.0, 10.0, 20.0, 40, 30)
    assert view.to_pixels(np.array([[10, 20], [12, 20], [10, 22]])).tolist() == [
        [20, 15],
        [24, 15],
        [20, 11],
    ]
    assert view.to_world(20, 15) == (10, 20)
    assert view.to_world(24, 11) == (12, 22)
    assert view.resized(0, -3) == View(2.0, 10.0, 20.0, 1, 1)
    assert view.resized(7, 9) == View(2.0, 10.0, 20.0, 7, 9)
    assert view.times(1.5) == View(3.0, 10.0, 20.0, 60, 45)
    assert view.times(0.001) == View(0.002, 10.0, 20.0, 1, 1)
    assert View().to_world(0.5, 0.5) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("window", "factor", "row", "column", "expected"),
    [
        (WHOLE, 0.5, 0, 0, Window(0, 50, 0, 25)),
        (WHOLE, 0.5, 100, 50, Window(50, 50, 25, 25)),
        (WHOLE, 0.1, 40, 10, Window(36, 10, 9, 5)),
        (WHOLE, 2.0, 40, 10, WHOLE),
        (Window(20, 10, 30, 4), 2.0, 25, 32, Window(15, 20, 28, 8)),
        (Window(20, 10, 30, 4), 0.001, 25, 32, Window(24, 1, 32, 1)),
        (Window(0, 2, 0, 2), 0.5, 1, 1, Window(0, 1, 0, 1)),
    ],
)
def test_a_window_zooms_about_an_entry(
    window: Window, factor: float, row: float, column: float, expected: Window
) -> None:
    assert window.zoomed(factor, row, column, WHOLE) == expected


def test_a_window_moves_as_far_as_the_matrix_goes() -> None:
    near = Window(20, 10, 30, 4)
    assert near.moved(3, -2, WHOLE) == Window(23, 10, 28, 4)
    assert near.moved(-30, 99, WHOLE) == Window(0, 10, 46, 4)
    assert near.moved(99, -99, WHOLE) == Window(90, 10, 0, 4)


def test_colours_by_hand() -> None:
    assert colour_index(np.array([[np.nan, -1.0, 0.0, 1.0]]), 0.0).tolist() == [[0, 1, 1, 255]]
    table = np.zeros((256, 3), np.uint8)
    table[7] = (1, 2, 3)
    assert packed_pixels(np.array([[0, 7]]), table).tolist() == [[0xFF000000, 0xFF010203]]
