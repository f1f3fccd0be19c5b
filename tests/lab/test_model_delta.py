"""Where delta ends on the modelled H100: rows from measured runs, and the page's table of them."""

from __future__ import annotations

import json
import math

import pytest

from gpu.lab import model_delta, tables
from gpu.lab.bench_gpu import PUBLISHED
from gpu.record.recording import load_recording
from sample_graphs import open_reference


def test_a_row_holds_what_was_measured_and_what_the_model_does() -> None:
    path = model_delta.recordings()[-1]
    recording = load_recording(path)
    graph = open_reference(recording.graph.origin, recording.graph.options)
    run = {"probe": 0, "kernel_ms": {"median": 2.0}, "processed": 10, "delta": 4096.0}
    other = run | {"probe": 1, "kernel_ms": {"median": 3.0}, "processed": 20, "delta": 1024.0}
    row = model_delta.compare(
        graph, recording.runs[0].settings.source, "adds", "roads", [run, other]
    )
    assert row["measured_delta"] == [1024.0, 4096.0]
    assert row["measured_processed"] == 15
    assert row["measured_ms"] == 2.0, "probes cost time: level 0 alone is speed"
    assert row["measured_changes"] == [], "nobody counted them"
    assert row["modelled_changes"] >= abs(row["modelled_doublings"]) > 0
    assert row["modelled_delta"] == row["first_delta"] * 2.0 ** row["modelled_doublings"]
    counted = [run | {"delta_changes": 3}, other | {"delta_changes": 1}]
    row = model_delta.compare(graph, recording.runs[0].settings.source, "adds", "roads", counted)
    assert row["measured_changes"] == [1, 3]


def test_the_recordings_tell_their_changes_of_delta() -> None:
    for row in model_delta.recorded():
        (changes,), (doubled,) = row["measured_changes"], row["measured_doublings"]
        assert changes >= abs(doubled)
        assert (changes - doubled) % 2 == 0, "it doubles or halves, and nothing else"


def test_the_file_holds_every_measured_graph_under_every_rule() -> None:
    path = tables.RESULTS / "model-delta-h100.json"
    told = json.loads(path.read_text(encoding="utf-8"))
    assert [one["file"] for one in told["measured"]] == [
        one["file"] for one in model_delta.sources()
    ], "run python -m gpu.lab.model_delta again"
    kept = {(row["graph"], row["rule"]): row for row in told["rows"]}
    for kind in model_delta.KINDS:
        for row in json.loads(model_delta.measured(kind).read_text(encoding="utf-8"))["rows"]:
            if row["algorithm"] in model_delta.RULES and row["fault"] is None:
                found = kept[row["graph"], row["algorithm"]]
                assert row["delta"] in found["measured_delta"]
    for row in kept.values():
        assert math.log2(row["modelled_delta"] / row["first_delta"]) == row["modelled_doublings"]
        assert row["modelled_changes"] >= abs(row["modelled_doublings"])


@pytest.mark.parametrize(("rule", "words"), [("adds", "ours"), (PUBLISHED, "as published")])
def test_the_page_names_the_rule(rule: str, words: str) -> None:
    told = json.loads((tables.RESULTS / "model-delta-h100.json").read_text(encoding="utf-8"))
    wanted = sum(row["rule"] == rule for row in told["rows"])
    assert sum(f"| {words} |" in line for line in tables.model_delta()) == wanted > 0
