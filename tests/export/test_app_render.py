"""`sssp-scope render`: the dashboard of a trace, with its graph or with a word on why not."""

from dataclasses import replace
from pathlib import Path

import pytest
from pdf_files import page_size, words_of
from PyQt6.QtCore import QSize
from PyQt6.QtGui import QFont, QImage
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

import gpu
import sample_graphs
from gpu.algorithms import ALGORITHMS
from gpu.formats import load_graph
from gpu.graph import CSRGraph
from gpu.record.notes import Note
from gpu.record.trace import Trace, Verification
from gpu.record.tracefile import save_trace
from viewer import app
from viewer.common.theme import THEMES
from viewer.export import render
from viewer.export.dashboard import Dashboard

SIZE = "900x600"


@pytest.fixture(scope="module")
def graph() -> CSRGraph:
    return sample_graphs.make("grid", n=100, seed=4)


@pytest.fixture(scope="module")
def trace(graph: CSRGraph) -> Trace:
    done = gpu.run(graph, probe=2)
    return replace(done, verification=Verification(True, True, "both hold"))


def picture_of(path: Path) -> QImage:
    picture = QImage(str(path))
    assert not picture.isNull()
    return picture


def test_a_trace_becomes_a_picture(
    trace: Trace, tmp_path: Path, qtbot: QtBot, capsys: pytest.CaptureFixture[str]
) -> None:
    save_trace(trace, tmp_path / "run.npz")
    output = tmp_path / "run.png"
    assert app.main(["render", str(tmp_path / "run.npz"), "-o", str(output), "--size", SIZE]) == 0
    said = capsys.readouterr()
    assert said.out.splitlines()[-1] == str(output)
    assert said.err == ""
    picture = picture_of(output)
    assert (picture.width(), picture.height()) == (900, 600)
    assert picture.pixelColor(2, 2).name() == THEMES["light"].window


def test_notes_are_on_a_dashboard(trace: Trace, tmp_path: Path, qtbot: QtBot) -> None:
    half = trace.time_ns // 2
    noted = replace(trace, notes=(Note("the middle", t_ns=half), Note("a < b & c", vertex=3)))
    save_trace(noted, tmp_path / "run.npz")
    output = tmp_path / "run.pdf"
    assert app.main(["render", str(tmp_path / "run.npz"), "-o", str(output)]) == 0
    assert "the middle" in words_of(output)
    assert "a < b & c" in words_of(output)


@pytest.mark.parametrize(
    ("size", "points"), [((900, 600), 9.0), ((300, 200), 24.0), ((200, 2000), 24.0)]
)
def test_a_picture_is_as_large_as_was_asked(
    trace: Trace,
    graph: CSRGraph,
    size: tuple[int, int],
    points: float,
    tmp_path: Path,
    qapp: QApplication,
) -> None:
    """Whatever the font: words that do not fit make everything smaller, not the picture larger."""
    usual = qapp.font()
    qapp.setFont(QFont(usual.family(), round(points)))
    try:
        for suffix in (".png", ".pdf"):
            render.write_picture([trace], graph, tmp_path / f"run{suffix}", size=size)
    finally:
        qapp.setFont(usual)
    picture = picture_of(tmp_path / "run.png")
    assert (picture.width(), picture.height()) == size
    assert page_size(tmp_path / "run.pdf") == size
    words = picture.scaled(200, 200).copy(0, 0, 200, 40)
    assert len({words.pixel(x, y) for x in range(200) for y in range(40)}) > 3


def test_without_its_graph_a_sentence_says_why(
    trace: Trace, tmp_path: Path, qtbot: QtBot, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = replace(trace, graph=replace(trace.graph, origin=str(tmp_path / "gone.gr"), options={}))
    other = replace(trace, graph=replace(trace.graph, hash="0" * 16))
    for number, (lost, why) in enumerate(((gone, "gone.gr"), (other, "another graph"))):
        file = tmp_path / f"{number}.npz"
        save_trace(lost, file)
        assert app.main(["render", str(file), "--size", SIZE]) == 0
        said = capsys.readouterr()
        assert said.out.splitlines()[-1] == str(file.with_suffix(".png"))
        assert "without its graph" in said.err
        assert why in said.err
        assert picture_of(file.with_suffix(".png")).width() == 900


MODELLED = [k for k, r in ALGORITHMS.items() if "model" in r.engines and r.result == "row"]


@pytest.mark.parametrize("key", MODELLED)
def test_the_dashboard_names_what_it_shows(graph: CSRGraph, key: str, qtbot: QtBot) -> None:
    done = gpu.run(graph, key)
    board = Dashboard()
    qtbot.addWidget(board)
    board.fill([done], graph)
    picture = board.grab_picture(QSize(900, 600))
    assert picture.width() == 900
    assert ALGORITHMS[key].title in board.title.text()
    for word in (done.settings.device, done.clock, f"probe level {done.settings.probe}"):
        assert word in board.subtitle.text()
    assert "verified" not in board.totals.text()
    assert f"{done.processed_vertices}"[-3:] in board.totals.text()
    assert ("Δ" in board.subtitle.text()) is ALGORITHMS[key].bucketed


def test_a_trace_does_not_choose_which_file_is_opened(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "mailed"
    folder.mkdir()
    (tmp_path / "a.gr").write_text("p sp 3 2\na 1 2 5\na 2 3 4\n")
    trace = gpu.run(load_graph(tmp_path / "a.gr"), "adds")
    save_trace(trace, folder / "run.npz")
    graph, missing = render.find_graph(trace, folder)
    assert graph is None
    assert str(tmp_path / "a.gr") in missing
    graph, missing = render.find_graph(trace, tmp_path)
    assert graph is not None
    assert app.main(["render", str(folder / "run.npz"), "--size", SIZE]) == 0
    assert "outside its folder; --anywhere opens it" in capsys.readouterr().err
    assert app.main(["render", str(folder / "run.npz"), "--size", SIZE, "--anywhere"]) == 0
    assert capsys.readouterr().err == ""
