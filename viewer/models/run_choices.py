"""What the Run panel asks for beside graph and source, as one remembered value."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Annotated, Any, Literal

from msgspec import Meta

from gpu.algorithms import ALGORITHMS
from gpu.algorithms.all_pairs import ADVICE, MOST_ROW_ARCS, matrix_bytes, source_range
from gpu.errors import GpuError
from gpu.host.memory import place_for
from gpu.numbers import AUTO, CHOICES
from gpu.record.events import MOST_ARCS
from gpu.record.trace import Probe, RunSettings
from gpu.schema import fitting
from gpu.words import size_words, thousands
from viewer.common.glossary import capital
from viewer.models.machines import Machine, engine_of, machines, problem_of, usual_device

PROBES = (
    (Probe.SAMPLES, "Samples", "Δ, buckets and work over time"),
    (Probe.VERTICES, "Samples and vertices", "Also when each vertex was reached and settled"),
    (Probe.EVENTS, "Every event", "For the microscope and small graphs: each push, pop and relax"),
)
NUMBERS: tuple[tuple[str, str, str], ...] = (  # key, title, what it means
    (
        "auto",
        "Exact",
        "Whole weights in int32, in int64 where distances need it; decimals in float64",
    ),
    ("int32", "int32", "Whole weights, as the paper; refused where a distance passes 2^31 - 2"),
    ("int64", "int64", "Whole weights, distances to 2^63 - 2"),
    ("float32", "float32", "As the paper: 7 digits, rounded at every edge"),
    ("float64", "float64", "16 digits"),
)
PACES: tuple[tuple[str, str, float | None], ...] = (  # key, title, samples per second
    ("slow", "Slow motion (30 samples/s)", 30.0),
    ("steady", "Steady (200 samples/s)", 200.0),
    ("fast", "As fast as possible", None),
)


@dataclass(frozen=True)
class RunChoices:
    """What the panel asks for beside graph and source; plain JSON types.

    delta : weight units, None for automatic; parameters : by algorithm, then by key
    """

    algorithm: str = next(iter(ALGORITHMS))
    device: str = field(default_factory=usual_device)
    delta: Annotated[float, Meta(gt=0, le=1e300)] | None = None
    probe: Annotated[int, Meta(ge=1, le=3)] = int(Probe.VERTICES)
    pace: Literal["slow", "steady", "fast"] = "fast"
    parameters: dict[str, dict[str, Any]] = field(default_factory=dict)
    numbers: Literal[CHOICES] = AUTO  # type: ignore[valid-type]

    @classmethod
    def from_dict(cls, values: Any, here: dict[str, Machine] | None = None) -> RunChoices:
        """Return remembered choices, or defaults, for the machines `here` or of this computer."""
        kept, fresh = fitting(cls, values if isinstance(values, dict) else {}), cls()
        here = machines() if here is None else here
        algorithm = kept.algorithm if kept.algorithm in ALGORITHMS else fresh.algorithm
        device = kept.device if kept.device in here else fresh.device
        if problem_of(ALGORITHMS[algorithm], here[device]):  # a device that is gone
            device = fresh.device
        if problem_of(ALGORITHMS[algorithm], here[device]):  # a row that went elsewhere
            algorithm = fresh.algorithm
        parameters = _fitting(kept.parameters)
        return replace(kept, algorithm=algorithm, device=device, parameters=parameters)

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON types, for `Settings.run_panel`."""
        return asdict(self)

    @property
    def samples_per_second(self) -> float | None:
        """Pace of the model; None as fast as possible."""
        return next(rate for key, _, rate in PACES if key == self.pace)

    def settings(self, source: int) -> RunSettings:
        """Return the settings of the run that is asked for, from a 0-based source."""
        return RunSettings(
            self.algorithm,
            engine_of(self.device),
            self.device,
            source,
            self.delta if ALGORITHMS[self.algorithm].bucketed else None,
            self.probe,
            parameters=self.parameters.get(self.algorithm, {}),
            numbers=self.numbers,
        )


def sources_of(choices: RunChoices, n: int) -> int | None:
    """Return how many sources are asked for; None where they are no vertices of a graph of n."""
    try:
        return _checked_sources(choices, n)
    except GpuError:
        return None


def _checked_sources(choices: RunChoices, n: int) -> int:
    row = ALGORITHMS[choices.algorithm]
    if row.result == "row":
        return 1
    return source_range(row.checked_parameters(choices.parameters.get(row.key, {})), n)[1]


def room_words(choices: RunChoices, n: int, each: int = 4) -> tuple[str, bool]:
    """Return in words what a matrix takes, `each` bytes a distance, and whether there is room."""
    if ALGORITHMS[choices.algorithm].result == "row":
        return "", True
    try:
        count = _checked_sources(choices, n)
    except GpuError as error:
        return capital(str(error)), False
    needed = matrix_bytes(count, n, each)
    where, free = place_for(needed)
    rows = "1 row" if count == 1 else f"{thousands(count)} rows"
    takes = f"{rows} of {thousands(n)} distances: {size_words(needed)}"
    if where == "memory":
        return f"{takes} of memory, {size_words(free)} are free", True
    if where == "file":
        return f"{takes} in a temporary file, {size_words(free)} are free on its disk", True
    return f"{takes}; {size_words(free)} are free: {ADVICE}", False


def probe_problem(probe: int, engine: str, arcs: int, sources: int = 1) -> str | None:
    """Return why a run cannot be recorded so closely, None where it can."""
    if probe < Probe.EVENTS:
        return None
    if engine != "model":
        return "Every event is recorded on modelled devices; choose one of those"
    if arcs > MOST_ARCS:
        return f"Every event is recorded on graphs of up to {MOST_ARCS:,} edges; this has {arcs:,}"
    if sources > 1 and arcs * sources > MOST_ROW_ARCS:
        most = max(1, MOST_ROW_ARCS // max(arcs, 1))
        return f"Every event is recorded from up to {most:,} sources here; {sources:,} are chosen"
    return None


def _fitting(remembered: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Keep of remembered parameters those of algorithms whose knobs still take them."""
    kept: dict[str, dict[str, Any]] = {}
    for key, values in remembered.items():
        try:
            kept[key] = ALGORITHMS[key].checked_parameters(values)
        except (KeyError, TypeError, AttributeError, GpuError):
            continue
    return kept
