"""Colour maps: lightness goes one way, also for people who see fewer hues."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from viewer.common import colormaps
from viewer.common.theme import THEMES, Theme

# Machado, Oliveira and Fernandes 2009, severity 1.0, on linear RGB
SEEN_BY = {
    "everyone": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
SEQUENTIAL = ("distance", "processed")


def lab(colours: np.ndarray, seen_by: str) -> np.ndarray:
    """CIELAB (k, 3) of sRGB 0..255 (k, 3), as seen by somebody."""
    channels = colours / 255.0
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    linear = np.clip(linear @ SEEN_BY[seen_by].T, 0, 1)
    to_xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    )
    xyz = linear @ to_xyz.T / (0.9505, 1.0, 1.089)
    root = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.stack(
        [116 * root[:, 1] - 16, 500 * (root[:, 0] - root[:, 1]), 200 * (root[:, 1] - root[:, 2])],
        axis=1,
    )


@pytest.fixture(params=sorted(THEMES))
def theme(request: pytest.FixtureRequest) -> Theme:
    return THEMES[request.param]


@pytest.mark.parametrize("seen_by", sorted(SEEN_BY))
@pytest.mark.parametrize("colour_by", SEQUENTIAL)
def test_lightness_goes_one_way(colour_by: str, seen_by: str, theme: Theme) -> None:
    steps = lab(colormaps.table_for(colour_by, theme)[1::16].astype(float), seen_by)
    change = np.diff(steps[:, 0])
    assert (change > 0).all() or (change < 0).all()
    assert abs(steps[-1, 0] - steps[0, 0]) > 35


@pytest.mark.parametrize("seen_by", sorted(SEEN_BY))
def test_states_are_told_apart(seen_by: str, theme: Theme) -> None:
    states = lab(colormaps.table_for("state", theme)[:3].astype(float), seen_by)
    for one, other in itertools.combinations(states, 2):
        assert np.linalg.norm(one - other) > 20


@pytest.mark.parametrize(
    "colour_by", [*SEQUENTIAL, "bucket", "state", "reached", "difference", "plain"]
)
def test_colours_stand_out_from_the_background(colour_by: str, theme: Theme) -> None:
    table = colormaps.table_for(colour_by, theme)
    paper = lab(np.array([colormaps.rgb(theme.plot)], float), "everyone")
    unreached = lab(table[:1].astype(float), "everyone")
    assert np.linalg.norm(unreached - paper) > 12
    if colour_by != "plain":
        rest = lab(table[1:].astype(float), "everyone")
        assert np.linalg.norm(rest - paper, axis=1).min() > 20
        assert np.linalg.norm(rest - unreached, axis=1).min() > 12


def test_neighbouring_buckets_differ(theme: Theme) -> None:
    for steps in (2, 12, 40):
        table = colormaps.table_for("bucket", theme, steps)
        colours = lab(table[1 : steps + 1].astype(float), "deuteranopia")
        assert np.linalg.norm(np.diff(colours, axis=0), axis=1).min() > 5
