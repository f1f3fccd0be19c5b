"""The line for a shell that makes a run or a comparison again, on this machine or on another.

It is pasted without being read, and its names come from files of strangers. So a word that no shell
can be trusted with is refused: control characters (a terminal obeys them, a newline runs the line),
marks that turn the direction of writing, and on Windows marks that cmd.exe or PowerShell read
inside double quotes.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Sequence
from typing import Any, Literal

from gpu.algorithms import ALGORITHMS
from gpu.errors import GpuError
from gpu.numbers import AUTO
from gpu.record.trace import GraphReference, RunSettings
from gpu.record.workspace import reader_options
from gpu.words import exact, is_unseen

NAME = "sssp-scope"
SAMPLE = "sample:"
MEMORY = "memory"  # origin of a graph that came from no file
FIRST_SEED = 1
Shell = Literal["posix", "windows"]
HERE: Shell = "windows" if os.name == "nt" else "posix"
READ_IN_QUOTES = set('"%!$`&|<>^;\u201c\u201d\u201e')


def run_line(settings: RunSettings, graph: GraphReference) -> str:
    """Return `sssp-scope run ...` that makes this run again and verifies it.

    Raises GpuError where the graph came from no file and no sample, or no line can hold its name.
    """
    words = ["run", *_graph_words(graph), *_run_words(settings), "--probe", f"{settings.probe:d}"]
    if settings.sample_period_ns:
        words += ["--period-ns", str(settings.sample_period_ns)]
    return line_of([NAME, *words, "--verify"])


def sweep_words(settings: RunSettings, knob: str, values: tuple[float, ...]) -> list[str]:
    """Return the words after `sssp-scope sweep FILE`, not quoted."""
    return [*_run_words(settings), "--knob", knob, "--values", ",".join(map(exact, values))]


def compare_line(a: RunSettings, b: RunSettings, graph: GraphReference) -> str:
    """Return `sssp-scope compare ...` of two runs on one graph.

    Both sides take A's probe level, number type and seed: the command has one of each.
    Raises GpuError as `run_line` does, and where the sources differ.
    """
    if a.source != b.source:
        raise GpuError("the command compares runs from one source; these have two")
    words = ["compare", *_graph_words(graph), "--source-index", str(a.source)]
    for side, settings in (("a", a), ("b", b)):
        words += [f"--{side}", *_algorithm_words(settings, f"--{side}-")[1:]]
    return line_of([NAME, *words, "--probe", f"{a.probe:d}", *_common_words(a), "--verify"])


def line_of(words: Sequence[str], shell: Shell = HERE) -> str:
    """Return the words as a line; GpuError where one of them cannot stand in any."""
    unsafe = READ_IN_QUOTES if shell == "windows" else ()
    for word in words:
        bad = next((mark for mark in word if is_unseen(mark) or mark in unsafe), None)
        if bad is not None:
            raise GpuError(f"{word!a} holds U+{ord(bad):04X}, which a shell may obey; rename it")
    return shlex.join(words) if shell == "posix" else subprocess.list2cmdline(words)


def file_word(name: str) -> str:
    """Return the name of a file so that no command takes it for an option or for `-`."""
    return f"./{name}" if name.startswith("-") else name


def _option_words(flag: str, value: str) -> list[str]:
    """Return an option with its value, in one word where the value looks like an option."""
    return [f"{flag}={value}"] if value.startswith("-") else [flag, value]


def _graph_words(graph: GraphReference) -> list[str]:
    if graph.origin == MEMORY:
        raise GpuError(f"{graph.name} came from no file, so no command opens it again")
    if graph.origin.startswith(SAMPLE):
        from sample_graphs import remembered_reference

        return [remembered_reference(graph.origin, graph.options)]
    words = [file_word(graph.origin)]
    options = reader_options(graph.options)
    for key in ("weights", "weight_name", "format"):
        words += _option_words(f"--{key.replace('_', '-')}", options[key]) if key in options else []
    if "undirected" in options:
        words.append("--undirected" if options["undirected"] else "--directed")
    return [*words, *(["--no-header"] if "header" in options else [])]


def _run_words(settings: RunSettings) -> list[str]:
    source = ["--source-index", str(settings.source)]
    return [*source, *_algorithm_words(settings), *_common_words(settings)]


def _algorithm_words(settings: RunSettings, flag: str = "--") -> list[str]:
    """Return algorithm, engine, device, Δ, and every parameter that is not at its default."""
    words = [f"{flag}algorithm", settings.algorithm, f"{flag}engine", settings.engine]
    device = settings.device.partition(" on ")[0]  # of 0.1, with its computer: cuda:0 on user@host
    if device:
        words += _option_words(f"{flag}device", device)
    if settings.delta is not None:
        words += [f"{flag}delta", exact(settings.delta)]
    if settings.policy is not None:  # wherever its file is
        words += _option_words(f"{flag}policy", settings.policy.name)
    for parameter in ALGORITHMS[settings.algorithm].parameters:
        value = settings.parameters.get(parameter.key)
        if value is not None and value != parameter.default:
            words += [f"{flag}set", f"{parameter.key}={_text(value)}"]
    return words


def _common_words(settings: RunSettings) -> list[str]:
    """Return the options that a command has once for all its runs."""
    words = ["--numbers", settings.numbers] if settings.numbers != AUTO else []
    return [*words, *(["--seed", str(settings.seed)] if settings.seed != FIRST_SEED else [])]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return exact(value) if isinstance(value, float) else str(value)
