"""Films: one run and two on one clock, from the command line and from the window."""

import importlib.util
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot
from screen import all_controls
from test_controller import FakeHost
from test_features import opened
from test_take_away import answer
from test_window import close_for_good

import gpu
import sample_graphs
from gpu.errors import GpuError
from gpu.record.trace import Trace
from gpu.record.tracefile import save_trace
from viewer import app
from viewer.export.film import RATES, FilmPlan, write_film
from viewer.features import take_away
from viewer.main_window import MainWindow
from viewer.models.session import RunRecord

PIL_IMAGE = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
NO_VIDEO = importlib.util.find_spec("imageio_ffmpeg") is None
SIZE = ["--size", "641x600", "--seconds", "0.5"]
GRAPH = sample_graphs.make("grid", n=400, seed=4)


def run(algorithm: str) -> Trace:
    return gpu.run(GRAPH, algorithm, probe=2)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return the files of two runs of one graph."""
    folder = tmp_path_factory.mktemp("film")
    for key in ("adds", "near_far"):
        save_trace(run(key), folder / f"{key}.npz")
    return [str(folder / f"{key}.npz") for key in ("adds", "near_far")]


@pytest.fixture
def window(qapp: QApplication, tmp_path: Path) -> Iterator[MainWindow]:
    window = opened(all_controls(tmp_path / "window.ini"), FakeHost())
    window.controller.show_graph(GRAPH)
    for place, key in enumerate(("near_far", "adds"), 1):
        window.session.add_run(RunRecord.from_trace(place, run(key)))
    window.enable_actions()
    yield window
    close_for_good(window)


def frames(path: Path) -> list[np.ndarray]:
    with PIL_IMAGE.open(path) as film:
        shots = []
        for place in range(film.n_frames):
            film.seek(place)
            shots.append(np.asarray(film.convert("RGB"), np.int16))
        return shots


def test_a_gif_of_one_run_is_small_and_moves(saved: list[str], tmp_path: Path) -> None:
    path = tmp_path / "run.gif"
    assert app.main(["render", saved[0], "-o", str(path), *SIZE]) == 0
    shots = frames(path)
    assert shots[0].shape == (600, 640, 3)
    assert 4 <= len(shots) <= 6 + RATES[".gif"]
    changed = np.abs(shots[-1] - shots[0]).max(axis=2) > 8
    assert 0 < changed.mean() < 0.5
    first, last = ((np.ptp(shot[:, 400:], axis=2) > 60).sum() for shot in (shots[0], shots[-1]))
    assert 2 * first < last, "the plots grow: they have more colour at the end"
    assert path.stat().st_size < 300_000
    with PIL_IMAGE.open(path) as film:
        assert film.info["loop"] == 0


@pytest.mark.skipif(NO_VIDEO, reason="imageio-ffmpeg is not installed")
def test_an_mp4_can_be_read_back(saved: list[str], tmp_path: Path) -> None:
    import imageio_ffmpeg

    path = tmp_path / "run.mp4"
    assert app.main(["render", *saved, "-o", str(path), *SIZE]) == 0
    count, _seconds = imageio_ffmpeg.count_frames_and_secs(str(path))
    assert count == len(FilmPlan(".mp4", seconds=0.5).moments)
    asked = [imageio_ffmpeg.get_ffmpeg_exe(), "-i", str(path)]
    said = subprocess.run(asked, capture_output=True, text=True, check=False).stderr
    assert "640x600" in said


def said(window: MainWindow) -> str:
    notice = window.session.notice
    return notice.words if notice is not None else ""


@pytest.mark.slow
def test_a_film_of_two_runs_from_the_window(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(take_away, "FilmPlan", partial(FilmPlan, seconds=1.0))
    window.comparison.compare_with(window.session.runs[0])
    path = tmp_path / "both.gif"
    window.actions_by_key["export_film"].trigger()
    answer(window, path)
    qtbot.waitUntil(lambda: said(window).startswith(f"Saved {path}"), timeout=120_000)
    assert frames(path)[0].shape == (720, 1280, 3)


@pytest.mark.slow
def test_a_film_is_given_up_and_leaves_nothing(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "long.gif"
    window.actions_by_key["export_film"].trigger()
    answer(window, path)
    cancel = next(
        button
        for button in window.status_bar.findChildren(QPushButton)
        if button.text() == "Cancel"
    )
    qtbot.mouseClick(cancel, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "cancelled" in said(window), timeout=30_000)
    assert not [file for file in tmp_path.iterdir() if file.suffix == ".gif"]


def test_a_plan_says_what_is_wrong_with_it(tmp_path: Path) -> None:
    good = FilmPlan(end_ns=1000.0)
    assert good.problem == ""
    assert len(good.moments) == 8 * 12 + 12
    assert (good.moments[0], good.moments[-1]) == (0, 1000)
    for changed in ({"suffix": ".webp"}, {"seconds": 1e6}):
        plan = FilmPlan(**({"end_ns": 1000.0} | changed))  # type: ignore[arg-type]
        assert plan.problem, changed
        with pytest.raises(GpuError):
            plan.check(tmp_path / "a.gif")


def test_a_frame_that_fails_leaves_no_file(tmp_path: Path) -> None:
    def broken(_time: float) -> bytes:
        raise ValueError("no frame")

    with pytest.raises(ValueError, match="no frame"):
        write_film(broken, FilmPlan(size=(200, 200)), tmp_path / "b.gif")
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
