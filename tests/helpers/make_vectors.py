"""Make `gpu/scheduler_vectors.json`: inputs -> decisions of `scheduler` and `delta`.

    PYTHONPATH=.:tests/helpers python -m make_vectors

The file is data under version control, so that a change of a decision shows up as a change
of the file, and the CUDA twin (`cuda/kernels/scheduler.cuh`) can be held against it without
Python. A row of a function is its arguments, then its result: drawn rows first, then those of
`EDGES`, where one more or one less decides otherwise. `constants` are those that both twins
name. `decide` has whole sequences: the rule and the weights of `start`, what it made (every
field of CONTROLLER), then readings, and after each reading what it decided and what the record
then holds (`AFTER`). A reading is what `decide` takes and a person's wish before it: a delta to
take over with, `HAND_BACK`, or 0.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from gpu import delta, scheduler

VECTORS = Path(__file__).resolve().parents[2] / "gpu" / "scheduler_vectors.json"
ROWS = 60  # per function
SEQUENCES, SWEEPS = 24, 80
HAND_BACK = -1  # a person's wish, where another number above 0 is a delta to take over with
AFTER = (
    *("delta", "inverse_delta", "floor", "open_heads", "settle_left", "probing", "window_ended"),
    *("queued", "stretch_items", "stretch_switches"),
)
CONSTANTS = {
    scheduler: ("QUIET_SWEEPS", "FAR_OFFSET"),
    delta: (
        *("C_NEAR_FAR", "C_START", "START_FLOOR", "CLIP_TAIL_SHARE", "FAR_BUCKETS"),
        *("CLIP_MIN_ITEMS", "WINDOW_SWEEPS", "SETTLE_SWITCHES", "SMALL_SWITCHES"),
        *("NARROWEST", "WIDEST"),
    ),
}
WEIGHTS = (0.0, 0.37, 1.0, 13.0, 50.5, 1293.0, 5000.5, 2.0**30)  # mean weights


def make(seed: int = 1) -> dict[str, Any]:
    """Return every vector, the same for the same seed."""
    rng = random.Random(seed)
    functions = {name: _table(name, rng) for name in ARGUMENTS}
    constants = {name: getattr(home, name) for home in CONSTANTS for name in CONSTANTS[home]}
    sequences = [_sequence(rng) for _ in range(SEQUENCES)]
    sequences += [_played(_start(**differs), readings) for differs, readings in _edge_runs()]
    return {"seed": seed, "constants": constants, "functions": functions, "decide": sequences}


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
EDGES: dict[str, tuple[tuple[Any, ...], ...]] = {
    "raw_offset": ((-4e9, 0.0, 1.0), (4e9, 0.0, 1.0), (2.0**31 - 1, 0.0, 1.0), (-0.5, 0.0, 1.0)),
    "push_offset": (
        (0, 4, 5, 8),
        (-3, 4, 5, 8),
        (0, 5, 5, 8),
        (1, 4, 5, 8),
        (7, 9, 5, 8),
        (8, 9, 5, 8),
    ),
    "stays_with_worker": ((0, 4, 5), (-1, 4, 5), (-2, 4, 5)),
    "readable_end": ((0, 64, 64, 64), (64, 128, 0, 64), (63, 64, 64, 64), (70, 80, 16, 64)),
    "chunk_size": ((1, 1, 1, 1), (32, 1, 32, 32), (33, 1, 1, 32), (31, 1, 32, 32), (65, 2, 1, 256)),
    "quiet": ((0, 0, 0, 0), (0, 0, 0, 1), (1, 0, 0, 1), (0, 1, 0, 1), (0, 0, 1, 1)),
    "near_far_delta": (
        *((0.0, 4.0, True), (0.1, 4.0, True), (0.1, 4.0, False), (7.0, 0.0, False)),
        *((5e-324, 2.0, False), (1.5e308, 2.0, False)),
    ),
    "initial_delta": ((7.0, 2.0, True), (16.0, 2.0, True), (0.0, 2.0, False), (7.0, 0.0, False)),
    "power_of_two": ((1.0,), (2.0**0.5,), (1.5,), (2.0**-0.5,)),
}
HOMES = {name: scheduler if hasattr(scheduler, name) else delta for name in ARGUMENTS}


def _table(name: str, rng: random.Random) -> list[list[Any]]:
    function = getattr(HOMES[name], name)
    rows = []
    for arguments in [*(ARGUMENTS[name](rng) for _ in range(ROWS)), *EDGES.get(name, ())]:
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
        "quiet_items": rng.choice([0, 0, 1500]),
        "small_items": rng.choice([0, 0, 40]),
    }
    readings, level = [], 0.0
    for sweep in range(SWEEPS):
        level = 10 ** rng.uniform(0, 5) if sweep % 8 == 0 else level
        produced = rng.randint(0, 500)
        readings.append(
            [
                int(level * rng.uniform(0.8, 1.2)),
                int(level * rng.uniform(0, 2)),
                produced,
                int(produced * rng.choice([0, 0.2, 0.8])),
                int(produced * rng.choice([0, 0.2, 0.8])),
                rng.randint(0, 2),
                rng.choice([0] * 30 + [3, 700, HAND_BACK]),
            ]
        )
    return _played({"rule": rule, "weights": weights}, readings)


def _played(start: dict[str, Any], readings: list[list[int]]) -> dict[str, Any]:
    state = started(start)
    made = [state[name][0].item() for name in delta.CONTROLLER.names or ()]
    steps = [[reading, after_reading(state, reading)] for reading in readings]
    return {"start": start, "made": made, "steps": steps}


# ---- runs along the edges of each rule --------------------------------------------------

# With these the band is 48 and 128 vertices being processed, 160 and 640 in all, exactly.
RULE = {
    **{"threads": 1600, "buckets": 32, "max_open": 4, "given": None, "dynamic": True},
    **{"quiet_items": 0, "small_items": 0},
}
OF_WEIGHTS = {"mean": 100.0, "largest": 400.0, "mean_degree": 16.0, "integer": True}
STARVED, WELL, FLOODED = (0, 0), (60, 200), (10_000, 10_000)
WINDOW = delta.WINDOW_SWEEPS


def _start(**differs: Any) -> dict[str, Any]:
    """Return the rule and the weights of a run along an edge, with what differs there."""
    return {
        "rule": {name: differs.get(name, value) for name, value in RULE.items()},
        "weights": {name: differs.get(name, value) for name, value in OF_WEIGHTS.items()},
    }


def _window(
    level: tuple[int, int] = WELL,
    work: tuple[int, int, int] = (0, 0, 0),
    switched: int = 0,
    wish: int = 0,
) -> list[list[int]]:
    """Return one window of equal readings; the switches and the wish are in its first sweep."""
    later = [*level, *work]
    return [[*later, switched, wish], *([[*later, 0, 0]] * (WINDOW - 1))]


def _edge_runs() -> Iterator[tuple[dict[str, Any], list[list[int]]]]:
    """Yield (what differs from RULE and OF_WEIGHTS, readings): each side of each threshold."""
    for integer in (True, False):
        start = {"integer": integer}
        for tail in (65, 66):
            yield start, _window(work=(100, 0, tail))
        for far in (60, 61, 65, 69, 70, 71):
            yield start, _window(work=(100, far, 0))
        for produced in (delta.CLIP_MIN_ITEMS - 1, delta.CLIP_MIN_ITEMS):
            yield start, _window(work=(produced, produced, produced))
        yield start, _window(work=(1000, 999, 999)) * 8  # up to where nothing new is clipped
        yield start, _window(STARVED) * 10  # up to the ceiling, where probing ends
        yield start, _window() + _window(FLOODED, switched=9) * 6  # down to the floor
    for level in ((47, 112), (48, 111), (47, 113), (48, 112), (0, 159), (0, 160)):
        yield {}, _window(level)
    for level in (
        (128, 513),
        (129, 511),
        (128, 512),
        (129, 512),
        (129, 10_000),
        (640, 0),
        (641, 0),
    ):
        yield {}, _window(STARVED) + _window(level)
    settle = delta.SETTLE_SWITCHES
    for switched in (0, 1, settle - 1, settle, settle + 1):
        yield (
            {},
            _window(STARVED) * 3
            + _window()
            + (_window(FLOODED) * 4 + _window(FLOODED, switched=switched)),
        )
        yield {}, _window(work=(100, 90, 90)) + _window() + _window(STARVED, switched=switched) * 3
    for level in (STARVED, FLOODED):  # a person's hand: it rests, and on return it settles
        held = _window(level, wish=24) + _window(level, (100, 90, 90)) + _window(level)[:3]
        for switched in (0, settle - 1, settle):
            back = (
                _window(level, switched=switched, wish=HAND_BACK) + _window(level, switched=1) * 3
            )
            yield {}, _window() + held + back
    yield from _edges_as_published()
    yield {"given": 24.0}, _window(STARVED) * 4
    yield {"dynamic": False}, _window(STARVED) * 4
    for buckets, most in ((2, 4), (3, 4), (32, 1), (32, 3)):
        ring: dict[str, Any] = {"buckets": buckets, "max_open": most}
        yield ring, _window(STARVED) * 4 + _window() + _window(FLOODED, switched=9) * 4


def _edges_as_published() -> Iterator[tuple[dict[str, Any], list[list[int]]]]:
    """Yield the same for what only ADDS as published asks: quiet at first, and small buckets."""
    for level in (STARVED, FLOODED):
        for items in (499, 500):
            readings = _window(level, (500, 0, 0)) + _window(level, (items, 0, 0))
            yield {"quiet_items": 1000}, readings + _window(level, switched=9) * 2
    asked = {"quiet_items": 10**6, "small_items": 100}
    few = delta.SMALL_SWITCHES
    for switched in (few - 1, few, few + 1):
        for items in (100 * switched - 1, 100 * switched):
            work = (items, 0, 0)
            yield asked, _window(work=work, switched=switched) + _window(work=work)
            yield {"small_items": 100}, _window(FLOODED, work, switched=switched)
    yield asked, _window(switched=few) * 10  # up to the ceiling
    for level, work in ((WELL, (100, 90, 90)), (STARVED, (0, 0, 0)), (FLOODED, (0, 0, 0))):
        begun = _window(STARVED) * 3 + _window(WELL, (50, 0, 0), switched=few - 1)
        changed = _window(level, work, switched=0) * 4  # a change begins a new stretch
        yield {"small_items": 100}, begun + changed + _window(WELL, switched=1)
    held = _window(work=(50, 0, 0), switched=few, wish=24) + _window(work=(50, 0, 0))
    yield asked, held + _window(switched=1, wish=HAND_BACK) + _window(switched=1) * 2


def write() -> None:
    """Write the file: one row a line, so that a change of one decision is one line."""
    made = make()
    constants = json.dumps(made["constants"])
    lines = [f'{{"seed": {made["seed"]},', f'"constants": {constants},', '"functions": {']
    tables = []
    for name, rows in made["functions"].items():
        body = ",\n".join(json.dumps(row) for row in rows)
        tables.append(f'"{name}": [\n{body}\n]')
    lines += [",\n".join(tables), "},", '"decide": [']
    lines += [",\n".join(json.dumps(sequence) for sequence in made["decide"]), "]}", ""]
    VECTORS.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    write()
