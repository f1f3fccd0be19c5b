"""A scheduler of Dask with one worker, each in a process of its own. Not a test itself."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
BOTH = """
import asyncio, sys
from distributed import Scheduler, Worker
async def main(address):
    if address:
        it = Worker(address, nthreads=1, dashboard=False)
    else:
        it = Scheduler(dashboard=False, host="127.0.0.1", port=0)
    async with it:
        print(it.address, flush=True)
        await it.finished()
asyncio.run(main(*sys.argv[1:]))
"""


@contextmanager
def begun(scheduler: str = "") -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Give the address and the process of a scheduler, or of a worker of one."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-c", BOTH, scheduler]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment)
    with process:
        try:
            yield process.stdout.readline().strip(), process
        finally:
            process.kill()
