"""Other computers that runs can be made on, as the settings keep them.

Keys, hops and passwords are no part of it: those are ssh's own business.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from gpu.errors import ParameterError
from gpu.schema import fitting
from viewer.models.settings import Settings

if TYPE_CHECKING:
    from gpu.remote import Elsewhere

KEY = "computers"
MOST = 20


@dataclass(frozen=True)
class Computer:
    """Another computer.

    address : `user@host`, or a name of ssh's own configuration
    command : what starts an engine there, "" for the usual
    gpus : names of its GPUs as they were last seen, None where nobody looked
    """

    address: str = ""
    command: str = ""
    gpus: tuple[str, ...] | None = None

    def elsewhere(self) -> Elsewhere:
        """Return it as runs of the window reach it: ssh may ask nothing. ParameterError."""
        from gpu.remote import COMMAND, Elsewhere

        return Elsewhere(self.address, self.command or COMMAND, asks=False, live=True)


def known_computers(settings: Settings) -> list[Computer]:
    """Return the computers that are remembered, the newest last; what is damaged is left out."""
    kept = settings.value(KEY, [])
    found: dict[str, Computer] = {}
    for values in kept if isinstance(kept, list) else []:
        computer = fitting(Computer, values if isinstance(values, dict) else {})
        try:
            computer.elsewhere()
        except ParameterError:
            continue
        found[computer.address] = computer
    return list(found.values())[:MOST]


def remember_computers(settings: Settings, computers: Iterable[Computer]) -> None:
    """Remember these computers, and no others."""
    settings.set_value(KEY, [asdict(computer) for computer in computers])
