"""A and B in one session: the comparison's model, the table of runs, the plots that overlay."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from panel_stage import REFERENCE, Bench, make_record, make_samples, make_trace
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QAction
from pytestqt.qtbot import QtBot
from screen import grabbed

from gpu.record.trace import Trace, Verification
from gpu.study.compare import CompareError
from viewer.common.theme import THEMES
from viewer.features.compare.bar import CompareBar
from viewer.features.compare.runs import RunsPanel
from viewer.features.compare.runs_table import COLUMNS, RunsTable
from viewer.models.comparison import ComparisonModel
from viewer.models.session import RunRecord, SessionModel
from viewer.plots.buckets import BucketPanel
from viewer.plots.delta import DeltaPanel
from viewer.plots.parallelism import ParallelismPanel
from viewer.plots.plot_base import PlotPanel
from viewer.plots.work import WorkPanel

LEFT = Qt.MouseButton.LeftButton
PANELS = (BucketPanel, DeltaPanel, ParallelismPanel, WorkPanel)
TWICE = 2_000_000  # ns, twice as long as the runs of `panel_stage`


def slower(trace: Trace) -> Trace:
    samples = trace.samples.copy()
    samples["t_ns"] *= 2
    return replace(trace, samples=samples)


def add(
    session: SessionModel, run_id: int, algorithm: str, slow: bool, **changed: Any
) -> RunRecord:
    record = make_record(algorithm, run_id=run_id, **changed)
    session.add_run(record, show=run_id == 1)
    trace = make_trace(make_samples(), record)
    session.finish_run(run_id, slower(trace) if slow else trace)
    session.set_verification(run_id, Verification(True, True, "both hold"))
    return record


@pytest.fixture
def session() -> SessionModel:
    """A current ADDS run and a Near-Far run that took twice as long."""
    session = SessionModel()
    add(session, 1, "adds", False)
    add(session, 2, "near_far", True)
    return session


@pytest.fixture
def pair(session: SessionModel) -> ComparisonModel:
    pair = ComparisonModel(session)
    pair.compare_with(session.runs[1])
    return pair


def test_deleting_a_or_b_ends_the_comparison(session: SessionModel, pair: ComparisonModel) -> None:
    a, b = session.runs
    session.remove_run(b)
    assert not pair.active
    assert session.current is a
    add(session, 3, "near_far", True)
    pair.compare_with(session.runs[1])
    session.remove_run(a)
    assert not pair.active
    assert session.current is session.runs[0]


def test_another_graph_is_refused_and_ends_it(session: SessionModel, pair: ComparisonModel) -> None:
    other = RunRecord(9, make_record().settings, replace(REFERENCE, hash="other"), "modelled")
    session.add_run(other, show=False)
    with pytest.raises(CompareError, match="another graph"):
        pair.compare_with(other)
    assert pair.active
    session.set_current(other)
    assert not pair.active
    with pytest.raises(CompareError, match="another run than"):
        pair.compare_with(other)


def test_measured_runs_want_reruns_without_probes() -> None:
    session = SessionModel()
    for run_id in (1, 2):
        record = make_record("adds" if run_id == 1 else "near_far", "measured", run_id)
        record.settings = replace(record.settings, engine="cuda", probe=2)
        session.add_run(record, show=run_id == 1)
        session.finish_run(run_id, make_trace(make_samples(), record))
    pair = ComparisonModel(session)
    pair.compare_with(session.runs[1])
    wanted = pair.missing_reruns()
    assert [(run.algorithm, run.probe) for run in wanted] == [("adds", 0), ("near_far", 0)]
    assert "not to be quoted" in pair.summary().whole  # type: ignore[union-attr]
    for run_id, settings in enumerate(wanted, 3):
        record = RunRecord(run_id, settings, REFERENCE, "measured")
        session.add_run(record, show=False)
        session.finish_run(run_id, make_trace(make_samples()[-1:], record))
    assert pair.missing_reruns() == []
    assert "Timed in a second run" in pair.summary().whole  # type: ignore[union-attr]


def test_the_table_says_what_each_run_was(session: SessionModel, pair: ComparisonModel) -> None:
    table = RunsTable(session, pair)
    rows = [
        [table.data(table.index(row, column)) for column in range(table.columnCount())]
        for row in range(table.rowCount())
    ]
    assert [row[0] for row in rows] == ["A", "B"]
    assert rows[0][1] == "ADDS"
    assert rows[0][4:6] == ["auto 8 → 16", "roads"]
    assert [row[2] for row in rows] == ["1.000 ms modelled", "2.000 ms modelled"]
    assert {row[9] for row in rows} == {"✓ yes"}
    assert [table.headerData(1 + k, Qt.Orientation.Horizontal) for k in range(3)] == [
        column.title for column in COLUMNS[:3]
    ]
    assert table.shared_columns() == [3, 6, 5]
    pair.end()
    assert [table.data(table.index(row, 0)) for row in (0, 1)] == ["•", ""]


@pytest.fixture
def panel(session: SessionModel, pair: ComparisonModel, qtbot: QtBot) -> RunsPanel:
    panel = RunsPanel(session, pair)
    qtbot.addWidget(panel)
    panel.resize(900, 240)
    panel.apply_theme(THEMES["dark"])
    with qtbot.waitExposed(panel):
        panel.show()
    return panel


def click_row(panel: RunsPanel, record: RunRecord, qtbot: QtBot) -> None:
    proxy = panel.table.model()
    found = next(
        row
        for row in range(proxy.rowCount())
        if panel.model.run_at(proxy.mapToSource(proxy.index(row, 2)).row()) is record
    )
    place = panel.table.visualRect(proxy.index(found, 2)).center()
    qtbot.mouseClick(panel.table.viewport(), LEFT, pos=place)
    assert panel.chosen is record


@pytest.mark.parametrize(
    ("key", "signal"),
    [
        (Qt.Key.Key_A, "show_requested"),
        (Qt.Key.Key_Return, "show_requested"),
        (Qt.Key.Key_B, "compare_requested"),
        (Qt.Key.Key_Delete, "delete_requested"),
    ],
)
def test_keys_of_the_table_are_wishes(
    panel: RunsPanel, session: SessionModel, qtbot: QtBot, key: Qt.Key, signal: str
) -> None:
    third = add(session, 3, "dijkstra", False)
    click_row(panel, third, qtbot)
    with qtbot.waitSignal(getattr(panel, signal)) as asked:
        qtbot.keyClick(panel.table, key)
    assert asked.args == [third]


def test_buttons_and_menu_offer_what_can_be_done(
    panel: RunsPanel, session: SessionModel, pair: ComparisonModel, qtbot: QtBot
) -> None:
    third = add(session, 3, "dijkstra", False)
    click_row(panel, third, qtbot)
    assert all(button.isEnabled() for button in panel.buttons.values())
    with qtbot.waitSignal(panel.compare_requested) as asked:
        qtbot.mouseClick(panel.buttons["b"], LEFT)
    assert asked.args == [third]
    click_row(panel, session.runs[0], qtbot)
    assert not panel.buttons["a"].isEnabled()  # it is shown already
    menu = panel.table.actions()
    assert [row.isEnabled() for row in menu] == [False, False, True, True]
    with qtbot.waitSignal(panel.delete_requested):
        menu[2].trigger()
    pair.end()


@pytest.mark.parametrize("kind", PANELS, ids=[kind.__name__ for kind in PANELS])
@pytest.mark.parametrize("clock", ["modelled", "measured"])
def test_plots_overlay_the_second_run(qtbot: QtBot, kind: type[PlotPanel], clock: str) -> None:
    bench = Bench(qtbot)
    a = bench.run()
    pair = ComparisonModel(bench.session)
    panel = bench.show(kind)
    panel.set_comparison(pair)
    record = make_record("near_far", clock, 2)
    bench.session.add_run(record, show=False)
    pair.compare_with(record)
    bench.session.append_samples(2, make_samples()[:50])  # B runs while A is shown
    panel.flush()
    assert bench.session.current is a
    assert panel.comparing
    assert panel.pair_legend.isVisible()
    bench.session.append_samples(2, make_samples()[50:])
    bench.session.finish_run(2, slower(make_trace(make_samples(), record)))
    panel.flush()
    assert panel._b_end_ns == TWICE
    assert {panel._pen_of(place).style() for place in (0, 1)} == {Qt.PenStyle.SolidLine}
    assert ("A modelled, B measured" in panel.time_axis.labelText) == (clock == "measured")
    assert grabbed(panel).width() == 600
    pair.end()
    panel.flush()
    assert not panel.comparing
    assert not panel.pair_legend.isVisible()
    assert not any(letter.isVisible() for letter in panel._letters)


def test_the_bar_says_and_asks(session: SessionModel, pair: ComparisonModel, qtbot: QtBot) -> None:
    swap = QAction("Swap")
    bar = CompareBar(pair, [swap])
    qtbot.addWidget(bar)
    bar.apply_theme(THEMES["light"])
    bar.show()
    assert "ADDS finished 2.0x sooner" in bar.text()
    assert ">A</b>" in bar.words.text()
    assert ">B</b>" in bar.words.text()
    assert bar.more.menu().actions() == [swap]
    bar.allow(False)
    assert bar.isHidden()
    bar.allow(True)
    pair.end()
    assert bar.isHidden()
    assert np.isfinite(bar.height())
