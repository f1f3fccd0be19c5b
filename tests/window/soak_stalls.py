"""How long the window's event loop was held, what was done then, and where in the program.

A timer beats in the loop of the window; what lies between two beats was held. The machine may be
to blame: of each span, Linux says how long the thread waited for a processor, and that is taken
away. A signal asks meanwhile where the thread is, so that a row names lines and not only what was
pressed. (Another thread must not look: it would hold frames, and with them a widget's painter.)
"""

from __future__ import annotations

import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

STALL_S = 0.05  # from here on a hand on the mouse notices
BEAT_S = 0.01
LOOK_S = 0.02
SCHEDULED = Path("/proc/thread-self/schedstat")  # ns on a processor, ns waited for one, turns
DEEPEST = 3  # lines of ours that a row names
OURS = str(Path(__file__).resolve().parents[2])


@dataclass
class Row:
    """Stalls after one action, seconds; `waited` is what the machine is to blame for."""

    count: int = 0
    longest: float = 0.0
    busy: float = 0.0  # of the longest: on a processor
    waited: float = 0.0  # of the longest: for a processor
    seen: Counter[str] = field(default_factory=Counter)


class Stalls:
    """Measures every span between two beats; `did` says what was done last.

    moment : seconds by the clock, on a processor, waiting for one, of the thread that calls
    """

    def __init__(
        self,
        did: Callable[[], str],
        moment: Callable[[], tuple[float, float, float]] | None = None,
    ) -> None:
        self._did = did
        self._moment = moment or _moment
        self.rows: dict[str, Row] = {}
        self.beats = 0
        self.computing = 0  # stalls in which our own thread computed for STALL_S; else it waited
        self._last = self._moment()
        self._seen: Counter[str] = Counter()
        self._quiet = False

    def start(self) -> None:
        """Beat in the loop of the main thread, which calls this, and look where it is."""
        from PyQt6.QtCore import Qt, QTimer

        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self.beat)
        self._timer.start(round(1000 * BEAT_S))
        self._last = self._moment()
        signal.signal(signal.SIGALRM, self._look)
        signal.siginterrupt(signal.SIGALRM, False)
        signal.setitimer(signal.ITIMER_REAL, LOOK_S, LOOK_S)

    def stop(self) -> None:
        """Beat and look no more."""
        self._timer.stop()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)

    def beat(self) -> None:
        """End a span: note it where the program, not the machine, held for too long."""
        now = self._moment()
        held, busy, waited = (after - before for after, before in zip(now, self._last, strict=True))
        self.beats += 1
        if held - waited > STALL_S and not self._quiet:
            row = self.rows.setdefault(self._did(), Row())
            row.count += 1
            self.computing += busy > STALL_S
            row.seen.update(dict(self._seen))  # a copy at once: the watcher adds to it
            if held - waited > row.longest - row.waited:
                row.longest, row.busy, row.waited = held, busy, waited
        self._seen.clear()
        self._last = self._moment()

    @contextmanager
    def unnoticed(self) -> Iterator[None]:
        """Leave out what the test does for itself."""
        self.beat()
        self._quiet = True
        try:
            yield
        finally:
            self.beat()
            self._quiet = False

    def table(self, most: int = 40) -> str:
        """Return the actions with the longest stalls, worst first."""
        worst = sorted(self.rows.items(), key=lambda item: item[1].waited - item[1].longest)
        count = sum(row.count for row in self.rows.values())
        lines = [
            f"{count} stalls over {1000 * STALL_S:.0f} ms, after {len(worst)} of the actions, "
            f"{self.computing} of them computing for as long; {self.beats:,} beats",
            " times  held  busy queued ms  after: where",
        ]
        for name, row in worst[:most]:
            where = "; ".join(f"{place} x{times}" for place, times in row.seen.most_common(3))
            times = (1000 * seconds for seconds in (row.longest, row.busy, row.waited))
            figures = " ".join(f"{value:5.0f}" for value in times)
            lines.append(f"{row.count:6} {figures}     {name}: {where}")
        return "\n".join(lines)

    def _look(self, _number: int, frame: FrameType | None) -> None:
        if time.monotonic() - self._last[0] > STALL_S / 2:
            self._seen[_place(frame)] += 1


def _moment() -> tuple[float, float, float]:
    try:
        waited = int(SCHEDULED.read_text(encoding="ascii").split()[1]) / 1e9
    except OSError:
        waited = 0.0
    return time.monotonic(), time.thread_time(), waited


def _place(frame: FrameType | None) -> str:
    """Return the innermost lines of ours that are no test's."""
    found: list[str] = []
    while frame is not None and len(found) < DEEPEST:
        file = frame.f_code.co_filename
        if file.startswith(OURS) and "/tests/" not in file:
            name = Path(file).relative_to(OURS).with_suffix("").as_posix()
            found.append(f"{name}:{frame.f_lineno} {frame.f_code.co_name}")
        frame = frame.f_back
    return " < ".join(found) or "Qt"
