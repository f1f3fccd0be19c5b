"""Numbers as people read them: times, shares, ratios, sizes, counts."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

NO_VALUE = "–"
NOT_KNOWN = "not known"  # of what was not counted: it is no 0
LONGEST = 160  # characters of a name that is shown
SENTENCE = 1000  # of a sentence or path
UNSEEN = {"Cc", "Cs", "Zl", "Zp"}  # controls, halves of characters, line and paragraph ends
TURNING = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
STAND_IN = "\ufffd"


@dataclass(frozen=True)
class TimeUnit:
    """A unit for an axis: multiply nanoseconds by `factor` to get `word`s."""

    word: str
    factor: float


TIME_UNITS = (TimeUnit("ns", 1.0), TimeUnit("µs", 1e-3), TimeUnit("ms", 1e-6), TimeUnit("s", 1e-9))
_SHORT = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def time_unit(largest_ns: float) -> TimeUnit:
    """Return the unit in which `largest_ns` is from 1 to below 1000, as far as units go."""
    chosen = TIME_UNITS[0]
    for unit in TIME_UNITS:
        if abs(largest_ns) * unit.factor >= 0.9995:
            chosen = unit
    return chosen


def time_words(time_ns: float, unit: TimeUnit | None = None) -> str:
    """Return "1.23 ms": three decimals below 10, then fewer, so that the width is steady."""
    unit = unit or time_unit(time_ns)
    return f"{time_number(time_ns, unit)} {unit.word}"


def time_number(
    time_ns: float, unit: TimeUnit, finest_ns: float = 0.0, like_ns: float | None = None
) -> str:
    """Return the number alone, with as many decimals as its size asks for.

    finest_ns : at least so many that this can be seen; like_ns : as many as this time would have
    """
    value = time_ns * unit.factor
    if unit.factor == 1.0:
        return f"{value:.0f}"
    size = abs(value if like_ns is None else like_ns * unit.factor)
    decimals = 3 if size < 10 else 2 if size < 100 else 1
    if finest_ns > 0:
        decimals = max(decimals, min(math.ceil(-math.log10(finest_ns * unit.factor)), 9))
    return f"{value:.{decimals}f}"


def brief_time(time_ns: float, like_ns: float | None = None) -> str:
    """Return "1.23 ms", for sentences: three digits in the unit that fits it, or another time."""
    unit = time_unit(time_ns if like_ns is None else like_ns)
    return f"{float(f'{time_ns * unit.factor:.3g}'):g} {unit.word}"


def short(number: float) -> str:
    """Return at most four characters of digits and a prefix: 950, 1.2k, 34k, 5.6M, 0.25."""
    size = abs(number)
    for factor, prefix in _SHORT:
        if size >= factor * 0.9995:
            return f"{_digits(number / factor)}{prefix}"
    if size >= 0.01 or size == 0:
        return _digits(number)
    return f"{number:.0e}".replace("e-0", "e-")


def thousands(number: float) -> str:
    """Return a whole number with separators: 1,234,567."""
    return f"{round(number):,}"


def plural(count: int, noun: str) -> str:
    """Return "1 vertex", "3 waiting vertices", "2 edges"."""
    many = noun.replace("vertex", "vertices") if "vertex" in noun else f"{noun}s"
    return f"{count:,} {noun if count == 1 else many}"


def percent(share: float) -> str:
    """Return a share 0..1 as "12 %", one decimal below 10."""
    value = 100 * share
    return f"{value:.1f} %" if 0 < value < 9.95 else f"{value:.0f} %"


def ratio_words(value: float) -> str:
    """Return "2.1x", two digits or three."""
    return f"{value:.0f}x" if value >= 99.5 else f"{value:.2g}x" if value < 1 else f"{value:.1f}x"


def size_words(size: int) -> str:
    """Return bytes in kB, MB or GB."""
    if size < 10**6:
        return f"{size / 1e3:.0f} kB"
    return f"{size / 1e9:.1f} GB" if size >= 10**9 else f"{size / 1e6:.0f} MB"


def distance(value: float) -> str:
    """Return a distance or weight as it is written on an arc; ∞ where there is none."""
    if not math.isfinite(value):
        return "∞"
    return f"{int(value):,}" if value == int(value) else f"{value:g}"


def mean(value: float) -> str:
    """Return a mean with four digits, or all before the point: 3.142, 16,384."""
    return f"{value:,.0f}" if abs(value) >= 999.5 else f"{value:.4g}"


def exact(value: float) -> str:
    """Return the shortest digits that read back the same."""
    whole = float(value).is_integer() and abs(value) < 2**53
    return str(int(value)) if whole else repr(float(value))


def is_unseen(mark: str) -> bool:
    """Whether a character shows nothing but may do something: a control, a turn of direction."""
    return mark in TURNING or unicodedata.category(mark) in UNSEEN


def from_words(source: int | str, count: int, n: int) -> str:
    """Return "from 17", "from 17 and 9 more" or, of all n vertices, "from all 500 vertices"."""
    if count == n > 1:
        return f"from all {n:,} vertices"
    more = f" and {count - 1:,} more" if count > 1 else ""
    return f"from {in_sight(str(source))}{more}"


def in_sight(words: str, most: int = LONGEST) -> str:
    """Return foreign words as one line: `�` for invisible characters, a long middle cut."""
    if len(words) <= most and words.isprintable():
        return words
    if len(words) > most:
        words = f"{words[: most - most // 3 - 1]}…{words[len(words) - most // 3 :]}"
    blanks = "".join(" " if mark in "\t\n\r" else mark for mark in words)
    return "".join(STAND_IN if is_unseen(mark) else mark for mark in blanks)


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """Return "; did you mean 'adds'?" of the known word nearest to an unknown one, else ""."""
    from difflib import get_close_matches

    by_lower = {name.lower(): name for name in names}
    near = get_close_matches(word.lower(), by_lower, n=1, cutoff=0.6)
    return f"; did you mean {by_lower[near[0]]!r}?" if near else ""


def _digits(number: float) -> str:
    decimals = 0 if abs(number) >= 99.5 else 1 if abs(number) >= 9.95 else 2
    text = f"{number:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
