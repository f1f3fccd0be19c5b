"""A scheduler of Dask with one worker, in a process of its own. Not a test itself."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
SCHEDULER = """
import asyncio, sys
from distributed import Scheduler, Worker
async def main():
    options = {"dashboard": False, "host": "127.0.0.1", "port": 0}
    async with Scheduler(**options) as scheduler:
        async with Worker(scheduler.address, nthreads=1, dashboard=False):
            print(scheduler.address, flush=True)
            await scheduler.finished()
asyncio.run(main())
"""


@contextmanager
def scheduler() -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Give its address and its process, which is killed at the end."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-c", SCHEDULER]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment)
    with process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip(), process
        finally:
            process.kill()
