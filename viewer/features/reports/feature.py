"""Notes what is done; when something of ours breaks, says so and where it is written down.

The last actions, notices and runs are kept in memory alone. A fault writes them, with the log and
the versions, into a folder of its own in the settings' folder, and a dialog names it. A fault that
comes again and again (in a paint, say) is counted in the log and asks for no second dialog while
one is open. Nothing is sent anywhere.
"""

from __future__ import annotations

import time
import traceback
from collections import deque
from functools import partial
from pathlib import Path

from PyQt6.QtWidgets import QDialog

from gpu.errors import GpuError
from viewer.common.kept_graphs import kept_folder
from viewer.feature import Reports, Window
from viewer.features.reports.dialog import FaultDialog
from viewer.features.reports.report import versions, write_folder, write_zip
from viewer.models.session import Notice, RunRecord

MOST_ACTIONS = 200
MOST_FAULTS = 50
DIALOGS = 3  # a session; after them the bar says so


class ReportsFeature(Reports):
    """Reports of one window; see the module docstring."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._actions: deque[str] = deque(maxlen=MOST_ACTIONS)
        self._faults: deque[str] = deque(maxlen=MOST_FAULTS)
        self._dialog: QDialog | None = None
        self._shown = 0
        for key in window.actions_by_key.table:
            window.actions_by_key[key].triggered.connect(partial(self._note_action, key))
        window.session.notice_changed.connect(self._note_notice)
        window.session.run_added.connect(self._note_run)

    def crashed(self, error: BaseException) -> None:
        """Write a fault of ours down and say where."""
        self._faults.append(self._now() + "".join(traceback.format_exception(error)))
        if self._dialog is not None or self._shown >= DIALOGS:
            self._say(error)
            return
        try:
            folder = write_folder(self.texts(), self.folder)
        except (OSError, GpuError) as problem:
            self._note(f"no report was written: {problem}")
            self._say(error)
            return
        self._shown += 1
        self._dialog = FaultDialog(error, folder, self._window.as_widget())
        self._dialog.finished.connect(self._forget_dialog)
        self._dialog.open()

    def ask_report(self) -> None:
        """Ask where to save what a report of a problem needs."""
        texts = self.texts()
        self._window.files.ask_save(
            "Report a problem",
            "Archives (*.zip)",
            ".zip",
            lambda path: self._window.files.save(path, partial(write_zip, texts)),
            "sssp-scope-report",
        )

    @property
    def folder(self) -> Path:
        """Where reports are."""
        return kept_folder("reports")

    def texts(self) -> dict[str, str]:
        """Return what a report holds now, by file name."""
        log = "\n".join(self._faults) or "No fault was noticed in this session.\n"
        actions = "".join(f"{line}\n" for line in self._actions)
        return {"log.txt": log, "versions.txt": versions(), "actions.txt": actions}

    def close(self) -> None:
        """The window closes."""
        if self._dialog is not None:
            self._dialog.close()

    def _say(self, error: BaseException) -> None:
        words = f"A fault inside SSSP Scope: {type(error).__name__}: {error}."
        advice = "Help > Report a problem saves what is known of it; the window goes on."
        self._window.session.set_notice(Notice("error", words, advice))

    def _forget_dialog(self) -> None:
        self._dialog = None

    def _note_action(self, key: str, _checked: bool = False) -> None:
        self._note(f"action {key}")

    def _note_notice(self, notice: Notice | None) -> None:
        if notice is not None:
            self._note(f"{notice.level}: {notice.words}")

    def _note_run(self, record: RunRecord) -> None:
        self._note(f"run: {record.title}, {record.settings.engine} engine")

    def _note(self, words: str) -> None:
        self._actions.append(self._now() + " ".join(words.split()))

    def _now(self) -> str:
        return time.strftime("%H:%M:%S ")


install = ReportsFeature
