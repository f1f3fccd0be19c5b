"""What the code panel shows: lines for every event, counts as heat, colours of the language."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from test_microscope import MODELLED, recorded, show

import gpu
from gpu.algorithms import ALGORITHMS
from gpu.record.events import EventKind
from gpu.replay.pseudocode import Pseudocode, pseudocode_of
from sample_graphs import open_sample
from viewer.features.microscope.code import CodePanel
from viewer.features.microscope.feature import visible_delta
from viewer.features.microscope.model import MicroscopeModel
from viewer.models.playback import PlaybackModel
from viewer.models.session import SessionModel

Stage = tuple[SessionModel, MicroscopeModel]


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
    for what in ("sample:figure_6", "sample:rmat?n=64&seed=3"):
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


def test_a_bucket_width_that_one_can_see() -> None:
    graph = open_sample("sample:figure_6")
    for key in MODELLED:
        row = ALGORITHMS[key]
        width = visible_delta(graph, row)
        assert (width is None) == (row.dynamic or not row.bucketed)
        if width is not None:
            assert 2 < gpu.run(graph, "dijkstra").dist.max() / width < 32
