"""The far end of a connection with an engine that runs until it is stopped: for the window's tests.

Not a test itself.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))

import numpy as np

from gpu.engine import EngineOutcome, Observer, RunBuffers
from gpu.graph import CSRGraph
from gpu.host import Entries
from gpu.record.trace import SAMPLE, Flag, RunSettings

STEP_S = 0.005


def execute(
    graph: CSRGraph, _given: RunSettings, buffers: RunBuffers, observer: Observer
) -> EngineOutcome:
    """Emit a sample each STEP_S with the delta in force; all distances are there at once."""
    buffers.dist[:] = np.arange(graph.n)
    made = 0
    while True:
        stopped = observer.should_stop()
        sample = np.zeros(1, SAMPLE)
        sample["sequence"], sample["t_ns"] = made, made * 1000
        sample["delta"] = observer.delta_by_hand() or 1.0
        sample["flags"] = Flag.STOPPED if stopped else 0
        observer.on_samples(sample)
        if stopped:
            told = {"device": "NVIDIA H100 80GB HBM3"}
            return EngineOutcome("measured", "stopped", told)
        made += 1
        time.sleep(STEP_S)


if __name__ == "__main__":
    from gpu.remote import far

    os.environ["PYTHONPATH"] = str(Path(__file__).parent)
    engine = f"{Path(__file__).stem}:execute"
    verify, nothing = "host_engines:verify", "host_engines:warm_up"
    check = "gpu.engine:checked_settings"  # no GPU is needed for what is only played
    sys.exit(far.serve(Entries(check=check, execute=engine, verify=verify, warm_up=nothing)))
