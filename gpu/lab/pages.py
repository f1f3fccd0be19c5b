"""How fast files in memory are written, without any GPU: by one process and by two.

    python -m gpu.lab.pages OUT.json --folder /dev/shm [--gb 8] [--turns 2]

As workers write rows: blocks of BLOCK_BYTES, each mapped and filled by THREADS threads, from
memory of their own. What bounds it is how fast the system gives a file its pages. The kinds of
files take turns; a figure is bytes over the time until the last process ends.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from gpu.interpreter import module_command
from gpu.lab.cluster_scale import about

BLOCK_BYTES = 1 << 28  # as gpu.study.sources
PIECE_BYTES = 1 << 24  # as gpu.cuda.apsp_stream
THREADS = 10  # as there
ONE, EACH, BLOCK = "one", "one a process", "one a block"
KINDS = ((1, ONE), (1, BLOCK), (2, ONE), (2, EACH), (2, BLOCK))  # processes, files


def main(argv: list[str] | None = None) -> int:
    """Measure, print, write JSON; return 0."""
    parser = argparse.ArgumentParser(prog="python -m gpu.lab.pages", description=__doc__)
    parser.add_argument("output", help="of a writer: the folder")
    parser.add_argument("--folder", help="where it is written [the temporary folder]")
    parser.add_argument("--gb", type=int, default=8, help="so many times 2^30 bytes")
    parser.add_argument("--turns", type=int, default=2)
    words = "be a writer: of what files, the first of its blocks, how many"
    parser.add_argument("--write", nargs=3, metavar=("FILES", "FIRST", "BLOCKS"), help=words)
    args = parser.parse_args(argv)
    if args.write is not None:
        files, first, blocks = args.write
        _write(Path(args.output), files, int(first), int(blocks))
        return 0
    blocks = args.gb * (1 << 30) // BLOCK_BYTES
    told: dict[str, Any] = about("pages")
    told |= {"bytes": blocks * BLOCK_BYTES, "threads": THREADS, "block_bytes": BLOCK_BYTES}
    told |= {"kernel": platform.release(), "cores": os.cpu_count()}
    found: dict[str, list[float]]
    told["gb_per_s"] = found = {f"processes {count}, files: {kind}": [] for count, kind in KINDS}
    _rate(args.folder, 1, ONE, blocks)  # memory that nobody has had before is slower
    for _turn in range(args.turns):
        for (count, kind), kept in zip(KINDS, found.values(), strict=True):
            kept.append(_rate(args.folder, count, kind, blocks))
    print(json.dumps(found, indent=1), flush=True)
    Path(args.output).write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    return 0


def _rate(folder: str | None, count: int, files: str, blocks: int) -> float:
    """Return how fast so many processes write so many blocks, 10^9 bytes a second."""
    share = blocks // count
    with tempfile.TemporaryDirectory(dir=folder) as inside:
        if files == ONE:
            _size(Path(inside, "all"), blocks)
        writers = [_writer(inside, files, place * share, share) for place in range(count)]
        for writer in writers:
            assert writer.stdout is not None
            writer.stdout.readline()  # it is ready
        begun = time.monotonic()
        for writer in writers:
            assert writer.stdin is not None
            writer.stdin.write(b"go\n")
            writer.stdin.flush()
        for writer in writers:
            assert writer.stdout is not None
            writer.stdout.readline()  # it is done
        seconds = time.monotonic() - begun
        for writer in writers:
            writer.communicate()
    return count * share * BLOCK_BYTES / seconds / 1e9


def _writer(folder: str, files: str, first: int, blocks: int) -> subprocess.Popen[bytes]:
    command = module_command("gpu.lab.pages", folder, "--write", files, str(first), str(blocks))
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def _write(folder: Path, files: str, first: int, blocks: int) -> None:
    """Write blocks once a line comes in; say when it can begin, and when it has ended."""
    source = np.full(PIECE_BYTES, 7, np.uint8)
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(lambda _number: source.sum(), range(THREADS)))
        print("ready", flush=True)
        sys.stdin.readline()
        if files == EACH:
            _size(folder / f"from_{first}", blocks)
        for number in range(first, first + blocks):
            path, place = folder / "all", number
            if files == EACH:
                path, place = folder / f"from_{first}", number - first
            elif files == BLOCK:
                path, place = folder / str(number), 0
                _size(path, 1)
            mapped = np.memmap(path, np.uint8, "r+", place * BLOCK_BYTES, (BLOCK_BYTES,))
            list(pool.map(lambda piece: np.copyto(piece, source), mapped.reshape(-1, PIECE_BYTES)))
        print("done", flush=True)


def _size(path: Path, blocks: int) -> None:
    path.touch()
    os.truncate(path, blocks * BLOCK_BYTES)


if __name__ == "__main__":
    sys.exit(main())
