"""What the microscope says of whole runs: `tests/replay/sentences.json`.

    PYTHONPATH=.:tests/helpers python -m sentences

writes it again, after a change of a sentence that is meant: the difference of the file is then
what to read. Of every algorithm: each event of two small runs in words, and the line of its
pseudocode that each kind of event lights. The second run has decimal weights, parallel arcs, and
other settings.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

import gpu
from gpu.algorithms import ALGORITHMS
from gpu.graph import CSRGraph
from gpu.record.events import EventKind
from gpu.replay.explain import explain
from gpu.replay.pseudocode import pseudocode_of
from gpu.replay.replay import Replay
from sample_graphs import open_sample

FILE = Path(__file__).resolve().parents[1] / "replay" / "sentences.json"
MODELLED = [key for key, row in ALGORITHMS.items() if "model" in row.engines]


def sentences_of(key: str, other: bool = False) -> list[str]:
    """Return each event of an algorithm's run on the graph of figure 6, in words.

    other : on a graph of decimal weights instead, with other settings
    """
    row, graph = ALGORITHMS[key], open_sample("sample:figure_6")
    parameters: dict[str, Any] = {"sources": 2}
    if other:
        rng = np.random.default_rng(7)
        tails, heads, quarters = rng.integers(0, [[9], [9], [40]], (3, 24))
        graph = CSRGraph.from_arcs(tails, heads, (quarters / 4).astype(np.float32), 9, id_base=1)
        parameters |= {"workers": 2, "buckets": 4, "drop_stale": False}
    delta = 2.0 if other and row.bucketed else None
    known = {parameter.key for parameter in row.parameters}
    few = {name: value for name, value in parameters.items() if name in known}
    more: dict[str, Any] = {"device": "Classroom GPU", "delta": delta, "parameters": few}
    trace = gpu.run(graph, key, "model", probe=3, **more)
    replay = Replay.of(graph, trace)
    events = replay.events
    return [explain(graph, replay.go(i), events, i, row) for i in range(len(events))]


def lit_lines(key: str) -> dict[str, list[str]]:
    """Return event kind -> the lines that it lights where its `a` is 0, 1 and 2; "" for none."""
    code = pseudocode_of(key)
    if code is None:
        return {}
    texts = [*(line.text for line in code.lines), ""]  # -1 is the last
    lit = {kind.name: [texts[code.lit_by(kind, a)] for a in range(3)] for kind in EventKind}
    return {kind: lines for kind, lines in lit.items() if any(lines)}


if __name__ == "__main__":
    known = {
        key: {"told": sentences_of(key), "other": sentences_of(key, True), "lit": lit_lines(key)}
        for key in MODELLED
    }
    FILE.write_text(json.dumps(known, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")
