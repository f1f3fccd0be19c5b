"""The log of decisions against the samples, and a steered run against the controller's."""

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from pytestqt.qtbot import QtBot

import gpu
import sample_graphs
from gpu.record.trace import SAMPLE, Flag, Reason, Trace
from viewer.features.why import WhyPanel
from viewer.models.decisions import decisions, staying
from viewer.models.playback import PlaybackModel
from viewer.models.session import RunRecord, SessionModel

LEFT = Qt.MouseButton.LeftButton


def run(held: float | None = None) -> Trace:
    graph = sample_graphs.make("city_roads", n=3_000, seed=4)
    return gpu.run(graph, "adds", delta_by_hand=lambda: held)


@pytest.fixture(scope="module")
def own() -> Trace:
    return run()


@pytest.fixture(scope="module")
def steered() -> Trace:
    return run(held=3.0)


def test_every_change_of_delta_has_its_row(own: Trace) -> None:
    rows = decisions(own.samples)
    assert sum(row.changes for row in rows) == int(own.last["delta_changes"]) > 0
    values = [float(own.samples["delta"][0])]
    for row in rows:
        assert row.before == values[-1]
        values.append(row.after)
        assert row.t_ns == own.samples["t_ns"][row.sample]
        assert row.reason != Reason.NONE
        assert row.why
        assert row.what
    assert values[-1] == own.samples["delta"][-1]
    whole = [row.sample for row in rows]
    half = len(own.samples) // 2
    parts = decisions(own.samples[:half]) + decisions(own.samples, half)
    assert [row.sample for row in parts] == whole
    assert decisions(own.samples[:1]) == []


@pytest.mark.parametrize(
    ("in_hand", "waiting", "words"),
    [
        (466.0, 10, "466 edges in hand since then, 7,680 to 30,000 wanted, and Δ was not raised"),
        (466.0, 90_000, "more would not help"),
        (9_000.0, 10, "as many as wanted"),
        (90_000.0, 10, "less would starve them"),
        (90_000.0, 90_000, "and Δ was not lowered"),
    ],
)
def test_why_delta_stays_is_said_from_both_readings(
    in_hand: float, waiting: int, words: str
) -> None:
    samples = np.zeros(20, SAMPLE)
    samples["delta"], samples["open_buckets"], samples["t_ns"] = 32_768.0, 2, np.arange(20)
    samples["band_low"], samples["band_high"] = 7_680, 30_000
    samples["assigned_edges"] = in_hand
    samples["occupancy"][:, 1], samples["occupancy"][:, 2] = waiting, 10**6
    t_ns, what, why = staying(samples, 4.0)
    assert (t_ns, what) == (1.0, "Δ stays 32,768")
    assert words in why
    samples["flags"][-1] = Flag.DELTA_BY_HAND
    assert staying(samples, 4.0) is None


def test_a_run_whose_delta_was_given_says_why_it_stayed(qtbot: QtBot) -> None:
    session, playback = SessionModel(), PlaybackModel()
    playback.watch(session)
    panel = WhyPanel(session, playback)
    qtbot.addWidget(panel)
    panel.show()
    graph = sample_graphs.make("grid", n=400, seed=1)
    session.add_run(RunRecord.from_trace(1, gpu.run(graph, "adds", delta=7.0)))
    qtbot.waitUntil(lambda: "You set Δ to 7" in panel.hint.text())
    session.add_run(RunRecord.from_trace(2, gpu.run(graph, "near_far", delta=7.0)))
    qtbot.waitUntil(lambda: "Δ did not change" in panel.hint.text())  # nothing could move it


def test_the_panel_follows_the_cursor_and_moves_it(
    qtbot: QtBot, own: Trace, steered: Trace
) -> None:
    session, playback = SessionModel(), PlaybackModel()
    playback.watch(session)
    panel = WhyPanel(session, playback)
    qtbot.addWidget(panel)
    panel.resize(420, 300)
    panel.show()
    session.add_run(RunRecord.from_trace(1, own))
    panel.flush()
    rows = decisions(own.samples)
    assert panel.list.count() == len(rows) + 1  # why it stays
    why = staying(own.samples, own.graph.m / own.graph.n)[2]
    assert panel.list.item(len(rows)).text().endswith(why)
    assert panel.list.item(1).text().endswith(f"{rows[1].what}\n{rows[1].why}")
    place = panel.list.visualItemRect(panel.list.item(1)).center()
    qtbot.mouseClick(panel.list.viewport(), LEFT, pos=place)
    assert playback.cursor_ns == rows[1].t_ns
    playback.set_cursor(np.nextafter(rows[0].t_ns, np.inf))
    panel.flush()
    assert panel.list.currentRow() == 0
    session.add_run(RunRecord.from_trace(2, steered))
    panel.flush()
    assert panel.list.count() == len(decisions(steered.samples))
