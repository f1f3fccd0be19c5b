"""Colour maps: lightness goes one way, also for people who see fewer hues."""

import itertools

import numpy as np
import pytest
from colour_vision import SEEN_BY, lab

from viewer.common import colormaps
from viewer.common.theme import THEMES, Theme

SEQUENTIAL = ("distance", "processed")


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
