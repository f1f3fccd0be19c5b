"""Panels say what a run waits for, until it begins."""

from __future__ import annotations

import pytest
from panel_stage import PLOTS, Bench, make_record, make_samples
from pytestqt.qtbot import QtBot

from viewer.plots.live import LivePanel

WORDS = "Compiling the model, first run only…"


@pytest.mark.parametrize("kind", PLOTS)
def test_a_panel_says_what_a_run_waits_for(qtbot: QtBot, kind: type[LivePanel]) -> None:
    bench = Bench(qtbot)
    panel = bench.show(kind)
    bench.session.set_waiting(WORDS)
    panel.flush()
    assert panel.hint.text().endswith(WORDS)
    assert panel.HINT in panel.hint.text()
    record = make_record()
    bench.session.add_run(record)
    panel.flush()
    assert panel.hint.text() == WORDS
    assert panel.hint.isVisible()
    bench.session.set_waiting("")
    bench.session.append_samples(record.run_id, make_samples())
    panel.flush()
    assert panel.hint.text() == ""
    assert not panel.hint.isVisible()
