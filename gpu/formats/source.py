"""From a path to unpacked bytes: gzip and xz, recognised by their first bytes.

The file is read in blocks. Its first unpacked bytes (`head`) decide the format, so a file that is
no graph is refused before the rest is unpacked. Unpacking stops at `Reading.budget_bytes`, which
is 256 MiB for a pipe, and where memory runs out; an xz file whose dictionary needs more than
XZ_MEMORY is refused. A large file is read, not mapped: a program that shortens a mapped file would
end this process.
"""

from __future__ import annotations

import gzip
import lzma
import os
import stat
import zlib
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path

from gpu.errors import FormatError
from gpu.files import is_stdin, open_any, require_memory
from gpu.formats.reading import PACKINGS, Reading, unpacked_name

WEB = ("http://", "https://", "ftp://")
HEAD_BYTES = 64 * 1024  # what a sniffer sees; a shorter head is the whole file
BLOCK_BYTES = 1 << 20  # read or unpacked at a time
CHECK_BYTES = 32 << 20  # memory is checked each time the text grew by this
READ_SHARE = 0.5  # of the progress bar
XZ_MEMORY = 128 << 20  # bytes that a decoder may take; `xz -9` needs 65 MiB

LONGEST_MAGIC = b"\xfd7zXZ\x00"
MAGIC = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\x00": "xz"}
UNREADABLE_MAGIC = {b"\x28\xb5\x2f\xfd": "zstd", b"\x04\x22\x4d\x18": "lz4", b"BZh": "bzip2"}


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
        except BaseException:
            self._file.close()
            raise

    @property
    def head(self) -> bytes:
        """The first HEAD_BYTES unpacked bytes; fewer are the whole file."""
        return bytes(self._data[:HEAD_BYTES])

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

    def _grow(self) -> bool:
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
        try:
            first = self._file.peek(len(LONGEST_MAGIC))
        except OSError as error:
            raise self._reading.fault(f"cannot be read: {_one_line(error)}") from error
        if not first:
            raise self._reading.fault("the file is empty; expected a graph")
        for magic, name in UNREADABLE_MAGIC.items():
            if first.startswith(magic):
                raise self._reading.fault(
                    f"{name} compressed; unpack it first (gzip and xz are read directly)"
                )
        packing = next((name for magic, name in MAGIC.items() if first.startswith(magic)), "")
        try:
            for block in _blocks(self._file, packing):
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


def _blocks(file: BufferedReader, packing: str) -> Iterator[bytes]:
    """Yield a file in unpacked blocks. EOFError, LZMAError, zlib.error, OSError."""
    if packing != "xz":
        plain = gzip.GzipFile(fileobj=file) if packing else file
        while block := plain.read1(BLOCK_BYTES):
            yield block
        return
    decoder, block = lzma.LZMADecompressor(memlimit=XZ_MEMORY), file.read1(BLOCK_BYTES)
    while True:
        yield decoder.decompress(block, BLOCK_BYTES)
        block = file.read1(BLOCK_BYTES) if decoder.needs_input else decoder.unused_data
        if decoder.eof:  # another stream may follow, padded by zeros
            block = block.lstrip(b"\0") or file.read1(BLOCK_BYTES).lstrip(b"\0")
            if not block:
                return
            decoder = lzma.LZMADecompressor(memlimit=XZ_MEMORY)
        elif decoder.needs_input and not block:
            raise EOFError


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
