"""Asks for an address, says how large the file is, fetches it in the background, opens it.

The thread that fetches waits for the answer to "so large, from there: fetch it?"; nothing else
waits. A file that was fetched before is opened at once where the server has no newer one.
"""

from __future__ import annotations

import threading
from typing import Any

from PyQt6.QtCore import QObject, Qt, pyqtSignal
from PyQt6.QtWidgets import QInputDialog, QMessageBox

from gpu.address import Offer, fetched, is_address
from gpu.errors import CancelledByUserError, GpuError
from viewer.common.background import Task
from viewer.feature import FeaturePart, Window
from viewer.models.session import PROGRESS_UNKNOWN, Notice

WAIT_S = 0.2  # between two looks at whether somebody gave up


class Fetching(QObject):
    """One file on its way; signals come from its thread."""

    offered = pyqtSignal(object)  # Offer: to be answered by `answer`
    moved = pyqtSignal(float, str)  # share 0..1, -1 where unknown; words
    noted = pyqtSignal(str)

    def __init__(self, address: str, parent: QObject) -> None:
        super().__init__(parent)
        self.path = ""
        self._address, self._agreed = address, False
        self._answered, self._stopped = threading.Event(), threading.Event()
        self.task: Task | None = None

    def start(self) -> Task:
        """Begin; returns at once."""
        self.task = Task(self._work, self)
        return self.task

    def answer(self, agreed: bool) -> None:
        """Say whether the file is wanted, now that its size is known."""
        self._agreed = agreed
        self._answered.set()

    def stop(self) -> None:
        """Give up."""
        self._stopped.set()
        self.answer(False)

    def _work(self) -> None:
        path = fetched(
            self._address,
            agree=self._ask,
            progress=self.moved.emit,
            should_stop=self._stopped.is_set,
            note=self.noted.emit,
        )
        self.path = str(path)

    def _ask(self, offer: Offer) -> bool:
        self.offered.emit(offer)
        while not self._answered.wait(WAIT_S):
            pass
        return self._agreed


class AddressFeature(FeaturePart):
    """Fetches one file at a time."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self.fetching: Fetching | None = None
        self.question: QMessageBox | None = None
        window.status_bar.cancel_requested.connect(self.cancel)

    def ask(self) -> None:
        """Ask for an address."""
        dialog = QInputDialog(self._window.as_widget())
        dialog.setWindowTitle("Open an address")
        dialog.setLabelText("A graph at http:// or https://, packed or not:")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.textValueSelected.connect(lambda words: self.fetch(words.strip()))
        dialog.open()

    def knows_file(self, path: str) -> bool:
        """Return whether a path is an address."""
        return is_address(path)

    def open_file(self, path: str, _options: dict[str, Any] | None) -> bool:
        """Fetch and open what is an address."""
        if not is_address(path):
            return False
        self.fetch(path)
        return True

    def fetch(self, address: str) -> None:
        """Fetch a file, then open it."""
        if self.fetching is not None:
            self._say("info", "Another address is still being fetched: wait, or press Cancel.")
            return
        self.fetching = fetching = Fetching(address, self)
        fetching.offered.connect(self._offer)
        fetching.moved.connect(self._move)
        fetching.noted.connect(lambda words: self._say("warning", f"{words}."))
        fetching.start().ended.connect(self._end)
        self._window.session.set_progress(PROGRESS_UNKNOWN, "Asking how large the file is…")

    def cancel(self) -> None:
        """Give up what is being fetched; nothing of it is left."""
        if self.fetching is not None:
            self.fetching.stop()

    def close(self) -> None:
        """The window closes."""
        if self.fetching is not None:
            self.fetching.stop()
            if self.fetching.task is not None:
                self.fetching.task.give_up()

    def _offer(self, offer: Offer) -> None:
        fetching = self.fetching
        if fetching is None:
            return
        self.question = box = QMessageBox(self._window.as_widget())
        box.setWindowTitle("Open an address")
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(f"Fetch {offer.words}?")
        box.setInformativeText("It is kept for the next time.")
        box.setStandardButtons(QMessageBox.StandardButton.Yes | QMessageBox.StandardButton.Cancel)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        yes = QMessageBox.StandardButton.Yes.value
        box.finished.connect(lambda code: fetching.answer(code == yes))
        box.open()

    def _move(self, share: float, words: str) -> None:
        shown = PROGRESS_UNKNOWN if share < 0 else share
        self._window.session.set_progress(shown, f"{words[0].upper()}{words[1:]}")

    def _end(self, problem: BaseException | None) -> None:
        fetching, self.fetching, self.question = self.fetching, None, None
        self._window.session.set_progress(None)
        if fetching is None:
            return
        fetching.deleteLater()
        if isinstance(problem, CancelledByUserError):
            self._say("info", f"{problem}.")
        elif isinstance(problem, GpuError):
            self._say("error", f"{problem}.")
        elif problem is not None:
            raise problem
        else:
            self._window.open_path(fetching.path)

    def _say(self, level: str, words: str) -> None:
        kinds = {"info": "info", "warning": "warning", "error": "error"}
        self._window.session.set_notice(Notice(kinds[level], words))  # type: ignore[arg-type]


install = AddressFeature
