"""A link: messages both ways over two streams, moved by two threads so that nobody waits.

What `send` is given goes out in order, but for what overtakes: it goes before the next piece of
an array. What came in lies in a short queue; while that is full nothing more is read, so whoever is
slow holds the other side back and no memory fills up.
"""

from __future__ import annotations

import threading
from collections import deque
from contextlib import suppress
from io import BufferedReader, BufferedWriter
from typing import Any

from gpu.remote.frames import (
    Arrays,
    FrameReader,
    FrameWriter,
    Room,
    WireError,
    check_first_line,
    first_line,
    pieces,
)
from gpu.remote.messages import Piece

MOST_WAITING = 64  # messages that came and were not taken
CLOSE_S = 2.0  # for a thread to see that its stream is closed
GONE = "the connection ended"


class Link:
    """One end of a connection.

    kinds, room : of what comes, see `gpu.remote.frames.FrameReader`
    """

    def __init__(
        self, incoming: BufferedReader, outgoing: BufferedWriter, kinds: Any, room: Room
    ) -> None:
        self._incoming, self._outgoing = incoming, outgoing
        self._kinds, self._room = kinds, room
        self._changed = threading.Condition()
        self._urgent: deque[Any] = deque()
        self._waiting: deque[tuple[Any, Arrays]] = deque()
        self._came: deque[tuple[Any, Arrays]] = deque()
        self._sending = False
        self._is_heard = True
        self._closed = False
        self.fault = ""  # why it ended, in words; "" while it lives
        self._threads = [
            threading.Thread(target=work, name=f"sssp-scope link {work.__name__}", daemon=True)
            for work in (self._read, self._write)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def is_free(self) -> bool:
        """Whether everything that was sent has left."""
        with self._changed:
            return self._has_left()

    @property
    def is_over(self) -> bool:
        """Whether it has ended and everything that came before was taken."""
        with self._changed:
            return bool(self.fault) and not self._came

    def send(self, message: Any, arrays: Arrays | None = None, *, overtake: bool = False) -> None:
        """Send a message and the arrays that it announces, which must not change until they left.

        overtake : before everything that waits; only for messages without arrays
        """
        with self._changed:
            if overtake:
                self._urgent.append(message)
            else:
                self._waiting.append((message, arrays or {}))
            self._changed.notify_all()

    def take(self) -> tuple[Any, Arrays] | None:
        """Return the next message that came, None where there is none."""
        with self._changed:
            self._changed.notify_all()
            return self._came.popleft() if self._came else None

    def wait(self, seconds: float) -> None:
        """Wait until a message is there, or the link has ended, or time is up."""
        with self._changed:
            self._changed.wait_for(lambda: self._came or self.fault, max(0.0, seconds))

    def flush(self, seconds: float) -> None:
        """Wait until everything that was sent has left, or the link has ended, or time is up."""
        with self._changed:
            self._changed.wait_for(lambda: self.fault or self._has_left(), seconds)

    def close(self) -> None:
        """End both threads; the streams' other ends must be closed, or closing."""
        with self._changed:
            self._closed = True
        self._end(GONE)
        for thread, stream in zip(self._threads, (self._incoming, self._outgoing), strict=True):
            thread.join(CLOSE_S)
            with suppress(OSError, ValueError):
                if not thread.is_alive():  # else closing would wait for it
                    stream.close()

    def _has_left(self) -> bool:
        return not (self._is_heard and (self._urgent or self._waiting or self._sending))

    def _read(self) -> None:
        try:
            check_first_line(self._incoming)
            for message in FrameReader(self._incoming, self._kinds, self._room).messages():
                with self._changed:
                    self._changed.wait_for(lambda: len(self._came) < MOST_WAITING or self._closed)
                    if self._closed:
                        return
                    self._came.append(message)
                    self._changed.notify_all()
        except (WireError, MemoryError) as error:
            self._end(str(error))
        except (EOFError, OSError, ValueError):
            self._end(GONE)

    def _write(self) -> None:
        try:
            self._outgoing.write(first_line())
            self._outgoing.flush()
            writer = FrameWriter(self._outgoing)
            while self._next_is_there():
                self._write_urgent(writer)
                with self._changed:
                    given = self._waiting.popleft() if self._waiting else None
                if given is not None:
                    writer.write(given[0])
                    for piece in pieces(given[1]):
                        self._write_urgent(writer)
                        writer.write(Piece(), piece)
        except (OSError, ValueError):  # why it ended, the other thread may be reading just now
            with self._changed:
                self._is_heard = False
                self._changed.notify_all()

    def _next_is_there(self) -> bool:
        """Wait for something to send; False once the link has ended."""
        with self._changed:
            self._sending = False
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._urgent or self._waiting or self.fault)
            self._sending = not self.fault
            return self._sending

    def _write_urgent(self, writer: FrameWriter) -> None:
        while True:
            with self._changed:
                if not self._urgent:
                    return
                message = self._urgent.popleft()
            writer.write(message)

    def _end(self, fault: str) -> None:
        with self._changed:
            self.fault = self.fault or fault
            self._changed.notify_all()
