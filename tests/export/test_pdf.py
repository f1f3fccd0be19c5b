"""Drawings of panels as PDF: what another program shows is what the window shows."""

from pathlib import Path

import numpy as np
import pytest
from pdf_files import page_size, shown, words_of
from PyQt6.QtGui import QImage
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

import gpu
import sample_graphs
from viewer.export.pictures import drawing, picture
from viewer.models.playback import PlaybackModel
from viewer.models.session import RunRecord, SessionModel
from viewer.plots.panels import PANELS

SIZE = (840, 480)


def pixels(image: QImage) -> np.ndarray:
    """Return an image as float64 (height, width, 3)."""
    image = image.convertToFormat(QImage.Format.Format_RGB888)
    lines = np.frombuffer(image.constBits().asarray(image.sizeInBytes()), np.uint8)
    lines = lines.reshape(image.height(), image.bytesPerLine())
    return lines[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).astype(float)


@pytest.mark.parametrize("key", ["delta", "parallelism", "work"])
def test_a_drawing_shows_what_the_picture_shows(key: str, qtbot: QtBot, tmp_path: Path) -> None:
    """The band of parallelism goes far above the axis; nothing of it may leave the plot."""
    graph = sample_graphs.make("city_roads", n=3_000, seed=4)
    session, playback = SessionModel(), PlaybackModel()
    playback.watch(session)
    session.set_graph(graph)
    panel = PANELS[key](session, playback)
    qtbot.addWidget(panel)
    panel.resize(*SIZE)
    panel.show()
    session.add_run(RunRecord.from_trace(1, gpu.run(graph, "adds")))
    panel.flush()
    QApplication.processEvents()
    path = tmp_path / "drawn.pdf"
    path.write_bytes(drawing([panel], "drawn", "what it says")())
    assert page_size(path)[0] == SIZE[0]
    assert "what it says" in words_of(path)
    page = pixels(shown(path))
    png = pixels(QImage.fromData(picture([panel], "drawn", "what it says")()))
    small = png.reshape(page.shape[0], 2, page.shape[1], 2, 3).mean(axis=(1, 3))
    assert np.abs(page - small).mean() < 4.0  # of 255: letters are drawn in another way
    blurred = [np.abs(np.diff(shot, axis=1)).sum() for shot in (page, small)]
    assert 0.5 < blurred[0] / blurred[1] < 2  # lines are there
