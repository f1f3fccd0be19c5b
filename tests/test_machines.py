"""Which machines the window offers, with and without a GPU."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from gpu.model.presets import PRESETS
from viewer.models import machines
from viewer.models.run_choices import RunChoices


@pytest.fixture
def driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A driver's file that a test may create."""
    monkeypatch.setattr(sys, "platform", "linux")
    path = tmp_path / "version"
    monkeypatch.setattr(machines, "_driver_file", lambda: path)
    return path


def test_without_a_driver_there_are_only_modelled_ones(driver: Path) -> None:
    assert list(machines.machines()) == list(PRESETS)
    words = machines.engine_words("H100")
    assert words == "Modelled GPU: H100 (no NVIDIA GPU here: no driver found)"


def test_a_driver_without_cupy_says_what_to_install(
    driver: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver.touch()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert list(machines.machines()) == list(PRESETS)
    assert 'pip install "sssp-scope[cuda13]"' in machines.engine_words("H100")


def test_with_driver_and_cupy_the_real_gpu_comes_first(
    driver: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver.touch()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    assert list(machines.machines()) == [machines.REAL_DEVICE, *PRESETS]
    assert machines.engine_words("H100") == "Modelled GPU: H100"
    assert "measured" in machines.engine_words(machines.REAL_DEVICE)
    kept = RunChoices.from_dict({"device": machines.REAL_DEVICE})
    settings = kept.settings(source=3)
    assert (settings.engine, settings.device) == ("cuda", machines.REAL_DEVICE)


def test_a_remembered_gpu_that_is_gone_becomes_the_default(driver: Path) -> None:
    kept = RunChoices.from_dict({"device": machines.REAL_DEVICE})
    assert kept.device == RunChoices().device
    assert kept.settings(source=0).engine == "model"
