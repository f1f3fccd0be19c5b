"""The same run gives the same bytes, and stopping, replacing and changing runs harms none.

    python tests/campaigns/same.py SECONDS [SEED] [PART ...]

`bytes`: random graphs, every algorithm of the model; each run is made here and, at the same time,
in two other processes, and all three traces must be the same to the byte (dates left out). `stops`:
on a real engine process runs are stopped, replaced, started again, the graph, the source and the
algorithm changed, at random moments; each request ends in at most one message, and the last run
of each round is finished and proved.
"""

from __future__ import annotations

import hashlib
import random
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
sys.path.append(str(TESTS / "campaigns"))
sys.path.append(str(TESTS.parent))

SEED = 16
GENERATORS = ("grid", "city_roads", "erdos_renyi", "rmat")


def digest(algorithm: str, generator: str, n: int, seed: int) -> str:
    """Make one run of the model; return a hash of all it leaves but the date."""
    import gpu
    from gpu.algorithms import ALGORITHMS
    from gpu.record.tracefile import parts
    from sample_graphs import make

    graph = make(generator, n=n, seed=seed)
    matrix = ALGORITHMS[algorithm].result == "matrix"
    header, arrays = parts(gpu.run(graph, algorithm, probe=0 if matrix else 3, seed=seed))
    found = hashlib.blake2b(digest_size=16)
    for key in ("settings", "graph", "clock", "outcome"):
        found.update(repr(header[key]).encode())
    for name in sorted(arrays):
        found.update(arrays[name].tobytes())
    return found.hexdigest()


def bytes_alike(seconds: float, seed: int, most: int) -> int:
    """Return how many runs were made three times, with both cores at work."""
    from gpu.algorithms import ALGORITHMS

    names = [name for name, row in ALGORITHMS.items() if "model" in row.engines]
    chance, count, end = random.Random(f"{seed} bytes"), 0, time.monotonic() + seconds
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        while count < most and time.monotonic() < end:
            run = (
                chance.choice(names), chance.choice(GENERATORS), chance.randint(20, 900),
                chance.randrange(2**20),
            )  # fmt: skip
            others = [pool.submit(digest, *run) for _ in range(2)]
            made = {digest(*run), *(other.result() for other in others)}
            assert len(made) == 1, run
            count += 1
    return count


def stops(seconds: float, seed: int, most: int) -> int:
    """Return how many rounds of three to eight requests were played."""
    from dataclasses import replace

    from kill import SAMPLES, Engine, until

    from gpu.host import LoadRequest

    chance, count, end = random.Random(f"{seed} stops"), 0, time.monotonic() + seconds
    scene = Engine()
    host = scene.host
    ends = ("RunFinished", "Failed", "EngineLost", "GraphLoaded")
    try:
        while count < most and time.monotonic() < end:
            asked: list[int] = []
            for _ in range(chance.randint(3, 8)):
                name = chance.choice(("adds", "near_far", "bellman_ford", "dijkstra"))
                settings = replace(scene.settings, algorithm=name, source=chance.randrange(3))
                acts: list[Callable[[], Any]] = [
                    host.stop, lambda: host.set_pace(10.0), lambda: host.set_pace(None),
                    lambda: host.set_delta(2.0),
                    lambda: host.load(LoadRequest(chance.choice(SAMPLES))),
                ]  # fmt: skip
                found = host.run(settings) if chance.random() < 0.5 else chance.choice(acts)()
                asked += [found] if isinstance(found, int) else []
                moment = time.monotonic() + chance.choice((0.0, 0.01, 0.2)) * chance.random()
                while time.monotonic() < moment:
                    scene.answers(0)
                    time.sleep(0.001)
            host.set_pace(None)
            last = host.load(LoadRequest(SAMPLES[2]))
            until(lambda: scene.answers(last, "GraphLoaded"), "the last graph")  # noqa: B023
            last = host.run(scene.settings)
            until(lambda: scene.answers(last, "Verified"), "the proof of the last run")  # noqa: B023
            assert scene.answers(last, "Verified")[0].verification.certificate is not False
            for run_id in asked:
                assert len(scene.answers(run_id, *ends)) <= 1, run_id
            scene.heard.clear()
            count += 1
    finally:
        host.close()
    return count


PARTS = {"bytes": bytes_alike, "stops": stops}


def main(argv: list[str]) -> int:
    """Play all parts for an equal time each."""
    seconds, seed = float(argv[0]), int(argv[1]) if len(argv) > 1 else SEED
    names = argv[2:] or list(PARTS)
    for name in names:
        count = PARTS[name](seconds / len(names), seed, sys.maxsize)
        print(f"{name}: {count}, seed {seed}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
