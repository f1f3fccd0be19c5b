"""What passes between a window and its reader: JSON, and the bytes of arrays behind it.

Nothing here is pickled. A reply says which arrays follow, of which of our types and of which
shape; each comes in pieces of at most PIECE_BYTES. The window makes no array that it did not
allow, and no value but those of JSON.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from multiprocessing.connection import Connection
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta, Struct

from gpu.record.trace import EVENT, SAMPLE
from gpu.schema import checked

PIECE_BYTES = 1 << 20
REQUEST_BYTES = 1 << 20
REPLY_BYTES = 64 << 20  # of JSON: a workspace has 4 MB and a header of 4 MB at most for each run
MOST_ENTRIES = 2**40

TYPES: dict[str, np.dtype] = {
    "samples": SAMPLE,
    "events": EVENT,
    **{name: np.dtype(name) for name in ("int32", "int64", "float32", "float64", "uint8")},
}

Length = Annotated[int, Meta(ge=0, le=MOST_ENTRIES)]


class Request(Struct, frozen=True):
    """What is to be read; `kind` is a key of `gpu.reader.kinds.KINDS`."""

    kind: str
    path: str
    options: dict[str, Any] = {}


class ArrayNote(Struct, frozen=True):
    """An array that follows."""

    name: str
    type: str
    shape: Annotated[tuple[Length, ...], Meta(max_length=2)]


class Refusal(Struct, frozen=True):
    """Why a file was not read: the class of an error, its words, and what some carry beside."""

    error: str
    words: str
    line: int | None = None


class Reply(Struct, frozen=True):
    """What the reader says: it is ready; it has got so far; this was found, or refused."""

    what: Literal["ready", "share", "found", "refused"]
    share: float = 0.0
    record: Any = None
    arrays: tuple[ArrayNote, ...] = ()
    refusal: Refusal | None = None


def send(pipe: Connection, message: Struct, arrays: Mapping[str, np.ndarray] | None = None) -> None:
    """Send a message and the arrays that it announces."""
    pipe.send_bytes(json.dumps(msgspec.to_builtins(message)).encode())
    for array in (arrays or {}).values():
        raw = np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
        for start in range(0, len(raw), PIECE_BYTES):
            pipe.send_bytes(raw[start : start + PIECE_BYTES])


def noted(arrays: Mapping[str, np.ndarray]) -> tuple[ArrayNote, ...]:
    """Return the announcement of arrays."""
    names = {dtype: name for name, dtype in TYPES.items()}
    return tuple(ArrayNote(name, names[a.dtype], a.shape) for name, a in arrays.items())


def receive(pipe: Connection) -> Reply:
    """Return the next reply. EOFError and OSError where the other end is gone, SchemaError."""
    return checked(Reply, json.loads(pipe.recv_bytes(REPLY_BYTES)))


def receive_arrays(
    pipe: Connection, notes: tuple[ArrayNote, ...], most: int
) -> dict[str, np.ndarray]:
    """Return the arrays that a reply announced; `most` bytes are allowed for all of them.

    Raises EOFError, OSError, and for what no reader of ours announces KeyError or ValueError.
    """
    announced = sum(math.prod(note.shape) * TYPES[note.type].itemsize for note in notes)
    if announced > most:
        raise ValueError(f"{announced} bytes announced; allowed: {most}")
    arrays: dict[str, np.ndarray] = {}
    for note in notes:
        array = np.empty(math.prod(note.shape), TYPES[note.type])
        raw = array.view(np.uint8).data
        done = 0
        while done < len(raw):
            done += pipe.recv_bytes_into(raw[done : done + PIECE_BYTES])
        arrays[note.name] = array.reshape(note.shape)
    return arrays
