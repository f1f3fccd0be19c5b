"""From a path to the decompressed bytes: gzip, xz and bz2 by their magic bytes.

The file is read in blocks. The first decompressed bytes (`head`) decide the
format, so that a file that is no graph at all is refused before the rest is
unpacked. While it unpacks, memory is watched: the arrays to come need at least as
much again as the text, so unpacking stops once less than that is free.
"""

from __future__ import annotations

import bz2
import lzma
import os
import re
import stat
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BufferedReader
from pathlib import Path
from typing import Protocol

import numpy as np

from gpu.errors import FormatError
from gpu.memory import require_memory
from gpu.parsing.filebytes import LARGE_BYTES, FileBytes, LargeBytes
from gpu.parsing.reading import Reading
from gpu.regular import is_stdin, open_any

WEB = ("http://", "https://", "ftp://")
HEAD_BYTES = 64 * 1024  # what a sniffer sees; a shorter head is the whole file
COMMENT_LINES = re.compile(rb"(?:(?:[#%]|c(?=[ \t\r\n]))[^\n]*+\n)*+")
COMMENT_BYTES = 1024  # of a long block of comments, so much is looked at
BLOCK_BYTES = 1 << 20  # read from disk at a time
UNPACKED_BYTES = 4 << 20  # at most that much comes out of one decompression step
CHECK_BYTES = 32 << 20  # memory is checked each time the text grew by this
LZMA_BYTES = 256 << 20  # an .xz header may not ask for a larger dictionary (xz -9: 65 MiB)
READ_SHARE = 0.5  # of the progress bar

MAGIC = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\x00": "xz", b"BZh": "bz2"}
UNREADABLE_MAGIC = {b"\x28\xb5\x2f\xfd": "zstd", b"\x04\x22\x4d\x18": "lz4", b"7z\xbc\xaf": "7-zip"}


