"""A and B in one session: the comparison's model, the table of runs, the plots that overlay."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from panel_stage import Bench, make_record, make_samples, make_trace
from PyQt6.QtCore import Qt
from pytestqt.qtbot import QtBot
from screen import grabbed

from gpu.record.events import EventKind
from gpu.record.trace import EVENT, Trace, Verification
from viewer.common.theme import THEMES
from viewer.features.compare.runs import RunsPanel
from viewer.models.comparison import ComparisonModel
from viewer.models.session import RunRecord, SessionModel
from viewer.plots.buckets import BucketPanel
from viewer.plots.delta import DeltaPanel
from viewer.plots.parallelism import ParallelismPanel
from viewer.plots.plot_base import PlotPanel
from viewer.plots.work import WorkPanel

LEFT = Qt.MouseButton.LeftButton
PANELS = (BucketPanel, DeltaPanel, ParallelismPanel, WorkPanel)


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
    session.change_run(run_id, verification=Verification(True, True, "both hold"))
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


@pytest.fixture
def panel(session: SessionModel, pair: ComparisonModel, qtbot: QtBot) -> RunsPanel:
    panel = RunsPanel(session, pair)
    qtbot.addWidget(panel)
    panel.resize(900, 240)
    panel.apply_theme(THEMES["dark"])
    with qtbot.waitExposed(panel):
        panel.show()
    return panel


def test_the_table_says_what_each_run_was(
    panel: RunsPanel, session: SessionModel, pair: ComparisonModel
) -> None:
    def rows() -> list[list[str]]:
        every = range(panel.table.columnCount())
        return [[panel.table.item(row, place).text() for place in every] for row in (1, 0)]

    first, second = rows()  # the newest stands above
    assert [first[0], second[0]] == ["A", "B"]
    assert [first[1], first[9]] == ["ADDS", "roads"]
    assert first[3] == "auto 8 → 16"
    assert [first[2], second[2]] == ["1.000 ms modelled", "2.000 ms modelled"]
    assert first[7] == second[7] == "–"  # these samples hold no distance errors
    assert first[6] == second[6] == "✓ yes"
    late = np.array([(9, EventKind.POP, 0, 7, 0, 3.0)], EVENT)  # the source waits at 0
    for record in session.runs:
        record.samples["distance_error"], record.samples["error_vertices"] = 50.0, 10
    session.finish_run(1, replace(session.runs[0].trace, events=late))
    assert [row[7] for row in rows()] == ["3", "5"]
    assert pair.summary().words.endswith("on average: ADDS 3 (exact), Near-Far 5.")
    pair.end()
    assert [row[0] for row in rows()] == ["•", ""]
    panel.table.sortByColumn(2, Qt.SortOrder.AscendingOrder)
    assert panel.run_at(0) is session.runs[0]


def test_keys_of_the_table_are_wishes(
    panel: RunsPanel, session: SessionModel, qtbot: QtBot
) -> None:
    third = add(session, 3, "dijkstra", False)
    signals = [panel.show_requested] * 2 + [panel.compare_requested, panel.delete_requested]
    keys = (Qt.Key.Key_A, Qt.Key.Key_Return, Qt.Key.Key_B, Qt.Key.Key_Delete)
    for key, signal in zip(keys, signals, strict=True):
        row = next(row for row in range(9) if panel.run_at(row) is third)
        place = panel.table.visualItemRect(panel.table.item(row, 2)).center()
        qtbot.mouseClick(panel.table.viewport(), LEFT, pos=place)
        with qtbot.waitSignal(signal) as asked:
            qtbot.keyClick(panel.table, key)
        assert asked.args == [third]


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
    assert panel.pair_legend.accessibleDescription().count(", ") == 1
    assert ("/s" in panel.pair_legend.accessibleDescription()) == (kind is WorkPanel)
    assert panel._pen_of(0).style() != panel._pen_of(1).style()  # told apart without colours
    assert ("A modelled, B measured" in panel.time_axis.labelText) == (clock == "measured")
    assert grabbed(panel).width() == 600
    pair.end()
    panel.flush()
    assert not panel.comparing
    assert not panel.pair_legend.isVisible()
