"""Frames: how messages lie in a stream of bytes, and how a damaged stream is told from a good one.

    first line   SSSP-SCOPE-WIRE <protocol> <version of the program>
    frame        number, length of the header, length of the body, checksum: uint32 each
                 header: JSON, one of `gpu.remote.messages`; body: bytes of an array (Piece only)

Frames are numbered from 0 and the checksum covers all of them, so one that is cut, damaged, lost
or sent twice ends the connection, with a sentence. Lengths are compared with HEADER_BYTES and
PIECE_BYTES before anything is taken. A shell may greet before the first line; that is skipped.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from io import BufferedReader, BufferedWriter
from typing import Any

import msgspec
import numpy as np

from gpu.errors import EngineError
from gpu.interpreter import version
from gpu.reader.messages import TYPES, ArrayNote
from gpu.remote.messages import Piece
from gpu.words import in_sight

MAGIC = b"SSSP-SCOPE-WIRE "
PROTOCOL = 1  # another number where versions do not understand each other
PIECE_BYTES = 1 << 16  # at 10 Mbit/s 52 ms: what a Stop waits for at most
HEADER_BYTES = 1 << 20
GREETING_BYTES = 1 << 16  # that a far shell may print before us
HEAD = struct.Struct("<IIII")

Arrays = Mapping[str, np.ndarray]
Room = Callable[[Any], Arrays]


class WireError(EngineError):
    """A connection whose other end says what no version of ours says, or another one's words."""


def first_line() -> bytes:
    """Return what each side says first."""
    return MAGIC + f"{PROTOCOL} {version()}\n".encode()


def check_first_line(incoming: BufferedReader) -> None:
    """Read up to the other side's first line. EOFError, WireError where it is of another kind."""
    left = GREETING_BYTES
    while left > 0:
        line = incoming.readline(min(left, 4096))
        if not line:
            raise EOFError
        left -= len(line)
        _, magic, told = line.partition(MAGIC)
        if magic:
            _check_protocol(told.decode("ascii", "replace").split())
            return
    raise WireError("it does not speak as SSSP Scope: is the command for the far side right?")


def _check_protocol(told: list[str]) -> None:
    if told[:1] == [str(PROTOCOL)]:
        return
    there = in_sight(told[1]) if len(told) > 1 else "unknown"
    spoken = in_sight(told[0]) if told else "unknown"
    raise WireError(
        f"here SSSP Scope {version()} (protocol {PROTOCOL}), there {there} (protocol {spoken}): "
        "install the same version on both"
    )


class FrameWriter:
    """Writes frames, numbered, to a stream."""

    def __init__(self, outgoing: BufferedWriter) -> None:
        self._outgoing = outgoing
        self._number = 0

    def write(self, message: msgspec.Struct, body: memoryview | bytes = b"") -> None:
        """Write one frame. OSError where nobody listens, ValueError where it is too long."""
        header = msgspec.json.encode(message)
        if len(header) > HEADER_BYTES:
            raise ValueError(f"a message of {len(header)} bytes; allowed: {HEADER_BYTES}")
        lengths = (self._number, len(header), len(body))
        self._outgoing.write(HEAD.pack(*lengths, _checksum(lengths, header, body)))
        self._outgoing.write(header)
        self._outgoing.write(body)
        self._outgoing.flush()
        self._number += 1


class FrameReader:
    """Reads messages and the arrays that follow them from a stream.

    kinds : the union of messages that may come
    room : of a message that announces arrays, the arrays to fill, by name; it refuses by WireError
    """

    def __init__(self, incoming: BufferedReader, kinds: Any, room: Room) -> None:
        self._incoming = incoming
        self._decoder = msgspec.json.Decoder(Piece | kinds)
        self._room = room
        self._number = 0

    def messages(self) -> Iterator[tuple[Any, Arrays]]:
        """Yield each message with its arrays, once it is whole; messages without may overtake it.

        Raises EOFError, OSError, WireError.
        """
        waiting: tuple[Any, Arrays] | None = None
        places: deque[memoryview] = deque()
        while True:
            message = self._next(places)
            if isinstance(message, Piece):
                whole = None if places else waiting
            elif getattr(message, "arrays", ()):
                if places:
                    raise WireError("an array was announced before the last one was whole")
                waiting = message, self._room_for(message)
                places = deque(pieces(waiting[1]))
                whole = None if places else waiting
            else:
                whole = message, {}
            if whole is not None:
                yield whole

    def _next(self, places: deque[memoryview]) -> Any:
        """Return the next message; the body of a piece goes to the first of `places`."""
        head = self._read(HEAD.size)
        number, header_bytes, body_bytes, told_sum = HEAD.unpack(head)
        if number != self._number or header_bytes > HEADER_BYTES or body_bytes > PIECE_BYTES:
            raise WireError("the connection is damaged: a frame that does not follow the last one")
        self._number += 1
        header = self._read(header_bytes)
        body: bytes | memoryview = b""
        if body_bytes:
            if not places or len(places[0]) != body_bytes:
                raise WireError("bytes came that were not announced")
            body = places.popleft()
            self._read_into(body)
        if told_sum != _checksum((number, header_bytes, body_bytes), header, body):
            raise WireError("the connection is damaged: a checksum is wrong")
        try:
            message = self._decoder.decode(header)
        except (msgspec.MsgspecError, RecursionError, ValueError) as error:
            words = " ".join(str(error).split())
            raise WireError(f"a message that no version of ours sends ({words})") from error
        if isinstance(message, Piece) != bool(body_bytes):
            raise WireError("a piece without bytes, or bytes without a piece")
        return message

    def _room_for(self, message: Any) -> Arrays:
        """Return the arrays to fill, which must be those that were announced."""
        room = self._room(message)
        told = [(note.name, TYPES.get(note.type), note.shape) for note in message.arrays]
        mine = [(name, array.dtype, array.shape) for name, array in room.items()]
        if told != mine:
            raise WireError(
                f"{type(message).__name__} announced arrays that do not fit its request"
            )
        return room

    def _read(self, count: int) -> bytes:
        found = self._incoming.read(count)
        if len(found) < count:
            raise EOFError
        return found

    def _read_into(self, place: memoryview) -> None:
        done = 0
        while done < len(place):
            got = self._incoming.readinto(place[done:])
            if not got:
                raise EOFError
            done += got


def pieces(arrays: Arrays) -> Iterator[memoryview]:
    """Yield the bytes of arrays in pieces, in order; of arrays that are filled, the places."""
    for array in arrays.values():
        raw = array.reshape(-1).view(np.uint8).data if array.size else memoryview(b"")
        for start in range(0, len(raw), PIECE_BYTES):
            yield raw[start : start + PIECE_BYTES]


def new_arrays(notes: tuple[ArrayNote, ...], most: int) -> dict[str, np.ndarray]:
    """Return arrays for what was announced; `most` bytes are allowed for all. WireError."""
    known = all(note.type in TYPES for note in notes)
    wanted = sum(math.prod(note.shape) * TYPES[note.type].itemsize for note in notes if known)
    if not known or wanted > most or len({note.name for note in notes}) < len(notes):
        raise WireError(f"arrays of {wanted:,} bytes were announced; allowed: {most:,}")
    return {note.name: np.empty(note.shape, TYPES[note.type]) for note in notes}


def _checksum(lengths: tuple[int, int, int], header: bytes, body: bytes | memoryview) -> int:
    return zlib.crc32(body, zlib.crc32(header, zlib.crc32(struct.pack("<III", *lengths))))
