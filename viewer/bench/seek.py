"""How long a seek takes in a trace of a million samples, with every panel of the window shown.

A made-up run over city roads in the real window. A seek ends when no panel waits to be drawn and
every paint is done. In the second half the plots are zoomed in.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from gpu.graph import CSRGraph
from gpu.record.trace import SAMPLE, Flag, Reason, RunSettings, Trace, VertexProbe

SAMPLES, VERTICES = 1_000_000, 260_000
PERIOD_NS = 10_000
SEEKS = 40  # of each sort
ZOOM = 0.002  # of the run is shown while zoomed in
SIZE = (1280, 800)


def time_seek() -> tuple[list[float], str]:
    """Return milliseconds of every seek, zoomed in; a note about those with the whole run shown."""
    if sys.platform == "linux" and not {"DISPLAY", "WAYLAND_DISPLAY"} & set(os.environ):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PyQt6.QtWidgets import QApplication

    from viewer.common.application import kept_for_good

    app = QApplication.instance() or kept_for_good(QApplication([]))
    from viewer.main_window import MainWindow
    from viewer.models.session import RunRecord
    from viewer.models.settings import Settings
    from viewer.raster import raster

    raster.load_kernels()
    with tempfile.TemporaryDirectory(prefix="sssp-scope-bench-") as folder:
        window = MainWindow(Settings(Path(folder) / "seek.ini"))
        window.resize(*SIZE)
        window.show()
        window.build_plots()
        graph, trace = made_run()
        window.session.set_graph(graph)
        window.session.add_run(RunRecord.from_trace(1, trace))
        window.graph_view.flush()
        _settle(window)
        playback, rng = window.playback, np.random.default_rng(1)
        taken = []
        for share in (1.0, ZOOM):
            playback.set_view(0.0, share * playback.duration_ns)
            _settle(window)
            places = rng.uniform(0, playback.duration_ns, SEEKS)
            taken.append([_seek(window, place) for place in places.tolist()])
        window.close()
        app.processEvents()
    whole, zoomed = taken
    words = f"whole run shown {statistics.median(whole):.0f} ms"
    return zoomed, f"{words}; longest of all {max(whole + zoomed):.0f} ms"


def _seek(window: object, time_ns: float) -> float:
    began = time.perf_counter()
    window.playback.set_cursor(time_ns)  # type: ignore[attr-defined]
    _settle(window)
    return (time.perf_counter() - began) * 1e3


def _settle(window: object) -> None:
    """Return once nothing waits to be drawn and all is painted."""
    from PyQt6.QtCore import QCoreApplication

    parts = list(window.plots.values())  # type: ignore[attr-defined]
    shown = [part for part in parts if part.isVisible()]
    QCoreApplication.processEvents()
    while any(part.pending for part in shown) or window.graph_view.stale:  # type: ignore[attr-defined]
        QCoreApplication.processEvents()
    QCoreApplication.processEvents()


def made_run(count: int = SAMPLES, vertices: int = VERTICES) -> tuple[CSRGraph, Trace]:
    """Return a city and a run over it of `count` samples, with times for every vertex."""
    import sample_graphs
    from gpu.engine import graph_reference

    graph = sample_graphs.make("city_roads", n=vertices, seed=1)
    assert graph.positions is not None
    samples = made_samples(count)
    end = int(samples["t_ns"][-1])
    far = np.hypot(*(graph.positions - graph.positions[0]).astype(float).T)
    first = (far / far.max() * 0.9 * end).astype(np.int64)
    last = first + (np.arange(graph.n) % 7) * (end // 100)
    times = VertexProbe(first, last, np.ones(graph.n, np.int32))
    settings = RunSettings("adds", "model", "RTX 2080 Ti", 0, None, 2)
    reference = graph_reference(graph, 0)
    dist = far.astype(np.float32) if graph.weights.dtype != np.int32 else far.astype(np.int32)
    return graph, Trace(settings, reference, samples, dist, "modelled", "finished", {}, times)


def made_samples(count: int) -> np.ndarray:
    """Return SAMPLE (count,): work that comes and goes, thousands of changes and switches."""
    rng = np.random.default_rng(0)
    number = np.arange(count)
    samples = np.zeros(count, SAMPLE)
    samples["t_ns"] = number * PERIOD_NS
    samples["sequence"] = number
    wave = 1 + np.sin(number / count * 40) + rng.random(count)
    samples["assigned_edges"] = 10_000 * wave
    samples["band_low"], samples["band_high"] = 8_000, 25_000
    samples["delta"] = 2.0 ** (3 + (number * 5_000 // count) % 4)
    samples["delta_changes"] = number * 5_000 // count
    samples["reason"] = Reason.STARVED_RAISE
    samples["bucket_switches"] = samples["head_bucket"] = number * 100_000 // count
    samples["open_buckets"] = 1 + number % 3
    samples["occupancy"] = rng.integers(0, 5_000, 32)[None, :] * wave[:, None]
    for total, rate in (("processed_vertices", 2), ("relaxed_edges", 6), ("improved", 3)):
        samples[total] = rate * number
    samples["flags"][-1] = Flag.FINISHED
    return samples
