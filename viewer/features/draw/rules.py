"""What a drawing may hold: weights, names, counts. Each refusal is one sentence.

The rules are CSRGraph's (weights finite and >= 0, whole ones int32 or int64, others float64), with
bounds of our own for what can be drawn by hand and read by eye.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import count, product

import numpy as np

from gpu.errors import ParameterError

MOST_VERTICES, MOST_ARCS = 500, 2_000
LARGEST_WHOLE = 2**53  # what every reader of JSON holds exactly
LARGEST_DECIMAL = float(np.finfo(np.float64).max)
NAME_LENGTH = 32  # characters
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ALLOWED = "a weight is a number from 0"
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_COMMA = re.compile(r"[+-]?\d+,\d+")
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f\"\ud800-\udfff]")

Weight = int | float


def read_weight(text: str) -> Weight:
    """Return the weight in a text: int if it is a whole number below 2**53, else a float.

    Raises ParameterError: what was given, what is allowed.
    """
    words = text.strip()
    if not words:
        raise ParameterError(f"The weight is missing: {ALLOWED}.")
    if _COMMA.fullmatch(words):
        raise ParameterError(f"{words} is not a number: write {words.replace(',', '.')}.")
    if not _NUMBER.fullmatch(words):
        raise ParameterError(f"{words[:24]} is not a weight: {ALLOWED}, such as 7 or 2.5.")
    value = float(words)
    if not np.isfinite(value):
        raise ParameterError(f"{words[:24]} is too large: weights end at {LARGEST_DECIMAL:.4g}.")
    if not value and re.search("[1-9]", words.lower().split("e")[0]):
        raise ParameterError(f"{words[:24]} is too small to be kept: write 0, or something larger.")
    whole = value.is_integer() and abs(value) < LARGEST_WHOLE
    return checked_weight(int(value) if whole else value)


def checked_weight(value: Weight) -> Weight:
    """Return a weight as a drawing holds it: int up to 2**53, or a float.

    Raises ParameterError.
    """
    if not np.isfinite(value):
        raise ParameterError(f"{value} is not a weight: {ALLOWED}, and finite.")
    if value < 0:
        raise ParameterError(f"{value:g} is negative: {ALLOWED} up.")
    if isinstance(value, int):
        if value > LARGEST_WHOLE:
            raise ParameterError(f"{value} is too large: whole weights end at {LARGEST_WHOLE:,}.")
        return value
    return abs(float(value))


def weight_words(weight: Weight) -> str:
    """Return a weight as it is shown: the shortest text that reads back equal."""
    return str(weight).removesuffix(".0")


def checked_name(text: str, taken: Collection[str]) -> str:
    """Return a name for a vertex; raise ParameterError where there can be none such."""
    name = " ".join(text.split())
    if not name:
        raise ParameterError("The name is missing: a vertex needs one, such as A or 7.")
    if len(name) > NAME_LENGTH:
        raise ParameterError(
            f"{len(name)} characters are too many: names have up to {NAME_LENGTH}."
        )
    if _FORBIDDEN.search(name):
        raise ParameterError("The name has a character that files cannot keep, such as a quote.")
    if name in taken:
        raise ParameterError(f"There is a vertex {name} already: names must differ.")
    return name


def next_name(taken: Collection[str]) -> str:
    """Return the first free name: the next number where all are numbers, else A, B ... Z, AA."""
    if taken and all(name.isascii() and name.isdigit() for name in taken):
        return str(max(int(name) for name in taken) + 1)
    for length in count(1):
        for letters in product(LETTERS, repeat=length):
            name = "".join(letters)
            if name not in taken:
                return name
    raise AssertionError  # there are always more letters


def check_counts(vertices: int, arcs: int) -> None:
    """Raise ParameterError where a drawing would hold more than it may."""
    if vertices > MOST_VERTICES:
        raise ParameterError(
            f"{vertices:,} vertices are more than a drawing holds ({MOST_VERTICES}); "
            "make a file of it and open that."
        )
    if arcs > MOST_ARCS:
        raise ParameterError(
            f"{arcs:,} edges are more than a drawing holds ({MOST_ARCS:,}); "
            "make a file of it and open that."
        )
