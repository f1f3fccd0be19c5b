"""Runs elsewhere that this side did not see the end of: notes of them, and how to fetch them.

A note is written when a run begins and removed when its trace is here; it is locked as long as its
process lives. So a note that nobody has locked is of a process that died, or gave up: the run may
lie on the other computer still, for KEEP_S (`gpu.remote.left`).
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from gpu.compiled import cache_folder
from gpu.errors import EngineError
from gpu.memory import available_bytes
from gpu.record.assembly import check_samples, check_trace
from gpu.record.trace import (
    ON,
    SAMPLE,
    GraphReference,
    RunSettings,
    Trace,
    Verification,
    VertexProbe,
)
from gpu.remote import messages as wire
from gpu.remote.connection import Connection
from gpu.remote.frames import Arrays, WireError, new_arrays
from gpu.remote.left import CAN_KEEP, lock
from gpu.words import SENTENCE, in_sight

WAIT_S = 0.2
QUIT_S = 2.0
OLD_S = 86_400.0  # notes that nobody asked for in a day go
BOUNDLESS = 1 << 40  # bytes, where nobody knows how much memory is free


def notes_folder() -> Path:
    """Return where notes are; only this user may look into it."""
    folder = cache_folder().parent / "waiting"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


@dataclass(frozen=True)
class Note:
    """A run that goes on elsewhere.

    token : by which it is picked up
    line : what connects, as it was run here; address : of that computer
    settings, graph : of the run, as its trace is to say
    """

    token: str
    line: tuple[str, ...]
    address: str
    settings: RunSettings
    graph: GraphReference

    @property
    def path(self) -> Path:
        """Where it is kept."""
        return notes_folder() / f"{self.token}.json"


class KeptNote:
    """A note on disk, locked by this process."""

    def __init__(self, note: Note) -> None:
        self._path = note.path
        self._held = -1
        with suppress(OSError):
            self._path.write_bytes(msgspec.json.encode(note))
            self._held = lock(self._path)

    def let_go(self, *, is_done: bool) -> None:
        """Remove it where the run is done; else leave it to whoever fetches the run."""
        if is_done:
            self._path.unlink(missing_ok=True)
        if self._held >= 0:
            os.close(self._held)
            self._held = -1


def waiting() -> list[Note]:
    """Return the notes of processes that are gone, the newest first."""
    found = []
    if not CAN_KEEP:
        return []
    for path in notes_folder().glob("*.json"):
        with suppress(OSError, msgspec.MsgspecError, ValueError):
            held = lock(path)
            if held < 0:
                continue
            os.close(held)
            if path.stat().st_mtime < time.time() - OLD_S:
                path.unlink()
                continue
            found.append((path.stat().st_mtime, msgspec.json.decode(path.read_bytes(), type=Note)))
    return [note for _, note in sorted(found, key=lambda pair: -pair[0])]


def pick_up(note: Note, within_s: float = 600.0) -> Trace:
    """Fetch a run; wait until it has ended there. Its note is removed, but where nobody answers.

    Raises EngineError where the connection fails, or nothing is left there.
    """
    fetch = _Fetch(note)
    try:
        connection = Connection(list(note.line), note.address, fetch.room)
    except OSError as error:
        raise EngineError(f"ssh cannot be started: {error}") from error
    try:
        connection.link.send(wire.PickUp(1, note.token, False, 0))
        end = time.monotonic() + within_s
        while not fetch.is_over and time.monotonic() < end and not connection.is_over():
            connection.link.wait(WAIT_S)
            while (came := connection.link.take()) is not None:
                connection.greeted = True
                fetch.take(*came)
        if not fetch.is_over:
            raise EngineError(connection.words("picking up a run"))
        trace = fetch.trace()
        connection.link.send(wire.Got(1))
        connection.quit(QUIT_S)
        return trace
    finally:
        if fetch.is_over:
            note.path.unlink(missing_ok=True)
        connection.kill()
        connection.close()


class _Fetch:
    """What comes of one run."""

    def __init__(self, note: Note) -> None:
        self._note = note
        self._samples: list[np.ndarray] = []
        self._started: wire.Started | None = None
        self._finished: tuple[wire.Finished, Arrays] | None = None
        self._proof: Verification | None = None
        self.is_over = False

    def room(self, message: Any) -> Arrays:
        """Return where arrays go: they are the user's own, and must fit. WireError."""
        free = available_bytes()
        if not isinstance(message, wire.Samples | wire.Finished):
            raise WireError(f"{type(message).__name__} was not asked for")
        return new_arrays(message.arrays, BOUNDLESS if free is None else free)

    def take(self, message: Any, arrays: Arrays) -> None:
        """Take up a message."""
        if isinstance(message, wire.Started):
            self._started = message
        elif isinstance(message, wire.Samples):
            self._samples.append(arrays["samples"])
        elif isinstance(message, wire.Finished):
            self._finished = message, arrays
        elif isinstance(message, wire.Verified):
            detail = in_sight(message.verification.detail, SENTENCE)
            self._proof = replace(message.verification, detail=detail)
        self.is_over |= isinstance(message, wire.Done | wire.Nothing | wire.Failed)

    def trace(self) -> Trace:
        """Return the trace, checked. EngineError where there is none; TraceError."""
        where = in_sight(self._note.address)
        if self._finished is None or self._started is None:
            raise EngineError(f"{where}: nothing is left of this run; it is kept for ten minutes")
        told, arrays = self._finished
        settings = self._started.settings
        if settings.engine != "model":
            settings = replace(settings, device=f"{settings.device}{ON}{self._note.address}")
        left = dict(arrays)
        dist, events = left.pop("dist"), left.pop("events", None)
        trace = Trace(
            replace(settings, numbers=self._note.settings.numbers),
            self._note.graph,
            np.concatenate([np.empty(0, SAMPLE), *self._samples]),
            dist,
            told.clock,
            told.outcome,
            told.environment | {"machine": self._note.address},
            VertexProbe(**left) if left else None,
            events,
            self._proof,
        )
        check_samples(trace.samples)
        check_trace(trace)
        return trace
