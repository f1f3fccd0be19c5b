"""A sweep whose window is killed leaves no process and no shared memory behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from kill import lives

SWEEP = """
import multiprocessing, os, threading, time
import sample_graphs
from gpu.record.trace import RunSettings
from gpu.study.sweep import make_plan, run_sweep

graph = sample_graphs.make("grid", n=400_000, seed=1)
plan = make_plan(graph, RunSettings("adds"))
threading.Thread(target=lambda: run_sweep(graph, plan, processes=2), daemon=True).start()
while len(multiprocessing.active_children()) < 2:
    time.sleep(0.01)
children = [child.pid for child in multiprocessing.active_children()]
print(f"sssp-{os.getpid()}-", *children, flush=True)
time.sleep(600)
"""
PATIENCE_S = 30.0
SHARED = Path("/dev/shm")


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is POSIX")
@pytest.mark.parametrize("wait_s", [0.0, 3.0], ids=["while starting", "while running"])
def test_nothing_outlives_a_killed_parent(wait_s: float) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SWEEP], stdout=subprocess.PIPE, text=True
    ) as parent:
        prefix, *children = parent.stdout.readline().split()
        time.sleep(wait_s)
        parent.kill()
    pids = [int(child) for child in children]
    assert len(pids) == 2
    end = time.monotonic() + PATIENCE_S
    while any(lives(pid) for pid in pids) and time.monotonic() < end:
        time.sleep(0.05)
    left = [pid for pid in pids if lives(pid)]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert left == []
    assert [path.name for path in SHARED.glob(f"{prefix}*")] == []
