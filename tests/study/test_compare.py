"""Two runs on one clock: maps of time, words with their numbers, what is refused and why."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gpu.record.trace import (
    NOT_RANKED,
    RECORDED_ON,
    SAMPLE,
    GraphReference,
    RunSettings,
    Verification,
    VertexProbe,
)
from gpu.study.compare import CompareError, Side, column, difference, obstacle, telling_moment
from gpu.study.compare_words import Summary, name_of, names, summarise, verdict

GRAPH = GraphReference("roads", "memory", "1", 4, 6, True, 1)
PROVED = Verification(True, True, "both hold")
FAST, SLOW = "adds", "near_far"
REAL: dict[str, Any] = {"clock": "measured", "engine": "cuda", "device": "H100"}


def made(algorithm: str = FAST, end_ns: int = 1000, work: int = 8, **changed: Any) -> Side:
    """A run of 11 samples that works evenly: half the workers, distance 0 to 100."""
    samples = np.zeros(11, SAMPLE)
    samples["t_ns"] = np.linspace(0, end_ns, 11)
    samples["processed_vertices"] = np.linspace(0, work, 11)
    samples["base"] = np.linspace(0, 90, 11)
    samples["busy_workers"] = 2
    engine = changed.pop("engine", "model")
    device, probe = changed.pop("device", "Classroom GPU"), changed.pop("probe", 2)
    delta, source = changed.pop("delta", None), changed.pop("source", 0)
    settings = RunSettings(algorithm, engine, device, source, delta, probe)
    times = np.array([0, 1, 5, 10], np.int64) * (end_ns // 10)
    kept: dict[str, Any] = {
        "settings": settings,
        "graph": GRAPH,
        "samples": samples,
        "clock": "modelled",
        "outcome": "finished",
        "dist": np.array([0, 10, 50, 100], np.int32),
        "vertices": VertexProbe(times, times, np.full(4, work // 4, np.int32)),
        "verification": PROVED,
    }
    return Side(**(kept | changed))


def hands(side: Side, edges: int) -> Side:
    """The same run, its workers with so many edges in hand all along."""
    side.samples["assigned_edges"] = edges
    return side


def test_a_gpu_that_was_mostly_idle_is_the_reason() -> None:
    a, b = made(end_ns=1000, work=16), made(SLOW, 2100, 8)
    a.samples["busy_workers"] = b.samples["busy_workers"] = 1
    words = summarise(hands(a, 18_251), hands(b, 1_772)).words
    assert "ADDS was faster in spite of its extra work, since the GPU was mostly idle" in words
    assert ": ADDS had 18,300 edges to work on at once, Near-Far had 1,770 and waited at" in words


def test_measured_times_with_probes_on_are_not_quoted() -> None:
    real = REAL | {"environment": {"workers": 4}}
    a, b = made(**real), made(SLOW, 3000, **real)
    said = summarise(a, b)
    assert "Measured while recording (probe levels 2 and 2)" in " ".join(said.cautions)
    off = real | {"probe": 0, "vertices": None}
    said = summarise(a, b, (made(end_ns=900, **off), made(SLOW, 1800, **off)))
    assert said.words.startswith("ADDS finished 2.0x sooner (0.9 µs against 1.8 µs, measured)")
    assert said.numbers["times_at_probe_0"]
    assert "Timed in a second run, without recording, which would slow it." in said.cautions
    half = summarise(a, b, (made(end_ns=900, **off), None))
    assert not half.numbers["times_at_probe_0"]


def test_a_run_that_did_not_end_has_no_ratio() -> None:
    for outcome in ("running", "stopped"):
        assert summarise(made(), made(SLOW, outcome=outcome)).numbers["b_time_over_a"] is None


def test_a_source_that_reaches_nothing_is_said() -> None:
    alone = made(dist=np.array([0, *[2**31 - 1] * 3], np.int32))
    assert summarise(alone, alone).words == "1 reaches no other vertex: choose another source."


def test_another_graph_is_refused_in_words() -> None:
    other = replace(GRAPH, hash="2", name="grid", n=9, m=24)
    a, b = made(), made(SLOW, graph=other)
    assert obstacle(a, made(SLOW)) == ""
    assert "grid, 9 vertices, 24 edges" in obstacle(a, b)
    said = summarise(a, b)
    assert said.words == f"{obstacle(a, b)}."
    assert said.numbers["comparable"] is False


def test_the_busy_share_weighs_each_sample_by_the_time_until_the_next() -> None:
    side = made()
    side.samples["t_ns"][1:] += 1000  # the first sample holds for 1,100 of 2,000 ns
    side.samples["busy_workers"] = [4, *[0] * 9, 4]  # the last holds for no time at all
    assert side.workers == 4
    assert side.busy_share == pytest.approx(1100 / 2000)
    side = made()
    side.samples["busy_workers"] = [0, *[4] * 10]
    assert side.busy_share == pytest.approx(0.9)
    side = made()
    side.samples["busy_workers"] = 0  # not recorded, as by an algorithm of a package
    said = summarise(side, made(SLOW, 4000))
    assert (said.numbers["a"]["busy_share"], " 0 %" in said.words) == (None, False)
    assert "Near-Far kept 50 % of the GPU busy." in said.words


@pytest.mark.parametrize(
    ("b_ns", "close"), [(1060, True), (1095, True), (910, True), (1105, False)]
)
def test_modelled_times_within_the_model_s_error_have_no_order(b_ns: int, close: bool) -> None:
    said = summarise(made(work=8), made(SLOW, b_ns, 4))
    assert said.numbers["too_close"] == close
    assert said.words.startswith("As near as the model can tell, ") == close
    assert ("sooner" in said.words) != close
    said = summarise(made(work=8, **REAL), made(SLOW, b_ns, 4, **REAL))
    assert "sooner" in said.words  # a measured time is what it is
    assert not said.numbers["too_close"]
    again = summarise(made(work=8), made(end_ns=b_ns, work=4, delta=7.0))
    assert "sooner" in again.words  # one algorithm's errors go one way


def test_a_block_without_edges_is_not_busy() -> None:
    """On a GPU all blocks take part in a wide superstep, whatever there is for them to do."""
    some = made("near_far", environment={"workers": 4, "threads_per_worker": 100})
    some.samples["busy_workers"] = 4
    some.samples["assigned_edges"] = 150
    assert some.busy_share == pytest.approx(0.5)  # 2 of 4
    every = made("adds", environment={"workers": 4, "threads_per_worker": 100})
    every.samples["busy_workers"] = 4
    every.samples["assigned_edges"] = 150
    assert every.busy_share == pytest.approx(1.0)  # its workers say so themselves


def test_a_model_that_errs_too_much_ranks_no_algorithms() -> None:
    """Times are told, work is compared; of one algorithm times are compared as ever."""
    why = "the model is too inaccurate on graphs with hubs to say which is faster"
    unfit = {NOT_RANKED: why}
    a, b = made(environment=unfit), made(SLOW, end_ns=2000, work=16, environment=unfit)
    said = summarise(a, b)
    assert said.numbers["b_time_over_a"] is None
    assert said.numbers["b_work_over_a"] == 2.0
    assert said.words.startswith("ADDS took ")
    assert why in said.words
    assert "sooner" not in said.words
    same = summarise(a, made(end_ns=2000, environment=unfit, delta=3.0))
    assert same.numbers["b_time_over_a"] == 2.0
    measured = summarise(*(replace(side, clock="measured") for side in (a, b)))
    assert measured.numbers["b_time_over_a"] == 2.0


def test_less_busy_and_sooner_with_more_work_is_no_explanation() -> None:
    a, b = made(work=16), made(SLOW, 2000)
    assert "of the GPU busy" in summarise(a, b).words
    idle = made(work=16)
    idle.samples["busy_workers"] = 1
    assert "of the GPU busy" not in summarise(idle, b).words
    assert "of the GPU busy" not in summarise(b, idle).words


def test_a_side_says_what_its_samples_hold() -> None:
    side = hands(made(SLOW, 2000), 30)
    side.samples["assigned_edges"][5:] = 10  # half of the time
    assert (side.time_ns, side.processed, side.reached, side.supersteps) == (2000, 8, 4, 10)
    assert (side.in_hand, side.busy_share, side.workers) == (20, 0.5, 4)
    assert made().supersteps is None  # ADDS has no barriers
    assert made(dist=np.array([0, 10, 2**31 - 1, 100], np.int32)).reached == 3
    assert made(dist=np.zeros((2, 4), np.int32)).reached is None
    assert made(environment={"reached": 7}).reached == 7
    assert made(dist=None).reached is None
    assert made(environment={RECORDED_ON: "H100"}).recorded_on == "H100"
    assert made().recorded_on == ""


@pytest.mark.parametrize(("kept", "steps"), [(0, None), (1, None), (2, 1)])
def test_a_side_of_few_samples(kept: int, steps: int | None) -> None:
    side = hands(made(SLOW), 30)
    side = replace(side, samples=side.samples[:kept])
    assert (side.time_ns, side.processed) == ((100, 0) if kept == 2 else (0, 0))
    assert (side.supersteps, side.in_hand) == (steps, steps and 30)
    assert side.busy_share == (steps and 0.5)
    assert not side.counted
    assert replace(side, outcome="stopped").counted
    at_once = replace(side, samples=np.zeros(3, SAMPLE))
    assert (at_once.in_hand, at_once.busy_share) == (None, None)


def test_workers_are_those_of_the_run_or_of_the_device() -> None:
    assert made(environment={"workers": 7}, engine="cuda").workers == 7
    assert made(engine="cuda").workers is None
    assert made(device="no such device").workers is None
    side = made()
    assert replace(side, settings=replace(side.settings, parameters={"workers": 2})).workers == 2


def test_a_column_at_a_time_is_the_last_sample_by_then() -> None:
    samples = made().samples[1:]  # from 100 ns on
    times = np.array([0.0, 99.0, 100.0, 199.0, 200.0, 5000.0])
    expected = [np.nan, np.nan, 9, 9, 18, 90]
    np.testing.assert_array_equal(column(samples, "base", times), expected)
    np.testing.assert_array_equal(column(samples[:0], "base", times), [np.nan] * 6)


def test_the_telling_moment_is_where_the_shares_reached_differ_most() -> None:
    a, b = made(end_ns=1000), made(SLOW, 1000)
    assert telling_moment(a, replace(b, vertices=None)) == 900
    times = np.array([0, 100, 700, -1], np.int64)  # A has 4 of 4 by 500 ns, B 2 of 3 until 700
    at_once = np.array([0, 100, 300, 500], np.int64)
    first, second = (VertexProbe(t, t, np.ones(4, np.int32)) for t in (at_once, times))
    moment = telling_moment(replace(a, vertices=first), replace(b, vertices=second))
    assert 500 <= moment < 502  # the first of 512 moments in 900 ns by which A has all


def test_when_each_vertex_was_settled_first() -> None:
    a, b = made(end_ns=1000), made(SLOW, 3000)
    never = replace(a, vertices=replace(a.vertices, last_improved_ns=np.array([0, -1, 500, 1000])))
    np.testing.assert_array_equal(difference(a, b).settled_ns, [0, 100, 500, 1000])
    np.testing.assert_array_equal(difference(never, b).settled_ns, [0, np.inf, 500, 1000])
    np.testing.assert_array_equal(difference(never, b).later_ns, [0, 0, 1000, 2000])
    np.testing.assert_array_equal(difference(never, b).known, [True, False, True, True])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"outcome": "running"}, "B still runs: differences are known at its end"),
        ({"vertices": None}, "B kept no times of vertices: run it at probe level 2"),
        ({"clock": "measured"}, "A's time is modelled, B's measured: they have no difference"),
    ],
)
def test_why_there_is_no_difference(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(CompareError) as refused:
        difference(made(), made(SLOW, **changes))
    assert str(refused.value) == words


def test_one_source_and_all_pairs_are_no_pair() -> None:
    said = summarise(made(), made("apsp_fast", dist=np.zeros((2, 4), np.int32)))
    words = "answer different questions, one source and all pairs: choose two runs of one kind"
    assert said.words.endswith(f"{words}.")
    assert verdict(made(), made("apsp_fast"), said.numbers).startswith("ADDS and ")


def test_names_are_of_what_was_set() -> None:
    def called(delta: float | None = None, algorithm: str = FAST, **parameters: Any) -> str:
        settings = made(algorithm, delta=delta).settings
        return name_of(replace(settings, parameters=parameters))

    assert called() == "ADDS"
    assert called(64.0) == "ADDS (Δ 64)"
    assert called(64.0, as_published=True) == "ADDS (Δ 64, as published)"
    assert called(64.0, dynamic_delta=False) == "ADDS (Δ 64)"  # a Δ that is set stays
    assert called(dynamic_delta=False) == "ADDS (dynamic Δ off)"
    assert called(buckets=8, workers=None) == "ADDS (buckets 8)"
    assert called(5.0, "bellman_ford") == "Bellman-Ford"
    assert names(made(), made(device="H100")) == ("ADDS (Classroom GPU)", "ADDS (H100)")
    assert names(made(), made()) == ("A (ADDS)", "B (ADDS)")
    a, b = made(), made(graph=replace(GRAPH, source_id=3))
    assert names(a, b) == ("ADDS (from 1)", "ADDS (from 3)")
    clocks = names(made(), made(clock="measured"))
    assert clocks == ("ADDS (Classroom GPU, modelled)", "ADDS (Classroom GPU, measured)")


def test_cautions_are_all_that_must_be_known() -> None:
    real = {"clock": "measured", "engine": "cuda", "environment": {RECORDED_ON: "H100"}}
    a, b = made(device="H100", **real), made(SLOW, device="H200", probe=0, **real)
    assert summarise(a, b).cautions == (
        "Recorded on an H100, measured.",
        "Measured while recording (probe levels 2 and 0): do not quote as speed.",
        "Different devices: H100 and H200.",
    )
    assert summarise(b, b).cautions == ("Recorded on an H100, measured.",)
    unproved = made(verification=None)
    assert summarise(unproved, replace(unproved, outcome="stopped")).cautions == (
        "Distances not checked: A (ADDS).",
    )
    wrong = made(SLOW, verification=Verification(False, True, "3 distances differ"))
    said = ("The distances of Near-Far are wrong: 3 distances differ.",)
    assert summarise(made(), wrong).cautions == said
    both = summarise(unproved, made(SLOW, verification=None))
    assert both.cautions == ("Distances not checked: ADDS and Near-Far.",)
    assert Summary("One.", ("Two.", "Three."), {}).whole == "One. Two. Three."


def test_numbers_of_a_side() -> None:
    side = made(delta=4.0, work=16)
    side.samples["relaxed_edges"][-1] = 24
    assert summarise(side, made(SLOW)).numbers["a"] == {
        **{"algorithm": "adds", "engine": "model", "device": "Classroom GPU", "clock": "modelled"},
        **{"probe": 2, "outcome": "finished", "delta": 4.0, "time_ns": 1000.0, "busy_share": 0.5},
        "distance_error": None,
        **{"processed_vertices": 16, "relaxed_edges": 24, "work_efficiency": 0.25},
        "verified": True,
    }
    uncounted = made(work=0, verification=None)
    numbers = summarise(uncounted, made(SLOW)).numbers
    assert numbers["b_work_over_a"] is None
    assert numbers["a"] | {"processed_vertices": None, "relaxed_edges": None} == numbers["a"]
    assert (numbers["a"]["work_efficiency"], numbers["a"]["verified"]) == (None, None)
    assert "with work not known (not known against 8 vertices processed)." in (
        summarise(uncounted, made(SLOW, 2000)).words
    )
    neither = summarise(uncounted, made(SLOW, 2000, work=0)).words
    assert "modelled Classroom GPU) with work not known." in neither
    nothing = replace(made(SLOW, outcome="running"), samples=np.zeros(0, SAMPLE))
    assert summarise(side, nothing).numbers["b"]["relaxed_edges"] == 0


@pytest.mark.parametrize(
    ("a_work", "b_ns", "b_edges", "told"),
    [
        (16, 2000, 100, True),
        (16, 1000, 100, False),  # as fast
        (8, 2000, 100, False),  # as much work
        (16, 2000, 151, False),  # as busy, and not twice the edges in hand
        (16, 2000, 150, True),
        (16, 2000, 301, False),  # fewer edges in hand
    ],
)
def test_a_reason_is_given_where_more_work_paid(
    a_work: int, b_ns: int, b_edges: int, told: bool
) -> None:
    a, b = hands(made(work=a_work), 300), hands(made(SLOW, b_ns), b_edges)
    for pair in ((a, b), (b, a)):
        assert ("was faster in spite of its extra work" in summarise(*pair).words) == told


NOT_FIT = {"environment": {NOT_RANKED: "a graph with hubs"}}


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        ({}, {"end_ns": 2000}, "ADDS did the same work and finished in half the time."),
        ({}, {"end_ns": 2200}, "ADDS did the same work and finished 2.2x sooner."),
        ({}, {"end_ns": 500}, "Near-Far did the same work and finished in half the time."),
        ({}, {"end_ns": 1880}, "ADDS did the same work and finished 1.9x sooner."),
        ({"work": 16}, {"end_ns": 4000}, "ADDS did 2.0x the work and finished 4.0x sooner."),
        ({"work": 24}, {"end_ns": 4000}, "ADDS did 3x the work and finished 4.0x sooner."),
        ({}, {"end_ns": 250, "work": 16}, "Near-Far did 2.0x the work and finished 4.0x sooner."),
        ({"work": 0}, {"end_ns": 4000}, "ADDS finished 4.0x sooner."),
        ({}, {"end_ns": 1080}, "ADDS did the same work and took about as long as Near-Far."),
        (
            {"clock": "measured", "work": 101, "end_ns": 1025},
            {"clock": "measured", "work": 100},
            "Near-Far did about the same work and took about as long as ADDS.",
        ),
        ({}, {"outcome": "stopped"}, "Near-Far was stopped."),
        ({"outcome": "failed"}, {"outcome": "running"}, "ADDS failed, Near-Far is still running."),
        ({"work": 0}, {"clock": "measured"}, "One time is measured, one modelled."),
        (
            {"work": 24},
            NOT_FIT,
            "ADDS did 3x the work of Near-Far; the model cannot rank their times.",
        ),
        (
            {},
            {"clock": "measured"},
            "ADDS did the same work as Near-Far; one time is measured, one modelled.",
        ),
        (
            {"work": 16},
            {"clock": "measured", "work": 4},
            "ADDS did 4x the work of Near-Far; one time is measured, one modelled.",
        ),
    ],
)
def test_a_verdict_is_one_sentence(a: dict[str, Any], b: dict[str, Any], words: str) -> None:
    first, second = made(**a), made(SLOW, **b)
    assert verdict(first, second, summarise(first, second).numbers) == words
