"""Policies: what is refused at which line, both forms alike, nonsense ends a run, trust."""

import ctypes
import json
import subprocess
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import make_vectors
import numpy as np
import pytest
from processes import cpp_compiler

import assets
import gpu
from gpu import delta
from gpu.engine import run
from gpu.errors import ParameterError
from gpu.model.policy import Steering
from gpu.policy import CHANGED, HEAD, OWN, Policy, PolicyError, load_policy, own_policy, translated
from gpu.record.events import EventKind
from gpu.record.trace import Probe, Reason, RunSettings
from gpu.record.tracefile import load_trace, save_trace
from gpu.study.compare_words import name_of
from sample_graphs import open_sample

ADDS = Path(__file__).with_name("adds_policy.py")
EXAMPLES = [ADDS, *sorted((Path(assets.__file__).parent / "policies").glob("*.py"))]
KERNELS = Path(gpu.__file__).parent / "cuda" / "kernels"
SEQUENCES = make_vectors.read()["decide"]
SEEN = [(name.removeprefix("c."), "<f8") for name in (*OWN, "c.line")]
STEERED = np.dtype([*delta.CONTROLLER.descr, ("fault", "<i8"), ("seen", SEEN)])  # of policy.cuh
UNIT = 3.5


def policy_of(*lines: str, above: str = "") -> Policy:
    return own_policy("mine.py", "\n".join([above, HEAD, *(f"    {line}" for line in lines)]))


REFUSED = [
    ("while c.delta < 8: c.delta = 8", 3, "no loops"),
    ("c.delta = open('/etc/passwd')", 3, "is not known"),
    ("c.delta = c.__class__", 3, "c.__class__ is not known"),
    ("c.floor = 3", 3, "c.floor cannot be set"),
    ("c.delta = speed", 3, "speed has no value"),
    ("c.delta = 2 ** 3", 3, "not allowed"),
    ("c.delta = processing < 3", 3, "not allowed"),
    ("c.delta = 1e999", 3, "no number"),
    ("if processing: c.delta = 2", 3, "a condition compares"),
    ("return 3", 3, "not allowed"),
    ("c = 3", 2, "c cannot be set"),
    ("c.delta = min(3)", 3, "min(3) is not known"),
    ("c.delta = (", 3, ""),
]


@pytest.mark.parametrize(("line", "at", "words"), REFUSED)
def test_what_is_no_policy_is_refused_at_its_line(line: str, at: int, words: str) -> None:
    with pytest.raises(PolicyError, match=f"mine.py, line {at}: ") as caught:
        translated(policy_of(line))
    assert caught.value.line == at
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "source", ["", "x = 3", "def f(): pass", HEAD.replace("c,", "d,") + " pass", "\0", "(" * 5000]
)
def test_a_file_without_the_function_is_refused_in_one_line(source: str) -> None:
    with pytest.raises(PolicyError) as caught:
        translated(own_policy("mine.py", source))
    assert "\n" not in str(caught.value)


def readings(sequence: dict[str, Any]) -> list[list[int]]:
    return [reading[:6] for reading, _ in sequence["steps"]]


MIXED = policy_of(
    "x = -max(switched - 2, 2 - switched)",
    "if not (processing > 2 or waiting <= 1) and 1 < produced < 90: x = A",
    "x += max(produced_far, max(produced_tail, 3)) / (processing - 1) * c.m1",
    "c.m1 = min(x, min(7, waiting * x + c.m2))",
    "if x != 4: c.m2 -= 0.1 * c.m1",
    "elif x == 4: return",
    "c.delta = max(0.1, min(1e9, c.delta + x))",
    above="A = -0.3",
)


