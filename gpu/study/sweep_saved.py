"""A sweep as JSON values and back, for a workspace: its plan and all of its points.

The file may be a stranger's: its form is declared here, lists have a limit, and anything that does
not fit raises SavedSweepError with one sentence; nothing is run.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any

from msgspec import Meta, Struct, structs

from gpu.algorithms import find
from gpu.errors import GpuError, ParameterError
from gpu.record.trace import RunSettings
from gpu.record.tracefile import plain
from gpu.schema import Number, SchemaError, checked, shown
from gpu.study.sweep import (
    PATH_POINTS,
    SweepPlan,
    SweepPoint,
    knobs,
)

MOST_POINTS = 2000
Whole = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]


class PointTable(Struct, frozen=True):
    """One point: `gpu.study.sweep.SweepPoint`."""

    settings: RunSettings
    value: Number | None
    delta: Number | None
    certificate: str | None
    clock: str
    failure: str
    time_ns: Whole
    processed_vertices: Whole
    relaxed_edges: Whole
    improved: Whole
    reached: Whole
    mean_parallelism: Number
    clip_share: Number
    path_ns: Annotated[tuple[Whole, ...], Meta(max_length=PATH_POINTS)]
    path_delta: Annotated[tuple[Number, ...], Meta(max_length=PATH_POINTS)]

    def __post_init__(self) -> None:
        if len(self.path_ns) != len(self.path_delta):
            raise ValueError("its path of Δ has not as many times as values")


class SweepTable(Struct, frozen=True):
    """A sweep, as `sweep_as_dict` writes it."""

    settings: RunSettings
    knob: str
    values: tuple[Number, ...]
    controller: bool
    graph_name: str
    graph_hash: str
    points: Annotated[tuple[PointTable, ...], Meta(max_length=MOST_POINTS)]


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
    table = {
        "settings": asdict(sweep.plan.settings),
        "knob": sweep.plan.knob,
        "values": list(sweep.plan.values),
        "controller": sweep.plan.controller,
        "graph_name": sweep.graph_name,
        "graph_hash": sweep.graph_hash,
        "points": [asdict(point) for point in sweep.points],
    }
    result: dict[str, Any] = plain(table)
    return result


def sweep_from_dict(table: Any) -> SavedSweep:
    """Return what `sweep_as_dict` wrote; SavedSweepError where it cannot be read."""
    try:
        saved = checked(SweepTable, table)
    except SchemaError as error:
        raise SavedSweepError(f"the saved sweep is damaged: {error}") from error
    settings = _settings(saved.settings)
    if saved.knob not in knobs(settings):
        raise SavedSweepError(f"the sweep of {shown(saved.knob)} does not fit this program")
    plan = SweepPlan(settings, saved.knob, saved.values, saved.controller)
    points = tuple(_point(point) for point in saved.points)
    return SavedSweep(plan, points, saved.graph_name, saved.graph_hash)


def _point(table: PointTable) -> SweepPoint:
    fields = structs.asdict(table) | {"settings": _settings(table.settings)}
    return SweepPoint(**fields | {"delta": math.nan if table.delta is None else table.delta})


def _settings(settings: RunSettings) -> RunSettings:
    try:
        parameters = find(settings.algorithm).checked_parameters(settings.parameters)
    except ParameterError as error:
        raise SavedSweepError(f"the saved sweep does not fit this program: {error}") from error
    return replace(settings, parameters=parameters)
