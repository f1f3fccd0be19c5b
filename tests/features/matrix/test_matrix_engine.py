"""All pairs through the real engine process: stopped, run again, proved."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QEvent, Qt
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from screen import all_controls
from test_window_engine import PATIENCE_MS, press_run, wait_for, wait_for_proof

import sample_graphs
from gpu.algorithms import ALGORITHMS
from gpu.proof.verify import verify
from viewer.main_window import MainWindow
from viewer.models.session import RunRecord

LEFT = Qt.MouseButton.LeftButton
MATRICES = [key for key, row in ALGORITHMS.items() if row.result == "matrix"]


@pytest.fixture
def window(qapp: QApplication, tmp_path: Path) -> Iterator[MainWindow]:
    """A window with its engine process, on a grid of 900 vertices."""
    window = MainWindow(all_controls(tmp_path / "window.ini"))
    window.show()
    window.build_plots()
    while window.features.install_next():
        pass
    window.controller.start()
    window.controller.show_graph(sample_graphs.make("grid", n=900, seed=3))
    yield window
    window.close()
    window.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    vars(window).clear()


def run_slowly(window: MainWindow, qtbot: QtBot) -> RunRecord:
    """Start all pairs by a click, at one sample a second, and see it run."""
    record = press_run(window, qtbot)
    window.controller.set_pace(1.0)
    qtbot.waitUntil(lambda: len(record.samples) > 0, timeout=PATIENCE_MS)
    return record


def test_run_stop_and_run_again_by_clicks(window: MainWindow, qtbot: QtBot) -> None:
    panel = window.run_panel
    panel._algorithm.setCurrentIndex(panel._algorithm.findData(MATRICES[0]))
    stopped = run_slowly(window, qtbot)
    qtbot.mouseClick(panel._run, LEFT)
    wait_for(stopped, "stopped", qtbot)
    again = press_run(window, qtbot)
    window.controller.set_pace(None)
    wait_for(again, "finished", qtbot)
    wait_for_proof(again, qtbot)
    assert again.verification is not None
    assert again.verification.passed
    assert again.matrix is not None
    assert again.reached == again.matrix.size
    window.controller.set_source(450)
    assert again.dist is not None
    assert verify(window.session.graph, 450, np.array(again.dist)).passed
    qtbot.waitUntil(lambda: window.status_bar._verified.text().startswith("✓"))
    assert "all 900 rows proved right" in window.status_bar._verified.text()
