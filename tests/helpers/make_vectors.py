"""Make `gpu/scheduler_vectors.json` again: inputs -> decisions of `scheduler` and `delta`.

    PYTHONPATH=.:tests/helpers python -m make_vectors

The file is data under version control. Its inputs lie on both sides of every threshold; this
module computes the results again, so that a changed decision is a changed line, and the CUDA twin
(`cuda/kernels/scheduler.cuh`) can be compared with it without Python. A new input is a line added
by hand. A row of a function is its arguments, then its result. `constants` are those that both
twins name. `decide` has whole sequences: the rule and the weights of `start`, what it made (every
field of CONTROLLER), then readings, and after each reading what it decided and what the record
then holds (`AFTER`). A reading is what `decide` takes and a person's wish before it: a delta to
take over with, `HAND_BACK`, or 0.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from gpu import delta, scheduler

VECTORS = Path(__file__).resolve().parents[2] / "gpu" / "scheduler_vectors.json"
HAND_BACK = -1  # a person's wish, where another number above 0 is a delta to take over with
AFTER = (
    *("delta", "inverse_delta", "floor", "open_heads", "settle_left", "probing", "window_ended"),
    *("queued", "stretch_items", "stretch_switches"),
)


def read() -> dict[str, Any]:
    """Return the file."""
    vectors: dict[str, Any] = json.loads(VECTORS.read_text(encoding="utf-8"))
    return vectors


def find(name: str) -> Any:
    """Return the function or constant of that name."""
    return getattr(scheduler if hasattr(scheduler, name) else delta, name)


def again(vectors: dict[str, Any]) -> dict[str, Any]:
    """Return the same inputs with the results of today."""
    functions = {
        name: [[*arguments, find(name)(*arguments)] for *arguments, _ in rows]
        for name, rows in vectors["functions"].items()
    }
    sequences = [
        _played(one["start"], [reading for reading, _ in one["steps"]]) for one in vectors["decide"]
    ]
    constants = {name: find(name) for name in vectors["constants"]}
    return {**vectors, "constants": constants, "functions": functions, "decide": sequences}


def after_reading(
    state: np.ndarray, reading: list[int], decide: Callable[..., int] = delta.decide
) -> list[float]:
    """Do what a person wishes, then decide; return the reason and `AFTER` as plain numbers."""
    *counts, wish = reading
    if wish > 0:
        delta.take_over(state, float(wish))
    if wish == HAND_BACK:
        delta.hand_back(state)
    return [decide(state, *counts), *(state[name][0].item() for name in AFTER)]


def started(start: dict[str, Any]) -> np.ndarray:
    """Return the controller that a sequence of the file starts with."""
    return delta.start(delta.StartRule(**start["rule"]), delta.Weights(**start["weights"]))


def _played(start: dict[str, Any], readings: list[list[int]]) -> dict[str, Any]:
    state = started(start)
    made = [state[name][0].item() for name in delta.CONTROLLER.names or ()]
    steps = [[reading, after_reading(state, reading)] for reading in readings]
    return {"start": start, "made": made, "steps": steps}


def text_of(vectors: dict[str, Any]) -> str:
    """Return the text of the file: one row a line, so that a changed decision is one line."""
    constants = json.dumps(vectors["constants"])
    lines = [f'{{"seed": {vectors["seed"]},', f'"constants": {constants},', '"functions": {']
    tables = []
    for name, rows in vectors["functions"].items():
        body = ",\n".join(json.dumps(row) for row in rows)
        tables.append(f'"{name}": [\n{body}\n]')
    lines += [",\n".join(tables), "},", '"decide": [']
    lines += [",\n".join(json.dumps(sequence) for sequence in vectors["decide"]), "]}", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    VECTORS.write_text(text_of(again(read())), encoding="utf-8")
