"""One cursor for every panel: a time on the run's own clock, ns, so that two runs can share it.

It moves by hand (`set_cursor`, `step`), by playing (`advance`) or by following a run that goes on.
The view is the window of time that every plot shows: the whole run (`fitted`) until it is zoomed.
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
WHOLE_RUN_SECONDS = 5.0  # wall time of a whole run at speed 1
STILL_S = 0.5  # wall time between two steps where motion is unwelcome


class MeasureModel(QObject):
    """Marks 1 and 2 on the axis of time, ns; one alone measures to the cursor."""

    changed = pyqtSignal()  # a mark stands elsewhere

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.marks: Marks = NO_MARKS

    @property
    def active(self) -> bool:
        """Whether a mark is set."""
        return self.marks != NO_MARKS

    def put(self, place: int, time_ns: float) -> None:
        """Put mark 1 (place 0) or 2 (place 1) at a time."""
        marks = list(self.marks)
        marks[place] = time_ns
        self.set_marks((marks[0], marks[1]))

    def set_marks(self, marks: Marks) -> None:
        """Put both marks."""
        first, last = (None if mark is None else max(float(mark), 0.0) for mark in marks)
        if (first, last) != self.marks:
            self.marks = (first, last)
            self.changed.emit()

    def clear(self) -> None:
        """Take both marks away."""
        self.set_marks(NO_MARKS)

    def ends(self, cursor_ns: float) -> tuple[float, float] | None:
        """Return the interval that is measured, ns, rising; None where no mark is set."""
        if not self.active:
            return None
        first, last = (cursor_ns if mark is None else mark for mark in self.marks)
        return min(first, last), max(first, last)


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
        self._until_ns: float | None = None  # where a replay is to rest
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

    def replay(self, until_ns: float | None = None) -> None:
        """Play the run from its start, to `until_ns` or to its end."""
        self.pause()
        self._until_ns = until_ns
        self.set_cursor(0.0)
        self.play()

    def pause(self) -> None:
        """Stop moving."""
        if self.playing:
            self.playing = False
            self.playing_changed.emit(False)
        self._until_ns = None

    def toggle(self) -> None:
        """Play, or pause if playing."""
        if self.playing:
            self.pause()
        else:
            self.play()

    def set_speed(self, speed: float) -> None:
        """Set the speed, clamped to MIN_SPEED..MAX_SPEED."""
        speed = min(max(float(speed), MIN_SPEED), MAX_SPEED)
        if speed != self.speed:
            self.speed = speed
            self.speed_changed.emit(speed)

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
        target = self.cursor_ns + wall_seconds * self.speed * self.duration_ns / WHOLE_RUN_SECONDS
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
