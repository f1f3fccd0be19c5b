"""Settings that outlive the window, and what the models may not import."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PyQt6.QtCore import QByteArray

from viewer.models.run_choices import RunChoices
from viewer.models.settings import Settings

# ---- settings --------------------------------------------------------------------------


def test_settings_come_back_from_disk(qapp: object, tmp_path: Path) -> None:
    path = tmp_path / "settings.ini"
    settings = Settings(path)
    assert (settings.theme, settings.recent_files, settings.geometry) == ("light", [], None)
    settings.theme = "dark"
    settings.geometry = QByteArray(b"geometry")
    settings.window_state = QByteArray(b"state")
    settings.run_panel = {"algorithm": "adds", "delta": None, "workers": 4}
    settings.add_recent("/a.gr")
    settings.add_recent("/b.gr")
    settings.add_recent("/a.gr")
    settings.set_value("speed", 0.5)
    settings.sync()
    again = Settings(path)
    assert again.theme == "dark"
    assert again.geometry == QByteArray(b"geometry")
    assert again.window_state == QByteArray(b"state")
    assert again.run_panel == {"algorithm": "adds", "delta": None, "workers": 4}
    assert again.recent_files == ["/a.gr", "/b.gr"]
    assert again.value("speed") == 0.5
    again.remove_recent("/a.gr")
    assert again.recent_files == ["/b.gr"]
    again.clear()
    assert (again.recent_files, again.geometry, again.window_state) == ([], None, None)
    assert again.theme == "light"


def test_a_relative_path_is_found_from_another_folder(
    qapp: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(tmp_path / "s.ini")
    monkeypatch.chdir(tmp_path)
    settings.add_recent("a.gr", {"undirected": True})
    monkeypatch.chdir("/")
    assert settings.recent_files == [str(tmp_path / "a.gr")]
    assert settings.recent_options[str(tmp_path / "a.gr")]["undirected"] is True
    settings.remove_recent(tmp_path / "a.gr")
    assert settings.recent_files == []


def test_damaged_settings_become_defaults(qapp: object, tmp_path: Path) -> None:
    settings = Settings(tmp_path / "s.ini")
    store = settings._store
    store.setValue("theme", "mauve")
    store.setValue("recent_files", "{not json")
    store.setValue("run_panel", json.dumps([1, 2]))
    store.setValue("window/geometry", "text")
    assert (settings.theme, settings.recent_files) == ("light", [])
    assert (settings.run_panel, settings.geometry) == ({}, None)


def test_remembered_choices_that_do_not_fit_become_defaults() -> None:
    kept = RunChoices("near_far", delta=4.0, probe=1, pace="slow", parameters={"adds": {}})
    again = RunChoices.from_dict(json.loads(json.dumps(kept.as_dict())))
    assert (again.algorithm, again.delta, again.probe, again.pace) == ("near_far", 4, 1, "slow")
    for key, value in (
        ("algorithm", "<b>"),
        ("algorithm", ["adds"]),
        ("device", 7),
        ("delta", -1),
        ("delta", "4"),
        ("delta", 10**400),
        ("probe", 9),
        ("probe", True),
        ("pace", "warp"),
        ("parameters", [1]),
    ):
        found = RunChoices.from_dict(kept.as_dict() | {key: value})
        assert getattr(found, key) == getattr(RunChoices(), key), (key, value)
        assert found.pace == ("fast" if key == "pace" else "slow"), "the others stay"
    assert RunChoices.from_dict({"unknown": 1}) == RunChoices()


def test_recent_files_are_few(qapp: object, tmp_path: Path) -> None:
    settings = Settings(tmp_path / "s.ini")
    for number in range(25):
        settings.add_recent(f"/{number}.gr")
    assert settings.recent_files == [f"/{number}.gr" for number in range(24, 14, -1)]


# ---- layers ----------------------------------------------------------------------------
