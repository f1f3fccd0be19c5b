"""The opening: runs recorded on a real GPU, shown while this machine gets ready to make its own.

A recording needs no engine and no compiler: its runs, and the places of the vertices, are in the
package. So the first picture is there with the first paint. The engine process makes the graph from
its name and seed; it replaces its outline.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

from gpu.errors import GpuError
from gpu.record.recording import load_recording
from gpu.record.trace import RECORDED_ON
from gpu.study.compare import Side, telling_moment
from gpu.study.sweep import sweep_from_dict
from viewer.feature import Opening, Window
from viewer.models.session import GraphOutline, Notice, RunRecord

FIRST_ID = -1_000_000  # recorded runs count down from here, far from those of files
MOST_RUNS = 100  # of a recording
ROADS, MESH = "roads", "mesh"  # names of recordings
OF_SAMPLES = {"city_roads": ROADS, "mesh": MESH}
SAID_MS = 10_000
SWEEP = "sweep"  # the dock with the sweep in it


@dataclass(frozen=True)
class Unpacked:
    """A recorded pair, ready to be shown; `telling_ns`: when the two differ most, on A's clock."""

    outline: GraphOutline
    records: tuple[RunRecord, ...]
    telling_ns: float


def unpacked(name: str) -> Unpacked:
    """Read a recording of ours. Raises GpuError, OSError."""
    recording = load_recording(str(_file(f"{name}.npz")))
    first = FIRST_ID - (ROADS, MESH).index(name) * MOST_RUNS
    runs = enumerate(recording.runs)
    a, b = (Side.of(trace) for trace in recording.runs[:2])
    return Unpacked(
        GraphOutline.of(recording.graph, recording.positions),
        tuple(RunRecord.from_trace(first - place, trace) for place, trace in runs),
        telling_moment(a, b),
    )


class OpeningFeature(Opening):
    """Shows recordings; see the module docstring."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._unpacked: dict[str, Unpacked] = {}  # those read so far

    # --- handlers

    def begin(self) -> bool:
        """Show the first recording; False where it is not in this installation."""
        return self._show(ROADS)

    def show(self, name: str) -> None:
        """Show a recorded comparison at its most telling moment."""
        docks = self._window.docks
        if docks.arrangement == SWEEP:
            docks.return_to(docks.base)
        self._show(name)

    def open_sample(self, key: str) -> bool:
        """Show the recording made on a sample; return whether there is one."""
        if key in OF_SAMPLES:
            self.show(OF_SAMPLES[key])
            b, rival = self._window.comparison.b, self._window.comparison.rival
            if b is not None and rival not in ("", b.settings.algorithm):
                words = f"B is {b.algorithm.title} in this recording."
                self._window.status_bar.showMessage(words, SAID_MS)
        return key in OF_SAMPLES

    def show_sweep(self) -> None:
        """Show the recorded sweep of Δ, large, beside its graph."""
        if self._show(ROADS):
            saved = json.loads(_file("sweep.json").read_text(encoding="utf-8"))
            self._window.sweep.show_saved(sweep_from_dict(saved), str(saved.get(RECORDED_ON, "")))
            self._window.docks.gather(SWEEP, (SWEEP, "timeline"))

    def _show(self, name: str) -> bool:
        """Show a recorded pair; say why where it cannot be read."""
        try:
            recording = self._unpacked.get(name) or unpacked(name)
        except (GpuError, OSError) as error:
            self._window.session.set_notice(Notice("warning", f"No recording: {error}."))
            return False
        self._unpacked[name] = recording
        window, session, (a, b, *_) = self._window, self._window.session, recording.records
        graph, outline = session.graph, recording.outline
        if graph is None or (graph.n, graph.m) != (outline.n, outline.m):
            window.controller.show_graph(outline)
        session.set_source(a.settings.source)
        for record in recording.records:
            if record not in session.runs:
                session.add_run(record, show=False)
        session.set_current(a)
        window.comparison.compare_or_say(b)
        window.playback.set_cursor(recording.telling_ns)
        return True


def _file(name: str) -> Traversable:
    return files("assets").joinpath("recordings", name)


install = OpeningFeature
