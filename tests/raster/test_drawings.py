"""Whole drawings are to the pixel what they were, compiled and in NumPy."""

from __future__ import annotations

import json

import drawings
import pytest

from viewer.raster import raster

KNOWN = json.loads(drawings.FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("compiled", [True, False])
def test_drawings_are_what_they_were(compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    kernels = raster.load_kernels() if compiled else None
    monkeypatch.setattr(raster, "kernels", lambda: kernels)
    found = dict(drawings.drawn())
    assert set(found) == set(KNOWN)
    for name, numbers in found.items():
        assert numbers == pytest.approx(KNOWN[name], rel=1e-9), (name, drawings.__doc__)
