"""What the tables of traces and workspaces hold: keys, types, ranges; published as JSON Schema.

Keys that are not declared are left alone, so that a later version may add some; of what is
declared everything must be there and fit. (Lessons, which people write by hand, are stricter.)
`gpu.record.assembly` checks what no declaration says: that the parts agree.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, structs

from gpu.algorithms import ALGORITHMS
from gpu.graph import MAX_COUNT
from gpu.numbers import AUTO, AUTO_WIDE, CHOICES
from gpu.schema import Count, Table, fitting

ENGINES = tuple(sorted({engine for row in ALGORITHMS.values() for engine in row.engines}))
MOST_RUNS = 1000

Path = Annotated[str, Meta(pattern=r"^[^\u0000]*$", description="text without a NUL")]
RunNumber = Annotated[int, Meta(ge=-(2**53), le=2**53, description="a whole number")]
Vertices = Annotated[int, Meta(ge=1, le=MAX_COUNT)]
Arcs = Annotated[int, Meta(ge=0, le=MAX_COUNT)]


class SettingsTable(Struct, frozen=True):
    """How a run is made: `gpu.record.trace.RunSettings`."""

    algorithm: Literal[tuple(ALGORITHMS)]  # type: ignore[valid-type]
    engine: Literal[ENGINES]  # type: ignore[valid-type]
    device: str
    source: Count
    delta: Annotated[float, Meta(gt=0, le=1e300, description="a number above 0")] | None
    probe: Annotated[int, Meta(ge=0, le=3)]
    seed: Annotated[int, Meta(ge=-(2**63), le=2**63 - 1, description="a whole number")]
    sample_period_ns: Count
    parameters: Table
    numbers: Literal[(*CHOICES, AUTO_WIDE)] = AUTO  # type: ignore[valid-type]


class GraphTable(Struct, frozen=True):
    """Which graph a run was made on: `gpu.record.trace.GraphReference`."""

    name: str
    origin: str
    hash: str
    n: Vertices
    m: Arcs
    integer: bool
    source_id: int | str
    options: Table


class VerificationTable(Struct, frozen=True):
    """Outcome of the two proofs; null where one was not tried."""

    oracle: bool | None
    certificate: bool | None
    detail: str


class TraceHeader(Struct, frozen=True):
    """The JSON of the member `header` of a trace."""

    format: Literal["sssp-scope trace"]
    version: Literal[1]
    arrays: list[
        Literal[
            "samples", "dist", "first_reached_ns", "last_improved_ns", "times_processed", "events"
        ]
    ]
    settings: SettingsTable
    graph: GraphTable
    clock: Literal["modelled", "measured"]
    outcome: Literal["finished", "stopped"]
    environment: Table
    verification: VerificationTable | None
    notes: Any = None  # of `gpu.record.notes`, each looked at by itself
    notes_left_out: Any = ""


class SavedGraphTable(Struct, frozen=True):
    """Which graph a workspace is about: `gpu.record.workspace.SavedGraph`."""

    name: str
    origin: Path
    hash: str
    relative: Path
    options: Table


class WorkspaceTable(Struct, frozen=True):
    """The file `workspace.json` of a workspace; `window` is read by whoever knows it."""

    format: Literal["sssp-scope workspace"]
    version: Literal[1]
    graph: SavedGraphTable | None
    runs: Annotated[list[RunNumber], Meta(max_length=MOST_RUNS)]
    current: Any
    b: Any
    source: Annotated[int, Meta(ge=-(2**53), le=2**53, description="a whole number")]
    window: Table

    def __post_init__(self) -> None:
        if len(set(self.runs)) < len(self.runs):
            raise ValueError("the numbers of its runs: one is there twice")


class ReaderOptions(Struct, frozen=True):
    """How a graph file was read, as `gpu.load_graph` takes it."""

    undirected: bool | None = None
    weights: Literal["file", "unit", "random", "absolute"] = "file"
    weight_name: Annotated[str, Meta(min_length=1)] | None = None
    format: Annotated[str, Meta(min_length=1)] | None = None
    header: bool = True


def reader_options(options: Any) -> dict[str, Any]:
    """Return of a graph's recorded options those that its file is to be read with again.

    Only what `gpu.load_graph` takes, and what differs from the usual reading.
    """
    usual = structs.asdict(ReaderOptions())
    chosen = structs.asdict(fitting(ReaderOptions, options))
    return {key: value for key, value in chosen.items() if value != usual[key]}
