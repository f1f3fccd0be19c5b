"""Which machines the window offers, with and without a GPU."""

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from gpu.algorithms import ALGORITHMS
from gpu.devices import PRESETS
from viewer.models import machines
from viewer.models.run_choices import RunChoices


@pytest.fixture
def driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A driver's file that a test may create."""
    monkeypatch.setattr(sys, "platform", "linux")
    path = tmp_path / "version"
    monkeypatch.setattr(machines, "_driver_files", lambda: (path.with_name("no.so"), path))
    return path


def test_without_a_driver_there_are_only_modelled_ones(driver: Path) -> None:
    assert list(machines.machines()) == [*PRESETS, machines.CPU_DEVICE]
    words = machines.engine_words("H100")
    assert words == "Modelled GPU: H100 (no NVIDIA GPU here: no driver found)"


def test_with_driver_and_cupy_the_real_gpu_comes_first(
    driver: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver.touch()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    assert list(machines.machines()) == [machines.REAL_DEVICE, *PRESETS, machines.CPU_DEVICE]
    assert machines.engine_words("H100") == "Modelled GPU: H100"
    assert "measured" in machines.engine_words(machines.REAL_DEVICE)
    for chosen in (RunChoices(), RunChoices.from_dict({"device": machines.REAL_DEVICE})):
        settings = chosen.settings(source=3)
        assert (settings.engine, settings.device) == ("cuda", machines.REAL_DEVICE)
    assert RunChoices.from_dict({"device": "H100"}).device == "H100"  # as somebody chose it


def test_what_a_machine_cannot_run_is_said_with_those_that_can(driver: Path) -> None:
    known = machines.machines()
    assert machines.problem_of(ALGORITHMS["dijkstra"], known[machines.CPU_DEVICE]) is None
    problem = machines.problem_of(ALGORITHMS["adds"], known[machines.CPU_DEVICE])
    assert problem == f"ADDS does not run on this machine; it runs on: {', '.join(PRESETS)}"
    whole = replace(ALGORITHMS["adds"], result="matrix")
    assert machines.problem_of(whole, known["H100"]) is None


def test_a_remembered_pair_that_does_not_go_together_becomes_the_default(driver: Path) -> None:
    kept = RunChoices.from_dict({"device": machines.CPU_DEVICE, "algorithm": "adds"})
    assert kept == RunChoices()
