"""Whole drawings are to the pixel what they were."""

import json

import drawings
import pytest

from viewer.raster import raster

EXPECTED = json.loads(drawings.FILE.read_text(encoding="utf-8"))


def test_drawings_are_what_they_were() -> None:
    raster.load_kernels()
    drawn = dict(drawings.drawn())
    assert set(drawn) == set(EXPECTED)
    for name, numbers in drawn.items():
        assert numbers == pytest.approx(EXPECTED[name], rel=1e-9), (name, drawings.__doc__)
