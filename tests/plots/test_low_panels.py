"""A plot in a low dock: its numbers do not lie on each other, its words are not cut."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from panel_stage import Bench
from pytestqt.qtbot import QtBot

from viewer.common.text_size import scaled
from viewer.plots.axes import NAME_PIXELS, NumberAxis, thinned
from viewer.plots.work import LOW, WorkPanel


@pytest.mark.parametrize("logarithmic", [False, True])
def test_numbers_of_an_axis_keep_apart(logarithmic: bool, qtbot: QtBot) -> None:
    axis = NumberAxis(logarithmic)
    for size in (8, 20, 27, 40, 90, 300):
        for top in (1.0, 2.5, 6.2):
            (_, ticks) = axis.tickValues(0.0, top, size)[0]
            assert ticks
            places = [tick * size / top for tick in ticks]
            assert all(b - a >= scaled(NAME_PIXELS) - 1e-6 for a, b in pairwise(places))
    assert thinned([0.0, 1.0, 2.0], 1.5) == [0.0, 2.0]
    assert thinned([], 1.0) == []
    assert math.isclose(sum(thinned([0.0, 1.0], 0.5)), 1.0)


def test_a_low_work_panel_gives_its_height_to_the_plot(qtbot: QtBot) -> None:
    bench = Bench(qtbot)
    panel = bench.show(WorkPanel, 420, LOW + 60)
    bench.run()
    panel.flush()
    assert panel.sentence.isVisible()
    words = panel.sentence.text()
    panel.resize(420, LOW - 50)
    panel.flush()
    assert not panel.sentence.isVisible()
    assert words in panel.toolTip()
    assert panel.toolTip().startswith("Work per second: vertices processed")
    assert panel.view.height() > 0.25 * panel.height()
