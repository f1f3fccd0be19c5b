"""Arrangements of the vertices through the window: which there can be, and when they are there."""

import numpy as np
from test_controller import FakeHost, path_graph, say
from test_window import with_finished_run

from gpu.host import LayoutDone
from viewer.main_window import MainWindow

KINDS = ("own", "pivot_mds", "spring", "lanes", "rings")


def able(window: MainWindow) -> list[bool]:
    return [window.actions_by_key[f"arrange_{kind}"].isEnabled() for kind in KINDS]


def test_what_can_be_is_asked_for_and_shown_once_it_is_there(
    window: MainWindow, host: FakeHost
) -> None:
    assert window.features["placement"] is not None
    window.controller.show_graph(path_graph(positions=False))
    assert able(window) == [False, True, True, False, False]
    window.controller.show_graph(path_graph())
    assert able(window) == [True, True, True, False, False]
    with_finished_run(window, host)
    assert all(able(window))
    graph = window.session.graph
    window.actions_by_key["arrange_rings"].trigger()
    assert host.asked("layout")[-1] == "rings"
    places = np.arange(2 * graph.n, dtype=np.float32).reshape(-1, 2)
    say(window.controller, host, LayoutDone(window.controller._placement_id, places))
    np.testing.assert_array_equal(window.session.positions, places)
    window.actions_by_key["arrange_lanes"].trigger()
    assert "lane is" in window.session.notice.words
    window.actions_by_key["arrange_own"].trigger()
    np.testing.assert_array_equal(window.session.positions, graph.positions)
