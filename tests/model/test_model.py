"""The modelled engines: every algorithm equals the oracle, every trace keeps its rules."""

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from test_algorithms import assert_equal, oracle

import gpu
from gpu import devices as presets
from gpu.algorithms import ALGORITHMS
from gpu.errors import MemoryNeededError, ParameterError, SourceError, WeightError
from gpu.graph import HUBS, INT_UNREACHED, CSRGraph
from gpu.model import machine, superstep
from gpu.record.events import EventKind
from gpu.record.trace import NEVER, Flag, Reason, reached_mask

MODELLED = [k for k, row in ALGORITHMS.items() if "model" in row.engines and row.result == "row"]
MATRICES = [k for k, r in ALGORITHMS.items() if "model" in r.engines and r.result == "matrix"]
FAMILIES = (
    "grid",
    "random",
    "star",
    "chain",
    "loops",
    "zeros",
    "island",
    "single",
    "lonely_source",
)


def make_graph(family: str, kind: type, seed: int = 3) -> CSRGraph:
    rng = np.random.default_rng(seed)
    if family == "grid":
        at = np.arange(24 * 24).reshape(24, 24)
        tails = np.concatenate([at[:, :-1].ravel(), at[:-1].ravel()])
        heads = np.concatenate([at[:, 1:].ravel(), at[1:].ravel()])
        n = at.size
    elif family == "star":
        n = 3000
        tails, heads = np.zeros(n - 1, int), np.arange(1, n)
    elif family == "chain":
        n = 400
        tails, heads = np.arange(n - 1), np.arange(1, n)
    elif family == "single":
        n, tails, heads = 1, np.zeros(0, int), np.zeros(0, int)
    elif family == "lonely_source":
        n, tails, heads = 5, np.array([1, 2]), np.array([2, 3])
    else:
        n = 300
        tails, heads = rng.integers(0, n, 1500), rng.integers(0, n, 1500)
        if family == "loops":
            tails, heads = np.r_[tails, tails[:200]], np.r_[heads, tails[:200]]
        if family == "island":
            keep = (tails < 200) == (heads < 200)
            tails, heads = tails[keep], heads[keep]
    if family not in {"chain", "lonely_source"}:
        tails, heads = np.r_[tails, heads], np.r_[heads, tails]
    weights = rng.integers(0 if family in {"zeros", "loops"} else 1, 1000, len(tails))
    if family == "zeros":
        weights[:] = 0
    if kind is np.float32:
        weights = weights * 0.37
    return CSRGraph.from_arcs(tails, heads, weights.astype(kind), n, name=family)


def assert_equals_oracle(trace: gpu.Trace, graph: CSRGraph) -> None:
    expected = oracle(graph, trace.settings.source)
    assert_equal(graph, trace.dist, expected, trace.settings.algorithm)


def assert_trace_invariants(trace: gpu.Trace, graph: CSRGraph) -> None:
    samples = trace.samples
    assert len(samples) >= 1
    assert samples[-1]["flags"] & Flag.FINISHED
    assert not (samples[:-1]["flags"] & Flag.FINISHED).any()
    assert (samples["occupancy"] >= 0).all()
    for name in ("t_ns", "processed_vertices", "relaxed_edges", "improved", "bucket_switches"):
        assert (np.diff(samples[name]) >= 0).all(), name
    np.testing.assert_array_equal(samples["sequence"], np.arange(len(samples)))
    assert samples[-1]["occupancy"].sum() == 0
    assert samples[-1]["assigned_vertices"] == 0
    assert (samples["busy_workers"] >= 0).all()
    assert trace.processed_vertices >= trace.reached
    if trace.vertices is not None:
        kept = trace.vertices
        assert kept.times_processed.sum() == trace.processed_vertices
        reached = reached_mask(trace.dist)
        assert (kept.first_reached_ns[reached] >= 0).all()
        assert (kept.first_reached_ns[~reached] == NEVER).all()
        assert (kept.last_improved_ns >= kept.first_reached_ns).all()
        assert kept.last_improved_ns.max() <= trace.time_ns


@pytest.mark.slow  # it compiles every loop of the model
@pytest.mark.parametrize("kind", [np.int32, np.float32])
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("algorithm", MODELLED)
def test_equals_the_oracle_and_keeps_the_rules(algorithm: str, family: str, kind: type) -> None:
    graph = make_graph(family, kind)
    trace = gpu.run(graph, algorithm, source=0, probe=2)
    assert_equals_oracle(trace, graph)
    assert_trace_invariants(trace, graph)
    assert trace.clock == "modelled"


