"""One cursor for every panel: a time on the run's own clock, and how it moves.

The cursor is in nanoseconds of the run, never in samples, so two runs can share it. It moves by
hand (`set_cursor`, `step`), by playing (`advance`, called by one timer of the main window) or by
following a run that goes on (`following`: it stays at the newest sample).

The view is the window of time that every plot shows: the whole run (`fitted`) until somebody
zooms. Zoomed in, it moves along with a cursor that leaves it. Speed 1 shows the whole run in
`WHOLE_RUN_SECONDS`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

import numpy as np
from PyQt6.QtCore import QObject, pyqtSignal

from gpu.record.trace import SAMPLE
from viewer.models.session import RunRecord, SessionModel

Marks = tuple[float | None, float | None]  # ns of marks 1 and 2
NO_MARKS: Marks = (None, None)

MIN_SPEED = 1e-4
MAX_SPEED = 10.0
MIN_VIEW_NS = 10.0  # no plot shows less time than this
WHOLE_RUN_SECONDS = 10.0  # wall time of a whole run at speed 1
STILL_S = 0.5  # wall time between two steps where motion is unwelcome


class MeasureModel(QObject):
    """Marks 1 and 2 on the shared axis of time, each at a sample; A and B are runs.

    With one mark only, the other end is the cursor. Another run clears both.
    """

    changed = pyqtSignal()  # a mark stands elsewhere

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.marks: Marks = NO_MARKS
        self._instants = (np.zeros(0), np.zeros(0))  # of the run's samples, and of B's

    @property
    def active(self) -> bool:
        """Whether a mark is set."""
        return self.marks != NO_MARKS

    def set_instants(self, times_ns: np.ndarray) -> None:
        """Know when the run's samples are, ns, rising."""
        self._instants = (times_ns, self._instants[1])

    def set_more_instants(self, times_ns: np.ndarray) -> None:
        """Know when B's samples are shown: past the end of A marks stand at those."""
        self._instants = (self._instants[0], times_ns)
        first, last = (None if mark is None else self.snapped(mark) for mark in self.marks)
        self.set_marks((first, last))

    def put(self, place: int, time_ns: float) -> None:
        """Put mark 1 (place 0) or 2 (place 1) at the sample nearest to a time."""
        marks = list(self.marks)
        marks[place] = self.snapped(time_ns)
        self.set_marks((marks[0], marks[1]))

    def put_next(self, time_ns: float) -> None:
        """Put mark 1 where there is none yet, else mark 2."""
        self.put(0 if self.marks[0] is None else 1, time_ns)

    def put_both(self, first_ns: float, last_ns: float) -> None:
        """Put both marks at the samples nearest to two times."""
        self.set_marks((self.snapped(first_ns), self.snapped(last_ns)))

    def step(self, place: int, samples: int) -> None:
        """Move a mark by so many samples."""
        here = self.marks[place]
        times = self._times(0.0 if here is None else here)
        if here is not None and len(times):
            at = int(np.searchsorted(times, here))
            self.put(place, float(times[min(max(at + samples, 0), len(times) - 1)]))

    def set_marks(self, marks: Marks) -> None:
        """Put both marks where they are said to be."""
        news = marks != self.marks
        self.marks = marks
        if news:
            self.changed.emit()

    def remove(self, place: int) -> None:
        """Take one mark away."""
        self.set_marks((None, self.marks[1]) if place == 0 else (self.marks[0], None))

    def clear(self) -> None:
        """Take both marks away."""
        self.set_marks(NO_MARKS)

    def snapped(self, time_ns: float) -> float:
        """Return when the sample nearest to a time is."""
        times = self._times(time_ns)
        if not len(times):
            return max(float(time_ns), 0.0)
        after = min(int(np.searchsorted(times, time_ns)), len(times) - 1)
        near = times[max(after - 1, 0) : after + 1]
        return float(near[np.argmin(np.abs(near - time_ns))])

    def ends(self, cursor_ns: float) -> tuple[float, float] | None:
        """Return the interval that is measured, ns, rising; None where no mark is set."""
        if not self.active:
            return None
        first, last = (cursor_ns if mark is None else mark for mark in self.marks)
        return min(first, last), max(first, last)

    def _times(self, time_ns: float) -> np.ndarray:
        own, more = self._instants
        return more if len(own) and len(more) and time_ns > max(own[-1], 0) else own


