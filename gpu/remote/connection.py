"""One ssh, from its start to its end, and the link over it."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from contextlib import suppress
from typing import Any, cast

from gpu.remote import messages as wire
from gpu.remote.frames import Room
from gpu.remote.link import GONE, Link
from gpu.words import in_sight

SAID_BYTES = 4096  # of what ssh said last, that a sentence may repeat
NOT_FOUND = 127  # what a shell ends with that knows no such command
ADVICE = "; install SSSP Scope there, or name the command that starts its engine"
LOG_IN = "; log in there once by ssh in a terminal, with a key that asks for no password"
REFUSALS = ("Permission denied", "Host key verification failed")  # what ssh itself says
START_S = 180.0  # to log in, for which sshd gives 120 s, and for Python to start there
END_S = 1.0  # for a process whose streams are closed
MOST_SAID = 1 << 20  # more is no ssh


class Connection:
    """A connection to another computer.

    line : the ssh, and its words
    address : of the far side, for sentences
    room : of a message that announces arrays, where they go (`gpu.remote.frames`)
    """

    def __init__(self, line: list[str], address: str, room: Room) -> None:
        self.started_at = time.monotonic()
        self.greeted = False  # the far side said Hello
        self._address = in_sight(address)
        self._fault = ""  # why we hung up
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 (as long as the connection)
        try:
            self._ssh = subprocess.Popen(
                line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said
            )
        except BaseException:
            self._said.close()
            raise
        incoming, outgoing = cast(Any, self._ssh.stdout), cast(Any, self._ssh.stdin)
        self.link = Link(incoming, outgoing, wire.FromFar, room)

    @property
    def pid(self) -> int:
        """Of ssh."""
        return self._ssh.pid

    @property
    def is_ours(self) -> bool:
        """Whether it was this side that ended it."""
        return bool(self._fault)

    def is_over(self) -> bool:
        """Whether it has ended, and everything that had come was taken."""
        if os.fstat(self._said.fileno()).st_size > MOST_SAID:
            self.hang_up("ssh says too much")
        if not self.greeted and time.monotonic() - self.started_at > START_S:
            self.hang_up(f"no engine answered within {START_S:g} s")
        return bool(self._fault) or self.link.is_over

    def hang_up(self, fault: str) -> None:
        """End it now, for a reason in words."""
        self._fault = self._fault or fault
        self._ssh.kill()

    def kill(self) -> int:
        """End it now; return ssh's exit code."""
        self._let_end()
        self._ssh.kill()
        return self._ssh.wait()

    def _let_end(self) -> None:
        """Let an ssh whose streams are closed end by itself: its exit code says why."""
        if self.link.fault == GONE and not self._fault:
            with suppress(subprocess.TimeoutExpired):
                self._ssh.wait(END_S)

    def quit(self, grace_s: float) -> None:
        """Ask the far side to quit; end the connection after `grace_s`."""
        self.link.send(wire.Quit(), overtake=True)
        try:
            self._ssh.wait(grace_s)
        except subprocess.TimeoutExpired:
            self._ssh.kill()
        self._ssh.wait()

    def close(self) -> None:
        """Give back what belongs to a connection that has ended."""
        self.link.close()
        self._said.close()

    def words(self, doing: str = "") -> str:
        """Return how it ended, as one sentence for people."""
        self._let_end()
        fault = self._fault or self.link.fault
        self._said.seek(max(0, self._said.seek(0, os.SEEK_END) - SAID_BYTES))
        said = self._said.read().decode(errors="replace").split("\n")
        last = [in_sight(line.strip()) for line in said if line.strip()][-2:]
        words = f" ({'; '.join(last)})" if last and not self._fault else ""
        if self.greeted:
            during = f" while {doing}" if doing else ""
            return f"{self._address}: {fault}{during}{words}"
        return f"{self._address}: {'no engine answered' if fault == GONE else fault}{words}" + (
            ADVICE
            if self._ssh.poll() == NOT_FOUND
            else LOG_IN
            if any(refusal in words for refusal in REFUSALS)
            else ""
        )
