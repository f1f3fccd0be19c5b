"""The soak's own instrument: what it blames on the program, and what on the machine."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot
from soak_stalls import Stalls


class Clock:
    """Seconds that a test lets pass."""

    def __init__(self) -> None:
        self.now = (0.0, 0.0, 0.0)

    def __call__(self) -> tuple[float, float, float]:
        return self.now

    def passes(self, held: float, busy: float, waited: float) -> None:
        self.now = (self.now[0] + held, self.now[1] + busy, self.now[2] + waited)


def test_a_span_is_a_stall_once_what_the_machine_took_is_taken_away() -> None:
    clock, did = Clock(), "open"
    stalls = Stalls(lambda: did, clock)
    for held, busy, waited in ((0.049, 0.049, 0), (0.3, 0.02, 0.27), (0.2, 0.06, 0.1)):
        clock.passes(held, busy, waited)
        stalls.beat()
    did = "close"
    clock.passes(0.4, 0.0, 0.0)  # it waited for something else
    stalls.beat()
    with stalls.unnoticed():
        clock.passes(9, 9, 0)
    clock.passes(0.051, 0.051, 0)
    stalls.beat()
    assert {name: row.count for name, row in stalls.rows.items()} == {"open": 1, "close": 2}
    row = stalls.rows["open"]
    assert (row.longest, row.busy, row.waited) == pytest.approx((0.2, 0.06, 0.1))
    first, _, *rows = stalls.table().splitlines()
    words = "3 stalls over 50 ms, after 2 of the actions, 2 of them computing for as long"
    assert first.startswith(words)
    assert [line.split()[4].rstrip(":") for line in rows] == ["close", "open"]


def test_it_beats_in_the_loop(qtbot: QtBot) -> None:
    stalls = Stalls(lambda: "nothing")
    stalls.start()
    qtbot.waitUntil(lambda: stalls.beats > 3)
    stalls.stop()
    assert stalls.table().splitlines()[0].endswith(f"{stalls.beats:,} beats")
