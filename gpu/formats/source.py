"""From a path to unpacked bytes: gzip, xz and bz2, recognised by their first bytes.

The file is read in blocks. Its first unpacked bytes (`head`) decide the format, so a file that is
no graph is refused before the rest is unpacked. Unpacking stops at a limit (`Reading.budget_bytes`)
and where memory runs out. A large file is read, not mapped: a program that shortens a mapped file
would end this process.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import re
import stat
import zlib
from collections.abc import Callable, Iterator
from io import BufferedReader
from pathlib import Path
from typing import Any

from gpu.errors import FormatError
from gpu.files import is_stdin, open_any, require_memory
from gpu.formats.reading import PACKINGS, Reading, unpacked_name

WEB = ("http://", "https://", "ftp://")
HEAD_BYTES = 64 * 1024  # what a sniffer sees; a shorter head is the whole file
COMMENT_LINES = re.compile(rb"(?:(?:[#%]|c(?=[ \t\r\n]))[^\n]*+\n)*+")
COMMENT_BYTES = 1024  # of a long block of comments, what a sniffer sees
BLOCK_BYTES = 1 << 20  # read or unpacked at a time
CHECK_BYTES = 32 << 20  # memory is checked each time the text grew by this
READ_SHARE = 0.5  # of the progress bar

LONGEST_MAGIC = b"\xfd7zXZ\x00"
MAGIC = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\x00": "xz", b"BZh": "bz2"}
UNREADABLE_MAGIC = {b"\x28\xb5\x2f\xfd": "zstd", b"\x04\x22\x4d\x18": "lz4", b"7z\xbc\xaf": "7-zip"}
UNPACKERS: dict[str, Callable[[Any], Any]] = {  # "": not packed
    "": lambda file: file,
    "gzip": gzip.open,
    "xz": lzma.open,
    "bz2": bz2.open,
}


class Source:
    """An open file: `head`, then `read_all`.

    Raises FormatError if the path is no readable file or its packed data are broken,
    MemoryNeededError if the text does not fit.
    """

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._file, self._size = _open(reading)  # 0 bytes: a pipe
        try:
            reading.disk_bytes = self._size
            self._checked = 0  # bytes for which memory was checked
            self._last = 0  # where the last block begins
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
        """The first HEAD_BYTES unpacked bytes; fewer are the whole file.

        Of a longer block of comments: its beginning and HEAD_BYTES after it.
        """
        if self._rows_at <= HEAD_BYTES:
            return bytes(self._data[:HEAD_BYTES])
        beginning = bytes(self._data[: self._data.find(b"\n", COMMENT_BYTES) + 1])
        return beginning + bytes(self._data[self._rows_at : self._rows_at + HEAD_BYTES])

    def read_all(self, *, text: bool = False) -> bytearray:
        """Return the whole unpacked file and close it; `text`: refuse a zero byte."""
        try:
            require_memory(self._size, str(self._reading.path))
            if text:
                self._refuse_zeros(0)
            while self._grow():
                if text:
                    self._refuse_zeros(self._last)
                done = self._file.tell() / self._size if self._size else 0.0
                self._reading.report(min(done, 1.0) * READ_SHARE, "reading")
        finally:
            self.close()
        return self._data

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _after_comments(self) -> int:
        """Return where the first line begins that is no comment, if comments fill the head."""
        end = _after_comment_lines(self._data, 0)
        while end and end + HEAD_BYTES > len(self._data) and self._grow():
            end = _after_comment_lines(self._data, end)
        return end

    def _grow(self) -> bool:
        """Take the next block; return False at the end."""
        block = next(self._blocks, None)
        if block is None:
            return False
        self._last = len(self._data)
        self._data += block
        self._reading.check_unpacked(len(self._data), "the file")
        if len(self._data) - self._checked > CHECK_BYTES:
            self._checked = len(self._data)
            require_memory(self._checked, str(self._reading.path))
        return True

    def _refuse_zeros(self, start: int) -> None:
        """Refuse text with a zero byte from `start` on."""
        at = self._data.find(b"\0", start)
        if at < 0:
            return
        before = bytes(self._data[:at])
        ends = before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n")
        raise self._reading.fault(
            "a zero byte in it, so it is no text; expected UTF-8 (UTF-16 is not read: save "
            "it again as UTF-8)",
            ends + 1,
        )

    def _unpacked(self) -> Iterator[bytes]:
        """Yield the file in unpacked blocks."""
        try:
            first = self._file.peek(len(LONGEST_MAGIC))
        except OSError as error:
            raise self._reading.fault(f"cannot be read: {_one_line(error)}") from error
        if not first:
            raise self._reading.fault("the file is empty; expected a graph")
        for magic, name in UNREADABLE_MAGIC.items():
            if first.startswith(magic):
                raise self._reading.fault(
                    f"{name} compressed; unpack it first (gzip, xz and bz2 are read directly)"
                )
        packing = next((name for magic, name in MAGIC.items() if first.startswith(magic)), "")
        file = UNPACKERS[packing](self._file)
        try:
            while block := file.read1(BLOCK_BYTES):
                if not self._size and not packing:
                    self._reading.disk_bytes += len(block)
                yield block
        except EOFError as error:
            raise self._reading.fault(
                f"the {packing} data end early; expected the end mark (is the file cut short?)"
            ) from error
        except (zlib.error, lzma.LZMAError, OSError, ValueError) as error:
            words = f"broken {packing} data" if packing else "cannot be read"
            raise self._reading.fault(f"{words} ({_one_line(error)})") from error


def refuse_web_address(name: str) -> None:
    """Raise FormatError if a name is a web address."""
    if name.lower().startswith(WEB):
        raise FormatError(name, "is a web address; download the file, then open the file")


def _open(reading: Reading) -> tuple[BufferedReader, int]:
    """Return an open file and its size on disk."""
    path = reading.path
    try:
        from_stdin = reading.pipe and is_stdin(path)
        about = os.stat(0 if from_stdin else path)
        if stat.S_ISDIR(about.st_mode):
            raise reading.fault("is a folder; expected a file")
        if stat.S_ISREG(about.st_mode) and not from_stdin:
            return open(path, "rb"), about.st_size
        if not reading.pipe:
            raise reading.fault("is not a regular file; expected a file on disk")
        return open_any(path), 0
    except FileNotFoundError as error:
        raise reading.fault("no such file") from error
    except (OSError, ValueError) as error:
        raise reading.fault(f"cannot be opened: {_one_line(error)}") from error


def _after_comment_lines(data: bytearray, at: int) -> int:
    end = COMMENT_LINES.match(data, at)
    return end.end() if end else at


def _one_line(error: Exception) -> str:
    words = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return " ".join(str(words).split())


def places_beside(path: Path) -> Path | None:
    """Return the file of coordinates beside a DIMACS graph, packed or not."""
    stem = unpacked_name(path).removesuffix(".gr")
    candidates = [path.with_name(f"{stem}.co{packing}") for packing in ("", *PACKINGS)]
    return next((one for one in candidates if one != path and one.is_file()), None)


def cores() -> int:
    """Return how many processor cores this process may use."""
    if hasattr(os, "sched_getaffinity"):  # Linux
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
