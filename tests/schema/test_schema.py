"""Declared data: sentences with their place, and what is remembered."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from msgspec import Meta, Struct

from gpu.lessons.lesson import LessonFile, own_class
from gpu.lessons.read import find_lessons
from gpu.record.schema import ReaderOptions
from gpu.schema import SchemaError, checked, fitting


class Wheel(Struct, forbid_unknown_fields=True):
    name: str
    spokes: Annotated[int, Meta(ge=0, le=40)] = 32
    kind: Literal["front", "rear"] = "front"


class Bicycle(Struct, forbid_unknown_fields=True):
    wheels: list[Wheel]
    colours: tuple[str, ...] = ()
    sizes: dict[str, int] = {}
    spare: Wheel | None = None
    weight: float | str = 1.0
    pair: tuple[str, str] | None = None

    def __post_init__(self) -> None:
        if len(self.wheels) > 2:
            raise ValueError(f"{len(self.wheels)} wheels; allowed: up to 2")


GOOD: dict[str, Any] = {"name": "a"}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (3, "this = 3; allowed: a table"),
        ({}, "no wheels; needed: a list, each a table"),
        ({"wheels": 3}, "wheels = 3; allowed: a list, each a table"),
        ({"wheels": [3]}, "wheels[0] = 3; allowed: a table"),
        ({"wheels": [{}]}, "wheels 1: no name; needed: text in quotes"),
        ({"wheels": [{"nmae": "a"}]}, "wheels 1: no name; needed: text in quotes; 'nmae' is given"),
        (
            {"wheels": [GOOD | {"spoke": 1}]},
            "wheels 'a': unknown key 'spoke'; did you mean 'spokes'?; allowed: kind, name, spokes",
        ),
        (
            {"wheels": [GOOD | {"spokes": 41}]},
            "wheels 'a': spokes = 41; allowed: a whole",
        ),
        ({"wheels": [GOOD | {"spokes": None}]}, "spokes = null; allowed: a whole number, 0 to 40"),
        ({"wheels": [GOOD | {"kind": "up"}]}, "wheels 'a': kind = 'up'; allowed: front, rear"),
        ({"wheels": [], "colours": [1]}, "colours[0] = 1; allowed: text in quotes"),
        ({"wheels": [], "sizes": {"x": "y"}}, "sizes: Expected `int`, got `str`"),
        ({"wheels": [], "spare": {"name": 1}}, "spare: name = 1; allowed: text in quotes"),
        ({"wheels": [], "spare": 4}, "spare = 4; allowed: a table"),
        ({"wheels": [], "weight": []}, "weight = []; allowed: "),
        ({"wheels": [], "pair": ["a"]}, "pair = ['a']; allowed: a list of 2, each text in quotes"),
        ({"wheels": [GOOD] * 3}, "3 wheels; allowed: up to 2"),
        ({"wheels": [], "x - at `$.spare.name`": 1}, "unknown key 'x - at `$.spare.name`'"),
        ({"wheels": [], "colours": ["y" * 9999, 10**5000]}, "colours[1] = a long int"),
        ({"wheels": "y" * 9999}, "wheels = 'yyyy"),
    ],
)
def test_what_does_not_fit_is_said_with_its_place(given: Any, words: str) -> None:
    with pytest.raises(SchemaError) as caught:
        checked(Bicycle, given)
    assert str(caught.value).startswith(words) or words in str(caught.value)
    assert len(str(caught.value)) < 300
    assert "\n" not in str(caught.value)


def test_of_what_is_remembered_each_field_stands_for_itself() -> None:
    class Remembered(Struct):
        speed: Annotated[float, Meta(gt=0)] = 1.0
        theme: Literal["light", "dark"] = "light"

    assert fitting(Remembered, {"speed": -1, "theme": "dark", "x": 3}) == Remembered(1.0, "dark")
    assert fitting(Remembered, {"speed": 2, "theme": []}) == Remembered(2.0, "light")
    assert fitting(Remembered, [1]) == fitting(Remembered, None) == Remembered()


@pytest.mark.parametrize("path", find_lessons("/nowhere"), ids=lambda path: path.stem)
def test_our_lessons_fit_their_declaration(path: Path) -> None:
    found = checked(LessonFile, tomllib.loads(path.read_text(encoding="utf-8")), own_class)
    assert found.steps


def test_half_a_letter_is_refused_or_left_out() -> None:
    lone = json.loads('"\\ud800"')
    with pytest.raises(SchemaError, match="half a letter"):
        checked(dict[str, int], {"a": lone})
    assert fitting(ReaderOptions, {"weights": lone, "undirected": True}) == ReaderOptions(True)
