"""A session with panels of any kind, and runs made up for them: shared by the panels' tests."""

from typing import Any

import numpy as np
from PyQt6.QtCore import QPoint, QPointF
from pytestqt.qtbot import QtBot

from gpu.record.trace import SAMPLE, Flag, GraphReference, Reason, RunSettings, Trace
from viewer.models.playback import PlaybackModel
from viewer.models.session import RunRecord, SessionModel
from viewer.plots.buckets import BucketPanel
from viewer.plots.delta import DeltaPanel
from viewer.plots.live import LivePanel
from viewer.plots.parallelism import ParallelismPanel
from viewer.plots.plot_base import PlotPanel
from viewer.plots.timeline import Timeline
from viewer.plots.work import WorkPanel

PLOTS = (BucketPanel, DeltaPanel, ParallelismPanel, WorkPanel)
PANELS = (*PLOTS, Timeline)
REFERENCE = GraphReference("roads", "memory", "0", 1000, 2800, True, 1)
END_NS = 1_000_000.0


def make_samples(count: int = 101, deltas: tuple[float, ...] = (8, 16, 32, 16)) -> np.ndarray:
    """Return a run of END_NS whose every column says at which sample it is."""
    number = np.arange(count)
    samples = np.zeros(count, SAMPLE)
    samples["t_ns"] = np.linspace(0, END_NS, count).round()
    samples["delta"] = np.array(deltas)[number * len(deltas) // count]
    samples["reason"] = np.where(np.gradient(samples["delta"]) < 0, Reason.FLOODED_LOWER, 3)
    samples["delta_changes"] = number * len(deltas) // count
    samples["bucket_switches"] = number // 10
    samples["head_bucket"] = number // 10
    samples["assigned_edges"] = 100 * number
    samples["band_low"], samples["band_high"] = 2000, 6000
    samples["open_buckets"] = 2
    samples["occupancy"] = number[:, None] + np.arange(32)[None, :]
    samples["clip_share"] = 0.25
    samples["processed_vertices"] = 20 * number
    samples["relaxed_edges"] = 60 * number
    samples["improved"] = 30 * number
    samples["flags"][-1] = Flag.FINISHED
    return samples


def make_record(algorithm: str = "adds", clock: str = "modelled", run_id: int = 1) -> RunRecord:
    return RunRecord(run_id, RunSettings(algorithm, "model", "H100", 0), REFERENCE, clock)


def make_trace(samples: np.ndarray, record: RunRecord) -> Trace:
    dist = np.zeros(1000, np.int32)
    return Trace(record.settings, REFERENCE, samples, dist, record.clock, "finished", {})


class Bench:
    """A session, its playback, and panels of any kind."""

    def __init__(self, qtbot: QtBot) -> None:
        self.qtbot = qtbot
        self.session, self.playback = SessionModel(), PlaybackModel()
        self.playback.watch(self.session)
        self._shown: list[LivePanel] = []  # pytest-qt keeps weak references only

    def show(self, kind: type[LivePanel], width: int = 600, height: int = 240) -> Any:
        panel = kind(self.session, self.playback)
        self._shown.append(panel)
        self.qtbot.addWidget(panel)
        panel.resize(width, height)
        with self.qtbot.waitExposed(panel):
            panel.show()
        return panel

    def run(
        self, algorithm: str = "adds", clock: str = "modelled", finished: bool = True
    ) -> RunRecord:
        record = make_record(algorithm, clock, len(self.session.runs) + 1)
        self.session.add_run(record)
        self.session.append_samples(record.run_id, make_samples())
        if finished:
            self.session.finish_run(record.run_id, make_trace(make_samples(), record))
        return record


def plot_point(panel: PlotPanel, time_ns: float) -> QPoint:
    """Return the pixel, in the plot's viewport, of a time half way up."""
    box = panel.view_box
    (_, _), (low, high) = box.viewRange()
    return panel.view.mapFromScene(box.mapViewToScene(QPointF(time_ns, (low + high) / 2)))
