"""Names other computers, asks whether they answer, and remembers them.

What a window that crashed, or gave up waiting, left on a computer is fetched when that is used
again, and offered in a line of the bar.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gpu.errors import CancelledByUserError
from gpu.record.trace import ON
from gpu.words import in_sight
from viewer.common.background import Task
from viewer.common.kept_graphs import kept_folder
from viewer.feature import FeaturePart, Window
from viewer.features.computers.dialog import NOTHING, ComputersDialog
from viewer.models.computers import MOST, Computer, known_computers, remember_computers
from viewer.models.machines import CPU_DEVICE, REAL_DEVICE
from viewer.models.session import Notice, Offer

if TYPE_CHECKING:
    from gpu.remote.messages import About


@dataclass(frozen=True)
class Fetched:
    """What the button asks for: the run in this file."""

    path: Path


class ComputersFeature(FeaturePart):
    """Other computers of one window; see the module docstring."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self.dialog: ComputersDialog | None = None
        self._task: Task | None = None
        self._found: Computer | None = None  # that answered last, with what it has
        self._fetching: Task | None = None
        window.controller.connected.connect(self.fetch)
        window.notice_bar.offer_taken.connect(self._take)
        window.run_panel.offer_another()
        window.run_panel.computers_requested.connect(self.ask)

    @property
    def known(self) -> list[Computer]:
        """The computers that are remembered."""
        return known_computers(self._window.settings)

    def ask(self) -> None:
        """Show the dialog."""
        if self.dialog is not None:
            self.dialog.raise_()
            return
        dialog = self.dialog = ComputersDialog(self._window.theme, self._window.as_widget())
        dialog.test_requested.connect(self.test)
        dialog.use_requested.connect(self.use)
        dialog.remove_requested.connect(self.remove)
        dialog.finished.connect(self._forget_dialog)
        dialog.show_computers(self.known)
        dialog.open()

    def test(self, computer: Computer) -> None:
        """Ask a computer what it is; the answer comes into the dialog."""
        self._give_up()
        found: list[About] = []

        def work() -> None:
            from gpu.remote.about import about

            found.append(about(computer.elsewhere()))

        if self.dialog is not None:
            self.dialog.test.setEnabled(False)
            self.dialog.show_answer(f"Asking {in_sight(computer.address)}…")
        self._task = Task(work, self)
        self._task.ended.connect(partial(self._show_answer, computer, found))

    def _show_answer(
        self, computer: Computer, found: list[About], problem: BaseException | None
    ) -> None:
        self._task = None
        if self.dialog is None or isinstance(problem, CancelledByUserError):
            return
        self.dialog.test.setEnabled(True)
        if problem is not None or not found:
            self.dialog.show_answer(str(problem), problem=True)
            return
        from gpu.remote.about import about_words

        gpus = () if found[0].problem else found[0].gpus
        if any(one.address == computer.address for one in self.known):
            self._keep(replace(computer, gpus=gpus))
        self._found = replace(computer, gpus=gpus)
        self.dialog.show_answer(about_words(found[0]))

    def use(self, computer: Computer) -> None:
        """Remember a computer and choose the first of its machines."""
        found = self._found
        if found is not None and replace(found, gpus=computer.gpus) == computer:
            computer = found
        self._keep(computer)
        device = CPU_DEVICE if computer.gpus == () else REAL_DEVICE
        if self.dialog is not None:
            self.dialog.accept()
        self._window.run_panel.choose_machine(f"{device}{ON}{computer.address}")

    def remove(self, address: str) -> None:
        """Forget a computer; a run that goes on there goes on."""
        self._show([one for one in self.known if one.address != address])
        if self.dialog is not None:
            self.dialog.show_answer(NOTHING)

    def fetch(self, address: str) -> None:
        """Fetch the newest run that waits on a computer, if there is one."""
        if self._fetching is not None:
            return
        found: list[Path] = []

        def work() -> None:
            from gpu.record.tracefile import save_trace
            from gpu.remote.pickup import pick_up, waiting

            note = next((note for note in waiting() if note.address == address), None)
            if note is not None:
                folder = kept_folder("fetched")
                folder.mkdir(parents=True, exist_ok=True)
                save_trace(pick_up(note), folder / f"{note.token}.npz")
                found.append(folder / f"{note.token}.npz")

        self._fetching = Task(work, self)
        self._fetching.ended.connect(partial(self._offer, in_sight(address), found))

    def _offer(self, where: str, found: list[Path], problem: BaseException | None) -> None:
        self._fetching = None
        session = self._window.session
        if found:
            words = f"A run on {where} whose connection broke was fetched."
            offers = (Offer("Open it", Fetched(found[0])),)
            session.set_notice(Notice("info", words, offers=offers))
        elif problem is not None and not isinstance(problem, CancelledByUserError):
            session.set_notice(Notice("warning", str(problem)))

    def _take(self, what: object) -> None:
        if isinstance(what, Fetched):
            self._window.session.set_notice(None)
            self._window.open_path(str(what.path))

    def close(self) -> None:
        """The window closes."""
        self._give_up()
        if self._fetching is not None:
            self._fetching.give_up()
        if self.dialog is not None:
            self.dialog.close()

    def _keep(self, computer: Computer) -> None:
        others = [one for one in self.known if one.address != computer.address]
        self._show([*others, computer][-MOST:])

    def _show(self, computers: list[Computer]) -> None:
        remember_computers(self._window.settings, computers)
        self._window.use_computers(computers)
        if self.dialog is not None:
            self.dialog.show_computers(computers)

    def _give_up(self) -> None:
        if self._task is not None:
            self._task.give_up()
            self._task = None

    def _forget_dialog(self) -> None:
        self.dialog = None
        self._give_up()


install = ComputersFeature
