"""Pictures of a lesson's runs for its page: what the window would show, drawn without a screen.

    write(arguments)               `sssp-scope lesson html`, with pictures
    Drawer().of_step(bench, step)  the pictures of one step, as data URIs

A step shows the runs that it compares, else the run that it shows again, else the last that it
makes: the dashboard at the moment of its `seek` (or at the end), and for a run from one source
a short animation of the graph, where Pillow is installed (else the still says enough). Of a sweep
it is the run at the best point, made for the picture. Nothing is drawn twice on one page.

All pairs are drawn as a matrix, a row for each source, which fills row by row, once for each
graph (every right run finds the same); a faulty listing with its wrong entries standing out.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu.algorithms import find
from gpu.graph import CSRGraph
from gpu.lessons.answers import Bench
from gpu.lessons.html import Picture
from gpu.lessons.lesson import RunSpec, Step, SweepSpec, shown_runs
from gpu.lessons.moments import moment_ns
from gpu.proof.verify import verify
from gpu.record.trace import Probe, Trace, reached_mask

if TYPE_CHECKING:
    from PyQt6.QtGui import QPixmap

SIZE = (1280, 860)  # of a dashboard, pixels
GRAPH_SIZE = (520, 390)  # of an animation
FRAMES, FRAME_MS, LAST_MS = 12, 180, 1600
COLOURS = 64  # of an animation's palette
SQUARE, MATRIX_SIZE = 240, (480, 480)  # of a faulty listing's entries, of a matrix
GREY = 225  # of entries that are not there
_kept: dict[str, Any] = {}  # the QApplication: Python would collect it between two pictures


def write(arguments: list[str]) -> int:
    """Run `lesson html` with pictures; return its exit code."""
    from gpu.cli import lesson as cli_lesson, main as cli

    cli_lesson.use_pictures(Drawer().of_step)
    try:
        return cli.main(arguments)
    finally:
        cli_lesson.use_pictures(None)


class Drawer:
    """Draws for one page; remembers what it has drawn."""

    def __init__(self) -> None:
        self._drawn: set[tuple[str, int | None]] = set()

    def of_step(self, bench: Bench, step: Step) -> list[Picture]:
        """Return the pictures of a step, none where it shows no new run from one source."""
        found = [
            picture for name in shown_runs(step) for picture in self._of_run(bench, step, name)
        ]
        for spec in step.sweeps[:1]:
            found += self._of_best(bench, step, spec)
        for run in step.runs:
            found += list(_of_fault(bench, run)) if run.variant else []
        return found

    def _of_run(self, bench: Bench, step: Step, name: str) -> Iterator[Picture]:
        found = bench.lesson.run(name)
        if found is None or found[1].variant or step.drive:
            return
        if bench.trace(name).dist.ndim != 1:
            graph = bench.graph(*found)
            if (graph.hash, None) not in self._drawn:
                self._drawn.add((graph.hash, None))
                yield from _of_pairs(bench.trace(name), graph, name)
            return
        trace, graph = bench.trace(name), bench.graph(*found)
        seek = step.seek if step.seek is not None and step.seek.run == name else None
        at = moment_ns(trace, seek.to) if seek is not None else None
        if (name, at) in self._drawn or (at is None and name in {n for n, _ in self._drawn}):
            return
        title = find(trace.settings.algorithm).title
        yield from self._drawings(trace, graph, name, f"{title} on {graph.name} (run “{name}”)", at)

    def _of_best(self, bench: Bench, step: Step, spec: SweepSpec) -> list[Picture]:
        """Return the pictures of a sweep's fastest run, which is made here."""
        from gpu.engine import run

        points = [p for p in bench.sweep(spec.name) if p.value is not None and not p.failure]
        if not points:
            return []
        best, graph = min(points, key=lambda point: point.time_ns), bench.graph(step, spec)
        trace = run(graph, replace(best.settings, probe=Probe.VERTICES))
        title = (
            f"{find(best.settings.algorithm).title} on {graph.name}, the fastest run of this sweep"
        )
        words = f"{title} (Δ = {best.delta:g})"
        return list(self._drawings(trace, graph, f"{spec.name} best", words, None))

    def _drawings(
        self, trace: Trace, graph: CSRGraph, name: str, words: str, at: int | None
    ) -> Iterator[Picture]:
        dashboard = _dashboard(trace, graph)
        yield Picture(_png(dashboard.grab_picture(_size(SIZE), at)), f"{words}: the dashboard")
        frames = _frames(dashboard, trace) if name not in {n for n, _ in self._drawn} else []
        self._drawn.add((name, at))
        dashboard.close()
        dashboard.deleteLater()
        animation = _animated(frames)
        if animation:
            yield Picture(animation, f"{words}: the graph, from the beginning to the end")