@pytest.mark.parametrize("device", presets.PRESETS)
def test_every_device_gives_the_same_distances(device: str) -> None:
    graph = make_graph("grid", np.int32)
    for algorithm in MODELLED:
        trace = gpu.run(graph, algorithm, device=device)
        assert_equals_oracle(trace, graph)
        assert_trace_invariants(trace, graph)


@pytest.mark.parametrize(
    "parameters",
    [
        {"buckets": 2, "dynamic_delta": False},
        {"dynamic_delta": False},
        {"drop_stale": False},
        {"as_published": True},
        {"workers": 1},
        {"open_heads": 1, "buckets": 3},
        {"open_heads": 8},
    ],
)
@pytest.mark.parametrize("delta", [None, 0.5, 1.0, 100.0, 1e9])
def test_adds_is_right_for_every_parameter_and_delta(
    parameters: dict[str, float], delta: float | None
) -> None:
    graph = make_graph("random", np.int32)
    trace = gpu.run(graph, "adds", delta=delta, parameters=parameters, probe=2)
    assert_equals_oracle(trace, graph)
    assert_trace_invariants(trace, graph)
    if delta is not None:
        assert set(trace.samples["delta"]) == {delta}


def test_adds_as_published_sends_every_push_through_a_bucket_and_drops_nothing() -> None:
    graph = make_graph("grid", np.int32)
    kinds = {}
    for published in (False, True):
        parameters = {"as_published": published, "workers": 4, "buckets": 8}
        trace = gpu.run(graph, "adds", parameters=parameters, probe=3, delta=900.0)
        assert_equals_oracle(trace, graph)
        assert trace.events is not None
        kinds[published] = {
            EventKind(kind): count for kind, count in Counter(trace.events["kind"].tolist()).items()
        }
    assert kinds[False][EventKind.STAY] > 0
    assert kinds[False][EventKind.STALE] > 0
    assert EventKind.STAY not in kinds[True]
    assert EventKind.STALE not in kinds[True]
    assert kinds[True][EventKind.POP] == kinds[True][EventKind.PUSH]  # duplicates are processed


@pytest.mark.parametrize(
    ("kind", "times"), [(np.int32, 8), (np.int64, 1), (np.float32, 1), (np.float64, 1)]
)
def test_adds_as_published_queues_what_lost_a_race_as_the_authors_code_for_whole_numbers(
    kind: type, times: int
) -> None:
    middle = np.arange(1, 9)  # a worker's eight vertices reach the last one in the same round
    tails = np.concatenate((np.zeros(8, np.int64), middle))
    heads = np.concatenate((middle, np.full(8, 9)))
    weights = np.concatenate((np.ones(8), middle)).astype(kind)
    graph = CSRGraph.from_arcs(tails, heads, weights, 10)
    for published, wanted in ((True, times), (False, 1)):
        parameters = {"as_published": published}
        trace = gpu.run(graph, "adds", parameters=parameters, probe=2, delta=100.0)
        assert_equals_oracle(trace, graph)
        assert trace.vertices is not None
        assert trace.vertices.times_processed[9] == wanted
        assert trace.last["improved"] == 9


def test_another_seed_arbitrates_otherwise() -> None:
    graph = make_graph("grid", np.int32)
    first, other = (
        gpu.run(graph, "adds", seed=seed, probe=2, sample_period_ns=1) for seed in (1, 2)
    )
    assert first.samples.tobytes() != other.samples.tobytes()
    np.testing.assert_array_equal(first.dist, other.dist)


@pytest.mark.parametrize("algorithm", MODELLED)
@pytest.mark.parametrize("probe", [0, 1, 2])
def test_the_probe_level_changes_nothing_but_the_record(algorithm: str, probe: int) -> None:
    graph = make_graph("grid", np.int32)
    whole, trace = gpu.run(graph, algorithm, probe=1), gpu.run(graph, algorithm, probe=probe)
    assert trace.time_ns == whole.time_ns
    assert trace.processed_vertices == whole.processed_vertices
    assert (trace.vertices is not None) == (probe == 2)
    assert (len(trace.samples) == 1) == (probe == 0)


