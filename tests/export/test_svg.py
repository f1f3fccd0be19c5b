"""Drawings of panels as SVG, which must not need `vector-effect`: few renderers know it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QByteArray
from PyQt6.QtGui import QColor, QImage, QPainter
from PyQt6.QtSvg import QSvgRenderer
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

import gpu
import sample_graphs
from viewer.export.pictures import drawing, picture
from viewer.export.svg import on_the_picture
from viewer.models.playback import PlaybackModel
from viewer.models.session import RunRecord, SessionModel
from viewer.plots.live import LivePanel
from viewer.plots.panels import make_panel

SIZE = (840, 480)
THINNEST = 0.25  # of a line's colour in a pixel that it crosses
OTHER = 30.0  # of 442: how far from any mixture with white


def by_qt(svg: bytes) -> QImage:
    image = QImage(*SIZE, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    QSvgRenderer(QByteArray(svg)).render(painter)
    painter.end()
    return image


def pixels(image: QImage) -> np.ndarray:
    """Return an image as float64 (height, width, 3)."""
    image = image.convertToFormat(QImage.Format.Format_RGB888)
    lines = np.frombuffer(image.constBits().asarray(image.sizeInBytes()), np.uint8)
    lines = lines.reshape(image.height(), image.bytesPerLine())
    return lines[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).astype(float)


def columns_with(image: QImage, colour: str) -> np.ndarray:
    """Return which columns hold a colour, pure or thinned by white paper: bool (SIZE[0],)."""
    ink = 255.0 - np.array(QColor(colour).getRgb()[:3], float)
    missing = 255.0 - pixels(image)
    share = missing @ ink / (ink @ ink)
    other = np.linalg.norm(missing - share[..., None] * ink, axis=2)
    found = ((share > THINNEST) & (other < OTHER)).any(axis=0)
    return found.reshape(SIZE[0], -1).any(axis=1)


@pytest.fixture
def panel(request: pytest.FixtureRequest, qtbot: QtBot) -> LivePanel:
    graph = sample_graphs.make("city_roads", n=3_000, seed=4)
    session, playback = SessionModel(), PlaybackModel()
    playback.watch(session)
    session.set_graph(graph)
    shown = make_panel(request.param, session, playback)
    qtbot.addWidget(shown)
    shown.resize(*SIZE)
    shown.show()
    session.add_run(RunRecord.from_trace(1, gpu.run(graph, "adds")))
    shown.flush()
    QApplication.processEvents()
    return shown


@pytest.mark.font
@pytest.mark.parametrize("panel", ["delta", "parallelism", "work"], indirect=True)
def test_lines_of_a_drawing_are_those_of_the_picture(
    panel: LivePanel,
) -> None:
    svg = drawing([panel], "drawn")()
    png = QImage.fromData(picture([panel], "drawn")())
    colours = panel._theme.data
    colour = colours.relaxed if panel.TITLE == "Work" else colours.a  # a line that stands alone
    drawn, wanted = (columns_with(image, colour) for image in (by_qt(svg), png))
    assert wanted.sum() > 0.3 * SIZE[0]
    near = np.convolve(drawn, np.ones(9), "same") > 0  # dashes may begin elsewhere
    assert (wanted & near).sum() > 0.95 * wanted.sum()


@pytest.mark.parametrize("panel", ["work", "buckets"], indirect=True)
def test_nothing_depends_on_what_few_renderers_know(panel: LivePanel) -> None:
    svg = drawing([panel], "drawn")().decode()
    assert "non-scaling" not in svg
    for shape in re.findall(r"<polyline[^>]*>", svg):
        points = np.array(re.findall(r"[-\d.e]+", shape.split("points=")[1]), float)
        assert (np.abs(points) < 10 * SIZE[0]).all()


def by_a_browser(svg: bytes, folder: Path) -> QImage:
    """Return a drawing as Chromium shows it, which knows nothing of Qt."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        pytest.skip("no Chromium to draw an SVG with")
    (folder / "drawn.svg").write_bytes(svg)
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    size = f"--window-size={SIZE[0]},{SIZE[1]}"
    shot = [f"--screenshot={folder / 'shot.png'}", size, (folder / "drawn.svg").as_uri()]
    subprocess.run([browser, *options, *shot], check=True, capture_output=True, timeout=60)
    return QImage(str(folder / "shot.png"))


@pytest.mark.parametrize("panel", ["parallelism"], indirect=True)
def test_another_program_shows_what_the_window_shows(panel: LivePanel, tmp_path: Path) -> None:
    """The band goes far above the axis: nothing of it may cover what stands above the plot."""
    box = panel.view_box.sceneBoundingRect()
    assert panel._high.values.max() > 2 * panel.view_box.viewRange()[1][1]
    svg = drawing([panel], "drawn")()
    shown = pixels(by_a_browser(svg, tmp_path))
    png = pixels(QImage.fromData(picture([panel], "drawn")()).scaled(*SIZE))
    assert np.abs(shown - png).mean() < 3.0  # of 255: letters are drawn in another way
    band = np.array(QColor(panel._theme.band).getRgb()[:3], float)
    rows = (np.abs(shown - band).max(axis=2) < 3).any(axis=1).nonzero()[0]
    top = panel.view.y() + box.top()
    assert top - 1 <= rows.min() <= rows.max() <= top + box.height() + 1


def group(matrix: str, inside: str) -> bytes:
    return f'<g stroke="red" transform="matrix({matrix})"\n>{inside}</g>'.encode()


THIN = 'vector-effect="non-scaling-stroke"'


def test_points_go_where_their_matrix_puts_them() -> None:
    found = on_the_picture(group("0,-2,4e-08,0,7,50", f'<path {THIN} d="M1,1e8 L-2,0 Z"/>'))
    assert b'd="M11,48 L7,54 Z"' in found
    assert found.count(b"<g ") == found.count(b"</g>") == 3
    found = on_the_picture(group("2,0,0,3,1,1", f'<rect {THIN} x="1" y="2" width="3" height="4"/>'))
    assert b'd="M3,7 L9,7 L9,19 L3,19 Z"' in found


def test_what_is_no_thin_line_stays() -> None:
    for inside in ("<text x='1' y='2'>1,2</text>", '<path vector-effect="none" d="M1,2"/>'):
        assert on_the_picture(group("2,0,0,2,0,0", inside)) == group("2,0,0,2,0,0", inside)
    line = '<polyline fill="none" {}points="1,2 3,4 " />'
    moved = on_the_picture(group("1,0,0,1,8,4", line.format(f"{THIN} ")))
    assert moved == group("1,0,0,1,8,4", line.format(""))
