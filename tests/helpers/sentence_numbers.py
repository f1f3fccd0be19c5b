"""The names and numbers in a sentence, and whether they agree with what they should be."""

from __future__ import annotations

import re

import numpy as np

NUMBER = r"\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?|∞"
TOKEN = re.compile(rf"[suv]=(\w+)|({NUMBER})")
COMPARED = re.compile(rf"({NUMBER}) \+ ({NUMBER}) (?:= ({NUMBER}))?(?: ?([<>]) ({NUMBER}))?")
Token = float | str


def value(words: str) -> float:
    return np.inf if words == "∞" else float(words.replace(",", ""))


def tokens(sentence: str) -> list[Token]:
    """Names of vertices and numbers, in the order in which the sentence has them."""
    return [m[1] if m[1] is not None else value(m[2]) for m in TOKEN.finditer(sentence)]


def agree(said: list[Token], wanted: list[Token]) -> bool:
    """Whether names are equal and numbers are, to the digits that a sentence shows."""
    if len(said) != len(wanted):
        return False
    for one, other in zip(said, wanted, strict=True):
        if isinstance(one, str) or isinstance(other, str):
            if str(one) != other:
                return False
        elif one != other and not abs(one - other) <= 2e-5 * max(abs(other), 1e-3):
            return False
    return True


def holds(sentence: str) -> bool:
    """Whether the sums and comparisons in a sentence hold for the numbers in it."""
    for match in COMPARED.finditer(sentence):
        total = value(match[1]) + value(match[2])
        if match[3] and abs(total - value(match[3])) > 2e-5 * max(total, 1):
            return False
        left = value(match[3]) if match[3] else total
        if (
            match[4]
            and match[3]
            and not (left < value(match[5]) if match[4] == "<" else left > value(match[5]))
        ):
            return False
    return True
