"""A film from the window: chosen, estimated, made in pieces, given up; frames that show the run."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtWidgets import QApplication, QCheckBox, QFileDialog, QPushButton
from pytestqt.qtbot import QtBot
from test_controller import FakeHost
from test_window import close_for_good

import gpu
import sample_graphs
from gpu.errors import GpuError
from viewer.export.film import PANELS, FilmPlan
from viewer.export.film_stage import places
from viewer.export.gif import SAME, GifWriter, Palette
from viewer.features.take_away.film_dialog import FilmDialog
from viewer.main_window import MainWindow
from viewer.models.session import RunRecord
from viewer.models.settings import Settings

PIL_IMAGE = pytest.importorskip("PIL.Image", reason="Pillow is not installed")


@pytest.fixture
def window(qapp: QApplication, tmp_path: Path) -> Iterator[MainWindow]:
    window = MainWindow(Settings(tmp_path / "window.ini"), FakeHost())  # type: ignore[arg-type]
    window.show()
    window.build_plots()
    graph = sample_graphs.make("grid", n=400, seed=4)
    window.controller.show_graph(graph)
    trace = gpu.run(graph, probe=2, source=window.session.source)
    window.session.add_run(RunRecord.from_trace(1, trace))
    window.enable_actions()
    yield window
    close_for_good(window)


def dialog_of(window: MainWindow) -> FilmDialog:
    window.actions_by_key["export_film"].trigger()
    dialog = window.findChild(FilmDialog)
    assert dialog is not None
    return dialog


def save_as(window: MainWindow, dialog: FilmDialog, qtbot: QtBot, path: Path) -> None:
    """Press Save as… and choose a file."""
    qtbot.mouseClick(dialog.save_button, Qt.MouseButton.LeftButton)
    chooser = window.findChild(QFileDialog)
    assert chooser is not None
    chooser.fileSelected.emit(str(path))
    chooser.reject()
    chooser.deleteLater()


def tick(qtbot: QtBot, box: QCheckBox) -> None:
    qtbot.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(8, box.height() // 2))


def said(window: MainWindow) -> str:
    notice = window.session.notice
    return notice.words if notice is not None else ""


def test_a_film_is_chosen_by_hand_and_made_in_pieces(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    end = window.playback.duration_ns
    window.playback.set_loop(0.25 * end, 0.75 * end)
    dialog, path = dialog_of(window), tmp_path / "run.gif"
    assert dialog.plan().first_ns == pytest.approx(0.25 * end, abs=2)  # the range that repeats
    qtbot.mouseClick(dialog.whole, Qt.MouseButton.LeftButton)
    assert (dialog.plan().first_ns, dialog.plan().last_ns) == (0.0, end)
    qtbot.mouseClick(dialog.loop, Qt.MouseButton.LeftButton)
    for key in ("parallelism", "buckets"):
        tick(qtbot, dialog.panels[key])
    qtbot.keyClicks(dialog.size_box, "854")
    dialog.seconds.selectAll()
    qtbot.keyClicks(dialog.seconds, "1\t")
    plan = dialog.plan()
    assert (plan.size, plan.seconds, plan.panels) == ((854, 480), 1.0, ("graph", "delta"))
    assert "24 frames" in dialog.cost.text()
    assert "MB" in dialog.cost.text()
    save_as(window, dialog, qtbot, path)
    progress: list[float] = []
    window.session.progress_changed.connect(lambda share, _words: progress.append(share))
    qtbot.waitUntil(lambda: said(window) == f"Saved {path}", timeout=60_000)
    assert len({share for share in progress if 0 < share < 1}) > 10
    with PIL_IMAGE.open(path) as film:
        assert film.size == (854, 480)
        assert 6 < film.n_frames <= 24
        lasts, shots = 0, []
        for place in range(film.n_frames):
            film.seek(place)
            lasts += film.info["duration"]
            shots.append(np.asarray(film.convert("RGB"), np.int16))
    assert lasts == pytest.approx(2000, abs=20)
    moved = [np.abs(b - a).max(axis=2) > 8 for a, b in pairwise(shots)]
    assert all(change.any() for change in moved)
    assert np.mean([change.mean() for change in moved]) < 0.1  # little moves, and is stored
    assert path.stat().st_size < 400_000


def test_a_film_is_given_up_and_leaves_nothing(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "long.gif"
    save_as(window, dialog_of(window), qtbot, path)
    qtbot.waitUntil(lambda: 0.05 < window.session.progress < 1, timeout=30_000)
    window.actions_by_key["export_film"].trigger()
    assert said(window) == "A film is being made."
    buttons = window.status_bar.findChildren(QPushButton)
    cancel = next(button for button in buttons if button.text() == "Cancel")
    qtbot.waitUntil(cancel.isVisible)
    qtbot.mouseClick(cancel, Qt.MouseButton.LeftButton)
    assert "cancelled" in said(window)
    assert not [file for file in tmp_path.iterdir() if file.suffix == ".gif"]
    assert window.features["take_away"].films.job is None


def test_what_cannot_be_made_is_said_at_once(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    dialog = dialog_of(window)
    qtbot.keyClick(dialog.kind, Qt.Key.Key_Down)
    assert dialog.kind.currentData() == ".mp4"
    assert "pip install 'sssp-scope[video]'" in dialog.cost.text()
    assert not dialog.save_button.isEnabled()
    qtbot.keyClick(dialog.kind, Qt.Key.Key_Up)
    for box in dialog.panels.values():
        if box.isChecked():
            tick(qtbot, box)
    assert "no panel is chosen" in dialog.cost.text().lower()
    for box in dialog.panels.values():
        tick(qtbot, box)
    qtbot.keyClicks(dialog.size_box, "854")
    assert "choose fewer" in dialog.cost.text()
    assert not dialog.save_button.isEnabled()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)


def test_no_piece_holds_the_window(window: MainWindow, qtbot: QtBot) -> None:
    from viewer.export.film_stage import FilmStage

    session = window.session
    plan = FilmPlan(last_ns=float(window.playback.duration_ns))
    stage = FilmStage(session.current.trace, session.graph, session.positions, plan)
    for _ in stage.build():
        pass
    took = []
    for time_ns in plan.moments[:40:4].tolist():
        pieces = stage.draw(time_ns)
        while True:
            begun = time.thread_time()
            if next(pieces, stage) is stage:
                break
            took.append(1000 * (time.thread_time() - begun))
    stage.close()
    assert sorted(took)[int(0.98 * len(took))] < 50


def test_a_plan_says_what_is_wrong_with_it(tmp_path: Path) -> None:
    good = FilmPlan(last_ns=1000.0)
    assert good.problem == ""
    assert len(good.moments) == 8 * 12 + 12
    assert good.moments[0] == 0
    assert good.moments[-1] == 1000
    for changed in (
        {"suffix": ".avi"},
        {"size": (1281, 720)},
        {"seconds": 1e6},
        {"rate": 0},
        {"panels": ()},
        {"first_ns": 2000.0},
        {"panels": tuple(PANELS), "size": (640, 360)},
    ):
        plan = FilmPlan(**({"last_ns": 1000.0} | changed))  # type: ignore[arg-type]
        assert plan.problem, changed
        with pytest.raises(GpuError):
            plan.check(tmp_path / "a.gif")
    apart = places(good, has_graph=True)
    assert not any(a is not b and a.intersects(b) for a in apart.values() for b in apart.values())


def test_a_gif_keeps_its_colours_and_only_what_changed(tmp_path: Path) -> None:
    still = np.full((60, 80, 3), 255, np.uint8)
    still[:, :, 2] = np.arange(80, dtype=np.uint8)[None, :] * 3
    frames = [still.copy() for _ in range(5)]
    for place, frame in enumerate(frames[1:], 1):
        frame[10 * place : 10 * place + 3, 5:8] = (200, 30, 30)
    frames.insert(3, frames[2].copy())  # the same again: one frame that lasts longer
    path = tmp_path / "a.gif"
    with path.open("wb") as file:
        film = GifWriter(file, Palette(frames), (80, 60))
        for frame in frames:
            film.add(frame, 100)
        film.close()
    with PIL_IMAGE.open(path) as film:
        assert film.n_frames == 5
        seen, lasts = [], []
        for place in range(5):
            film.seek(place)
            lasts.append(film.info["duration"])
            seen.append(np.asarray(film.convert("RGB"), np.int16))
    assert lasts == [100, 100, 200, 100, 100]
    distinct = [frames[0], frames[1], frames[2], frames[4], frames[5]]
    for got, wanted in zip(seen, distinct, strict=True):
        assert np.abs(got - wanted.astype(np.int16)).max() <= 8  # 5 bits a channel
    assert SAME == 255
