"""The scheduler's decisions are the same in Python, in Numba and in the CUDA twin."""

import ctypes
import subprocess
from pathlib import Path
from typing import Any

import make_vectors
import numpy as np
import pytest
from processes import cpp_compiler

from gpu import delta
from gpu.cuda import records
from gpu.cuda.adds import fill_rule

KERNELS = Path(delta.__file__).parent / "cuda" / "kernels"
TABLES = make_vectors.read()
FUNCTIONS = TABLES["functions"]
SEQUENCES = TABLES["decide"]

ROUNDED = {"near_far_delta", "initial_delta", "power_of_two"}  # go through log2 or a division
NO_TWIN = {"initial_delta", "stays_with_worker", "C_START", "START_FLOOR"}  # kernels do without
CONSTANTS = [name for name in TABLES["constants"] if name not in NO_TWIN]


def agree(name: str, found: Any, expected: Any) -> bool:
    return found == (pytest.approx(expected, rel=1e-14) if name in ROUNDED else expected)


def test_python_decides_as_the_file_says_to_the_byte() -> None:
    text = make_vectors.VECTORS.read_text(encoding="utf-8")
    assert make_vectors.text_of(make_vectors.again(TABLES)) == text


def test_the_vectors_reach_every_reason() -> None:
    met = {step[1][0] for sequence in SEQUENCES for step in sequence["steps"]}
    assert met >= set(range(9)) - {delta.START, delta.BY_HAND}


COMPILED = [name for name in FUNCTIONS if name not in ROUNDED]


@pytest.mark.parametrize("name", COMPILED)
def test_numba_decides_as_the_vectors_say(name: str) -> None:
    from gpu.compiled import compiled_lean

    function = compiled_lean(make_vectors.find(name))
    for *arguments, expected in FUNCTIONS[name]:
        assert function(*arguments) == expected, (name, arguments)


def test_numba_decide_follows_the_recorded_path() -> None:
    from gpu.compiled import compiled_lean

    decide = compiled_lean(delta.decide)
    for sequence in SEQUENCES:
        state = make_vectors.started(sequence["start"])
        for reading, after in sequence["steps"]:
            assert make_vectors.after_reading(state, reading, decide) == after


WRAPPER = r"""
#include "scheduler.cuh"
static_assert(sizeof(Controller) == %(size)d, "Controller and CONTROLLER differ in size");
static_assert(sizeof(StartRule) == %(rule)d, "StartRule and START_RULE differ in size");
extern "C" {
int t_raw_offset(double a, double b, double c) { return raw_offset(a, b, c); }
int t_push_offset(int a, u32 b, u32 c, int d) { return push_offset(a, b, c, d); }
int t_clips(int a, int b) { return clips(a, b); }
u32 t_readable_end(u32 a, u32 b, u32 c, u32 d) { return readable_end(a, b, c, d); }
int t_head_is_finished(u32 a, u32 b) { return head_is_finished(a, b); }
int t_chunk_size(int a, int b, int c, int d) { return chunk_size(a, b, c, d); }
int t_quiet(int a, int b, u32 c, int d) { return quiet(a, b, c, d); }
double t_near_far_delta(double a, double b, bool c) { return near_far_delta(a, b, c); }
double t_power_of_two(double a) { return power_of_two(a); }
int t_decide(Controller *c, long long *r) {
    if (r[6] > 0) take_over(*c, (double)r[6]);
    if (r[6] < 0) hand_back(*c);
    return decide(*c, r[0], r[1], r[2], r[3], r[4], (int)r[5]);
}
void t_set_weights(Controller *c, double w, double top, double d, StartRule *rule) {
    set_weights(*c, w, top, d, *rule);
}
%(constants)s
}
"""
CONSTANT = "double c_%(name)s() { return %(name)s; }"

KINDS = {int: ctypes.c_int, float: ctypes.c_double, bool: ctypes.c_bool}


def test_every_reason_has_the_same_number_in_the_twin() -> None:
    text = (KERNELS / "scheduler.cuh").read_text(encoding="utf-8")
    names = text.split("enum Reason {")[1].split("}")[0].replace("\n", " ").split(",")
    for number, name in enumerate(names):
        assert getattr(delta, name.strip()) == number


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """Return the header compiled for this machine, or skip where nothing compiles it."""
    folder = tmp_path_factory.mktemp("twin")
    source, library = folder / "twin.cpp", folder / "twin.so"
    constants = "\n".join(CONSTANT % {"name": name} for name in CONSTANTS)
    sizes = {"size": delta.CONTROLLER.itemsize, "rule": records.START_RULE.itemsize}
    source.write_text(WRAPPER % {**sizes, "constants": constants}, encoding="utf-8")
    flags = ["-std=c++14", "-O1", "-shared", "-fPIC", f"-I{KERNELS}", "-Wall", "-Werror"]
    command = [cpp_compiler(), *flags, str(source), "-o", str(library)]
    subprocess.run(command, check=True, timeout=120)
    return ctypes.CDLL(str(library))


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in NO_TWIN])
def test_the_twin_decides_as_the_vectors_say(twin: ctypes.CDLL, name: str) -> None:
    function = getattr(twin, f"t_{name}")
    for *arguments, expected in FUNCTIONS[name]:
        function.restype = ctypes.c_double if isinstance(expected, float) else ctypes.c_int
        values = [KINDS[type(a)](a) for a in arguments]
        assert agree(name, function(*values), expected), (name, arguments)


def test_the_twin_follows_the_recorded_path(twin: ctypes.CDLL) -> None:
    for sequence in SEQUENCES:
        state = make_vectors.started(sequence["start"])
        ours = make_vectors.started(sequence["start"])
        for reading, after in sequence["steps"]:
            values = np.array(reading, np.int64)
            reason = twin.t_decide(
                ctypes.c_void_p(state.ctypes.data), ctypes.c_void_p(values.ctypes.data)
            )
            assert [reason, *(state[name][0] for name in make_vectors.AFTER)] == after
            make_vectors.after_reading(ours, reading)
            assert state.tobytes() == ours.tobytes()  # every field, also those of no decision yet


def test_the_twin_starts_from_the_same_delta(twin: ctypes.CDLL) -> None:
    for sequence in SEQUENCES:
        asked = sequence["start"]
        weights, wanted = asked["weights"], make_vectors.started(asked)
        blind = {**weights, "mean": 1.0, "largest": 1.0}  # as the host starts the kernel
        state = make_vectors.started({**asked, "weights": blind})
        record = np.zeros(1, records.RUN)
        fill_rule(record, delta.StartRule(**asked["rule"]), weights["integer"])
        rule = record["rule"].copy()
        twin.t_set_weights(
            ctypes.c_void_p(state.ctypes.data),
            ctypes.c_double(weights["mean"]),
            ctypes.c_double(weights["largest"]),
            ctypes.c_double(weights["mean_degree"]),
            ctypes.c_void_p(rule.ctypes.data),
        )
        for name in delta.CONTROLLER.names:
            assert state[name][0] == pytest.approx(wanted[name][0], rel=1e-14), name


@pytest.mark.parametrize("name", CONSTANTS)
def test_constants_are_the_same_in_the_twin(twin: ctypes.CDLL, name: str) -> None:
    constant = getattr(twin, f"c_{name}")
    constant.restype = ctypes.c_double
    assert constant() == TABLES["constants"][name]
