"""What the window adds to the command line goes again after each test."""

from __future__ import annotations

import pytest

from gpu.cli import main as cli
from gpu.lab import bench


@pytest.fixture(autouse=True)
def _nothing_added_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "COMMANDS", dict(cli.COMMANDS))
    monkeypatch.setattr(bench, "ROWS", dict(bench.ROWS))
    monkeypatch.setattr(bench, "GROUPS", dict(bench.GROUPS))