@pytest.mark.parametrize("policy", [*map(load_policy, EXAMPLES), MIXED], ids=lambda p: p.name)
def test_both_forms_decide_alike(policy: Policy, tmp_path: Path) -> None:
    text = "#define POLICY 1\n#include <cmath>\n" + (KERNELS / "policy.cuh").read_text("utf-8")
    text = text.replace("#pragma once", "").replace("// POLICY_SOURCE\n", translated(policy)[1])
    text += f"""
    static_assert(sizeof(Steered) == {STEERED.itemsize}, "Steered and STEERED differ in size");
    extern "C" int ask(Steered *c, long long *r) {{
        return decide(*c, r[0], r[1], r[2], r[3], r[4], (int)r[5]);
    }}
    extern "C" void begin(Steered *c) {{ begin_policy(*c, {UNIT}); }}"""
    source, library = tmp_path / "policy.cpp", tmp_path / "policy.so"
    source.write_text(text, encoding="utf-8")
    flags = ["-std=c++17", "-O0", "-ffp-contract=off", "-shared", "-fPIC", f"-I{KERNELS}", "-Wall"]
    subprocess.run([cpp_compiler(), *flags, source, "-o", library], check=True, timeout=120)
    twin, moved = ctypes.CDLL(str(library)), 0
    for sequence in SEQUENCES:
        ours = make_vectors.started(sequence["start"])
        theirs, python = np.zeros(1, STEERED), Steering(policy, UNIT)
        for name in ours.dtype.names:
            theirs[name] = ours[name]
        theirs["fault"], ours[0].dynamic = -1, 0
        place = ctypes.c_void_p(theirs.ctypes.data)
        twin.begin(place)
        for row in readings(sequence):
            values = np.array(row, np.int64)
            reason = twin.ask(place, ctypes.c_void_p(values.ctypes.data))
            k, before = ours[0], ours[["delta", "open_heads"]].tolist()
            means = (k.sum_processing + row[0]) / 8, (k.sum_waiting + row[1]) / 8
            delta.decide(ours, *row)  # as the loop of ADDS does
            if k.window_ended and not k.by_hand:
                with nullcontext() if theirs["fault"] == 0 else pytest.raises(PolicyError):
                    python.ask(k, (*means, *row[2:5]))
            if theirs["fault"] > 0:
                break
            assert (before != ours[["delta", "open_heads"]].tolist()) == (reason == CHANGED)
            np.testing.assert_array_equal(theirs["seen"][0].tolist(), [*vars(python.seen).values()])
            assert ours.tobytes() == theirs[list(ours.dtype.names)].astype(ours.dtype).tobytes()
            moved += reason == CHANGED
    assert moved > 0


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("c.delta = 0", "Δ = 0; allowed: a finite number above 0"),
        ("c.delta = -c.delta", "Δ = -"),
        ("c.delta = (processing - processing) / (waiting - waiting)", "Δ = nan"),
        ("c.delta = 1 / (waiting - waiting)", "Δ = inf"),
        ("c.open_heads = 99", "open_heads = 99; allowed: a whole number from 1 to"),
        ("c.open_heads = 1.5", "open_heads = 1.5"),
    ],
)
def test_nonsense_ends_the_run_with_its_line(line: str, words: str) -> None:
    policy = policy_of("c.m1 += 1", "if c.m1 > 2:", f"    {line}")
    graph = open_sample("sample:city_roads?n=300")
    with pytest.raises(PolicyError, match=r"^mine\.py, line 5: ") as caught:
        run(graph, RunSettings(policy=policy))
    assert words in str(caught.value)
    assert caught.value.line == 5


@pytest.mark.parametrize("vertices", [300, 4000])  # uncompiled, compiled
def test_a_run_by_adds_as_a_policy_is_the_run_of_adds(vertices: int) -> None:
    graph = open_sample(f"sample:city_roads?n={vertices}")
    settings = RunSettings(probe=Probe.EVENTS)
    own = run(graph, settings)
    made = run(graph, replace(settings, policy=load_policy(EXAMPLES[0])))
    both = [trace.events[trace.events["kind"] != EventKind.SAMPLE] for trace in (own, made)]
    for events in both:
        events["a"][events["kind"] == EventKind.DELTA] = 0  # the reason
        events["b"][events["kind"] == EventKind.OPEN] = 0
    assert (both[0] == both[1]).all()
    assert (own.dist == made.dist).all()
    assert {*made.samples["reason"]} == {Reason.START, Reason.POLICY}


def test_a_policy_of_a_saved_run_is_text_and_is_not_run(tmp_path: Path) -> None:
    graph = open_sample("sample:city_roads?n=300")
    settings = RunSettings(policy=load_policy(EXAMPLES[0]))
    save_trace(run(graph, settings), tmp_path / "run.npz")
    read = load_trace(tmp_path / "run.npz").settings
    assert read.policy == settings.policy
    assert name_of(read) == "ADDS, policy adds_policy.py"
    with pytest.raises(ParameterError, match="came with a saved run"):
        run(graph, read)
    from gpu.schema import checked

    claimed = json.loads('{"policy": {"name": "a.py", "source": "", "own": true}}')
    assert not checked(RunSettings, claimed).policy.own


def test_only_adds_takes_a_policy() -> None:
    graph = open_sample("sample:city_roads?n=300")
    policy = load_policy(EXAMPLES[0])
    with pytest.raises(ParameterError, match="near_far has no controller"):
        run(graph, RunSettings("near_far", policy=policy))
