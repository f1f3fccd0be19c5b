"""Declared data: sentences with their place, and what is remembered."""

import json
from typing import Annotated, Any, Literal

import pytest
from msgspec import Meta, Struct

from gpu.record.workspace import ReaderOptions
from gpu.schema import SchemaError, checked, fitting


class Wheel(Struct, forbid_unknown_fields=True):
    name: str
    spokes: Annotated[int, Meta(ge=0, le=40)] = 32
    kind: Literal["front", "rear"] = "front"


class Bicycle(Struct, forbid_unknown_fields=True):
    wheels: list[Wheel]
    sizes: dict[str, int] = {}


GOOD: dict[str, Any] = {"name": "a"}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (3, "Expected `object`, got `int`"),
        ({"wheels": 3}, "wheels = 3: Expected `array`, got `int`"),
        ({"wheels": [{}]}, "wheels[0]: Object missing required field `name`"),
        ({"wheels": [GOOD | {"spoke": 1}]}, "wheels[0]: Object contains unknown field `spoke`"),
        ({"wheels": [GOOD | {"spokes": 41}]}, "wheels[0].spokes = 41: Expected `int` <= 40"),
        ({"wheels": [GOOD | {"kind": "up"}]}, "wheels[0].kind = 'up': Invalid enum value 'up'"),
        ({"wheels": [], "sizes": {"x": "y"}}, "sizes[...]: Expected `int`, got `str`"),
        ({"wheels": "y" * 9999}, "wheels = 'yyyy"),
        ({"wheels": [], "sizes": {"a": json.loads('"\\ud800"')}}, "'utf-8' codec can't encode"),
    ],
)
def test_what_does_not_fit_is_said_with_its_place(data: Any, words: str) -> None:
    with pytest.raises(SchemaError) as caught:
        checked(Bicycle, data)
    assert str(caught.value).startswith(words)
    assert len(str(caught.value)) < 300
    assert "\n" not in str(caught.value)


def test_of_what_is_remembered_each_field_stands_for_itself() -> None:
    class Remembered(Struct):
        speed: Annotated[float, Meta(gt=0)] = 1.0
        theme: Literal["light", "dark"] = "light"

    assert fitting(Remembered, {"speed": -1, "theme": "dark", "x": 3}) == Remembered(1.0, "dark")
    assert fitting(Remembered, {"speed": 2, "theme": []}) == Remembered(2.0, "light")
    assert fitting(Remembered, [1]) == fitting(Remembered, None) == Remembered()
    lone = {"weights": json.loads('"\\ud800"'), "undirected": True}
    assert fitting(ReaderOptions, lone) == ReaderOptions(True)
