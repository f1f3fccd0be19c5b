"""The kernels on a real GPU; skipped with the reason where there is none."""

import shutil
import subprocess
import sys
import time
from typing import Any

import make_vectors
import numpy as np
import pytest

import gpu
from gpu import delta as rules
from gpu.algorithms import find
from gpu.cuda import adds, async_near_far, launch, records, supersteps, watchdog
from gpu.cuda.device import why_not
from gpu.cuda.module import source_of
from gpu.cuda.rho_stepping import RHO_STEPPING
from gpu.engine import Observer, RunBuffers, execute
from gpu.errors import MemoryNeededError, ParameterError
from gpu.graph import CSRGraph
from gpu.numbers import NUMBER_TYPES
from gpu.proof.verify import oracle_distances
from gpu.record.trace import NEVER, Flag, Reason, RunSettings, Trace, reached_mask

REASON = why_not()
pytestmark = [pytest.mark.gpu, pytest.mark.skipif(REASON is not None, reason=str(REASON))]

ALGORITHMS = ("adds", "near_far", "async_near_far")
STEPS = ("bellman_ford", "delta_stepping", "rho_stepping")
SINGLE = (*ALGORITHMS, *STEPS)
LAUNCHERS = {"adds": adds, "async_near_far": async_near_far, "rho_stepping": RHO_STEPPING}
PROBED = [*((0, numbers) for numbers in NUMBER_TYPES)]  # each level and type costs a compilation
PROBED += [(1, "int32"), (2, "float64"), (1, "int64"), (2, "float32")]
AT_ONCE = [
    ("adds", {"drop_stale": False}),
    ("adds", {"drop_stale": True}),
    ("adds", {"as_published": True}),
    ("async_near_far", {}),
]
VARIANTS = [*AT_ONCE, *((key, {}) for key in ("near_far", *STEPS))]


@pytest.fixture(autouse=True)
def _short_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchdog, "LIMIT_S", 10.0)


def run_typed(graph: CSRGraph, *given: Any, **options: Any) -> Trace:
    """Run in the type that the graph's weights have."""
    chosen: dict[str, Any] = {"numbers": graph.weights.dtype.name, **options}
    return gpu.run(graph, *given, **chosen)


def arcs(tails: Any, heads: Any, weights: Any, n: int, numbers: str = "int32") -> CSRGraph:
    ends = (np.asarray(tails, np.int64), np.asarray(heads, np.int64))
    return CSRGraph.from_arcs(*ends, np.asarray(weights, numbers), n)


def chain(n: int, weight: float = 3, numbers: str = "int32") -> CSRGraph:
    return arcs(np.arange(n - 1), np.arange(1, n), np.full(n - 1, weight), n, numbers)


def random_graph(seed: int, numbers: str, n: int | None = None, degree: int = 6) -> CSRGraph:
    rng = np.random.default_rng(seed)
    n = n or int(rng.integers(1, 400))
    m = int(rng.integers(0, degree * n + 1))
    top = int(rng.choice([0, 1, 10, 10_000]))
    weights = rng.random(m) * top if numbers.startswith("float") else rng.integers(0, top + 1, m)
    return arcs(rng.integers(0, n, m), rng.integers(0, n, m), weights, n, numbers)


def lattice(side: int, numbers: str) -> CSRGraph:
    cells = np.arange(side * side).reshape(side, side)
    ends = [(cells[:, :-1], cells[:, 1:]), (cells[:-1], cells[1:])]
    tails = np.concatenate([a.ravel() for a, b in ends] + [b.ravel() for a, b in ends])
    heads = np.concatenate([b.ravel() for a, b in ends] + [a.ravel() for a, b in ends])
    weights = np.random.default_rng(1).integers(1, 10_001, len(tails))
    return arcs(tails, heads, weights, side * side, numbers)


def power_law(numbers: str) -> CSRGraph:
    rng = np.random.default_rng(2)
    n, m = 20_000, 300_000
    tails = (n * rng.random(m) ** 4).astype(np.int64)
    return arcs(tails, rng.integers(0, n, m), rng.integers(1, 101, m), n, numbers)


