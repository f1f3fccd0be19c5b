"""A modelled run is a claim about time: the same counts and the same nanoseconds as before."""

from __future__ import annotations

import json

import modelled_runs
import pytest

KNOWN = json.loads(modelled_runs.FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", modelled_runs.RUNS)
@pytest.mark.parametrize("algorithm", modelled_runs.MODELLED)
def test_a_run_is_what_it_was(algorithm: str, name: str) -> None:
    known = KNOWN[f"{algorithm}, {name}"]
    found = modelled_runs.numbers_of(algorithm, name)
    assert found == pytest.approx(known, rel=1e-9), modelled_runs.__doc__


def test_every_algorithm_is_among_them() -> None:
    wanted = {f"{key}, {name}" for key in modelled_runs.MODELLED for name in modelled_runs.RUNS}
    assert set(KNOWN) == wanted
