"""Taking things away from the window, by its menus and dialogs."""

import csv
import json
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from page_stage import Parts
from pdf_files import shown, words_of
from PyQt6.QtGui import QImage
from PyQt6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot
from screen import all_controls
from test_controller import FakeHost
from test_features import opened
from test_window import close_for_good

import gpu
import sample_graphs
from gpu.algorithms import ALGORITHMS
from gpu.cli.main import main
from gpu.record.export import summary
from gpu.record.notes import Note
from gpu.record.trace import Probe, Verification
from gpu.study import sweep
from viewer.features.take_away import FORMS
from viewer.main_window import MainWindow
from viewer.models.notes import Pin
from viewer.models.session import RunRecord


@pytest.fixture
def window(qapp: QApplication, tmp_path: Path) -> Iterator[MainWindow]:
    window = opened(all_controls(tmp_path / "window.ini"), FakeHost())
    graph = sample_graphs.make("grid", n=100, seed=4)
    window.controller.show_graph(graph)
    trace = gpu.run(graph, probe=3, source=window.session.source)
    window.session.add_run(RunRecord.from_trace(1, trace))
    window.enable_actions()
    yield window
    close_for_good(window)


def answer(window: MainWindow, path: Path) -> None:
    """Choose a file in the dialog that is open."""
    dialog = window.findChild(QFileDialog)
    dialog.fileSelected.emit(str(path))
    dialog.reject()
    dialog.deleteLater()
    QApplication.processEvents()


def saved(window: MainWindow, qtbot: QtBot, path: Path) -> None:
    qtbot.waitUntil(
        lambda: window.session.notice is not None and window.session.notice.words == f"Saved {path}"
    )


def test_every_panel_leaves_as_picture_and_drawing(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    graph, take_away = window.session.graph, window.features["take_away"]
    matrix = gpu.run(graph, next(k for k, row in ALGORITHMS.items() if row.result == "matrix"))
    window.session.add_run(RunRecord.from_trace(2, matrix), show=False)
    sweep_four_values(window)
    for vertex in range(4):  # a list with something in it
        pin = Pin(Note(f"Here is vertex {vertex}, and a note", vertex=vertex), 0, graph.hash)
        assert window.session.notes.pin(pin)
    for key in ["graph", *(title for title in window.docks.titles if title not in FORMS)]:
        for suffix in (".png", ".pdf"):
            path = tmp_path / f"{key}{suffix}"
            window.session.set_notice(None)
            window.session.set_current(window.session.runs[key == "matrix"])
            take_away.save_panel(key, str(path))
            saved(window, qtbot, path)
        check_picture(path.with_suffix(".png"))
        assert "probe level" in words_of(path)
        assert len(set(colours(shown(path)))) > 4, path.name
        assert path.stat().st_size < 300_000, path.name
    take_away.export_panel("delta")
    answer(window, tmp_path / "delta.svg")
    assert window.session.notice.advice == "Allowed: .png, .pdf."
    assert not (tmp_path / "delta.svg").exists()


def sweep_four_values(window: MainWindow) -> None:
    """Put a sweep into the panel, made here."""
    model, graph = window.sweep, window.session.graph
    settings = replace(window.session.current.settings, probe=Probe.SAMPLES)
    plan = sweep.make_plan(graph, settings, values=(8, 32, 128, 512))
    model.plan, model.graph_name, model.graph_hash = plan, graph.name, graph.hash
    points = [sweep.measure(plan, graph, value) for value in (None, *plan.values)]
    model.points = sweep.in_order(points)
    model.changed.emit()


def check_picture(path: Path) -> None:
    picture = QImage(str(path))
    assert "probe level" in picture.text("Description")
    assert "modelled" in picture.text("Description")
    seen = colours(picture)
    assert len(set(seen)) > 4, path.name  # ground, border, text, curves; fonts add shades
    assert max(map(seen.count, set(seen))) < 0.995 * len(seen), path.name


def colours(image: QImage) -> list[str]:
    small = image.scaled(160, 120)
    return [small.pixelColor(x, y).name() for x in range(160) for y in range(0, 110)]


def said_by_the_copied_line(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """Run what is on the clipboard, as a shell would."""
    words = shlex.split(QApplication.clipboard().text())
    assert words[0] == "sssp-scope"
    assert main([*words[1:], "--json"]) == 0
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    return told


def test_copied_commands_repeat_what_was_clicked(
    window: MainWindow, qtbot: QtBot, capsys: pytest.CaptureFixture[str]
) -> None:
    first = window.session.current
    given = gpu.run(
        window.session.graph, "near_far", delta=48, probe=2, source=window.session.source
    )
    second = RunRecord.from_trace(2, given)
    window.session.add_run(second, show=False)

    table = window.show_dock("runs")
    for record in (first, second):  # each by its row's menu
        table.select(record)
        offered = table.table.actions()
        next(row for row in offered if row.text() == "Copy as command").trigger()
        told, wanted = said_by_the_copied_line(capsys), summary(record.trace)
        for key in ("time_ns", "processed_vertices", "relaxed_edges", "distances", "delta"):
            assert told[key] == wanted[key], key
    window.comparison.compare_with(second)
    window.actions_by_key["copy_command"].trigger()
    told = said_by_the_copied_line(capsys)
    assert (told["a"]["time_ns"], told["b"]["time_ns"]) == (first.trace.time_ns, given.time_ns)


def test_all_runs_in_one_table(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    run = window.session.current
    passed = Verification(True, True, "both hold")
    window.session.change_run(run.run_id, verification=passed)  # after the trace was made
    window.actions_by_key["export_runs"].trigger()
    answer(window, tmp_path / "runs.csv")
    saved(window, qtbot, tmp_path / "runs.csv")
    (row,) = csv.DictReader((tmp_path / "runs.csv").read_text().splitlines())
    assert (row["verified"], row["verification_detail"]) == ("True", "both hold")


def test_a_run_and_a_comparison_leave_as_a_web_page(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    run = window.session.current
    path = tmp_path / "run.html"
    window.actions_by_key["export_page"].trigger()
    answer(window, path)
    saved(window, qtbot, path)
    tree = Parts(path.read_text(encoding="utf-8")).tree()
    assert tree["runs"][0]["vertices"]["dist"].tolist() == run.trace.dist.tolist()
    other = gpu.run(window.session.graph, "near_far", source=run.settings.source, probe=2)
    window.session.add_run(RunRecord.from_trace(2, other))
    window.comparison.compare_or_say(window.session.runs[0])
    table = tmp_path / "pair.csv"
    window.actions_by_key["export_csv"].trigger()
    answer(window, table)
    saved(window, qtbot, table)
    with table.open(newline="", encoding="utf-8") as file:
        rows = [(row["run"], row["algorithm"]) for row in csv.DictReader(file)]
    both = [("A", "near_far")] * len(other.samples) + [("B", "adds")] * len(run.trace.samples)
    assert rows == both
    pair = tmp_path / "pair.html"
    window.actions_by_key["export_page"].trigger()
    answer(window, pair)
    saved(window, qtbot, pair)
    titles = {one["title"] for one in Parts(pair.read_text(encoding="utf-8")).tree()["runs"]}
    assert titles == {"ADDS", "Near-Far"}
