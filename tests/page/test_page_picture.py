"""A run's page in Chromium beside the window's own picture of the same moment.

The map is compared by its colours (red over green, blue over green: paper and grey are nothing),
cut to what is drawn and shrunk; a plot by where its curve runs and where its cursor stands. Each
way of being wrong that is known here must fall below the bound that the right page keeps.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from browser import CHROMIUM, MISSING, Browser, Page
from page_stage import roads
from PyQt6.QtCore import QBuffer, QIODevice, QSize
from PyQt6.QtGui import QImage
from PyQt6.QtWidgets import QApplication, QWidget

import gpu
import sample_graphs
from gpu.page.runs import run_page
from gpu.record.trace import Trace
from viewer.common.theme import LIGHT
from viewer.export.dashboard import Dashboard
from viewer.plots.plot_base import PlotPanel

Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
pytestmark = [pytest.mark.skipif(CHROMIUM is None, reason=MISSING), pytest.mark.slow]

VERTICES = 2000
MOMENT = 0.5  # of the run
SIZE = (1400, 900)
SIDE = 40  # pixels of a map that was shrunk
COLUMNS = 60  # of a plot
MAP_ALIKE = 0.95  # correlation of one moment: 0.995; of a tenth of the run later or earlier: 0.84
PLOT_ALIKE = 0.8  # means are over pixels, so they differ with the width: 0.91 to 0.9995
TOUCHED = 24  # levels of 255 by which ink differs from paper
NEAR = 90  # of 255: a pixel of a curve, whose edges are soft
CURVES = {"Δ": LIGHT.data.a, "Parallelism": LIGHT.data.a, "Work": LIGHT.data.relaxed}


@dataclass
class Moment:
    """What both sides show of one run at one moment: the map and the plots as pixels (h, w, 3)."""

    map: np.ndarray
    plots: dict[str, np.ndarray]


@pytest.fixture(scope="module")
def trace() -> Trace:
    """Return a run with a curve worth comparing: few workers, many changes."""
    graph = roads(VERTICES)
    source = sample_graphs.suggested_source(graph)
    return gpu.run(graph, "adds", source=source, probe=2, device="Classroom GPU")


@pytest.fixture(scope="module")
def window(qapp: QApplication, trace: Trace) -> Moment:
    """Return the window's picture."""
    board = Dashboard()
    board.apply_theme(LIGHT)
    board.fill([trace], roads(VERTICES))
    board.stand_at(QSize(*SIZE), MOMENT * trace.time_ns)
    plots = {panel.TITLE: plot_pixels(panel) for panel in board.panels.values()}
    seen = Moment(pixels(board.graph_view.grab().toImage()).copy(), plots)
    for legend in board.graph_view.findChildren(QWidget):
        seen.map[legend.y() : legend.y() + legend.height(), : legend.x() + legend.width()] = 255
    board.deleteLater()
    return seen


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory, trace: Trace) -> Iterator[Page]:
    """Return the page of the run, open."""
    folder = tmp_path_factory.mktemp("picture")
    (folder / "run.html").write_text(run_page(trace, roads(VERTICES)), encoding="utf-8")
    with Browser(folder) as browser:
        page = browser.open((folder / "run.html").as_uri(), *SIZE)
        page.wait("document.documentElement.dataset.ready")
        yield page


def pixels(image: QImage) -> np.ndarray:
    """Return an image as uint8 (h, w, 3)."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return np.asarray(Image.open(io.BytesIO(buffer.data().data())).convert("RGB"))


def plot_pixels(panel: PlotPanel) -> np.ndarray:
    """Return what lies inside the axes of a plot of the window."""
    view = panel.view
    box = view.mapFromScene(panel.view_box.sceneBoundingRect()).boundingRect()
    return pixels(view.grab(box).toImage())


def shown(page: Page, at_ns: float, how: str = "0") -> Moment:
    """Return the whole page's picture, cut into parts, at a moment and after `how`, JavaScript."""
    page.value(f"scope.clock.go({at_ns}); {how}")
    whole = np.asarray(Image.open(io.BytesIO(page.picture(whole=True))).convert("RGB"))

    def cut(inside: str) -> np.ndarray:
        left, top, right, bottom = (round(end) for end in page.value(f"({inside})()"))
        return whole[top:bottom, left:right]

    titles = page.value("scope.panels.map((panel) => panel.title)")
    plots = {
        title: cut(f"""() => {{ const one = scope.panels[{place}];
            const box = one.svg.getBoundingClientRect();
            return [box.left + one.x(0), box.top + one.y(1) - 4,
                    box.left + one.x(one.clock.duration), box.top + one.y(0)]; }}""")
        for place, title in enumerate(titles)
    }
    box = "scope.maps[0].field.getBoundingClientRect()"
    inside = (
        f"() => {{ const b = {box}; return [b.left + 2, b.top + 2, b.right - 2, b.bottom - 2];}}"
    )
    return Moment(cut(inside), plots)