@pytest.mark.parametrize("algorithm", MODELLED)
def test_slices_of_one_sample_give_the_same_run(
    algorithm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = make_graph("grid", np.int32)
    whole = gpu.run(graph, algorithm)
    monkeypatch.setattr("gpu.engine.Observer.samples_per_slice", lambda _: 1)
    sliced = gpu.run(graph, algorithm)
    assert whole.samples.tobytes() == sliced.samples.tobytes()


@pytest.mark.parametrize("algorithm", MODELLED)
def test_stop_ends_the_run_with_a_partial_trace(
    algorithm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = make_graph("grid", np.int32)
    monkeypatch.setattr("gpu.engine.Observer.samples_per_slice", lambda _: 2)
    seen: list[int] = []
    trace = gpu.run(
        graph,
        algorithm,
        sample_period_ns=1,
        on_samples=lambda batch: seen.append(len(batch)),
        should_stop=lambda: len(seen) >= 1,
    )
    assert trace.outcome == "stopped"
    assert trace.last["flags"] & Flag.STOPPED
    assert len(trace.samples) == sum(seen)


def test_a_delta_held_by_hand_is_obeyed_and_handed_back(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = make_graph("grid", np.int32)
    monkeypatch.setattr("gpu.engine.Observer.samples_per_slice", lambda _: 2)
    held = iter([None, 77.0, 77.0, None])
    trace = gpu.run(graph, "adds", device="Classroom GPU", delta_by_hand=lambda: next(held, None))
    by_hand = (trace.samples["flags"] & Flag.DELTA_BY_HAND) > 0
    assert by_hand.any()
    assert (trace.samples["delta"][by_hand] == 77.0).all()
    assert (trace.samples["reason"][by_hand] == Reason.BY_HAND).all()
    assert not by_hand[-1]
    assert_equals_oracle(trace, graph)


@pytest.mark.parametrize("algorithm", ["near_far", "delta_stepping"])
def test_supersteps_obey_a_person_and_go_back_to_their_own_delta(
    algorithm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = make_graph("grid", np.int32)
    monkeypatch.setattr("gpu.engine.Observer.samples_per_slice", lambda _: 2)
    held = iter([None, *[90.0] * 6, *[20.0] * 6])
    trace = gpu.run(graph, algorithm, delta=50.0, delta_by_hand=lambda: next(held, None))
    samples, by_hand = trace.samples, (trace.samples["flags"] & Flag.DELTA_BY_HAND) > 0
    assert {90.0, 20.0} <= set(samples["delta"][by_hand])
    for delta, flag in ((90.0, Flag.DELTA_RAISED), (20.0, Flag.DELTA_LOWERED)):
        assert samples["flags"][np.argmax(samples["delta"] == delta)] & flag
    assert (samples["reason"][by_hand] == Reason.BY_HAND).all()
    assert samples["delta"][[0, -1]].tolist() == [50.0, 50.0]
    assert samples["reason"][-1] == Reason.START
    assert_equals_oracle(trace, graph)


TWINS = (  # a constant of the model, and the kernel's
    (machine.IN_FLIGHT, "relax.cuh", "UNROLL"),
    (machine.HUB_ARCS, "relax.cuh", "HUB_DEGREE"),
    (machine.QUEUE_ROOM, "worker.cuh", "QUEUE_ROOM"),
    (machine.PIECE_ARCS.bit_length() - 1, "common.cuh", "PIECE_SHIFT"),
    (machine.OUT_ROOM, "queue.cuh", "OUT_ROOM"),
    (superstep.SPLIT_ALONE, "superstep.cuh", "SPLIT_ALONE"),
    (superstep.STEP_HUBS, "step_piles.cuh", "MOST_HUBS"),
)


@pytest.mark.parametrize(("modelled", "header", "name"), TWINS)
def test_the_model_is_of_the_kernel_that_is_compiled(modelled: int, header: str, name: str) -> None:
    text = (Path(gpu.__file__).parent / "cuda" / "kernels" / header).read_text(encoding="utf-8")
    (found,) = re.findall(
        rf"^#define {name} (?:\(WEIGHT_WIDE \? \d+ : )?(\d+)u?\b", text, re.MULTILINE
    )
    assert modelled == int(found)


@pytest.mark.parametrize("algorithm", [*MODELLED, *MATRICES])
def test_a_distance_past_int32_is_refused_with_the_arc_named(algorithm: str) -> None:
    big = np.array([2_000_000_000, 2_000_000_000], np.int32)
    graph = CSRGraph.from_arcs(np.array([0, 1]), np.array([1, 2]), big, 3, id_base=1)
    with pytest.raises(WeightError, match=r"2 -> 3 .* passes 2\^31 - 1; use --numbers"):
        gpu.run(graph, algorithm, "model", numbers="int32")
    dist = gpu.run(graph, algorithm, "model").dist.reshape(-1, 3)
    assert dist[0].tolist() == [0, 2 * 10**9, 4 * 10**9]
    shallow = CSRGraph.from_arcs(np.array([0, 1]), np.array([1, 2]), big // 2, 3)
    dist = gpu.run(shallow, algorithm, "model").dist.reshape(-1, 3)
    assert dist[0].tolist() == [0, 10**9, 2 * 10**9]
    assert dist[0, 2] < INT_UNREACHED


def test_the_pool_grows_until_the_devices_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpu.model.machine.BLOCKS_PER_BUCKET", -0.5)
    graph = make_graph("star", np.int32)
    assert_equals_oracle(gpu.run(graph, "adds"), graph)
    tiny = presets.replace(presets.PRESETS["H100"], memory_bytes=1000)
    monkeypatch.setitem(presets.PRESETS, "H100", tiny)
    with pytest.raises(MemoryNeededError, match="pool ran dry"):
        gpu.run(graph, "adds", device="H100")


def test_wrong_requests_say_what_is_allowed() -> None:
    graph = make_graph("chain", np.int32)
    with pytest.raises(SourceError, match="0 to 399"):
        gpu.run(graph, source=400)
    with pytest.raises(ParameterError, match="allowed: a finite number above 0"):
        gpu.run(graph, delta=0)
    with pytest.raises(ParameterError, match="there are: RTX 2080 Ti"):
        gpu.run(graph, device="Voodoo 2")
    with pytest.raises(ParameterError, match="from 2 to 32"):
        gpu.run(graph, parameters={"buckets": 33})
    with pytest.raises(ParameterError, match="it has: dynamic_delta"):
        gpu.run(graph, parameters={"bukets": 3})
    with pytest.raises(ParameterError, match="there are: adds"):
        gpu.run(graph, "bfs")


def star(leaves: int, copies: int = 1) -> CSRGraph:
    """Return vertex 0 with arcs to `leaves` others, each arc `copies` times."""
    heads = np.repeat(np.arange(1, leaves + 1), copies)
    return CSRGraph.from_arcs(
        np.zeros(len(heads), int), heads, np.ones(len(heads), np.int32), leaves + 1
    )


def time_ns(graph: CSRGraph, algorithm: str, **options: object) -> int:
    return int(gpu.run(graph, algorithm, delta=1e6, probe=0, **options).time_ns)


@pytest.mark.parametrize("algorithm", ["adds", "near_far"])
def test_a_hub_costs_more_than_the_same_arcs_spread_out(algorithm: str) -> None:
    """Unless its worker leaves pieces of it to others, as ours does and the paper's does not."""
    spread, arcs = 8192, 262_144  # wide enough for all blocks of Near-Far
    first = np.arange(1, spread + 1)
    ends = np.arange(spread + 1, spread + 1 + arcs)
    tails = {"spread": first.repeat(arcs // spread), "hub": np.full(arcs, 1)}
    taken = {}
    for name, tail in tails.items():
        all_tails, heads = np.r_[np.zeros(spread, int), tail], np.r_[first, ends]
        weights = np.ones(len(heads), np.int32)
        graph = CSRGraph.from_arcs(all_tails, heads, weights, spread + 1 + arcs)
        rules = {"as_published": True} if algorithm == "adds" else {}
        taken[name] = time_ns(graph, algorithm, parameters=rules)
        if algorithm == "adds":
            taken[f"{name}, shared"] = time_ns(graph, algorithm)
    assert taken["hub"] > 1.5 * taken["spread"]
    if algorithm == "adds":
        assert taken["hub, shared"] < 0.7 * taken["hub"]


@pytest.mark.parametrize("workers", [1, 2, 60])
@pytest.mark.parametrize("drop_stale", [True, False])
def test_pieces_of_hubs_are_all_relaxed(workers: int, drop_stale: bool) -> None:
    """Rows that begin and end inside of pieces, hubs reached late and improved again."""
    rng = np.random.default_rng(7)
    n = 30_000
    tails = np.r_[np.zeros(9000, int), np.full(7000, 5), np.full(4096, 77), rng.integers(0, n, n)]
    heads = rng.integers(0, n, len(tails))
    weights = rng.integers(0, 50, len(tails)).astype(np.int32)
    graph = CSRGraph.from_arcs(tails, heads, weights, n)
    parameters = {"workers": workers, "drop_stale": drop_stale}
    trace = gpu.run(graph, "adds", probe=2, parameters=parameters)
    assert_equals_oracle(trace, graph)
    assert_trace_invariants(trace, graph)


@pytest.mark.parametrize("device", ["RTX 2080 Ti", "RTX 3090", "H100"])
@pytest.mark.parametrize("algorithm", ["adds", "near_far"])
def test_no_run_is_faster_than_the_memory_allows(algorithm: str, device: str) -> None:
    rng = np.random.default_rng(2)
    n, m = 20_000, 600_000
    tails, heads = rng.integers(0, n, m), rng.integers(0, n, m)
    weights = rng.integers(1, 100, m).astype(np.int32)
    graph = CSRGraph.from_arcs(np.r_[tails, heads], np.r_[heads, tails], np.r_[weights, weights], n)
    trace = gpu.run(graph, algorithm, delta=1e6, probe=0, device=device)
    preset = presets.PRESETS[device]
    relaxed = int(trace.last["relaxed_edges"])
    assert relaxed >= graph.m
    assert trace.time_ns > relaxed * preset.arc_ns(graph.n, graph.m)
    assert trace.time_ns > preset.start_ns(graph.n, graph.m)


def test_work_stays_with_its_worker() -> None:
    """A chain inside one bucket needs no trip through the manager for each vertex."""
    n = 500
    graph = CSRGraph.from_arcs(np.arange(n - 1), np.arange(1, n), np.ones(n - 1, np.int32), n)
    card = presets.PRESETS["H100"]
    kept = gpu.run(graph, "adds", delta=1e6, device="H100")
    assert kept.time_ns < n * card.round_ns * 1.1
    assert kept.last["bucket_switches"] == 0
    sent = gpu.run(graph, "adds", delta=1.0, device="H100")
    assert sent.time_ns > n * (card.order_ns + card.round_ns)
    assert_equals_oracle(kept, graph)


def test_the_modelled_h100_starts_as_our_kernel_does() -> None:
    """The launcher's figures, not imported by the model: it must not need CuPy's room.

    But for the grid: the model's times were fitted to a worker fewer a multiprocessor.
    """
    from gpu.cuda.adds import TUNED

    h100 = presets.PRESETS["H100"]
    assert (h100.start_factor, h100.skewed_factor) == (TUNED.start_factor, TUNED.skewed_factor)
    assert (TUNED.skew, TUNED.many_arcs) == (HUBS, machine.MANY_ARCS)
    graph = star(20_000)
    asked = gpu.run(graph, "adds", probe=0, device="H100").settings
    more = machine.workers_of(graph, asked, h100)
    assert more == TUNED.blocks_per_sm * h100.sms - 1
    full = presets.PRESETS["RTX 2080 Ti"]
    assert machine.workers_of(graph, asked, full) == full.workers  # there is no room for more


@pytest.mark.parametrize("numbers", [np.int32, np.float64])
def test_as_published_a_modelled_worker_is_as_large_as_the_kernels(numbers: type) -> None:
    """Of a size that the device has room for: a worker of the Classroom GPU has 8 threads."""
    from gpu.cuda.adds import tuning_for

    graph = make_graph("random", numbers)
    for device, room in (("H100", 2048), ("RTX 2080 Ti", 1024)):
        trace = gpu.run(graph, "adds", device=device, parameters={"as_published": True})
        assert_equals_oracle(trace, graph)
        kernel = tuning_for(graph, trace.settings)
        sms = presets.PRESETS[device].sms
        workers = sms * min(kernel.blocks_per_sm, room // kernel.threads) - 1
        assert trace.environment["threads_per_worker"] == kernel.threads
        assert trace.environment["workers"] == workers
    small = gpu.run(graph, "adds", device="Classroom GPU", parameters={"as_published": True})
    assert (small.environment["threads_per_worker"], small.environment["workers"]) == (8, 4)
