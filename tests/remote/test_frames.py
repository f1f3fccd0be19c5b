"""Frames: what is written is read, and whatever else comes ends in a sentence."""

from __future__ import annotations

import io
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, strategies as st

from gpu.host.ring import Knobs
from gpu.reader.messages import TYPES, ArrayNote, noted
from gpu.record.trace import RunSettings
from gpu.remote import messages as wire
from gpu.remote.frames import (
    HEAD,
    HEADER_BYTES,
    PIECE_BYTES,
    FrameReader,
    FrameWriter,
    WireError,
    check_first_line,
    first_line,
    new_arrays,
    pieces,
)
from gpu.remote.messages import Piece

MOST = 1 << 22
ANY = wire.FromNear | wire.FromFar
SETTINGS = RunSettings("adds", "cuda", "cuda:0", 3, 2.5, 2, 7, 10, {"buckets": 8}, "int32")
SMALL: list[Any] = [
    wire.Stop(4),
    wire.Hold(Knobs(delta=2.5, paused=True, steps=3)),
    wire.Quit(),
    wire.Run(1, "0123456789abcdef", SETTINGS, True, 2),
    wire.Progress(1, -1.0, "compiling Δ"),
    wire.Failed(1, "WeightError", "words", "details", None, 3),
]


def stream_of(sent: list[tuple[Any, dict[str, np.ndarray]]]) -> bytes:
    out = io.BytesIO()
    writer = FrameWriter(out)  # type: ignore[arg-type]
    for message, arrays in sent:
        writer.write(message)
        for piece in pieces(arrays):
            writer.write(Piece(), piece)
    return out.getvalue()


def read(raw: bytes) -> list[tuple[Any, dict[str, np.ndarray]]]:
    """Everything in a stream; EOFError at its end, WireError at what is no frame of ours."""
    incoming = io.BufferedReader(io.BytesIO(raw))  # type: ignore[arg-type]
    reader = FrameReader(incoming, ANY, lambda message: new_arrays(message.arrays, MOST))
    found = []
    try:
        for message, arrays in reader.messages():
            found.append((message, dict(arrays)))
    except EOFError:
        return found
    raise AssertionError("a stream of bytes has an end")


def with_arrays(lengths: list[int], kind: str) -> tuple[Any, dict[str, np.ndarray]]:
    arrays = {
        f"a{place}": np.arange(length * TYPES[kind].itemsize, dtype=np.uint8).view(TYPES[kind])
        for place, length in enumerate(lengths)
    }
    return wire.Graph("0123456789abcdef", noted(arrays)), arrays


@given(
    st.lists(st.sampled_from(SMALL), max_size=4),
    st.lists(st.integers(0, 400), max_size=3),
    st.sampled_from(list(TYPES)),
)
def test_what_is_written_is_read(small: list[Any], lengths: list[int], kind: str) -> None:
    large = with_arrays(lengths, kind)
    sent = [*((message, {}) for message in small), large, (wire.Quit(), {})]
    found = read(stream_of(sent))
    assert [message for message, _ in found] == [message for message, _ in sent]
    for name, array in large[1].items():
        assert found[-2][1][name].tobytes() == array.tobytes()
        assert found[-2][1][name].dtype == array.dtype


@given(st.data())
def test_a_stream_that_was_damaged_is_never_believed(data: st.DataObject) -> None:
    sent = [(wire.Stop(4), {}), with_arrays([100, 30], "int64"), (wire.Stop(5), {})]
    raw = bytearray(stream_of(sent))  # type: ignore[arg-type]
    at = data.draw(st.integers(0, len(raw) - 1))
    raw[at] ^= 1 << data.draw(st.integers(0, 7))
    try:
        found = read(bytes(raw))
    except WireError:
        return
    assert len(found) < len(sent)  # a length that grew: the stream ends before the frame does


@given(st.data())
def test_a_frame_that_is_lost_or_comes_twice_is_noticed(data: st.DataObject) -> None:
    frames = [stream_of([(wire.Stop(1), {})])]
    whole = stream_of([(wire.Stop(number), {}) for number in range(1, 6)])
    size = len(frames[0])
    cut = [whole[start : start + size] for start in range(0, len(whole), size)]
    at = data.draw(st.integers(0, 3))
    spoilt = cut[:at] + (cut[at + 1 :] if data.draw(st.booleans()) else [cut[at], *cut[at:]])
    with pytest.raises(WireError, match="damaged"):
        read(b"".join(spoilt))


@given(st.binary(max_size=200))
def test_bytes_of_a_stranger_end_in_a_sentence(raw: bytes) -> None:
    try:
        found = read(raw)
    except WireError:
        return
    assert found == []


def test_lengths_are_looked_at_before_anything_is_taken() -> None:
    for lengths in ((HEADER_BYTES + 1, 0), (10, PIECE_BYTES + 1), (2**32 - 1, 2**32 - 1)):
        with pytest.raises(WireError, match="damaged"):
            read(HEAD.pack(0, *lengths, 0))
    huge = ArrayNote("dist", "int64", (2**40, 2**40))
    with pytest.raises(WireError, match="allowed"):
        read(stream_of([(wire.Graph("0123456789abcdef", (huge,)), {})]))
    strange = ArrayNote("dist", "object", (1,))
    with pytest.raises(WireError, match="allowed"):
        new_arrays((strange,), MOST)
    twice = (ArrayNote("dist", "int32", (1,)), ArrayNote("dist", "int32", (1,)))
    with pytest.raises(WireError, match="allowed"):
        new_arrays(twice, MOST)


def test_small_messages_overtake_arrays() -> None:
    message, arrays = with_arrays([PIECE_BYTES], "int32")
    out = io.BytesIO()
    writer = FrameWriter(out)  # type: ignore[arg-type]
    writer.write(message)
    for piece in pieces(arrays):
        writer.write(wire.Stop(9))
        writer.write(Piece(), piece)
    found = [type(message).__name__ for message, _ in read(out.getvalue())]
    assert found == ["Stop"] * 4 + ["Graph"]


def test_a_key_of_a_later_version_is_left_alone() -> None:
    later = msgspec.json.encode({"type": "Stop", "number": 4, "kindly": True})
    assert msgspec.json.decode(later, type=ANY) == wire.Stop(4)


@pytest.mark.parametrize("before", [b"", b"Welcome!\n", b"no line end "])
def test_first_lines_are_found_behind_a_greeting(before: bytes) -> None:
    check_first_line(io.BufferedReader(io.BytesIO(before + first_line())))  # type: ignore[arg-type]


@pytest.mark.parametrize("line", [b"SSSP-SCOPE-WIRE 2 0.9\n", b"SSSP-SCOPE-WIRE \xff\n"])
def test_another_protocol_is_said_with_both_versions(line: bytes) -> None:
    with pytest.raises(WireError, match=r"here SSSP Scope .* there .* install the same"):
        check_first_line(io.BufferedReader(io.BytesIO(line)))  # type: ignore[arg-type]