class Source:
    """An open file: `head`, then `read_all`.

    Raises FormatError where the path is no readable file or its compressed data
    is broken, MemoryNeededError where the text does not fit.
    """

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._file, self._size = _open(reading)  # 0 bytes: of a pipe nobody knows
        try:
            reading.disk_bytes = self._size
            self._plain = False
            self._text = False
            self._checked = 0  # bytes for which memory was asked
            self._blocks = self._unpacked()
            self._data = bytearray()
            while len(self._data) < HEAD_BYTES and self._grow():
                pass
            self._rows_at = self._after_comments()
        except BaseException:
            self._file.close()
            raise

    @property
    def head(self) -> bytes:
        """The first HEAD_BYTES decompressed bytes; fewer mean the whole file.

        Of a longer block of comments, its beginning and HEAD_BYTES after it.
        """
        if self._rows_at <= HEAD_BYTES:
            return bytes(self._data[:HEAD_BYTES])
        beginning = bytes(self._data[: self._data.find(b"\n", COMMENT_BYTES) + 1])
        return beginning + bytes(self._data[self._rows_at : self._rows_at + HEAD_BYTES])

    def _after_comments(self) -> int:
        """Return where the first line begins that is no comment, if comments fill the head."""
        end = _after_comment_lines(self._data, 0)
        while end and end + HEAD_BYTES > len(self._data) and self._grow():
            end = _after_comment_lines(self._data, end)
        return end

    def read_all(self, *, text: bool = False) -> FileBytes:
        """Return the whole decompressed file and close it.

        `text`: refuse a zero byte where it is met, not after gigabytes of them.
        """
        self._text = text
        try:
            require_memory(self._size, str(self._reading.path))
            self._refuse_zeros(self._data)
            if self._plain and self._size > len(self._data):
                return self._whole()
            while self._grow():
                done = self._file.tell() / self._size if self._size else 0.0
                self._reading.report(min(done, 1.0) * READ_SHARE, "reading")
        finally:
            self.close()
        return self._data

    def _whole(self) -> FileBytes:
        """Read a file that is not packed straight into one array of its size."""
        large = self._size >= LARGE_BYTES
        whole: FileBytes = LargeBytes(self._size) if large else bytearray(self._size)
        done = len(self._data)
        whole[:done] = self._data
        with memoryview(whole) as view:
            done = self._fill_by_threads(view, done) if large else self._fill(view, done)
        return whole if done == self._size else bytearray(whole[:done])

    def _fill(self, view: memoryview, done: int) -> int:
        """Read on into view[done:]; return where the file ended."""
        while done < self._size:
            got = self._read_into(view[done : done + UNPACKED_BYTES])
            if not got:
                break
            self._refuse_zeros(view[done : done + got])
            done += got
            self._reading.report(done / self._size * READ_SHARE, "reading")
        return done

    def _fill_by_threads(self, view: memoryview, done: int) -> int:
        """Do what `_fill` does, with a thread for each core, where the system can."""
        if not hasattr(os, "preadv"):  # Windows
            return self._fill(view, done)
        number, starts = self._file.fileno(), range(done, self._size, UNPACKED_BYTES)

        def fetch(start: int) -> int:
            at, end = start, min(start + UNPACKED_BYTES, self._size)
            while at < end and (got := os.preadv(number, [view[at:end]], at)):
                at += got
            self._refuse_zeros(view[start:at])
            return at

        with ThreadPoolExecutor(max_workers=cores()) as pool:
            waiting = [pool.submit(fetch, start) for start in starts]
            try:
                for start, piece in zip(starts, waiting, strict=True):
                    done = piece.result()
                    if done < min(start + UNPACKED_BYTES, self._size):
                        break  # the file became shorter
                    self._reading.report(done / self._size * READ_SHARE, "reading")
            except OSError as error:
                raise self._reading.fault(f"cannot be read: {_one_line(error)}") from error
            finally:
                pool.shutdown(cancel_futures=True)
        return done

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _grow(self) -> bool:
        block = next(self._blocks, None)
        if block is None:
            return False
        self._data += block
        self._refuse_zeros(block)
        self._reading.check_unpacked(len(self._data), "the file")
        if len(self._data) - self._checked > CHECK_BYTES:
            self._checked = len(self._data)
            require_memory(self._checked, str(self._reading.path))
        return True

    def _refuse_zeros(self, piece: bytes | bytearray | memoryview) -> None:
        """Refuse text with a zero byte in it."""
        if self._text and len(piece) and not np.frombuffer(piece, np.uint8).min():
            raise self._reading.fault(
                "a zero byte in it, so it is no text; expected UTF-8 (UTF-16 is not read: save "
                "it again as UTF-8)"
            )

    def _unpacked(self) -> Iterator[bytes]:
        first = self._read()
        if not first:
            raise self._reading.fault("the file is empty; expected a graph")
        for magic, name in UNREADABLE_MAGIC.items():
            if first.startswith(magic):
                raise self._reading.fault(
                    f"{name} compressed; unpack it first (gzip, xz and bz2 are read directly)"
                )
        for magic, name in MAGIC.items():
            if first.startswith(magic):
                yield from self._decompressed(first, name)
                return
        self._plain = True
        while first:
            yield first
            first = self._read()

    def _decompressed(self, block: bytes, name: str) -> Iterator[bytes]:
        try:
            while block:
                stream = _decompressor(name)
                while not stream.eof:
                    if stream.needs_input and not block:
                        block = self._read()
                        if not block:
                            raise self._reading.fault(
                                f"the {name} data end early; expected the end mark (is the "
                                "file cut short?)"
                            )
                    out = stream.decompress(block, UNPACKED_BYTES)
                    block = b""
                    if out:
                        yield out
                block = self._next_member(stream.unused_data, name)
        except (zlib.error, lzma.LZMAError, OSError, EOFError, ValueError) as error:
            raise self._reading.fault(f"broken {name} data ({_one_line(error)})") from error

    def _next_member(self, rest: bytes, name: str) -> bytes:
        """Return the bytes from the next stream on; zero padding is skipped."""
        while not (rest := rest.lstrip(b"\0")):
            rest = self._read()
            if not rest:
                return b""
        magic = next(magic for magic, known in MAGIC.items() if known == name)
        if len(rest) < len(magic):
            rest += self._read()
        if not rest.startswith(magic):
            raise self._reading.fault(f"other bytes after the {name} data; expected its end")
        return rest

    def _read(self) -> bytes:
        block = bytearray(BLOCK_BYTES)
        got = self._read_into(block)
        if not self._size:
            self._reading.disk_bytes += got
        return bytes(block[:got])

    def _read_into(self, block: bytearray | memoryview) -> int:
        try:
            return self._file.readinto(block)
        except OSError as error:
            raise self._reading.fault(f"cannot be read: {_one_line(error)}") from error


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...

    @property
    def needs_input(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _Gzip:
    """zlib's decompressor with the interface of those of bz2 and lzma."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(wbits=31)
        self._full = False  # the last step stopped at max_length: more may be waiting

    def decompress(self, data: bytes, max_length: int) -> bytes:
        out = self._stream.decompress(self._stream.unconsumed_tail + data, max_length)
        self._full = len(out) == max_length
        return out

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def needs_input(self) -> bool:
        return not (self._full or self._stream.unconsumed_tail)

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data


def _decompressor(name: str) -> _Decompressor:
    if name == "gzip":
        return _Gzip()
    if name == "xz":
        return lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=LZMA_BYTES)
    return bz2.BZ2Decompressor()


def refuse_web_address(name: str) -> None:
    """Raise FormatError where a name is no file but a web address."""
    if name.lower().startswith(WEB):
        raise FormatError(name, "is a web address; download the file, then open the file")


def _open(reading: Reading) -> tuple[BufferedReader, int]:
    path = reading.path
    try:
        given = reading.pipe and is_stdin(path)
        about = os.stat(0 if given else path)
        if stat.S_ISDIR(about.st_mode):
            raise reading.fault("is a folder; expected a file")
        if stat.S_ISREG(about.st_mode) and not given:
            return open(path, "rb"), about.st_size
        if not reading.pipe:
            raise reading.fault("is not a regular file; expected a file on disk")
        return open_any(path), 0
    except FileNotFoundError as error:
        raise reading.fault("no such file") from error
    except (OSError, ValueError) as error:
        raise reading.fault(f"cannot be opened: {_one_line(error)}") from error


def _after_comment_lines(data: bytearray, at: int) -> int:
    found = COMMENT_LINES.match(data, at)
    return found.end() if found else at


def _one_line(error: Exception) -> str:
    words = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return " ".join(str(words).split())


def neighbour(path: Path, suffix: str) -> Path | None:
    """Return the file beside `path` with another suffix, packed or not, if there is one.

    `roads.gr.gz` and `.co` find `roads.co`, `roads.co.gz`, `roads.co.xz` or `roads.co.bz2`.
    """
    name = path.name
    for packing in (".gz", ".xz", ".bz2"):
        name = name.removesuffix(packing)
    stem = name.removesuffix(".gr")
    for packing in ("", ".gz", ".xz", ".bz2"):
        found = path.with_name(f"{stem}{suffix}{packing}")
        if found != path and found.is_file():
            return found
    return None


def cores() -> int:
    """Return how many processor cores this process may use."""
    if hasattr(os, "sched_getaffinity"):  # Linux
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
