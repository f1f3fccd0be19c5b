"""A run as a film and as SVG, from the command line; refusals in one line."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from PyQt6.QtCore import QSize
from PyQt6.QtGui import QImage, QPainter
from PyQt6.QtSvg import QSvgRenderer
from PyQt6.QtWidgets import QApplication

import gpu
import sample_graphs
from gpu.errors import CancelledByUserError, GpuError
from gpu.record.tracefile import save_trace
from viewer import app
from viewer.export.animate import (
    Film,
    check_film,
    moments,
    write_film,
)

SIZE = ["--size", "641x600", "--seconds", "0.3"]
NO_VIDEO = importlib.util.find_spec("imageio_ffmpeg") is None


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("film") / "run.npz"
    save_trace(gpu.run(sample_graphs.make("grid", n=100, seed=4), probe=2), path)
    return path


def test_a_gif_has_every_frame(saved: Path, tmp_path: Path, qapp: QApplication) -> None:
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    path = tmp_path / "run.gif"
    assert app.main(["render", str(saved), "-o", str(path), *SIZE]) == 0
    with image.open(path) as film:
        assert film.size == (640, 600)
        assert film.n_frames > 3  # equal frames are one, shown for longer
        assert film.info["loop"] == 0


@pytest.mark.skipif(NO_VIDEO, reason="imageio-ffmpeg is not installed")
def test_an_mp4_can_be_read_back(saved: Path, tmp_path: Path, qapp: QApplication) -> None:
    import imageio_ffmpeg

    path = tmp_path / "run.mp4"
    assert app.main(["render", str(saved), "-o", str(path), *SIZE]) == 0
    frames, _seconds = imageio_ffmpeg.count_frames_and_secs(str(path))
    assert frames == len(moments(1.0, 0.3, ".mp4"))
    asked = [imageio_ffmpeg.get_ffmpeg_exe(), "-i", str(path)]
    told = subprocess.run(asked, capture_output=True, text=True, check=False).stderr
    assert "640x600" in told


def test_an_svg_has_text_and_draws_the_same(
    saved: Path, tmp_path: Path, qapp: QApplication
) -> None:
    path = tmp_path / "run.svg"
    assert app.main(["render", str(saved), "-o", str(path), "--size", "1200x800"]) == 0
    text = path.read_text(encoding="utf-8")
    assert "<text" in text
    assert "probe level 2" in text
    assert "modelled" in text
    drawn = QImage(QSize(1200, 822), QImage.Format.Format_RGB32)
    painter = QPainter(drawn)
    QSvgRenderer(str(path)).render(painter)
    painter.end()
    small = drawn.scaled(80, 60)
    seen = {small.pixelColor(x, y).name() for x in range(80) for y in range(60)}
    assert len(seen) > 10


def test_what_is_missing_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(GpuError, match="pip install") as caught:
        check_film(tmp_path / "a.mp4", 3)
    assert "\n" not in str(caught.value)
    with pytest.raises(GpuError, match="seconds; allowed"):
        check_film(tmp_path / "a.gif", 1e9)


def test_a_film_given_up_leaves_nothing(tmp_path: Path) -> None:
    pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    film = Film(tmp_path / "a.gif", (4, 2))
    film.add(bytes(24))
    film.give_up()
    assert isinstance(film.problem, CancelledByUserError)

    def broken(_time: float) -> bytes:
        raise ValueError("no frame")

    with pytest.raises(ValueError, match="no frame"):
        write_film(broken, tmp_path / "b.gif", (4, 2), 1.0, 0.3)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
