"""Settings that outlive the window."""

import json
from pathlib import Path

import pytest
from PyQt6.QtCore import QByteArray

from viewer.models.run_choices import RunChoices
from viewer.models.settings import Settings


def test_settings_come_back_from_disk(qapp: object, tmp_path: Path) -> None:
    path = tmp_path / "settings.ini"
    settings = Settings(path)
    assert (settings.theme, settings.recent, settings.value("speed")) == ("light", {}, None)
    settings.set_value("theme", "dark")
    settings.set_bytes("geometry", QByteArray(b"geometry"))
    settings.add_recent("/a.gr")
    settings.add_recent("/b.gr")
    settings.add_recent("/a.gr")
    settings.set_value("speed", 0.5)
    settings.sync()
    again = Settings(path)
    assert again.theme == "dark"
    assert again.bytes_value("geometry") == QByteArray(b"geometry")
    assert list(again.recent) == ["/a.gr", "/b.gr"]
    assert again.value("speed") == 0.5
    again.remove_recent("/a.gr")
    assert list(again.recent) == ["/b.gr"]


def test_a_relative_path_is_found_from_another_folder(
    qapp: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(tmp_path / "s.ini")
    monkeypatch.chdir(tmp_path)
    settings.add_recent("a.gr", {"undirected": True})
    monkeypatch.chdir("/")
    assert list(settings.recent) == [str(tmp_path / "a.gr")]
    assert settings.recent[str(tmp_path / "a.gr")]["undirected"] is True
    settings.remove_recent(tmp_path / "a.gr")
    assert settings.recent == {}


def test_damaged_settings_become_defaults(qapp: object, tmp_path: Path) -> None:
    settings = Settings(tmp_path / "s.ini")
    for key in ("other/theme", "other/recent", "window/geometry"):
        settings._store.setValue(key, "{not json")
    assert (settings.theme, settings.recent, settings.value("speed")) == ("light", {}, None)


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
    assert list(settings.recent) == [f"/{number}.gr" for number in range(24, 14, -1)]
