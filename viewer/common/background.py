"""Work that takes a while and must not hold the window: writing a long file.

The work runs in a thread of this process and is given up by raising `CancelledByUserError` in it at
its next line of Python. So a writer only has to clean up after any exception, as
`gpu.files.written_whole` does.
"""

from __future__ import annotations

import ctypes
import subprocess
import threading
import time
from collections.abc import Callable

from PyQt6.QtCore import QObject, pyqtSignal

from gpu.errors import CancelledByUserError, GpuError
from gpu.interpreter import module_command

AGAIN_S = 0.2
POLL_S = 0.05
ERROR_CHARACTERS = 300


def run_command(*words: str) -> None:
    """Run a command of `sssp-scope` for a Task, in a process that ends with it."""
    process = subprocess.Popen(
        module_command("viewer.app", *words),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        while process.poll() is None:
            time.sleep(POLL_S)
    finally:
        process.kill()
        errors = process.communicate()[1]
    if process.returncode:
        raise GpuError(errors.strip()[-ERROR_CHARACTERS:] or f"{words[0]} failed")


class Task(QObject):
    """One piece of work; `ended` is emitted once, in its owner's thread. Then it deletes itself."""

    ended = pyqtSignal(object)  # the exception, None where it is done
    _returned = pyqtSignal(object)

    def __init__(self, work: Callable[[], object], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._work: Callable[[], object] | None = work
        self._thread = threading.Thread(target=self._run, name="background", daemon=True)
        self._returned.connect(self._end)  # queued: the thread is another one
        self._thread.start()

    def cancel(self) -> None:
        """Give up; `ended` says so. Nothing happens where the work is done."""
        if self._thread.is_alive() and self._thread.ident is not None:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(self._thread.ident), ctypes.py_object(CancelledByUserError)
            )

    def wait(self) -> None:
        """Return when the work is over; `ended` is emitted later."""
        self._thread.join()

    def give_up(self) -> None:
        """Cancel and return when the thread has ended; ask again while it does not hear."""
        while self._thread.is_alive():
            self.cancel()
            self._thread.join(AGAIN_S)

    def _run(self) -> None:
        problem: BaseException | None = None
        try:
            try:
                assert self._work is not None
                self._work()
            except Exception as error:
                problem = error
            self._returned.emit(problem)
        except CancelledByUserError as late:  # it came after the work was done
            self._returned.emit(late)

    def _end(self, problem: BaseException | None) -> None:
        self._thread.join()
        self._work = None  # whoever made the task may keep it
        self.ended.emit(problem)
        self.deleteLater()
