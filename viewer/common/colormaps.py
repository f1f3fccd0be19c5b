"""Colour tables: 256 colours each, and the same mixed with the background at 16 levels of coverage.

Every sequential map rises (or falls) in lightness all the way, so that it reads without colour
vision and in grey; the tests compute lightness and simulate colour blindness. The stops are 22 even
samples of viridis by S. van der Walt, N. Smith and E. Firing (matplotlib, CC0). Each map is used
only over the part that stands out from the theme's background, and the same end always means
"near": index 1 is the start of the map, 255 its end, 0 is what is unreached, a grey that recedes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from viewer.common.theme import Theme

VIRIDIS = (
    "440154", "471365", "482374", "46327e", "424186", "3c4f8a", "365c8d", "31688e",
    "2c738e", "277f8e", "238a8d", "1f968b", "1fa187", "26ad81", "35b779", "4ac16d",
    "63cb5f", "7fd34e", "a0da39", "c0df25", "dfe318", "fde725",
)  # fmt: skip
MIDDLE = {"light": "#e2d28e", "dark": "#655c33", "projector": "#e0c878"}  # between A and B
# part of a map that stands out from the background
RANGES = {"light": (0.0, 0.90), "dark": (0.24, 1.0), "projector": (0.0, 0.86)}
UNREACHED_INK = 0.25  # of the text colour, in the background
PLAIN_INK = 0.62  # of the text colour: vertices while there is no run to colour by
ARC_INK = 0.30  # of the text colour: the grey layer where it is densest
BAND_INK = 0.30  # of the background: every second bucket is paler


def ramp(stops: tuple[str, ...], low: float, high: float, count: int) -> np.ndarray:
    """Return float64 (count, 3), 0..255: the part low..high (0..1) of evenly spaced stops."""
    colours = np.array([rgb(stop) for stop in stops], float)
    places = np.linspace(0.0, 1.0, len(colours))
    shown = np.linspace(low, high, count)
    return np.stack([np.interp(shown, places, channel) for channel in colours.T], axis=1)


def rgb(colour: str) -> tuple[int, int, int]:
    """Return the channels of "#rrggbb" or "rrggbb", 0..255."""
    digits = colour.lstrip("#")
    return int(digits[0:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)


def table_for(colour_by: str, theme: Theme, steps: int = 255) -> np.ndarray:
    """Return uint8 (256, 3) for a way of colouring; index 0 is "unreached".

    colour_by : "distance", "bucket", "processed", "state", "reached",
        "difference" (of two runs: from A's colour over a middle to B's) or "plain" (no run)
    steps : the map ends at this index, 1 to 255; entries beyond repeat the last colour
    """
    table = np.zeros((256, 3))
    low, high = RANGES[theme.name if theme.name in RANGES else "light"]
    if colour_by in ("distance", "bucket"):
        table[1:] = stretched(VIRIDIS, low, high, steps)
    elif colour_by == "processed":
        table[1:] = stretched(theme.heat, 0.22, 1.0, steps)
    elif colour_by == "state":
        table[1:] = rgb(theme.data.settled)
        table[1] = rgb(theme.data.tentative)
    elif colour_by == "difference":
        middle = MIDDLE.get(theme.name, MIDDLE["light"])
        table[1:] = stretched((theme.data.a, middle, theme.data.b), 0.0, 1.0, steps)
    elif colour_by == "reached":
        table[1:] = rgb(theme.data.settled)
    if colour_by == "bucket":
        table[2::2] += (np.array(rgb(theme.plot)) - table[2::2]) * BAND_INK
    table[0] = ink(theme, PLAIN_INK if colour_by == "plain" else UNREACHED_INK)
    return np.rint(table).astype(np.uint8)


def stretched(stops: tuple[str, ...], low: float, high: float, steps: int) -> np.ndarray:
    """Return float64 (255, 3): `steps` colours of a part of stops, then the last one repeated."""
    colours = ramp(stops, low, high, max(1, min(steps, 255)))
    return np.concatenate([colours, np.repeat(colours[-1:], 255 - len(colours), axis=0)])


def ink(theme: Theme, share: float) -> np.ndarray:
    """Return float64 (3,): `share` of the text colour in the plot's background."""
    paper, text = np.array(rgb(theme.plot), float), np.array(rgb(theme.text), float)
    return paper + (text - paper) * share


def blended(table: np.ndarray, paper: tuple[int, int, int], covers: int = 16) -> np.ndarray:
    """Return uint32 (covers * 256,), 0xffRRGGBB: the table at each level of coverage.

    table : uint8 (256, 3); paper : the background, 0..255. Entry level * 256 + index is
    the colour of `index` covering level / (covers - 1) of a pixel.
    """
    share = (np.arange(covers) / (covers - 1))[:, None, None]
    back = np.array(paper, float)
    mixed = np.rint(back + (table[None].astype(float) - back) * share).astype(np.uint32)
    return (0xFF000000 | mixed[..., 0] << 16 | mixed[..., 1] << 8 | mixed[..., 2]).ravel()