def hubs(numbers: str) -> CSRGraph:
    """Rows long enough to be split, aligned with pieces of arcs and not, that improve twice."""
    rng = np.random.default_rng(3)
    n, degrees = 9000, [8192, 5000, 4096, 3000, 4097]
    tails = np.concatenate([np.full(degree, hub) for hub, degree in enumerate(degrees)])
    heads = rng.integers(0, n, len(tails))
    back = np.arange(5, n)
    return arcs(
        np.concatenate([tails, back, [0, 0, 0, 0]]),
        np.concatenate([heads, rng.integers(0, 5, len(back)), [1, 2, 3, 4]]),
        np.concatenate([rng.integers(1, 1000, len(tails) + len(back)), [900, 900, 900, 900]]),
        n,
        numbers,
    )


def families(numbers: str) -> dict[str, CSRGraph]:
    none: list[int] = []
    star = np.arange(1, 5000)
    zero = np.arange(900)
    top = np.finfo(numbers).max if numbers.startswith("float") else np.iinfo(numbers).max
    near_limit = [top // 2, top // 2 - 2, 1]
    return {
        "one vertex": arcs(none, none, none, 1, numbers),
        "no arcs": arcs(none, none, none, 60, numbers),
        "loop": arcs([0, 0], [0, 1], [5, 5], 2, numbers),
        "parallel": arcs([0, 0, 0, 1], [1, 1, 1, 2], [9, 2, 5, 1], 3, numbers),
        "unreachable": arcs([0, 2], [1, 3], [1, 1], 5, numbers),
        "near the limit": arcs([0, 1, 0], [1, 2, 2], near_limit, 3, numbers),
        "chain": chain(3000, 3, numbers),
        "star": arcs(np.zeros(4999, int), star, star, 5000, numbers),
        "all zero": arcs(zero % 300, (zero * 7 + 1) % 300, np.zeros(900), 300, numbers),
        "lattice": lattice(120, numbers),
        "power law": power_law(numbers),
        "hubs": hubs(numbers),
        "random": random_graph(7, numbers),
    }


def assert_right(graph: CSRGraph, source: int, dist: np.ndarray) -> None:
    expected = oracle_distances(graph, source)
    reached = reached_mask(dist)
    assert np.array_equal(reached, np.isfinite(expected))
    if graph.integer:
        assert np.array_equal(dist[reached].astype(np.float64), expected[reached])
    else:
        near = 1e-5 if graph.weights.dtype == np.float32 else 1e-12
        assert dist[reached] == pytest.approx(expected[reached], rel=near)


def deltas_of(algorithm: str, graph: CSRGraph) -> list[float | None]:
    """Return automatic; of supersteps also mostly heavy arcs, some, and none."""
    if not find(algorithm).bucketed or graph.m == 0 or algorithm in dict(AT_ONCE):
        return [None]
    mean = max(graph.mean_weight, 1.0)
    return [None, max(mean / 16, 1.0), mean, min(64 * mean, 1e300)]


@pytest.mark.parametrize(("probe", "numbers"), PROBED)
@pytest.mark.parametrize(("algorithm", "parameters"), VARIANTS)
def test_families(algorithm: str, parameters: dict, probe: int, numbers: str) -> None:
    for name, graph in families(numbers).items():
        for delta in deltas_of(algorithm, graph):
            options = {"delta": delta, "probe": probe, "parameters": parameters}
            trace = run_typed(graph, algorithm, "cuda", **options)
            assert trace.outcome == "finished", name
            assert trace.clock == "measured"
            assert_right(graph, 0, trace.dist)
            assert trace.last["flags"] & Flag.FINISHED
            assert probe or len(trace.samples) == 1


@pytest.mark.parametrize("buckets", [2, 3, 32])
@pytest.mark.parametrize("delta", [None, 1.0, 100.0, 1e6])
def test_ablations_and_fixed_deltas(buckets: int, delta: float | None) -> None:
    graph = lattice(60, "int32")
    for dynamic in (False, True):
        chosen = {"buckets": buckets, "dynamic_delta": dynamic, "drop_stale": True}
        trace = run_typed(graph, "adds", "cuda", delta=delta, parameters=chosen)
        assert_right(graph, 0, trace.dist)
        if delta is not None:
            assert trace.last["delta"] == delta


SHARES = [(key, {}, share) for key in ("near_far", "delta_stepping") for share in (0.1, 0.5)]


@pytest.mark.parametrize(
    ("algorithm", "parameters", "share"), [*((*variant, None) for variant in VARIANTS), *SHARES]
)
def test_probe_totals_are_the_counted_totals(
    algorithm: str, parameters: dict, share: float | None
) -> None:
    """Delta-stepping: light arcs each time, heavy arcs once for what was reached."""
    steps = algorithm not in dict(AT_ONCE)
    for graph in (lattice(200, "int32"), *([power_law("int32")] if steps else [])):
        delta = float(int(share * graph.weights.max())) if share else None
        trace = run_typed(graph, algorithm, "cuda", delta=delta, probe=2, parameters=parameters)
        vertices = trace.vertices
        assert vertices.times_processed.sum() == trace.processed_vertices
        tails = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
        split = algorithm == "delta_stepping"
        light = graph.weights <= float(trace.last["delta"]) if split else np.ones(graph.m, bool)
        reached = reached_mask(trace.dist)
        expected = vertices.times_processed[tails][light].sum() + (reached[tails] & ~light).sum()
        assert expected == trace.relaxed_edges
        assert np.array_equal(reached, vertices.first_reached_ns != NEVER)
        assert (vertices.last_improved_ns >= vertices.first_reached_ns)[reached].all()
        assert vertices.last_improved_ns.max() <= trace.time_ns
        assert trace.last["improved"] >= reached.sum() - 1
        for name in ("processed_vertices", "relaxed_edges", "improved"):
            assert (np.diff(trace.samples[name]) >= 0).all(), name


def settings_of(algorithm: str, probe: int, delta: float | None = None) -> RunSettings:
    chosen = find(algorithm).checked_parameters({"drop_stale": True} if algorithm == "adds" else {})
    return RunSettings(algorithm, "cuda", "cuda:0", 0, delta, probe, parameters=chosen)


def run_of(
    graph: CSRGraph, algorithm: str, probe: int, delta: float | None = None, **observer: Any
) -> Any:
    watching = Observer(**observer)
    buffers = RunBuffers.allocate(graph, probe)
    launcher = getattr(supersteps, algorithm.upper(), None) or LAUNCHERS[algorithm]
    given = (graph, settings_of(algorithm, probe, delta), buffers, watching)
    outcome, run = launch.go(*given, launcher.make_plan)
    return outcome, run, watching.samples(), buffers


@pytest.mark.parametrize("algorithm", SINGLE)
def test_samples_read_live_are_those_in_the_ring(algorithm: str) -> None:
    outcome, run, samples, _ = run_of(chain(30_000), algorithm, 1)
    written = run.ring.written()
    assert outcome.outcome == "finished"
    assert len(samples) == written + 1  # and the last one, made by the host
    kept = min(written, run.ring.samples)
    places = np.arange(written - kept, written) % run.ring.samples
    assert np.array_equal(run.ring._ring[places], samples[written - kept : written])
    assert np.array_equal(samples["sequence"], np.arange(written + 1))
    assert (np.diff(samples["t_ns"]) >= 0).all()


@pytest.mark.parametrize("algorithm", SINGLE)
@pytest.mark.parametrize("probe", [0, 1])
def test_stop_ends_a_running_kernel_at_once(algorithm: str, probe: int) -> None:
    graph = chain(2_000_000)  # seconds, a hop at a time
    run_typed(chain(10), algorithm, "cuda", probe=probe)  # compiled by now
    asked: list[float] = []
    begun: list[float] = []

    def should_stop() -> bool:
        begun.append(time.perf_counter())
        if begun[-1] - begun[0] < 0.3:
            return False
        asked.append(time.perf_counter())
        return True

    outcome, run, samples, buffers = run_of(graph, algorithm, probe, should_stop=should_stop)
    assert outcome.outcome == "stopped"
    assert run.ended - asked[0] < 0.05
    assert samples[-1]["flags"] & Flag.STOPPED
    reached = int(reached_mask(buffers.dist).sum())
    assert 1000 < reached < graph.n
    assert np.array_equal(buffers.dist[:reached], 3 * np.arange(reached))


@pytest.mark.parametrize(
    ("algorithm", "delta"),
    [*((key, None) for key in ALGORITHMS), ("delta_stepping", None), ("delta_stepping", 1.0)],
)
def test_a_delta_held_by_hand_is_obeyed_mid_run(algorithm: str, delta: float | None) -> None:
    begun: list[float] = []

    def by_hand() -> float | None:
        begun.append(time.perf_counter())
        return 512.0 if begun[-1] - begun[0] > 0.1 else None

    graph = chain(300_000)
    _, _, samples, buffers = run_of(graph, algorithm, 1, delta, delta_by_hand=by_hand)
    held = samples["flags"] & int(Flag.DELTA_BY_HAND) != 0
    assert held.any()
    assert not held.all()
    settled = samples["delta"][held][-int(held.sum()) // 2 :]  # Near-Far obeys at the next split
    assert (settled == 512.0).all()
    assert samples["reason"][held][-1] == Reason.BY_HAND
    assert np.array_equal(buffers.dist, 3 * np.arange(graph.n))


def test_distances_can_be_watched_mid_run() -> None:
    buffers = RunBuffers.allocate(chain(1_000_000), 0)
    seen: list[int] = []

    def look() -> bool:
        seen.append(int(reached_mask(buffers.dist).sum()))
        return False

    watching = Observer(should_stop=look)
    execute(chain(1_000_000), settings_of("adds", 0), buffers, watching)
    assert len(set(seen)) >= 4
    assert seen == sorted(seen)


def recorded_readings(run: launch.CudaRun) -> np.ndarray:
    """READING (k,): what the controller was asked, sweep by sweep (probe 1 or 2)."""
    words = run.plan.arrays["readings"].get()
    return words.view(records.READING)[: int(run.state["readings"])]


def first_controller(graph: CSRGraph, run: launch.CudaRun) -> np.ndarray:
    """CONTROLLER (1,) as the kernel started with it, for a replay of its readings."""
    record = run.plan.record[0]
    factors = ("start_factor", "ceiling_factor", "floor_share")
    rule = rules.StartRule(
        threads=int(record["threads"]),
        buckets=int(record["buckets"]),
        max_open=int(record["controller"]["max_open"]),
        given=float(record["rule"]["given"]) or None,
        dynamic=bool(record["rule"]["dynamic"]),
        **{name: float(record["rule"][name]) for name in factors},
    )
    largest = float(graph.weights.max())
    weights = rules.Weights(graph.mean_weight, largest, graph.mean_degree, graph.integer)
    return rules.start(rule, weights)


def test_recorded_readings_replayed_give_the_recorded_delta() -> None:
    for graph in (lattice(300, "int32"), power_law("int32"), lattice(200, "float32")):
        _, run, samples, _ = run_of(graph, "adds", 1)
        readings = recorded_readings(run)
        assert len(readings) > 2 * rules.WINDOW_SWEEPS
        state = first_controller(graph, run)
        for reading in readings:
            values = [int(reading[name]) for name in readings.dtype.names[:6]]
            values[5] &= 1
            reason = rules.decide(state, *values)
            assert reason == reading["reason"]
            assert np.float32(state["delta"][0]) == reading["delta"]
        assert state["delta"][0] == samples[-1]["delta"]


OFFSETS = """extern "C" __global__ void offsets(const double (*rows)[4], int *into) {
    const double *row = rows[threadIdx.x];
    into[threadIdx.x] = raw_offset(row[0], row[1], row[2]);
}"""


def test_the_device_rounds_as_the_vectors_say() -> None:
    import cupy

    rows = np.array(make_vectors.read()["functions"]["raw_offset"])
    into = cupy.zeros(len(rows), np.int32)
    kernel = cupy.RawKernel(source_of("scheduler.cuh") + OFFSETS, "offsets")
    kernel((1,), (len(rows),), (cupy.asarray(rows), into))
    assert into.get().tolist() == rows[:, 3].tolist()


def star_of_three_million(leaves: int = 3_000_000) -> CSRGraph:
    heads = np.resize(np.arange(1, leaves + 1), 3_000_000)
    return arcs(np.zeros(3_000_000), heads, np.full(3_000_000, 10**6), leaves + 1)


def test_queues_that_stay_full_end_the_run_with_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adds, "pool_blocks", lambda graph, buckets, as_published: 2 * buckets)
    with pytest.raises(MemoryNeededError, match="no room for more"):  # all wait in the last bucket
        run_typed(star_of_three_million(), "adds", "cuda", delta=1.0)


@pytest.mark.parametrize("key", ["adds", "wide", "near_far", "async_near_far", "delta_stepping"])
def test_full_queues_are_run_again_with_more(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes that are too small at first; the trace says that there was another run."""
    real = launch.places_for

    def small_first(graph: CSRGraph, file: str, places: int, size: int, most: int) -> int:
        if file in launch._FULL.get(graph, ()):
            return real(graph, file, places, size, most)
        return 64 if file in (adds.FILE, adds.WIDE_FILE) else 70_000

    monkeypatch.setattr(launch, "places_for", small_first)
    graph = star_of_three_million(600_000 if key == "wide" else 3_000_000)  # 5 arcs a vertex
    key = key.replace("wide", "adds")
    trace = run_typed(graph, key, "cuda", delta=1.0)
    assert "run again with more" in trace.environment["queues"]
    assert (trace.dist[1:] == 10**6).all()
    assert "queues" not in run_typed(graph, key, "cuda", delta=1.0).environment


def test_more_workers_than_fit_are_refused() -> None:
    with pytest.raises(ParameterError, match="at most"):
        run_typed(chain(10), "adds", "cuda", parameters={"workers": 4096})


SANITIZED = """
import gpu, sys
sys.path[:0] = ["tests/cuda", "tests/helpers"]
from test_cuda_gpu import hubs, random_graph
for key in sys.argv[1:]:
    parameters = {"sources": 40, "workers": 4} if "apsp" in key else {}
    for graph in (random_graph(3, "int32"), hubs("int32")):
        trace = gpu.run(graph, key, "cuda", probe=2, parameters=parameters)
        assert trace.outcome == "finished"
print("ran")
"""
ALL_PAIRS = ("edge_apsp", "delta_apsp", "apsp_fast")
AT_BARRIERS = ("near_far", *STEPS, *ALL_PAIRS)


@pytest.mark.parametrize(
    ("tool", "keys"), [("memcheck", (*SINGLE, *ALL_PAIRS)), ("racecheck", AT_BARRIERS)]
)
def test_the_sanitizer_finds_nothing(tool: str, keys: tuple[str, ...]) -> None:
    """ADDS and Asynchronous Near-Far hand over through volatile words, which racecheck reports."""
    program = shutil.which("compute-sanitizer")
    if program is None:
        pytest.skip("compute-sanitizer is not on the PATH")
    command = [program, "--tool", tool, "--error-exitcode", "9", sys.executable, "-c", SANITIZED]
    done = subprocess.run(
        [*command, *keys], capture_output=True, text=True, timeout=280, check=False
    )
    assert "ran" in done.stdout, done.stdout[-3000:] + done.stderr[-2000:]
    assert done.returncode == 0, done.stdout[-4000:]
