"""What the code panel shows: lines for every event, counts as heat, colours of the language."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, repeat

import pytest
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from test_microscope import DEVICE, MODELLED, recorded, show

import gpu
from gpu.algorithms import ALGORITHMS
from gpu.errors import ParameterError
from gpu.record.events import EventKind
from gpu.record.trace import Reason
from gpu.replay.pseudocode import Pseudocode, pseudocode_of
from sample_graphs import open_sample
from viewer.common.theme import LIGHT, PROJECTOR
from viewer.features.microscope.code import CodePanel
from viewer.features.microscope.feature import visible_delta
from viewer.features.microscope.model import MicroscopeModel
from viewer.models.playback import PlaybackModel
from viewer.models.session import SessionModel

Stage = tuple[SessionModel, MicroscopeModel]
ENTERS_FIRST = ["dijkstra", "bellman_ford", "near_far", "async_near_far", "delta_stepping"]
WITH_DELTA = [key for key in MODELLED if ALGORITHMS[key].bucketed]


@pytest.fixture
def stage(qapp: QApplication) -> Iterator[Stage]:
    session, playback = SessionModel(), PlaybackModel()
    playback.watch(session)
    model = MicroscopeModel(session, playback)
    session.set_graph(open_sample("sample:figure_6"))
    yield session, model
    model.pause()


def code_of(key: str) -> Pseudocode:
    code = pseudocode_of(key)
    assert code is not None
    return code


@pytest.mark.parametrize("key", MODELLED)
def test_each_kind_that_an_algorithm_makes_has_its_line(key: str) -> None:
    code = code_of(key)
    for what in ("sample:figure_6", "sample:rmat?n=256&seed=3"):
        if ALGORITHMS[key].result == "matrix" and "rmat" in what:
            continue
        events = recorded(key, what).events
        for kind, a in set(zip(events["kind"].tolist(), events["a"].tolist(), strict=True)):
            assert kind == EventKind.SAMPLE or code.lit_by(EventKind(kind), a) >= 0
    for line in code.lines:
        assert line.row < len(code.sources[line.file])
        assert len(line.text) <= 60


@pytest.mark.parametrize("key", MODELLED)
def test_heat_counts_what_the_run_did(stage: Stage, qtbot: QtBot, key: str) -> None:
    session, model = stage
    panel = CodePanel(model)
    qtbot.addWidget(panel)
    trace = recorded(key)
    code, matrix = code_of(show(session, trace).algorithm.key), ALGORITHMS[key].result == "matrix"
    events = [(EventKind(kind), a) for kind, a in trace.events[["kind", "a"]].tolist()]
    for position in (len(events) // 3, 2 * len(events) // 3, len(events)):
        model.go(position)
        for k, line in enumerate(code.lines):
            done = [a for kind, a in events[:position] if kind in line.kinds]
            wanted = len(done) if line.only is None else sum(a in line.only for a in done)
            if code.begins_at >= 0 and EventKind.PUSH in line.kinds:
                wanted -= 1  # the source, which enters by the first line
            if k == code.begins_at:
                wanted = 1
            assert panel.pseudo.counts[k] == wanted
    last = trace.samples[-1]
    counts = {line.text.strip(): panel.pseudo.counts[k] for k, line in enumerate(code.lines)}
    arcs = next(count for words, count in counts.items() if "(u, v, w)" in words)
    assert arcs == last["relaxed_edges"]
    assert sum(count for words, count in counts.items() if "]: " in words) == last["improved"]
    if not matrix:
        return
    sources = len(trace.dist)
    assert counts["each block, while a source is left:"] == sources
    assert counts["row = ∞, but 0 at the source"] == sources
    taken = counts.get("take waiting u below the bound")
    rounds = counts["a round:"] * session.graph.n if taken is None else taken
    assert rounds == last["processed_vertices"]
    split = counts.get("none below the bound: heavy edges, if split")
    if split is not None:
        assert (key == "delta_apsp") == (counts["take u again: its heavy edges"] == taken > 0)
        assert split == counts["then light edges again"]


@pytest.mark.parametrize("key", ENTERS_FIRST)
def test_the_source_enters_by_the_first_line(stage: Stage, qtbot: QtBot, key: str) -> None:
    session, model = stage
    panel = CodePanel(model)
    qtbot.addWidget(panel)
    show(session, recorded(key))
    first = list(model.replay.events["kind"]).index(EventKind.PUSH) + 1
    model.go(first)
    assert panel.pseudo.lit == 0
    assert panel.pseudo.counts[0] == 1
    assert "source" in panel.pseudo.lines[0]
    assert model.seek([EventKind.PUSH])
    assert "enters" in panel.pseudo.lines[panel.pseudo.lit] or panel.pseudo.lit > 3
    assert panel.pseudo.counts[panel.pseudo.lit] == 1


@pytest.mark.parametrize("key", WITH_DELTA)
def test_a_given_delta_and_one_by_hand_are_no_decision(key: str) -> None:
    """Held by hand from the second slice of the run on, handed back after five."""
    held = chain([None], repeat(40.0, 4), repeat(None))
    few = {"sources": 8} if ALGORITHMS[key].result == "matrix" else None
    graph = open_sample("sample:grid?n=900")
    trace = gpu.run(
        graph, key, probe=3, device=DEVICE, parameters=few, delta_by_hand=lambda: next(held)
    )
    code = code_of(key)
    events = trace.events[trace.events["kind"] == EventKind.DELTA]
    lit = {Reason(a): code.lit_by(EventKind.DELTA, a) for a in events["a"].tolist()}
    texts = {reason: code.lines[place].text.strip() for reason, place in lit.items()}
    assert events["a"][0] == Reason.START
    assert "Δ" in texts.pop(Reason.START)
    assert texts.pop(Reason.BY_HAND).startswith("Δ set by hand")
    assert all("change Δ" in text for text in texts.values())
    decides = [line for line in code.lines if "change Δ" in line.text]
    for reason in (Reason.START, Reason.BY_HAND):
        assert not any(line.concerns(EventKind.DELTA, reason) for line in decides)


def test_the_line_at_work_stays_in_sight(stage: Stage, qtbot: QtBot) -> None:
    session, model = stage
    panel = CodePanel(model)
    qtbot.addWidget(panel)
    panel.resize(900, 220)
    panel.show()
    show(session, recorded("adds"))

    def is_seen() -> bool:
        seen = [lines.visibleRegion().boundingRect() for lines in (panel.pseudo, panel.source)]
        rows = [int((lines.lit + 0.5) * lines.row_height) for lines in (panel.pseudo, panel.source)]
        return all(box.top() <= y <= box.bottom() for box, y in zip(seen, rows, strict=True))

    for theme in (LIGHT, PROJECTOR):
        panel.apply_theme(theme)
        for position in range(1, len(model.replay or ()), 5):
            model.go(position)
            if model.kind != EventKind.SAMPLE:
                qtbot.waitUntil(is_seen)
    panel.resize(900, 160)
    model.go(10)
    panel.apply_theme(LIGHT)
    qtbot.waitUntil(is_seen)


def test_wrong_pseudocode_says_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    from gpu.replay import pseudocode

    with pytest.raises(ParameterError, match=r"no line of queue\.cuh has 'no such words'"):
        pseudocode._read("x.toml", {"lines": [{"text": "", "at": "queue.cuh: no such words"}]})
    data = {
        "title": "",
        "lines": [{"text": "", "kinds": ["JUMP"], "at": "queue.cuh: #pragma once"}],
    }
    with pytest.raises(ParameterError, match="no event is called 'JUMP'"):
        pseudocode._read("x.toml", data)
    wrong = {"text": "", "kinds": ["DELTA"], "reasons": ["WHIM"], "at": "queue.cuh: #pragma once"}
    with pytest.raises(ParameterError, match="no reason is called 'WHIM'"):
        pseudocode._read("x.toml", {"title": "", "lines": [wrong]})
    assert pseudocode_of("cugraph") is None


def test_a_bucket_width_that_one_can_see() -> None:
    graph = open_sample("sample:figure_6")
    for key in MODELLED:
        row = ALGORITHMS[key]
        width = visible_delta(graph, row)
        assert (width is None) == (row.dynamic or not row.bucketed)
        if width is not None:
            assert 2 < gpu.run(graph, "dijkstra").dist.max() / width < 32