def _of_fault(bench: Bench, run: RunSpec) -> Iterator[Picture]:
    """Yield where the rows of a faulty listing are wrong, and the same filling row by row."""
    from viewer.features.lessons.matrix import WrongEntries, picture
    from viewer.features.lessons.model import fault_title

    _ready()
    found = WrongEntries(fault_title(run.variant), bench.wrong_entries(run.name))
    words = f"{found.title}: {found.words()}; a row for each source, a column for each vertex"
    yield Picture(_png(picture(found, SQUARE)), words)
    count = len(found.wrong)
    rows = [count * (frame + 1) // FRAMES for frame in range(FRAMES)]
    animation = _animated([picture(found, SQUARE, row) for row in rows])
    if animation:
        yield Picture(animation, f"{found.title}: the same, row by row")


def _of_pairs(trace: Trace, graph: CSRGraph, name: str) -> Iterator[Picture]:
    """Yield the matrix of an all-pairs run, and the same filling row by row."""
    title = find(trace.settings.algorithm).title
    words = f"{title} on {graph.name} (run “{name}”): {len(trace.dist)} rows of distances"
    _ready()
    yield Picture(_png(_matrix(trace.dist, len(trace.dist))), f"{words}, dark is near")
    rows = [len(trace.dist) * (frame + 1) // FRAMES for frame in range(FRAMES)]
    animation = _animated([_matrix(trace.dist, row) for row in rows])
    if animation:
        yield Picture(animation, f"{words}, row by row in the order of the sources")


def _matrix(dist: np.ndarray, rows: int) -> QPixmap:
    """Return the first rows of a matrix as a picture; what is not there is grey."""
    from PyQt6.QtCore import Qt
    from PyQt6.QtGui import QImage, QPixmap

    from viewer.common.colormaps import VIRIDIS, ramp

    known = reached_mask(dist)
    top = float(dist[known].max()) if known.any() else 1.0
    steps = (np.where(known, dist, 0) * (255.0 / max(top, 1.0))).astype(np.uint8)
    colours = ramp(VIRIDIS, 0.0, 1.0, 256).round().astype(np.uint8)[steps]
    colours[~known] = colours[rows:] = GREY
    high, wide = dist.shape
    image = QImage(colours.tobytes(), wide, high, 3 * wide, QImage.Format.Format_RGB888)
    sharp = Qt.TransformationMode.FastTransformation
    return QPixmap.fromImage(image.scaled(*MATRIX_SIZE, transformMode=sharp))


def _ready() -> None:
    """Have an application that can draw."""
    from viewer.common.theme import apply_theme
    from viewer.export.render import LIGHT, _application

    _kept["app"] = _application()
    apply_theme(_kept["app"], LIGHT)


def _dashboard(trace: Trace, graph: CSRGraph) -> Any:
    from viewer.common.theme import apply_theme
    from viewer.export.dashboard import Dashboard
    from viewer.export.render import LIGHT, _application

    app = _application()
    _kept["app"] = app
    colours = apply_theme(app, LIGHT)
    if graph.positions is None and graph.n:
        from gpu.placement.placements import layout

        graph = graph.with_positions(layout(graph))
    dashboard = Dashboard()
    dashboard.apply_theme(colours)
    proved = verify(graph, trace.settings.source, trace.dist)
    dashboard.fill(replace(trace, verification=proved), graph)
    return dashboard


def _frames(dashboard: Any, trace: Trace) -> list[QPixmap]:
    """Return pictures of the graph at equal steps through the run, the end twice as long."""
    view, found = dashboard.graph_view, []
    view.setParent(None)
    view.resize(*GRAPH_SIZE)
    for frame in range(FRAMES):
        dashboard.playback.set_cursor(trace.time_ns * (frame + 1) / FRAMES)
        view.flush()
        found.append(view.grab())
    view.deleteLater()
    return found


def _animated(frames: Sequence[QPixmap]) -> str:
    """Return an endless GIF as a data URI, "" where Pillow is not installed or nothing moves."""
    if not frames:
        return ""
    try:
        from PIL import Image
    except ImportError:
        return ""
    images = [
        Image.open(io.BytesIO(_bytes(frame))).convert("RGB").quantize(COLOURS) for frame in frames
    ]
    held = io.BytesIO()
    times = [FRAME_MS] * (len(images) - 1) + [LAST_MS]
    images[0].save(
        held, "GIF", save_all=True, append_images=images[1:], duration=times, loop=0, optimize=True
    )
    return f"data:image/gif;base64,{base64.b64encode(held.getvalue()).decode('ascii')}"


def _png(picture: QPixmap) -> str:
    """Return a PNG as a data URI, with a palette (a third of the size) where Pillow is there."""
    made = _bytes(picture)
    try:
        from PIL import Image
    except ImportError:
        pass
    else:
        held = io.BytesIO()
        Image.open(io.BytesIO(made)).convert("RGB").quantize(256).save(held, "PNG", optimize=True)
        made = held.getvalue()
    return f"data:image/png;base64,{base64.b64encode(made).decode('ascii')}"


def _bytes(picture: QPixmap) -> bytes:
    from PyQt6.QtCore import QBuffer, QIODevice

    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    picture.save(buffer, "PNG")
    return bytes(buffer.data().data())


def _size(size: tuple[int, int]) -> Any:
    from PyQt6.QtCore import QSize

    return QSize(*size)
