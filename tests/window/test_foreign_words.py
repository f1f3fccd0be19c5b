"""Names of strangers, everywhere they are shown: plain, on one line, nothing unseen in them."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lesson_files import HEAD, ONE, RUNS, TWO
from PyQt6.QtCore import QAbstractListModel, QPoint, Qt
from PyQt6.QtGui import QAction, QCursor
from PyQt6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLabel,
    QTextEdit,
    QToolTip,
    QWidget,
)
from test_features import window

import gpu
import sample_graphs
from gpu.graph import CSRGraph
from gpu.lessons.read import FOLDER
from gpu.record.trace import Trace, Verification
from gpu.words import in_sight, is_unseen
from viewer.common.foreign_words import button_words, title_words
from viewer.main_window import MainWindow
from viewer.models.session import Notice, Offer, RunRecord

__all__ = ["window"]  # the fixture, as it stands there
HOSTILE = [
    "<img src=x> <b>bold</b> &amp; a && b",
    "file\u202egpj.gr \u2066isolated bell\x07 escape\x1b[31m delete\x7f c1\x9b",
    "long" * 2500,
    "two\nlines\r\tand more [*] unsaved[*] %s %1 {name} \\n",
]
MICROSCOPE = {"microscope", "code"}  # of words in files of ours alone
LONGEST = 2500  # characters that anything shows


def shown(window: MainWindow) -> Iterator[tuple[str, str]]:
    """Yield where and what of every text that the window shows, says or would say."""
    for widget in [window, *window.findChildren(QWidget)]:
        where = f"{type(widget).__name__} {widget.objectName()}"
        for words in (widget.windowTitle(), widget.toolTip(), widget.statusTip()):
            yield where, words
        yield where, widget.accessibleName()
        yield where, widget.accessibleDescription()
        if isinstance(widget, QLabel | QAbstractButton):
            yield where, widget.text()
        if isinstance(widget, QComboBox | QAbstractItemView):
            yield from items_of(widget, where)
    for action in window.findChildren(QAction):
        yield f"action {action.objectName()}", action.text()
        yield f"tip of {action.objectName()}", action.toolTip()
        yield f"status of {action.objectName()}", action.statusTip()


def items_of(widget: QComboBox | QAbstractItemView, where: str) -> Iterator[tuple[str, str]]:
    model, role = widget.model(), Qt.ItemDataRole
    if model is None:
        return
    columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount()  # there private
    for row in range(model.rowCount()):
        for column in range(columns):
            for what in (role.DisplayRole, role.ToolTipRole, role.AccessibleTextRole):
                value = model.index(row, column).data(what)
                if value is not None:
                    yield f"{where}, row {row}, column {column}", str(value)


def check(window: MainWindow, name: str) -> None:
    """Walk over everything; fail where a name does more than stand there."""
    QApplication.processEvents()
    seen = list(shown(window))
    for where, words in seen:
        assert len(words) < LONGEST, (where, words[:80])
        bad = {mark for mark in words if is_unseen(mark) and mark not in "\n\t"}
        assert not bad, (where, words[:80])
        if where.startswith("action") and "amp;" in words:
            assert "&&amp;" in words, (where, words)
    for label in window.findChildren(QLabel):
        label.ensurePolished()
        rich = label.textFormat() == Qt.TextFormat.RichText
        assert label.textFormat() != Qt.TextFormat.AutoText, label.text()
        assert not (rich and ("<img" in label.text() or "<b>bold" in label.text()))
    for prose in window.findChildren(QTextEdit):
        assert 'src="x"' not in prose.toHtml()
    if name.isprintable() and len(name) < 100:
        assert any(name in words for _, words in seen)


def named(graph: CSRGraph, name: str) -> CSRGraph:
    ids = np.array([f"{name[:40]}{place}".replace("\0", "") for place in range(graph.n)])
    return replace(graph, name=name, ids=ids)


def hostile_run(graph: CSRGraph, name: str) -> Trace:
    trace = gpu.run(graph, "adds", probe=2)
    settings = replace(trace.settings, device=name)
    reference = replace(trace.graph, name=name, origin=f"/tmp/{name[:200]}", source_id=name)
    proved = Verification(True, True, f"both hold for {name}")
    return replace(trace, settings=settings, graph=reference, verification=proved)


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_graphs_traces_and_notices(window: MainWindow, name: str) -> None:
    graph = named(sample_graphs.make("figure_6"), name)
    window.controller.show_graph(graph)
    for number, trace in enumerate((hostile_run(graph, name), hostile_run(graph, name)), 1):
        window.session.add_run(RunRecord.from_trace(number, trace))
    window.comparison.compare_with(window.session.runs[0])
    window.settings.add_recent(f"/tmp/{name[:200]}", {})
    window.actions_by_key.menu("recent").aboutToShow.emit()
    window.session.set_progress(0.5, f"Opening {name}…")
    offer = Offer(f"Weights from {name}", None)
    window.session.set_notice(Notice("error", f"{name} is wrong.", name, (offer,)))
    for key in window.docks.by_key.keys() - MICROSCOPE:
        window.show_dock(key)
    check(window, name)
    failed = window.session.runs[0]
    failed.state, failed.failure = "failed", f"it failed: {name}"
    check(window, name)


def test_lessons(window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = HOSTILE[0]
    folder = tmp_path / "lessons"
    folder.mkdir()
    head = HEAD.replace('"T"', json.dumps(name)).replace('"I"', json.dumps(name))
    (folder / "9_hostile.toml").write_text(head + ONE + RUNS + TWO)
    (folder / "9_hostile.md").write_text(f"# {name}\n\n## one\n{name}\n\n## two\n{name}\n")
    part: Any = window.features["lessons"]
    monkeypatch.setenv(FOLDER, str(folder))
    part._fill_menu()
    part.lessons()
    check(window, "")
    part.open_path(str(folder / "9_hostile.toml"))
    check(window, in_sight(name))


def test_words_of_buttons_titles_and_names() -> None:
    assert button_words("a & b") == "a && b"
    assert title_words("a[*]") == "a[*][*]"
    assert in_sight("é 猫 🐈 می‌خواهم") == "é 猫 🐈 می‌خواهم"
    assert in_sight("a\u202eb\nc\x1b") == "a\ufffdb c\ufffd"
    assert len(in_sight("x" * 10_000)) == 160
    assert "…" in in_sight("x" * 161)
    assert in_sight("x" * 160) == "x" * 160


def test_a_tip_of_long_lines_begins_at_the_pointer(window: MainWindow) -> None:
    QCursor.setPos(200, 100)
    QToolTip.showText(QCursor.pos(), "word " * 60, window)
    (tip,) = (what for what in QApplication.topLevelWidgets() if what.inherits("QTipLabel"))
    assert tip.pos() == QPoint(202, 120)
    QToolTip.hideText()
