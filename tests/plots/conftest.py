"""A bench for panels: a session, its playback, and panels of any kind."""

import pytest
from panel_stage import Bench
from pytestqt.qtbot import QtBot


@pytest.fixture
def bench(qtbot: QtBot) -> Bench:
    return Bench(qtbot)
