"""The lab's panel: RESULTS as a scatter, a filter, and the two runs behind a point."""

from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QPointF, Qt
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from test_window_engine import PATIENCE_MS, window

from gpu.lab.campaign import run_suite
from gpu.lab.records import Results
from gpu.lab.suite import entries_of, read_suite
from viewer.features.lab import LabPanel
from viewer.main_window import MainWindow

__all__ = ["window"]  # the fixture, as it stands there
SUITE = """
runs = 1
warm_ups = 0
[[graphs]]
samples = ["grid?n=400", "band?n=600&degree=24&diameter=10", "chain?n=100"]
[[codes]]
algorithm = "adds"
[[codes]]
algorithm = "near_far"
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lab")
    (folder / "mine.toml").write_text(SUITE)
    suite, place = read_suite(str(folder / "mine.toml"))
    run_suite(suite, entries_of(suite, place, place), folder / "mine.jsonl")
    return folder / "mine.jsonl"


def shown(window: MainWindow, qtbot: QtBot, path: Path, graphs: int) -> LabPanel:
    window.resize(1500, 950)
    window.open_path(str(path))
    qtbot.waitUntil(lambda: "lab" in window.panels, timeout=PATIENCE_MS)
    panel = window.panels["lab"]
    qtbot.waitUntil(lambda: len(panel.graphs) == graphs, timeout=PATIENCE_MS)
    return panel


def test_a_file_that_grows_and_what_the_filter_keeps(
    window: MainWindow, qtbot: QtBot, results: Path, tmp_path: Path
) -> None:
    whole, growing = results.read_bytes(), tmp_path / "growing.jsonl"
    lines = whole.splitlines(keepends=True)
    growing.write_bytes(b"".join(lines[:5]) + lines[5][:30])  # one graph, and half a line
    panel = shown(window, qtbot, growing, 1)
    assert panel.graphs == ["grid?n=400"]
    growing.write_bytes(whole)
    qtbot.waitUntil(lambda: len(panel.graphs) == 3, timeout=PATIENCE_MS)
    report = panel.report
    _, speedups = report.ratios("near_far", "adds")
    assert np.allclose(10 ** panel.points.data["y"], speedups)
    assert np.allclose(10 ** panel.points.data["x"], report.fact(panel.graphs, "degree"))
    panel.figure.setCurrentIndex(2)
    assert np.allclose(10 ** panel.points.data["x"], report.ratios("near_far", "adds", True)[1])
    assert "band?n=600&degree=24&diameter=10: " in panel._tip(
        x=1, y=0, data=panel.points.data[1]["data"]
    )
    for words, kept in (
        ("degree>20", [1]),
        ("diameter>30 degree<3", [2]),
        ("GRID", [0]),
        ("x", []),
    ):
        panel.filter.setText(words)
        assert panel.graphs == [list(report.results.graphs)[k] for k in kept]
        assert panel.words.text().split(": ", 1)[1].startswith(f"{len(kept)} of 3 graphs")


def test_a_click_on_a_point_compares_both_runs(
    window: MainWindow, qtbot: QtBot, results: Path
) -> None:
    panel = shown(window, qtbot, results, 3)
    QApplication.processEvents()
    at = panel.points.data[1]
    place = panel.plot.getViewBox().mapViewToScene(QPointF(at["x"], at["y"]))
    spot = panel.view.mapFromScene(place)
    qtbot.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    comparison = window.comparison

    def both_ended() -> bool:
        pair = comparison.a, comparison.b
        return all(run is not None and run.state == "finished" for run in pair)

    qtbot.waitUntil(both_ended, timeout=PATIENCE_MS)
    assert window.session.notice is None, window.session.notice
    assert window.session.graph.n == 600
    kept = {run.code: run for run in Results(results).runs if run.graph == panel.graphs[1]}
    for run, code in ((comparison.a, "adds"), (comparison.b, "near_far")):
        assert run.settings.algorithm == code
        assert run.trace.time_ns / 1e6 == pytest.approx(kept[code].ms, rel=0.05)


def test_a_file_of_a_stranger_opens_nothing_unasked(
    window: MainWindow, qtbot: QtBot, results: Path, tmp_path: Path
) -> None:
    strange = tmp_path / "strange.jsonl"
    text = results.read_text().replace("sample:chain?n=100", "/etc/hostname")
    strange.write_text(text.replace('"algorithm":"near_far"', '"algorithm":7'))
    panel = shown(window, qtbot, strange, 3)
    panel.pair_requested.emit("chain?n=100", "adds", "adds")
    assert "/etc/hostname, outside its folder" in window.session.notice.words
    assert window.controller.opening == ""
    panel.pair_requested.emit("chain?n=100", "adds", "near_far")
    assert "algorithm = 7" in window.session.notice.words


def test_what_is_no_results_is_said_and_changes_nothing(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "other.jsonl"
    path.write_text('{"some": "thing"}\n')
    window.open_path(str(path))
    qtbot.waitUntil(lambda: window.session.notice is not None)
    assert "not results of" in window.session.notice.words
    assert "lab" not in window.panels
