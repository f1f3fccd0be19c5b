"""The legend's words explain themselves under the pointer; two maps may have one scale."""

import pytest
from graph_stage import Stage, grid_dist, grid_graph
from pytestqt.qtbot import QtBot

from viewer.common.glossary import BY_KEY

MODES = {  # colour by -> the terms that its title and swatches name
    "distance": {"distance", "weight", "unreached"},
    "state": {"unreached", "tentative", "settled"},
    "processed": {"processed", "wasted"},
    "bucket": {"bucket", "delta", "unreached"},
}


@pytest.mark.font
@pytest.mark.parametrize("mode", MODES)
def test_every_word_of_a_legend_that_means_something_says_it(mode: str, qtbot: QtBot) -> None:
    graph = grid_graph()
    stage = Stage(qtbot, graph)
    stage.view.resize(700, 500)
    stage.run(grid_dist(graph))
    stage.view.set_colour_by(mode)
    stage.view.flush()
    stage.view.repaint()
    legend = stage.view.legend
    said = legend.toolTip()
    for key in MODES[mode]:
        assert BY_KEY[key].meaning in said, key


def test_two_runs_share_a_scale_where_both_show_the_same_quantity(qtbot: QtBot) -> None:
    graph = grid_graph()
    stages = [Stage(qtbot, graph), Stage(qtbot, graph)]
    for stage, times in zip(stages, (3, 9), strict=True):
        stage.run(grid_dist(graph))
        stage.session.current.trace.vertices.times_processed[:] = times
        stage.view.set_colour_by("processed")
    first, second = (stage.view for stage in stages)
    apart = [view._look() for view in (first, second)]
    assert [look.colouring.top for look in apart] == [3, 9]
    first.share_scale(stages[1].session.current)
    second.share_scale(stages[0].session.current)
    together = [view._look() for view in (first, second)]
    assert [look.colouring.top for look in together] == [9, 9]
    assert together[0].legend.ticks == together[1].legend.ticks
    assert all("one scale for A and B" in look.legend.note for look in together)
    first.set_colour_by("bucket")
    assert "one scale" not in first._look().legend.note
    first.set_colour_by("processed")
    first.share_scale(None)
    assert first._look().colouring.top == 3