class PlaybackModel(QObject):
    """Cursor, duration, playing, speed, following; see the module docstring."""

    cursor_changed = pyqtSignal(float)  # ns
    duration_changed = pyqtSignal(float)  # ns
    playing_changed = pyqtSignal(bool)
    speed_changed = pyqtSignal(float)
    following_changed = pyqtSignal(bool)
    view_changed = pyqtSignal(float, float)  # ns, first and last instant shown

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.cursor_ns = 0.0
        self.duration_ns = 0.0
        self._own_ns = self._least_ns = 0.0  # the run's own length; see `set_least`
        self.playing = False
        self.speed = 1.0
        self.following = False
        self.fitted = True
        self.view_ns = (0.0, 0.0)
        self.measure = MeasureModel(self)
        self.still = False  # whether playing goes in steps of STILL_S instead of moving
        self._owed_s = 0.0  # wall time of a step that is not made yet
        self._replay_speed: float | None = None  # while a replay goes on
        self._until_ns: float | None = None  # where it is to rest
        self._samples = np.zeros(0, SAMPLE)
        self._session: SessionModel | None = None

    def watch(self, session: SessionModel) -> None:
        """Take samples and duration from the session's current run, now and later."""
        self._session = session
        session.current_changed.connect(self._show_run)
        session.samples_appended.connect(self._show_growth)
        session.run_changed.connect(self._show_growth)
        self._show_run(session.current)

    def set_samples(self, samples: np.ndarray) -> None:
        """Take SAMPLE (k,), a view, for stepping; the last one's time is the duration."""
        self._samples = samples
        self.measure.set_instants(samples["t_ns"])
        self.set_duration(float(samples["t_ns"][-1]) if len(samples) else 0.0)

    def set_duration(self, duration_ns: float) -> None:
        """Set the end of the time axis, ns >= 0; the cursor is clamped, or follows."""
        self._own_ns = max(float(duration_ns), 0.0)
        duration_ns = max(self._own_ns, self._least_ns)
        if duration_ns != self.duration_ns:
            self.duration_ns = duration_ns
            self.duration_changed.emit(duration_ns)
            self._show_view(self.view_ns)
        self._move(self._own_ns if self.following else self.cursor_ns)

    def set_least(self, least_ns: float) -> None:
        """Show at least so much time, ns: a run that it is compared with is longer. 0: as it is."""
        self._least_ns = max(float(least_ns), 0.0)
        self.set_duration(self._own_ns)

    def set_cursor(self, cursor_ns: float) -> None:
        """Move the cursor, clamped to the run; stops following, does not stop playing."""
        self.set_following(False)
        self._move(cursor_ns)

    def set_following(self, following: bool) -> None:
        """Stay at the newest sample from now on, or let go of it."""
        if following != self.following:
            self.following = following
            self.following_changed.emit(following)
        if following:
            self.pause()
            self._move(self._own_ns)

    def set_view(self, first_ns: float, last_ns: float) -> None:
        """Zoom to a window of time, kept inside the run; the whole run is the same as `fit`."""
        self.fitted = last_ns - first_ns >= self.duration_ns
        self._show_view((first_ns, last_ns))

    def zoom(self, factor: float, around_ns: float) -> None:
        """Show `factor` times as much time as now; `around_ns` stays where it is."""
        first, last = self.view_ns
        self.set_view(
            around_ns - (around_ns - first) * factor, around_ns + (last - around_ns) * factor
        )

    def pan(self, by_ns: float) -> None:
        """Move the window of time, its width kept, as far as the run goes; stops following."""
        first, last = self.view_ns
        by_ns = min(max(by_ns, -first), self.duration_ns - last)
        if not self.fitted:
            self.set_following(False)
            self._show_view((first + by_ns, last + by_ns))

    def fit(self) -> None:
        """Show the whole run, also as it grows."""
        self.fitted = True
        self._show_view(self.view_ns)

    def play(self) -> None:
        """Start moving, from the start of the run if the cursor is at its end."""
        if self.playing or self.duration_ns <= 0:
            return
        self.set_following(False)
        if self.cursor_ns >= self.duration_ns:
            self._move(0.0)
        self.playing = True
        self.playing_changed.emit(True)

    def replay(self, wall_seconds: float, until_ns: float | None = None) -> None:
        """Play the run again in so many seconds, to `until_ns` or to its end, at its own speed."""
        self.pause()
        self._until_ns = until_ns
        self._replay_speed = min(max(WHOLE_RUN_SECONDS / wall_seconds, MIN_SPEED), MAX_SPEED)
        self.speed_changed.emit(self.pace)
        self.set_cursor(0.0)
        self.play()

    def pause(self) -> None:
        """Stop moving."""
        if self.playing:
            self.playing = False
            self.playing_changed.emit(False)
        self._until_ns = None
        if self._replay_speed is not None:
            self._replay_speed = None
            self.speed_changed.emit(self.pace)

    def toggle(self) -> None:
        """Play, or pause if playing."""
        if self.playing:
            self.pause()
        else:
            self.play()

    def set_speed(self, speed: float) -> None:
        """Set the pace, clamped to MIN_SPEED..MAX_SPEED; 1 = whole run in ten seconds."""
        speed, before = min(max(float(speed), MIN_SPEED), MAX_SPEED), self.pace
        self.speed, self._replay_speed = speed, None
        if speed != before:
            self.speed_changed.emit(speed)

    @property
    def pace(self) -> float:
        """The speed at which it plays now: the chosen one, or a replay's."""
        return self.speed if self._replay_speed is None else self._replay_speed

    def advance(self, wall_seconds: float) -> None:
        """Move by the wall time that went by, if playing; pauses at the end."""
        if not self.playing:
            self._owed_s = 0.0
            return
        if self.still:
            self._owed_s += wall_seconds
            if self._owed_s < STILL_S:
                return
            wall_seconds, self._owed_s = self._owed_s, 0.0
        target = self.cursor_ns + wall_seconds * self.pace * self.duration_ns / WHOLE_RUN_SECONDS
        end = self.duration_ns if self._until_ns is None else self._until_ns
        self._move(min(target, end))
        if self.cursor_ns >= min(end, self.duration_ns):
            self.pause()

    def step(self, direction: int) -> bool:
        """Pause and move to the next (+1) or previous (-1) sample; False where there is none."""
        self.pause()
        times = self._samples["t_ns"]
        after = bisect_right(times, self.cursor_ns)
        target = after if direction > 0 else bisect_left(times, self.cursor_ns) - 1
        if not 0 <= target < len(times):
            return False
        self.set_cursor(float(times[target]))
        return True

    @property
    def sample_index(self) -> int:
        """Index of the last sample at or before the cursor, -1 where there is none."""
        return bisect_right(self._samples["t_ns"], self.cursor_ns) - 1

    def _show_run(self, record: RunRecord | None) -> None:
        self.pause()
        self.set_following(False)
        self.fit()
        self.measure.clear()
        self._move(0.0)
        self.set_samples(record.samples if record is not None else np.zeros(0, SAMPLE))
        self.set_following(record is not None and record.running)
        if record is not None and not record.running:
            self._move(self.duration_ns)

    def _show_growth(self, record: RunRecord, *_range: int) -> None:
        if self._session is not None and record is self._session.current:
            self.set_samples(record.samples)
            if not record.running:
                self.set_following(False)

    def _move(self, cursor_ns: float) -> None:
        cursor_ns = min(max(float(cursor_ns), 0.0), self.duration_ns)
        if cursor_ns != self.cursor_ns:
            self.cursor_ns = cursor_ns
            self.cursor_changed.emit(cursor_ns)
            self._keep_cursor_in_view()

    def _keep_cursor_in_view(self) -> None:
        first, last = self.view_ns
        if not self.fitted and not first <= self.cursor_ns <= last:
            span = last - first
            share = 1.0 if self.following else 0.1 if self.cursor_ns > last else 0.9
            start = self.cursor_ns - share * span
            self._show_view((start, start + span))

    def _show_view(self, view_ns: tuple[float, float]) -> None:
        if self.fitted:
            view_ns = (0.0, self.duration_ns)
        else:
            span = min(max(view_ns[1] - view_ns[0], MIN_VIEW_NS), self.duration_ns)
            first = min(max(view_ns[0], 0.0), self.duration_ns - span)
            view_ns = (first, first + span)
        if view_ns != self.view_ns:
            self.view_ns = view_ns
            self.view_changed.emit(*view_ns)
