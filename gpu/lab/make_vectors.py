"""Make `gpu/scheduler_vectors.json`: inputs -> decisions of `scheduler` and `delta`.

    python -m gpu.lab.make_vectors

The file is data under version control, so that a change of a decision shows up as a change
of the file, and the CUDA twin (`cuda/kernels/scheduler.cuh`) can be held against it without
Python. A row of a function is its arguments, then its result. `decide` has whole sequences:
the rule and the weights of `start`, then readings, and after each reading what it decided.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np

from gpu import delta, scheduler

VECTORS = Path(__file__).resolve().parents[1] / "scheduler_vectors.json"
ROWS = 60  # per function
SEQUENCES, SWEEPS = 24, 80
WEIGHTS = (0.0, 0.37, 1.0, 13.0, 50.5, 1293.0, 5000.5, 2.0**30)  # mean weights


def make(seed: int = 1) -> dict[str, Any]:
    """Return every vector, the same for the same seed."""
    rng = random.Random(seed)
    functions = {name: _table(name, rng) for name in ARGUMENTS}
    sequences = [_sequence(rng) for _ in range(SEQUENCES)]
    return {"seed": seed, "functions": functions, "decide": sequences}


def _raw_offset(rng: random.Random) -> tuple[Any, ...]:
    base = float(rng.choice([0, 4, 1000, 123456.5, rng.uniform(0, 1e6)]))
    width = 2.0 ** rng.randint(-12, 20)
    away = rng.choice([rng.uniform(-40, 80) * width, rng.randint(-3, 33) * width, 3.4e38])
    return base + away, base, 1.0 / width


def _push_offset(rng: random.Random) -> tuple[Any, ...]:
    head = rng.randint(0, 10_000)
    return rng.randint(-5, 40), head + rng.randint(0, 4), head, rng.choice([2, 3, 8, 32])


def _clips(rng: random.Random) -> tuple[Any, ...]:
    buckets = rng.choice([2, 8, 32])
    return buckets + rng.randint(-3, 3), buckets


def _stays(rng: random.Random) -> tuple[Any, ...]:
    head = rng.randint(0, 10_000)
    return rng.randint(-5, 6), head + rng.randint(0, 4), head


def _readable_end(rng: random.Random) -> tuple[Any, ...]:
    segment = rng.choice([1, 32, 64])
    start = segment * rng.randint(0, 5000)
    read = start + rng.randrange(segment)
    reserved = read + rng.choice([0, 1, rng.randint(0, 3 * segment)])
    in_segment = min(reserved - start, segment)
    return read, reserved, rng.choice([in_segment, rng.randint(0, in_segment)]), segment


def _head_is_finished(rng: random.Random) -> tuple[Any, ...]:
    reserved = rng.randint(0, 10_000)
    return reserved, max(0, reserved - rng.choice([0, 0, 1, 7]))


def _chunk_size(rng: random.Random) -> tuple[Any, ...]:
    smallest = rng.choice([1, 32])
    return rng.randint(1, 5000), rng.randint(1, 200), smallest, smallest * rng.choice([1, 8, 16])


def _quiet(rng: random.Random) -> tuple[Any, ...]:
    return (*(rng.choice([0, 0, 0, 3]) for _ in range(3)), rng.randint(0, 2))


def _near_far_delta(rng: random.Random) -> tuple[Any, ...]:
    return rng.choice(WEIGHTS), rng.uniform(0, 60), rng.random() < 0.5


def _initial_delta(rng: random.Random) -> tuple[Any, ...]:
    return rng.choice(WEIGHTS), rng.uniform(0, 30), rng.random() < 0.5


def _power_of_two(rng: random.Random) -> tuple[Any, ...]:
    return (2.0 ** rng.uniform(-30, 30),)


ARGUMENTS = {
    "raw_offset": _raw_offset,
    "push_offset": _push_offset,
    "clips": _clips,
    "stays_with_worker": _stays,
    "readable_end": _readable_end,
    "head_is_finished": _head_is_finished,
    "chunk_size": _chunk_size,
    "quiet": _quiet,
    "near_far_delta": _near_far_delta,
    "initial_delta": _initial_delta,
    "power_of_two": _power_of_two,
}
HOMES = {name: scheduler if hasattr(scheduler, name) else delta for name in ARGUMENTS}


def _table(name: str, rng: random.Random) -> list[list[Any]]:
    function = getattr(HOMES[name], name)
    rows = []
    for _ in range(ROWS):
        arguments = ARGUMENTS[name](rng)
        rows.append([*arguments, function(*arguments)])
    return rows


def started(start: dict[str, Any]) -> np.ndarray:
    """Return the controller that a sequence of the file starts with."""
    return delta.start(delta.StartRule(**start["rule"]), delta.Weights(**start["weights"]))


def _sequence(rng: random.Random) -> dict[str, Any]:
    """Play a run of readings, most of them far from the band, against the controller."""
    weight = rng.choice(WEIGHTS)
    given = rng.choice([None, None, None, 64.0])
    weights: dict[str, Any] = {
        "mean": weight,
        "largest": weight * 2,
        "mean_degree": rng.choice([2.8, 4.0, 26.0, 16.0]),
        "integer": rng.random() < 0.5,
    }
    rule: dict[str, Any] = {
        "threads": 33_536,
        "buckets": rng.choice([2, 8, 32]),
        "max_open": 4,
        "given": given,
        "dynamic": rng.random() < 0.9,
    }
    start = {"rule": rule, "weights": weights}
    state = started(start)
    steps, level = [], 0.0
    for sweep in range(SWEEPS):
        level = 10 ** rng.uniform(0, 5) if sweep % 8 == 0 else level
        produced = rng.randint(0, 500)
        reading = [
            int(level * rng.uniform(0.8, 1.2)),
            int(level * rng.uniform(0, 2)),
            produced,
            int(produced * rng.choice([0, 0.2, 0.8])),
            int(produced * rng.choice([0, 0.2, 0.8])),
            rng.randint(0, 2),
        ]
        reason = delta.decide(state, *reading)
        after = [reason, float(state["delta"][0]), int(state["open_heads"][0])]
        steps.append([reading, after])
    return {"start": start, "steps": steps}


def write() -> None:
    """Write the file: one row a line, so that a change of one decision is one line."""
    made = make()
    lines = [f'{{"seed": {made["seed"]},', '"functions": {']
    tables = []
    for name, rows in made["functions"].items():
        body = ",\n".join(json.dumps(row) for row in rows)
        tables.append(f'"{name}": [\n{body}\n]')
    lines += [",\n".join(tables), "},", '"decide": [']
    lines += [",\n".join(json.dumps(sequence) for sequence in made["decide"]), "]}", ""]
    VECTORS.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    write()
