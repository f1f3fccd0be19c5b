"""A link that is not as it should be: `python proxy.py HOW COMMAND...` runs COMMAND behind it.

delay:S       every byte takes S seconds, both ways
cut:N         after N bytes from the far side it ends
flip:N        of the bytes from the far side, one bit of the N-th is turned
twice:N       8 KiB from the N-th byte on come twice
Not a test itself.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from queue import SimpleQueue

Way = Callable[[int, bytes], Iterator[bytes]]


def spoilt(how: str, at: int) -> Way:
    """What becomes of a chunk whose first byte is number `first` of its stream."""

    def way(first: int, chunk: bytes) -> Iterator[bytes]:
        inside = at - first
        if not 0 <= inside < len(chunk):
            yield chunk
        elif how == "cut":
            yield chunk[:inside]
            raise EOFError
        elif how == "flip":
            yield chunk[:inside] + bytes([chunk[inside] ^ 8]) + chunk[inside + 1 :]
        else:
            yield chunk
            yield chunk[inside : inside + 8192]

    return way


def carry(source: int, target: int, delay_s: float, way: Way | None) -> None:
    chunks: SimpleQueue[tuple[float, bytes]] = SimpleQueue()

    def read() -> None:
        while chunk := os.read(source, 1 << 16):
            chunks.put((time.monotonic() + delay_s, chunk))
        chunks.put((time.monotonic() + delay_s, b""))

    threading.Thread(target=read, daemon=True).start()
    first = 0
    try:
        while (item := chunks.get())[1]:
            time.sleep(max(0.0, item[0] - time.monotonic()))
            for part in way(first, item[1]) if way is not None else (item[1],):
                done = 0
                while done < len(part):
                    done += os.write(target, part[done:])
            first += len(item[1])
    except (EOFError, OSError):
        pass
    os.close(target)


def main(how: str, command: list[str]) -> int:
    name, _, number = how.partition(":")
    delay_s = float(number) if name == "delay" else 0.0
    way = None if name == "delay" else spoilt(name, int(number))
    pipe = subprocess.PIPE
    far = subprocess.Popen(command, stdin=pipe, stdout=pipe)
    assert far.stdin is not None
    assert far.stdout is not None
    there = threading.Thread(
        target=carry, args=(0, os.dup(far.stdin.fileno()), delay_s, None), daemon=True
    )
    far.stdin.close()
    there.start()
    carry(far.stdout.fileno(), 1, delay_s, way)
    if name != "delay":
        far.terminate()
    return far.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
