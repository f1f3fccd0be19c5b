"""A modelled run is a claim about time: the same counts and the same nanoseconds as before."""

import json

import modelled_runs
import pytest

KNOWN = json.loads(modelled_runs.FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", KNOWN)
def test_a_run_is_what_it_was(case: str) -> None:
    algorithm, name = case.split(", ")
    numbers = modelled_runs.numbers_of(algorithm, name)
    assert numbers == pytest.approx(KNOWN[case], rel=1e-9), modelled_runs.__doc__
