"""A sweep as JSON values and back, for a workspace: its plan and every point that it found.

What is read comes from a stranger's file: every field has its type checked, lists have a limit, and
whatever does not fit raises SavedSweepError with one sentence; nothing is run.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields
from typing import Any

from gpu.algorithms import ALGORITHMS
from gpu.errors import GpuError
from gpu.record.trace import RunSettings
from gpu.record.tracefile import plain
from gpu.study.sweep import (
    PATH_POINTS,
    SweepPlan,
    SweepPoint,
    knobs,
)

MOST_POINTS = 2000
TEXTS = ("clock", "failure")
WHOLE = ("time_ns", "processed_vertices", "relaxed_edges", "improved", "reached")
NUMBERS = ("mean_parallelism", "clip_share")


class SavedSweepError(GpuError):
    """A saved sweep that is damaged, or of an algorithm that is not known here."""


@dataclass(frozen=True)
class SavedSweep:
    """A sweep with the graph that it was made on."""

    plan: SweepPlan
    points: tuple[SweepPoint, ...]
    graph_name: str
    graph_hash: str


def sweep_as_dict(sweep: SavedSweep) -> dict[str, Any]:
    """Return plain JSON types; a number that JSON has not becomes None."""
    told = {
        "settings": asdict(sweep.plan.settings),
        "knob": sweep.plan.knob,
        "values": list(sweep.plan.values),
        "controller": sweep.plan.controller,
        "graph_name": sweep.graph_name,
        "graph_hash": sweep.graph_hash,
        "points": [asdict(point) for point in sweep.points],
    }
    found: dict[str, Any] = plain(told)
    return found


def sweep_from_dict(told: Any) -> SavedSweep:
    """Return what `sweep_as_dict` wrote; SavedSweepError where it cannot be read."""
    try:
        settings = _settings(told["settings"])
        knob, values = str(told["knob"]), tuple(_number(value) for value in told["values"])
        if knob not in knobs(settings) or len(told["points"]) > MOST_POINTS:
            raise SavedSweepError(f"the sweep of {knob!r} does not fit this program")
        plan = SweepPlan(settings, knob, values, bool(told["controller"]))
        points = tuple(_point(one) for one in told["points"])
        return SavedSweep(plan, points, str(told["graph_name"]), str(told["graph_hash"]))
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise SavedSweepError("the saved sweep is damaged") from error


def _point(told: dict[str, Any]) -> SweepPoint:
    given: dict[str, Any] = {name: _text(told[name]) for name in TEXTS}
    given |= {name: _whole(told[name]) for name in WHOLE}
    given |= {name: _number(told[name]) for name in NUMBERS}
    value, delta, certificate = told["value"], told["delta"], told["certificate"]
    path = told["path_ns"], told["path_delta"]
    if max(map(len, path)) > PATH_POINTS or len(path[0]) != len(path[1]):
        raise ValueError("path")
    return SweepPoint(
        **given,
        settings=_settings(told["settings"]),
        value=None if value is None else _number(value),
        delta=math.nan if delta is None else _number(delta),
        certificate=None if certificate is None else _text(certificate),
        path_ns=tuple(map(_whole, path[0])),
        path_delta=tuple(map(_number, path[1])),
    )


def _settings(told: dict[str, Any]) -> RunSettings:
    given = {field.name: told[field.name] for field in fields(RunSettings) if field.name in told}
    row = ALGORITHMS.get(_text(given["algorithm"]))
    if row is None:
        raise SavedSweepError(f"a sweep of {given['algorithm']}, which this program has not")
    given["parameters"] = row.checked_parameters(dict(given["parameters"]))
    given["source"], given["seed"] = _whole(given["source"]), _whole(given["seed"])
    given["probe"] = _whole(given["probe"])
    for name in ("engine", "device"):
        given[name] = _text(given[name])
    if given.get("delta") is not None:
        given["delta"] = _number(given["delta"])
    return RunSettings(**given)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("text")
    return value


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise TypeError("whole number")
    return value


def _number(value: Any) -> float:
    if type(value) not in (int, float) or not math.isfinite(value):
        raise TypeError("number")
    return float(value)
