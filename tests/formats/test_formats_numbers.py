"""Weights are what the file says: the compiled parser reads as Python's `float` and `int` do."""

import random
from pathlib import Path

import numpy as np
import pytest

from gpu.formats.reading import Reading
from gpu.formats.rows import RowRules, Rows, read_rows

RULES = RowRules("'TAIL HEAD WEIGHT'", value_columns=1)


def read(texts: list[str], *, compiled: bool) -> Rows:
    data = bytearray("".join(f"1 2 {text}\n" for text in texts).encode())
    return read_rows(Reading(Path("-")), data, 0, RULES, compiled=compiled)


def drawn(rng: random.Random) -> str:
    """Return a decimal as people and programs write them, some at the ends of the range."""
    if rng.random() < 0.2:  # half-way between two neighbours, and a digit more or less
        near = rng.random()
        middle = np.longdouble(near) + np.longdouble(np.spacing(near)) / 2
        return np.format_float_positional(middle, unique=False, precision=rng.randint(17, 40))
    digits = "".join(rng.choices("0123456789", k=rng.randint(1, 30)))
    place = rng.randint(0, len(digits))
    return f"{digits[:place]}.{digits[place:]}e{rng.choice([0, rng.randint(-345, 290)])}"


def test_decimals_are_the_nearest_float64() -> None:
    rng = random.Random(4)
    texts = [text for text in (drawn(rng) for _ in range(40_000)) if float(text) < 1.7e308]
    found = read(texts, compiled=True).values[0]
    assert found.dtype == np.float64
    wrong = [
        text for text, value in zip(texts, found.tolist(), strict=True) if float(text) != value
    ]
    assert wrong == []


@pytest.mark.parametrize("compiled", [True, False])
def test_whole_numbers_of_int64_are_exact(compiled: bool) -> None:
    rng = random.Random(5)
    texts = [str(rng.getrandbits(rng.randint(1, 63))) for _ in range(2000)] + [str(2**63 - 1)]
    rows = read(texts, compiled=compiled)
    assert rows.values.dtype == np.int64
    assert rows.values[0].tolist() == [int(text) for text in texts]
