"""One engine process, run after run: what it holds stays level.

    python tests/campaigns/flat.py SECONDS [SEED]

First everything that stays loaded once it was used: each algorithm of the model and of the cores,
at each probe level, on graphs of every number type. Then at random: graphs of 20 to 20,000
vertices opened, run on, laid out, runs stopped and replaced. Once a minute and at the end all that
was asked has ended, and what the process has to itself is told. It ends with 1 if that is more than
30 MB above the first time. A process that did not stop in time was killed and has a successor,
which loads everything and is compared with its own first time.

Where this process itself compiled (an empty cache), Numba keeps what it compiled from: up to 550 MB
instead of 130. Play twice.
"""

from __future__ import annotations

import random
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
sys.path.append(str(TESTS / "campaigns"))
sys.path.append(str(TESTS / "window"))
sys.path.append(str(TESTS.parent))

import numpy as np  # noqa: E402
from kill import until  # noqa: E402
from soak_memory import resident  # noqa: E402

SEED = 16
GROWTH_MB = 30.0
MARK_S = 60.0
KINDS = ("grid", "city_roads", "erdos_renyi", "rmat", "mesh", "geometric")
SIZES = (20, 900, 1500, 20_000)  # vertices
LEVELS = {"model": (0, 1, 2, 3), "cpu": (0, 1, 2)}  # that an engine records
FACTORS = {"int32": 1, "int64": 3_000_000, "float32": 0.5, "float64": 0.5}


@dataclass
class Held:
    """What was measured: MB of the process in turn, how many runs, which processes there were."""

    megabytes: list[float] = field(default_factory=list)
    runs: int = 0
    processes: list[int] = field(default_factory=list)

    @property
    def grown(self) -> float:
        """Return MB of the last process now beyond its own first measure."""
        return self.megabytes[-1] - self.megabytes[0]


class Scene:
    """A host, its process, and what is asked of it."""

    def __init__(self, seed: int) -> None:
        from gpu.host import EngineHost

        self.chance = random.Random(f"{seed} flat")
        self.host = EngineHost()
        self.host.start()
        self.held = Held()

    def wait(self) -> None:
        """Let all that was asked end."""

        def idle() -> bool:
            self.host.poll()
            self.host.take_samples()
            return self.host.idle

        until(idle, "the engine process")

    def put(self, kind: str, n: int, numbers: str) -> None:
        """Use a graph of this kind with weights of a number type."""
        from gpu.graph import CSRGraph
        from sample_graphs import make

        graph = make(kind, n=n, seed=self.chance.randint(1, 3))
        weights = graph.weights.astype(numbers) * np.dtype(numbers).type(FACTORS[numbers])
        self.host.put_graph(CSRGraph(graph.indptr, graph.indices, weights, name=kind))

    def run(self, algorithm: str, engine: str, probe: int) -> None:
        """Ask for one run from the first vertex."""
        from gpu.engine import default_device
        from gpu.record.trace import RunSettings

        settings = RunSettings(algorithm, engine, default_device(engine), 0, None, probe, 1, 0, {})
        self.host.run(settings)
        self.held.runs += 1

    def load_everything(self, numbers: tuple[str, ...], levels: tuple[int, ...]) -> None:
        """Make each run once that loads compiled code."""
        for each in numbers:
            self.put("grid", 900, each)
            for key, engine in rows():
                for probe in sorted({*levels} & {*LEVELS[engine]}):
                    self.run(key, engine, probe)
                    self.wait()

    def act(self) -> None:
        """Do one thing at random; half of all are waited for."""
        from gpu.algorithms import ALGORITHMS

        chance, host = self.chance, self.host
        what = chance.random()
        if what < 0.2:
            kind, n = chance.choice(KINDS), chance.choice(SIZES)
            self.put(kind, n, chance.choice(tuple(FACTORS)))
        elif what < 0.3:
            host.layout()
        elif what < 0.4:
            host.stop()
        else:
            key, engine = chance.choice(rows())
            matrix = ALGORITHMS[key].result == "matrix"
            if matrix and host.graph is not None and host.graph.n > 2000:
                return  # a matrix of 1.6 GB
            self.run(key, engine, chance.choice(LEVELS[engine]))
        if chance.random() < 0.5:
            self.wait()

    def mark(self) -> None:
        """Measure, with a small graph and nothing to do; a new process begins a new series."""
        self.wait()
        self.put("grid", 900, "int32")
        self.run("adds", "model", 1)
        self.wait()
        pid = self.host.child_pid
        if pid not in self.held.processes:
            self.held.processes.append(pid)
            self.held.megabytes.clear()
        self.held.megabytes.append(resident(pid))


def rows() -> list[tuple[str, str]]:
    """Return every algorithm with each engine that needs no GPU."""
    from gpu.algorithms import ALGORITHMS

    return [(key, e) for key, row in ALGORITHMS.items() for e in LEVELS if e in row.engines]


def played(
    seconds: float,
    seed: int,
    most: int = sys.maxsize,
    numbers: tuple[str, ...] = tuple(FACTORS),
    levels: tuple[int, ...] = LEVELS["model"],
    say: Any = lambda _words: None,
) -> Held:
    """Play for so many seconds, and at most so many acts; return what was held."""
    scene = Scene(seed)
    try:
        scene.load_everything(numbers, levels)
        scene.mark()
        known, count, begun = scene.host.child_pid, 0, time.monotonic()
        marked = begun
        while count < most and time.monotonic() - begun < seconds:
            scene.act()
            count += 1
            if scene.host.child_pid != known:  # a new process has nothing loaded
                scene.wait()
                scene.load_everything(numbers, levels)
                known = scene.host.child_pid
            if time.monotonic() - marked > MARK_S:
                scene.mark()
                marked = time.monotonic()
                say(f"{scene.held.megabytes[-1]:.0f} MB after {scene.held.runs} runs")
        scene.mark()
    finally:
        scene.host.close()
    return scene.held


def main(argv: list[str]) -> int:
    """Play, say what was held; return 1 where it has grown."""
    seconds, seed = float(argv[0]), int(argv[1]) if len(argv) > 1 else SEED
    held = played(seconds, seed, say=lambda words: print(words, flush=True))
    told = ", ".join(f"{each:.0f}" for each in held.megabytes)
    print(f"MB: {told}; {held.runs} runs, {len(held.processes)} processes, seed {seed}")
    return 1 if held.grown > GROWTH_MB else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
