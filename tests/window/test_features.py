"""Features: parts of the window that bring rows, docks and their own wiring."""

from __future__ import annotations

import pytest
from PyQt6.QtWidgets import QLabel

from viewer import features
from viewer.action_rows import ACTIONS, MENUS, ActionRow
from viewer.features import Feature, Features, all_features


class Part:
    """What a feature's `install` may return."""

    def make_panel(self, dock: str) -> QLabel:
        return QLabel(dock)

    def needs(self) -> dict[str, bool]:
        return {"moon": True}


class Module:
    FEATURE = Feature(
        "moon", (ActionRow("land", "Land", "run", 9, "Land"),), (("crater", "Crater"),)
    )
    installed = 0

    @classmethod
    def install(cls, _window: object) -> Part:
        cls.installed += 1
        return Part()


def test_a_feature_is_built_once_and_when_first_used(
    monkeypatch: pytest.MonkeyPatch, qapp: object
) -> None:
    monkeypatch.setattr(features, "_module", lambda _name: Module)
    parts = Features(object(), (Module.FEATURE,))  # type: ignore[arg-type]
    before = Module.installed
    assert parts.call("needs") == []
    assert parts.panel("crater").text() == "crater"
    assert parts.moon is parts.moon
    assert Module.installed == before + 1
    assert parts.call("needs") == [{"moon": True}]
    assert not parts.install_next()
    with pytest.raises(AttributeError):
        _ = parts.sun


def test_rows_and_docks_of_all_features_are_sound() -> None:
    rows = [*ACTIONS, *(row for feature in all_features() for row in feature.rows)]
    assert len({row.key for row in rows}) == len(rows)
    keys = [key for row in rows for key in row.shortcuts]
    assert len(set(keys)) == len(keys), sorted(key for key in keys if keys.count(key) > 1)
    for row in rows:
        assert row.menu in dict(MENUS), row.key
        assert row.tooltip, row.key
        assert row.submenu or row.handler, row.key
    docks = [key for feature in all_features() for key, _ in feature.docks]
    assert len(set(docks)) == len(docks)
