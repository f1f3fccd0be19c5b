"""The picture of the rooms is what the contracts and the rooms say."""

from __future__ import annotations

import architecture


def test_the_picture_is_current() -> None:
    drawn = architecture.PICTURE.read_text(encoding="utf-8")
    assert drawn == architecture.picture(), "run python tests/repository/architecture.py"


def test_every_room_has_a_page_of_its_own() -> None:
    missing = [
        room
        for package in ("gpu", "viewer")
        for row in architecture.layers(package)
        for room in row
        if (folder := architecture.TOP.joinpath(*room.split("."))).is_dir()
        and not (folder / "README.md").is_file()
    ]
    assert missing == []
