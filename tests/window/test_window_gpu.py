"""The window on a machine with a real GPU: every CUDA algorithm by clicks, Δ by hand, Stop."""

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from pytestqt.qtbot import QtBot
from test_window_engine import PATIENCE_MS, press_run, wait_for, wait_for_proof, window

from gpu.algorithms import ALGORITHMS
from gpu.cuda.device import why_not
from gpu.graph import CSRGraph
from gpu.proof.verify import oracle_distances
from viewer.main_window import MainWindow
from viewer.models.machines import REAL_DEVICE

REASON = why_not()
pytestmark = [pytest.mark.gpu, pytest.mark.skipif(REASON is not None, reason=str(REASON))]
__all__ = ["window"]  # the fixture of the runs with the modelled GPU, used here as it stands
ON_CUDA = [
    key
    for key, row in ALGORITHMS.items()
    if "cuda" in row.engines and row.result == "row" and row.problem("cuda") is None
]


def choose_gpu(window: MainWindow) -> None:
    devices = window.run_panel._device
    assert devices.findData(REAL_DEVICE) == 0, "a real GPU comes first in the list"
    devices.setCurrentIndex(0)


def test_every_algorithm_runs_on_the_gpu_and_is_verified(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(1600, 900)
    window.open_path("sample:city_roads?n=200000&seed=2")
    qtbot.waitUntil(lambda: window.session.graph is not None, timeout=PATIENCE_MS)
    graph = window.session.graph
    panel = window.run_panel
    for key in ON_CUDA:
        panel._algorithm.setCurrentIndex(panel._algorithm.findData(key))
        choose_gpu(window)
        record = press_run(window, qtbot)
        wait_for(record, "finished", qtbot)
        wait_for_proof(record, qtbot)
        assert record.verification.passed
        assert record.clock == record.trace.clock == "measured"
        assert np.array_equal(record.dist, oracle_distances(graph, record.settings.source))
        assert len(record.samples) == len(record.trace.samples) > 0
        assert window.status_bar._verified.text().startswith("✓")
        assert "measured" in window.status_bar._engine.text()
        qtbot.waitUntil(lambda: not window.plots["buckets"].pending, timeout=PATIENCE_MS)


def test_live_samples_delta_by_hand_and_stop(window: MainWindow, qtbot: QtBot) -> None:
    """The chain lasts for seconds on any GPU: one vertex after the other."""
    tails, weights = np.arange(2_999_999), np.full(2_999_999, 3, np.int32)
    window.controller.show_graph(CSRGraph.from_arcs(tails, tails + 1, weights, 3_000_000))
    panel = window.run_panel
    panel._algorithm.setCurrentIndex(0)
    choose_gpu(window)
    record = press_run(window, qtbot)
    qtbot.waitUntil(lambda: len(record.samples) > 20, timeout=PATIENCE_MS)
    assert record.running, "samples came while it ran"
    window.controller.set_delta(640.0)
    qtbot.waitUntil(lambda: 640.0 in record.samples["delta"], timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: not window.plots["buckets"].pending, timeout=PATIENCE_MS)
    qtbot.mouseClick(panel._run, Qt.MouseButton.LeftButton)
    wait_for(record, "stopped", qtbot)
    trace = record.trace
    assert trace.outcome == "stopped"
    assert 0 < trace.processed_vertices < 3_000_000
    assert 640.0 in record.samples["delta"]
