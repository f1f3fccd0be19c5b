"""A GIF written frame by frame: one palette for all, and of each frame only what changed.

A replay is a still picture in which little moves, so three things make its file small: a palette
found once (no table of 768 bytes a frame, and the same colour stays the same number), the box
around the changed pixels instead of the whole frame, and a number that means "as before" for
the pixels inside it that did not change, of which the compression makes next to nothing. A frame
like the one before only makes that one last longer. Nothing but the frame before is kept.

Colours are counted on a few frames of the film at 5 bits a channel. Half of the palette are the
commonest (as the mean of their own pixels, so that white stays white), half those far from
what is chosen so far: a thin orange line has few pixels among thousands of greys, and is what one
looks at. Every other colour goes to the nearest. The table from colour to number is looked up by
NumPy, which lets other threads run; the compression is Pillow's.
"""

from __future__ import annotations

import struct
from typing import BinaryIO

import numpy as np

BITS = 5  # of a colour channel, when colours are counted
MOST_COLOURS = 255  # and one that means "as before"
SAME = 255  # its number
FOREVER = struct.pack("<BBB11sBBHB", 0x21, 0xFF, 11, b"NETSCAPE2.0", 3, 1, 0, 0)
END = b";"
TICK_MS = 10  # the unit of a frame's time in the file
NEAREST_AT_ONCE = 2048  # colours whose nearest one is looked for together


class Palette:
    """At most `colours` colours, and the number of the nearest for every colour.

    rgb : uint8 (256, 3)            numbers : uint8 (2^15,), by 5 bits a channel
    """

    def __init__(self, frames: list[np.ndarray], colours: int = MOST_COLOURS) -> None:
        """frames : uint8 (h, w, 3) each, some of the film's."""
        pixels = np.concatenate([frame.reshape(-1, 3) for frame in frames])
        keys = _keys(pixels)
        counts = np.bincount(keys, minlength=1 << 3 * BITS)
        sums = [np.bincount(keys, pixels[:, c], 1 << 3 * BITS) for c in range(3)]
        common = _chosen(counts, np.stack(sums, axis=1), min(colours, MOST_COLOURS))
        chosen = np.stack([channel[common] / counts[common] for channel in sums], axis=1)
        self.rgb = np.zeros((256, 3), np.uint8)
        self.rgb[: len(common)] = np.rint(chosen)
        self.numbers = _nearest(chosen.astype(np.float32))
        self.numbers[common] = np.arange(len(common))

    def of(self, frame: np.ndarray) -> np.ndarray:
        """Return a frame uint8 (h, w, 3) as numbers, uint8 (h, w)."""
        return self.numbers[_keys(frame)]


class GifWriter:
    """Writes frames of one size into an open file; `close` ends the film."""

    def __init__(self, file: BinaryIO, palette: Palette, size: tuple[int, int]) -> None:
        """size : width and height, pixels."""
        self._file, self._palette = file, palette
        self._before: np.ndarray | None = None
        self._waiting: tuple[np.ndarray, tuple[int, int]] | None = None
        self._time_ms = self._told_ms = 0.0
        file.write(b"GIF89a" + struct.pack("<HHBBB", *size, 0xF7, 0, 0))
        file.write(palette.rgb.tobytes() + FOREVER)

    def add(self, frame: np.ndarray, lasts_ms: float) -> None:
        """Append uint8 (h, w, 3), shown for so long."""
        numbers, before = self._palette.of(frame), self._before
        if before is None:
            self._waiting = numbers, (0, 0)
        else:
            changed = numbers != before
            rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
            if len(rows):
                self._write_waiting()
                box = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
                piece = np.where(changed[box], numbers[box], SAME).astype(np.uint8)
                self._waiting = piece, (int(columns[0]), int(rows[0]))
        self._before = numbers
        self._time_ms += lasts_ms

    def close(self) -> None:
        """Write what waits, and the end."""
        self._write_waiting()
        self._file.write(END)

    def _write_waiting(self) -> None:
        from PIL import Image
        from PIL.GifImagePlugin import getdata

        if self._waiting is None:
            return
        piece, offset = self._waiting
        lasts = round((self._time_ms - self._told_ms) / TICK_MS) * TICK_MS
        self._told_ms += lasts
        image = Image.frombytes("P", (piece.shape[1], piece.shape[0]), piece.tobytes())
        for part in getdata(image, offset, duration=lasts, disposal=1, transparency=SAME):
            self._file.write(part)
        self._waiting = None


def _chosen(counts: np.ndarray, sums: np.ndarray, colours: int) -> np.ndarray:
    """Return which colours stand for themselves: the commonest, then those that stand apart."""
    used = np.flatnonzero(counts)
    used = used[np.argsort(-counts[used], kind="stable")]
    if len(used) <= colours:
        return used
    means, weight = sums[used] / counts[used, None], np.sqrt(counts[used])
    picked = list(range(colours // 2))
    apart = np.full(len(used), np.inf)
    for place in picked:
        apart = np.minimum(apart, ((means - means[place]) ** 2).sum(axis=1))
    while len(picked) < colours:
        picked.append(int((apart * weight).argmax()))
        apart = np.minimum(apart, ((means - means[picked[-1]]) ** 2).sum(axis=1))
    return used[picked]


def _keys(pixels: np.ndarray) -> np.ndarray:
    """Return the number of each colour at 5 bits a channel, int32 of the shape before the last."""
    small = (pixels >> (8 - BITS)).astype(np.int32)
    return (small[..., 0] << 2 * BITS) | (small[..., 1] << BITS) | small[..., 2]


def _nearest(chosen: np.ndarray) -> np.ndarray:
    """Return for each colour of 5 bits a channel the number of the nearest: uint8 (2^15,)."""
    every = np.arange(1 << 3 * BITS)
    side, half = (1 << BITS) - 1, 1 << (7 - BITS)
    rgb = np.stack([every >> 2 * BITS, every >> BITS & side, every & side], axis=1)
    rgb = ((rgb << (8 - BITS)) + half).astype(np.float32)
    found = np.empty(len(every), np.uint8)
    length = (chosen**2).sum(axis=1)
    for first in range(0, len(every), NEAREST_AT_ONCE):
        part = slice(first, first + NEAREST_AT_ONCE)
        found[part] = (length - 2 * rgb[part] @ chosen.T).argmin(axis=1)
    return found