def hues(picture: np.ndarray) -> np.ndarray:
    """Return red and blue over green of what is drawn, (SIDE, SIDE, 2)."""
    paper = np.median(picture.reshape(-1, 3), axis=0)
    rows, columns = np.nonzero(np.abs(picture - paper).max(axis=2) > TOUCHED)
    drawn = picture[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    small = Image.fromarray(drawn).resize((SIDE, SIDE), Image.Resampling.BOX)
    found = np.asarray(small).astype(float)
    return np.stack([found[..., 0] - found[..., 1], found[..., 2] - found[..., 1]], axis=2)


def likeness(one: np.ndarray, other: np.ndarray) -> float:
    """Return the smaller correlation of both hues of two maps, -1 to 1."""
    a, b = hues(one), hues(other)
    return min(np.corrcoef(a[..., at].ravel(), b[..., at].ravel())[0, 1] for at in (0, 1))


def curve(plot: np.ndarray, colour: str) -> np.ndarray:
    """Return how high the curve of a colour reaches, 0 to 1, in each of COLUMNS; NaN: no curve."""
    ink = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)])
    drawn = np.abs(plot.astype(int) - ink).max(axis=2) < NEAR
    parts = np.array_split(drawn, COLUMNS, axis=1)
    tops = [np.argmax(part.any(axis=1)) if part.any() else np.nan for part in parts]
    return 1 - np.array(tops) / len(plot)


def alike(one: np.ndarray, other: np.ndarray, colour: str) -> float:
    """Return the correlation of the same curve in two plots."""
    a, b = curve(one, colour), curve(other, colour)
    known = np.isfinite(a) & np.isfinite(b)
    assert known.mean() > 0.8
    return float(np.corrcoef(a[known], b[known])[0, 1])


def cursor(plot: np.ndarray) -> float:
    """Return where the cursor stands, 0 to 1: the darkest column that is no axis."""
    inner = plot[:, 4:-4].astype(float).sum(axis=2)
    return float((np.argmin(inner.mean(axis=0)) + 4.5) / plot.shape[1])


def test_map_and_plots_are_those_of_the_window(page: Page, window: Moment, trace: Trace) -> None:
    seen = shown(page, MOMENT * trace.time_ns)
    assert likeness(seen.map, window.map) > MAP_ALIKE
    assert set(CURVES) < set(seen.plots) == set(window.plots)
    for title, colour in CURVES.items():
        assert alike(seen.plots[title], window.plots[title], colour) > PLOT_ALIKE, title
    for title, plot in seen.plots.items():
        assert cursor(plot) == pytest.approx(MOMENT, abs=0.01), title
        assert cursor(window.plots[title]) == pytest.approx(MOMENT, abs=0.01), title


@pytest.mark.parametrize(
    ("how", "back"),
    [
        ("scope.setWay('settled_time')", "scope.setWay('distance')"),
        ("scope.maps[0].canvas.style.transform = 'scaleX(-1)'",
         "scope.maps[0].canvas.style.transform = ''"),
        ("scope.maps[0].canvas.style.transform = 'scaleY(-1)'",
         "scope.maps[0].canvas.style.transform = ''"),
        ("scope.clock.go(0.6 * scope.clock.duration)", "0"),
        ("scope.clock.go(0.4 * scope.clock.duration)", "0"),
    ],
    ids=["colour map", "mirrored", "upside down", "late", "early"],
)  # fmt: skip
def test_a_wrong_map_is_found(
    page: Page, window: Moment, trace: Trace, how: str, back: str
) -> None:
    seen = shown(page, MOMENT * trace.time_ns, how)
    page.value(back)
    assert likeness(seen.map, window.map) < MAP_ALIKE


def test_a_wrong_plot_is_found(page: Page, window: Moment, trace: Trace) -> None:
    """Mirrored, or with its cursor elsewhere."""
    seen = shown(page, MOMENT * trace.time_ns)
    for title, colour in CURVES.items():
        mirrored = seen.plots[title][:, ::-1]
        assert alike(mirrored, window.plots[title], colour) < PLOT_ALIKE, title
    late = shown(page, (MOMENT + 0.03) * trace.time_ns)
    for title, plot in late.plots.items():
        assert abs(cursor(plot) - cursor(window.plots[title])) > 0.01, title
