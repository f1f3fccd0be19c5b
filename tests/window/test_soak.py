"""A person who presses everything: seeded random actions on a real window and engine.

    python tests/window/test_soak.py SECONDS [SEED]

uses every action once and then, at random, whatever is enabled: actions, fields of the Run panel,
keys, small graphs. It ends with 1, and says what it did last, if anything was raised, if Qt
complained, or if a child process or a segment in /dev/shm is left after the window closed.
"""

import multiprocessing
import os
import random
import sys
import tempfile
import time
import traceback
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PyQt6.QtCore import QEventLoop, Qt, QTimer, QtMsgType, qInstallMessageHandler
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QCheckBox, QComboBox, QDialog, QDoubleSpinBox, QSpinBox

SUITE_SECONDS = 3
SEED = 20261121
MOST_RUNS = 6  # kept in the table
SIZES = (20, 200, 1500)  # vertices of the graphs
HARMLESS = ("plugin does not support",)  # what Qt says of having no screen
KEYS = ("Space", "Left", "Right", "Home", "End", "I", "O", "R", "L", "1", "2", "3", "Tab", "F")
CHECKOUT = Path(__file__).resolve().parents[2]
LARGE = {"recorded_roads", "recorded_mesh", "recorded_sweep"}  # used once: 200,000 vertices


@pytest.mark.slow
def test_random_actions_break_nothing() -> None:
    from processes import printed  # not where it is a command

    assert "actions" in printed(sys.executable, __file__, SUITE_SECONDS)


class Soak:
    """One window, one sequence of random steps, what went wrong."""

    def __init__(self, seconds: float, seed: int) -> None:
        from viewer.common.application import make_application
        from viewer.main_window import MainWindow
        from viewer.models.settings import Settings

        self.seconds, self.random = seconds, random.Random(seed)
        self.faults: list[str] = []
        self.did: deque[str] = deque(maxlen=25)
        self.steps = 0
        self._catch()
        self.segments = _segments()
        self.app = make_application()
        self.window = MainWindow(Settings(Path(tempfile.mkdtemp()) / "window.ini"))
        self.window.run_on_start = False
        self.window.show()
        self.window.start("sample:grid?n=900")

    def _catch(self) -> None:
        def raised(kind: Any, error: Any, where: Any) -> None:
            self._fault("".join(traceback.format_exception(kind, error, where)))

        def said(level: Any, _where: Any, words: str | None) -> None:
            quiet = level in (QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg)
            if not quiet and not any(known in (words or "") for known in HARMLESS):
                self._fault(f"Qt: {words}")

        sys.excepthook = raised
        sys.unraisablehook = lambda news: raised(news.exc_type, news.exc_value, news.exc_traceback)
        qInstallMessageHandler(said)

    def _fault(self, words: str) -> None:
        self.faults.append(f"{words.strip()}\n    after: {', '.join(list(self.did)[-6:])}")

    def run(self) -> None:
        """Use every action, act at random, close."""
        self._wait(lambda: self.window.controller.ready and self.window.session.graph is not None)
        self._wait(lambda: not self.window.features.install_next())
        for key in self.window.actions_by_key.table:
            self._use(key)
        end = time.monotonic() + self.seconds
        while time.monotonic() < end:
            self._step()
        self._close()

    def _step(self) -> None:
        choices = {self._any_action: 12, self._any_field: 3, self._any_key: 3, self._any_graph: 1}
        self.random.choices([*choices], [*choices.values()])[0]()
        self.steps += 1
        self._breathe(self.random.choice((0.0, 0.01, 0.05, 0.15)))
        self._tidy()

    def _any_action(self) -> None:
        self._use(
            self.random.choice([k for k in self.window.actions_by_key.table if k not in LARGE])
        )

    def _use(self, key: str) -> None:
        row, action = self.window.actions_by_key.table[key], self.window.actions_by_key[key]
        if row.submenu or key == "quit" or not action.isEnabled():
            return
        self.did.append(key)
        action.trigger()
        self._breathe(0.01)
        self._tidy()

    def _any_graph(self) -> None:
        import sample_graphs

        key = self.random.choice(list(sample_graphs.CATALOGUE))
        what = f"sample:{key}?n={self.random.choice(SIZES)}&seed={self.random.randint(1, 3)}"
        self.did.append(what)
        self.window.open_path(what)

    def _any_field(self) -> None:
        kinds = (QCheckBox, QComboBox, QDoubleSpinBox, QSpinBox)
        panel = self.window.run_panel
        own = [panel._size, panel._seed, panel._graph]  # they open graphs, of any size
        fields = [w for kind in kinds for w in panel.findChildren(kind) if w not in own]
        field: Any = self.random.choice([w for w in fields if w.isEnabled()])
        self.did.append(f"field {field.accessibleName() or field.text()}")
        if isinstance(field, QCheckBox):
            field.click()
        elif isinstance(field, QComboBox):
            rows: Any = field.model()
            able = [row for row in range(field.count()) if rows.item(row).isEnabled()]
            field.setCurrentIndex(self.random.choice(able))
        elif field.maximum() > 0:
            field.stepBy(self.random.choice((-1, 1)))

    def _any_key(self) -> None:
        name = self.random.choice(KEYS)
        self.did.append(f"key {name}")
        QTest.keyClick(self.window, getattr(Qt.Key, f"Key_{name}"))

    # --- housekeeping

    def _breathe(self, seconds: float) -> None:
        """Let the window run, in a loop as the application's: `deleteLater` waits for one."""
        loop = QEventLoop()
        QTimer.singleShot(round(1000 * seconds), loop.quit)
        loop.exec()

    def _tidy(self) -> None:
        """Cancel dialogs, close menus, forget old runs."""
        for top in QApplication.topLevelWidgets():
            if isinstance(top, QDialog) and top.isVisible():
                top.reject()
        popup = QApplication.activePopupWidget()
        if popup is not None:
            popup.close()
        session = self.window.session
        for record in session.runs[: max(0, len(session.runs) - MOST_RUNS)]:
            session.remove_run(record)

    def _wait(self, ready: Callable[[], bool], patience_s: float = 120) -> None:
        end = time.monotonic() + patience_s
        while not ready():
            self._breathe(0.02)
            if time.monotonic() > end:
                raise TimeoutError(f"nothing happens; last: {', '.join(self.did)}")

    def _close(self) -> None:
        self._breathe(0.1)
        self.window.close()
        end = time.monotonic() + 5
        while multiprocessing.active_children() and time.monotonic() < end:
            time.sleep(0.05)
        left = [child.name for child in multiprocessing.active_children()]
        if left:
            self._fault(f"child processes left: {left}")
        if _segments() - self.segments:
            self._fault(f"left in /dev/shm: {_segments() - self.segments}")


def _segments() -> set[str]:
    folder, mine = Path("/dev/shm"), str(os.getpid())
    return {p.name for p in folder.glob("sssp*") if mine in p.name} if folder.is_dir() else set()


def main(arguments: list[str]) -> int:
    """Soak; print what was done and what went wrong; return 1 if there is a fault."""
    sys.path.insert(0, str(CHECKOUT))
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    seconds = float(arguments[0]) if arguments else SUITE_SECONDS
    seed = int(arguments[1]) if len(arguments) > 1 else SEED
    soak = Soak(seconds, seed)
    try:
        soak.run()
    except BaseException:
        traceback.print_exc()  # the hook is ours
        raise
    print(f"seed {seed}: {soak.steps} actions")
    for fault in dict.fromkeys(soak.faults):
        print(f"FAULT {fault}")
    return 1 if soak.faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
