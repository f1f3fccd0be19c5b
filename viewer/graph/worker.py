"""One piece of work at a time on a thread of its own, the newest request first.

A view asks for far more pictures than it can show: every turn of the wheel makes the
one before it worthless. So there is no queue: a request replaces the one that waits,
and the answer is handed over on the GUI thread by a queued signal. The thread lives
only while there is work, so a view that is closed leaves nothing behind.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from PyQt6.QtCore import QObject, pyqtSignal

Job = Callable[[], Any]


class NewestFirst(QObject):
    """Runs jobs that release the GIL; `done` brings each result that was not replaced."""

    done = pyqtSignal(object)
    _rang = pyqtSignal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lock = threading.Lock()
        self._waiting: Job | None = None
        self._thread: threading.Thread | None = None
        self._results: deque[Any] = deque()
        self._rang.connect(self._hand_over)

    @property
    def busy(self) -> bool:
        """Whether a job runs, waits, or its result has not been handed over."""
        with self._lock:
            return self._thread is not None or bool(self._results)

    def submit(self, job: Job) -> None:
        """Run `job()` soon; a job that still waits is dropped."""
        with self._lock:
            self._waiting = job
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, daemon=True)
                self._thread.start()

    def clear(self) -> None:
        """Drop what waits and what is not handed over yet; a running job's result stays."""
        with self._lock:
            self._waiting = None
            self._results.clear()

    def wait(self) -> None:
        """Wait until nothing runs or waits, then hand over on this (the GUI's) thread."""
        while True:
            with self._lock:
                thread = self._thread
            if thread is None:
                break
            thread.join()
        self._hand_over()

    def _work(self) -> None:
        while True:
            with self._lock:
                job, self._waiting = self._waiting, None
                if job is None:
                    self._thread = None
                    return
            self._results.append(job())
            try:
                self._rang.emit()
            except RuntimeError:  # the view, and this object with it, is gone
                return

    def _hand_over(self) -> None:
        while self._results:
            self.done.emit(self._results.popleft())
