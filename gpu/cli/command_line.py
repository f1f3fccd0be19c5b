"""What was clicked, as a line for a shell: `sssp-scope run ...` that repeats a run.

The line names the graph as the run's trace does (a path, or a sample with its options), and
every setting that differs from what the command takes by itself, with its value in full, so that
another machine makes the same modelled run. Words that a shell would read otherwise are
quoted (`gpu.cli.shells`); what a trace of a stranger calls its graph stays a name.
"""

from __future__ import annotations

from typing import Any

from gpu.algorithms import ALGORITHMS
from gpu.algorithms.all_pairs import source_range
from gpu.cli.shells import file_word, line_of, option_words
from gpu.errors import GpuError
from gpu.record.trace import ON, GraphReference, Probe, RunSettings
from gpu.words import exact

NAME = "sssp-scope"
SAMPLE = "sample:"
MEMORY = "memory"  # origin of a graph that came from no file
FIRST_SEED = 1


def run_line(settings: RunSettings, graph: GraphReference) -> str:
    """Return `sssp-scope run ...` that makes this run again.

    Raises GpuError where the graph came from no file and no sample, or no line can hold its name.
    """
    if ALGORITHMS[settings.algorithm].result == "matrix":
        return apsp_line(settings, graph, "matrix.npy")
    words = ["run", *_graph_words(graph), *_source_words(settings), *_algorithm_words(settings)]
    words += _device_words(settings)
    if settings.delta is not None:
        words += ["--delta", exact(settings.delta)]
    words += ["--probe", str(int(settings.probe))]
    if settings.sample_period_ns:
        words += ["--period-ns", str(settings.sample_period_ns)]
    return _line([*words, *_seed_words(settings), *_parameter_words(settings, "--set")])


def apsp_line(settings: RunSettings, graph: GraphReference, output: str) -> str:
    """Return `sssp-scope apsp ...` that computes this matrix again and proves it.

    Raises GpuError as `run_line` does.
    """
    first, count = source_range(settings.parameters, graph.n)
    words = ["apsp", *_graph_words(graph), "-o", file_word(output), *_algorithm_words(settings)]
    words += _device_words(settings)
    words += [] if count == graph.n else ["--sources", f"{first}:{first + count}"]
    words += [] if settings.delta is None else ["--delta", exact(settings.delta)]
    workers = settings.parameters.get("workers")
    return _line([*words, *([] if workers is None else ["--workers", str(workers)]), "--verify"])


def sweep_line(
    settings: RunSettings, graph: GraphReference, knob: str, values: tuple[float, ...]
) -> str:
    """Return `sssp-scope sweep ...` over the same values of the same knob.

    Raises GpuError as `run_line` does.
    """
    return _line(["sweep", *_graph_words(graph), *sweep_words(settings, knob, values)])


def sweep_words(settings: RunSettings, knob: str, values: tuple[float, ...]) -> list[str]:
    """Return what follows `sssp-scope sweep FILE`, as words that no shell has to read."""
    words = [*_source_words(settings), *_algorithm_words(settings)]
    words += _device_words(settings)
    if settings.delta is not None:
        words += ["--delta", exact(settings.delta)]
    words += ["--knob", knob, "--values", ",".join(map(exact, values))]
    return [*words, *_seed_words(settings), *_parameter_words(settings, "--set")]


def compare_line(a: RunSettings, b: RunSettings, graph: GraphReference, how: str = "time") -> str:
    """Return `sssp-scope compare ...` of two runs on one graph, laid on one clock by `how`.

    Both sides take A's probe level and seed: the command has one of each. Of two matrices
    it is two lines in one, each with a file of its own.
    Raises GpuError as `run_line` does, and where the sources differ.
    """
    if ALGORITHMS[a.algorithm].result == "matrix":
        pair = ((a, "a.npy"), (b, "b.npy"))
        return " && ".join(apsp_line(settings, graph, output) for settings, output in pair)
    if a.source != b.source:
        raise GpuError("the command compares runs from one source; these have two")
    if _computer_of(a) != _computer_of(b):
        raise GpuError("the command compares runs on one computer; these ran on two")
    words = ["compare", *_graph_words(graph), *_source_words(a)]
    for side, settings in (("a", a), ("b", b)):
        words += [f"--{side}", settings.algorithm, f"--{side}-engine", settings.engine]
        words += option_words(f"--{side}-device", _device_of(settings)) if settings.device else []
        if settings.delta is not None:
            words += [f"--{side}-delta", exact(settings.delta)]
        words += _parameter_words(settings, f"--{side}-set")
    words += [
        "--probe",
        str(min(int(a.probe), int(Probe.VERTICES))),
        *_seed_words(a),
        "--align",
        how,
        *_computer_words(a),
    ]
    return _line(words)


def _line(words: list[str]) -> str:
    return line_of([NAME, *words])


def _graph_words(graph: GraphReference) -> list[str]:
    if graph.origin == MEMORY:
        raise GpuError(f"{graph.name} came from no file, so no command opens it again")
    if graph.origin.startswith(SAMPLE):
        from sample_graphs import remembered_reference

        return [remembered_reference(graph.origin, graph.options)]
    words = [file_word(graph.origin)]
    if graph.options.get("undirected") is not None:
        words.append("--undirected" if graph.options["undirected"] else "--directed")
    if graph.options.get("weights") not in (None, "file"):
        words += option_words("--weights", str(graph.options["weights"]))
    if graph.options.get("weight_name") is not None:
        words += option_words("--weight-name", str(graph.options["weight_name"]))
    if graph.options.get("format") is not None:
        words += option_words("--format", str(graph.options["format"]))
    return words


def _source_words(settings: RunSettings) -> list[str]:
    return ["--source-index", str(settings.source)]


def _algorithm_words(settings: RunSettings) -> list[str]:
    return ["--algorithm", settings.algorithm, "--engine", settings.engine]


def _device_of(settings: RunSettings) -> str:
    """Return the device as its engine calls it: of "cuda:0 on user@host" the first word."""
    return settings.device.partition(ON)[0]


def _computer_of(settings: RunSettings) -> str:
    """Return where that device is, "" where it is here."""
    return settings.device.partition(ON)[2]


def _device_words(settings: RunSettings) -> list[str]:
    words = option_words("--device", _device_of(settings)) if settings.device else []
    return words + _computer_words(settings)


def _computer_words(settings: RunSettings) -> list[str]:
    address = _computer_of(settings)
    return option_words("--on", address) if address else []


def _seed_words(settings: RunSettings) -> list[str]:
    return ["--seed", str(settings.seed)] if settings.seed != FIRST_SEED else []


def _parameter_words(settings: RunSettings, flag: str) -> list[str]:
    """Return every parameter that is not at its default, as `--set key=value`.

    What the algorithm's row fixes is no parameter of its own and stays out.
    """
    words: list[str] = []
    for parameter in ALGORITHMS[settings.algorithm].parameters:
        value = settings.parameters.get(parameter.key)
        if value is not None and value != parameter.default:
            words += [flag, f"{parameter.key}={_text(value)}"]
    return words


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return exact(value) if isinstance(value, float) else str(value)
