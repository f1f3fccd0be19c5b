"""Arrangements of the vertices through the window: keys, Cancel, what is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from screen import all_controls
from test_controller import FakeHost, path_graph
from test_window import close_for_good, with_finished_run
from test_window_engine import PATIENCE_MS, press_run, wait_for

from gpu.record.trace import reached_mask
from gpu.words import thousands
from viewer.main_window import MainWindow

BOTH = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
PLACES = {"own": 1, "pivot_mds": 2, "spring": 3, "lanes": 4, "rings": 5}


@pytest.fixture
def window(qapp: QApplication, tmp_path: Path) -> Iterator[MainWindow]:
    window = MainWindow(all_controls(tmp_path / "window.ini"))
    window.show()
    window.controller.start()
    window.features["placement"]
    yield window
    close_for_good(window)


def press(window: MainWindow, kind: str, qtbot: QtBot) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.keyClick(window, getattr(Qt.Key, f"Key_{PLACES[kind]}"), BOTH)


def arranged(window: MainWindow, kind: str, qtbot: QtBot) -> np.ndarray:
    """Press the key of an arrangement and return the positions that come."""
    before = window.session.positions
    press(window, kind, qtbot)
    qtbot.waitUntil(lambda: window.session.positions is not before, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: window.features["placement"].shown == kind)
    assert window.actions_by_key[f"arrange_{kind}"].isChecked()
    return window.session.positions


def test_every_arrangement(window: MainWindow, qtbot: QtBot) -> None:
    window.open_path("sample:city_roads?n=3000&seed=7711")
    qtbot.waitUntil(lambda: window.session.graph is not None, timeout=PATIENCE_MS)
    graph = window.session.graph
    assert not window.actions_by_key["arrange_rings"].isEnabled()  # no distances yet
    record = press_run(window, qtbot)
    wait_for(record, "finished", qtbot)
    dist = record.dist.astype(float)
    assert reached_mask(record.dist).all()

    lanes = arranged(window, "lanes", qtbot)
    columns = np.unique(lanes[:, 0])
    assert 2 < len(columns) <= 65
    order = np.argsort(lanes[:, 0], kind="stable")
    ends = np.searchsorted(lanes[order, 0], columns)
    nearest = np.minimum.reduceat(dist[order], ends)
    assert (np.diff(nearest) > 0).all()  # lanes to the right are farther
    assert "lane is" in window.session.notice.words

    rings = arranged(window, "rings", qtbot)
    away = np.hypot(*(rings - rings[record.settings.source]).T)
    assert np.corrcoef(away, dist)[0, 1] > 0.9999
    assert np.array_equal(arranged(window, "own", qtbot), graph.positions)
    arranged(window, "pivot_mds", qtbot)
    window.graph_view.flush()
    owners = len(np.unique(window.graph_view.picture.sheet.pixels.vertex))
    words = f"{thousands(owners)} of {thousands(3_000)} drawn"
    assert window.graph_view.drawn_text().startswith(words)


def test_what_cannot_be_is_greyed_out(qapp: QApplication, tmp_path: Path) -> None:
    host = FakeHost()
    window = MainWindow(all_controls(tmp_path / "window.ini"), host)  # type: ignore[arg-type]
    window.show()
    window.features["placement"]
    able = lambda key: window.actions_by_key[f"arrange_{key}"].isEnabled()  # noqa: E731
    assert not any(able(key) for key in PLACES)
    window.controller.show_graph(path_graph(positions=False))
    assert [able(key) for key in PLACES] == [False, True, True, False, False]
    assert window.features["placement"].shown == "kamada_kawai"
    window.controller.show_graph(path_graph())
    assert [able(key) for key in PLACES] == [True, True, True, False, False]
    with_finished_run(window, host)
    assert all(able(key) for key in PLACES)
    window.actions_by_key["arrange_rings"].trigger()
    assert host.asked("layout")[-1] == "rings"
    assert window.features["placement"].shown == "own"  # until the places are there
    close_for_good(window)
