"""The same lesson on other graphs: one for each student, by seeds.

Every sample that a step, run or sweep names gets the seed; answers are computed as always. Samples
that are the same for all seeds (the paper's figures) and files beside the lesson stay as they are.
"""

from __future__ import annotations

from typing import Any

from msgspec import structs

from gpu.lessons.answers import SAMPLES
from gpu.lessons.lesson import Lesson


def with_seed(lesson: Lesson, seed: int) -> Lesson:
    """Return the lesson with that seed in every sample that has one."""

    def one(made: Any) -> Any:
        return structs.replace(made, graph=seeded(made.graph, seed))

    steps = tuple(
        structs.replace(
            one(step), runs=tuple(map(one, step.runs)), sweeps=tuple(map(one, step.sweeps))
        )
        for step in lesson.steps
    )
    return structs.replace(lesson, steps=steps)


def seeded(reference: str | None, seed: int) -> str | None:
    """Return "sample:city_roads?n=2000&seed=7" of "sample:city_roads?n=2000"."""
    if reference is None or not reference.startswith(SAMPLES):
        return reference
    import sample_graphs

    name, _, given = reference.partition("?")
    row = sample_graphs.CATALOGUE.get(name.removeprefix(SAMPLES))
    if row is None or row.fixed:
        return reference
    options = [option for option in given.split("&") if option and not option.startswith("seed=")]
    return f"{name}?{'&'.join([*options, f'seed={seed}'])}"
