"""Another computer: which there are, one to name, a button that asks whether it answers.

The dialog keeps nothing and connects to nothing; it shows what it is told and asks.
"""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import QSignalBlocker, Qt, pyqtSignal
from PyQt6.QtGui import QIcon
from PyQt6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from gpu.errors import GpuError
from gpu.words import in_sight
from viewer.common.small_widgets import wrapped_label
from viewer.common.theme import SPACING, Theme
from viewer.models.computers import Computer

INTRO = (
    "Runs go over ssh. A key that asks for no password must open the other computer, and "
    "SSSP Scope must be installed there; what is drawn and kept stays here."
)
NOTHING = "Name a computer, then test it."
WIDE = 460  # pixels
LIST_HIGH = 110


class ComputersDialog(QDialog):
    """Known computers, and the fields of one; see the module docstring."""

    test_requested = pyqtSignal(object)  # Computer
    use_requested = pyqtSignal(object)  # Computer
    remove_requested = pyqtSignal(str)  # address

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._known: dict[str, Computer] = {}
        self.setWindowTitle("Another computer")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(WIDE)
        self._build()
        self._connect()
        self._enable()

    def _build(self) -> None:
        self.known = QListWidget()
        self.known.setAccessibleName("Known computers")
        self.known.setMaximumHeight(LIST_HIGH)
        self.address = QLineEdit()
        self.address.setPlaceholderText("user@host, or a name that ssh knows")
        self.address.setAccessibleName("Computer")
        self.command = QLineEdit()
        self.command.setPlaceholderText("sssp-scope engine --stdio")
        self.command.setAccessibleName("Command there")
        self.command.setToolTip("What starts the engine there; empty: the usual")
        form = QFormLayout()
        form.setSpacing(SPACING)
        form.addRow("&Computer", self.address)
        form.addRow("Command &there", self.command)
        self.answer = QLabel(NOTHING)
        self.answer.setWordWrap(True)
        self.answer.setTextFormat(Qt.TextFormat.PlainText)
        self.answer.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.answer.setAccessibleName("Answer")
        self._build_buttons()
        intro = wrapped_label()
        intro.setText(INTRO)
        column = QVBoxLayout(self)
        column.setContentsMargins(*([2 * SPACING] * 4))
        column.setSpacing(SPACING)
        column.addWidget(intro)
        column.addWidget(self.known)
        column.addLayout(form)
        column.addWidget(self.answer)
        column.addWidget(self._buttons)
        self.address.setFocus()

    def _build_buttons(self) -> None:
        role = QDialogButtonBox.ButtonRole
        self._buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.test, self.use = QPushButton("&Test"), QPushButton("&Use")
        self.remove = QPushButton("&Remove")
        self.test.setToolTip("Log in and ask for version, GPUs and driver")
        self.use.setToolTip("Remember it and choose it in the machine list")
        self.use.setProperty("role", "primary")
        self._buttons.addButton(self.remove, role.DestructiveRole)
        self._buttons.addButton(self.test, role.ActionRole)
        self._buttons.addButton(self.use, role.ActionRole)
        self.use.setDefault(True)
        for button in self._buttons.buttons():
            button.setIcon(QIcon())

    def _connect(self) -> None:
        # the user asks
        self.test.clicked.connect(self._ask_test)
        self.use.clicked.connect(self._ask_use)
        self.remove.clicked.connect(lambda: self.remove_requested.emit(self.address.text().strip()))
        self._buttons.rejected.connect(self.reject)
        # the fields change
        self.known.currentItemChanged.connect(self._show_item)
        self.address.textChanged.connect(self._enable)

    def computer(self) -> Computer:
        """Return what the fields say; what was found there before stays known."""
        address, command = self.address.text().strip(), self.command.text().strip()
        before = self._known.get(address)
        gpus = before.gpus if before is not None and before.command == command else None
        return Computer(address, command, gpus)

    def show_computers(self, computers: Sequence[Computer]) -> None:
        """Show those that are known."""
        self._known = {computer.address: computer for computer in computers}
        with QSignalBlocker(self.known):
            self.known.clear()
            for computer in computers:
                words = in_sight(computer.address)
                gpus = ", ".join(in_sight(name) for name in computer.gpus or ())
                row = QListWidgetItem(f"{words}: {gpus}" if gpus else words, self.known)
                row.setData(Qt.ItemDataRole.UserRole, computer.address)
        self.known.setVisible(bool(computers))
        self._enable()

    def show_answer(self, words: str, problem: bool = False) -> None:
        """Show what a computer answered, or why it did not."""
        self.answer.setText(words)
        self.answer.setStyleSheet(f"color: {self._theme.error}" if problem else "")
        self.adjustSize()

    def _ask_test(self) -> None:
        self._ask(self.test_requested)

    def _ask_use(self) -> None:
        self._ask(self.use_requested)

    def _ask(self, wish: object) -> None:
        computer = self.computer()
        try:
            computer.elsewhere()
        except GpuError as error:
            self.show_answer(str(error), problem=True)
            return
        wish.emit(computer)  # type: ignore[attr-defined]

    def _show_item(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            computer = self._known[item.data(Qt.ItemDataRole.UserRole)]
            self.address.setText(computer.address)
            self.command.setText(computer.command)
            self.show_answer(NOTHING)

    def _enable(self) -> None:
        address = self.address.text().strip()
        self.test.setEnabled(bool(address))
        self.use.setEnabled(bool(address))
        self.remove.setEnabled(address in self._known)
