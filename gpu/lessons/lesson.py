"""What a lesson is made of, as plain values; `gpu.lessons.read` makes them from files.

A lesson is a row of *steps*. A step shows its text, may set an experiment up (a graph, runs, a
sweep, a comparison, a moment to look at, panels and vertices to point out) and may ask a
question before it is run. Answers are never typed in: a `Value` names a quantity of a
run or a sweep of this lesson, and `gpu.lessons.answers` computes it with the engine.

Numbers in the text are values too: `{near_far.time_ms}` in the Markdown is replaced by what the
engine found, so that no number on screen can be wrong for the run on screen.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

LESSON_FORMAT = 1
QuestionKind = Literal["number", "choice", "vertex", "bucket", "curve"]
Relation = Literal["<", "<=", ">", ">=", "=="]


@dataclass(frozen=True)
class Value:
    """One computed number.

    of : name of a run or sweep of the lesson    quantity : a key of `gpu.lessons.quantities`
    at : what the quantity needs beside it: a vertex's id, a bucket, the name of an event
    over : another value to divide by, for ratios
    """

    of: str
    quantity: str
    at: str | None = None
    over: Value | None = None


@dataclass(frozen=True)
class RunSpec:
    """One run that the lesson makes; its name is how values, seeks and comparisons call it.

    graph : "sample:..." or a file beside the lesson, None for the step's own
        (`Bench.reference` says what to open); source : the graph's own id, None: suggested
    device : of the modelled GPU (lessons run everywhere)
    variant : name of a faulty listing of `gpu.lessons.printed_listings`, else "": no engine makes
        such a run, `Bench.trace` does, at once, and `Bench.fault` says what went wrong
    """

    name: str
    algorithm: str
    graph: str | None = None
    source: str | None = None
    delta: float | None = None
    device: str | None = None
    probe: int = 2
    parameters: dict[str, Any] = field(default_factory=dict)
    variant: str = ""


@dataclass(frozen=True)
class SweepSpec:
    """One sweep of the lesson; `values` empty: the usual ones."""

    name: str
    algorithm: str
    graph: str | None = None
    knob: str = "delta"
    values: tuple[float, ...] = ()
    device: str | None = None


@dataclass(frozen=True)
class Seek:
    """A moment of a run to look at: `gpu.lessons.moments.moment_ns(trace, to)` is its time.

    "start", "end", "peak", "first_change", a share 0..1, or "event:KIND" (the first of that
    kind, probe 3; "event:KIND:3" the third; `moments.event_index` is its place).
    """

    run: str
    to: str | float


@dataclass(frozen=True)
class Question:
    """Asked before the experiment runs; `answer` says what counts as right.

    kind      "number": a slider from low to high, right within `tolerance` (relative)
              "choice": one of `choices`; right is the place of the least (or greatest) of
                        `candidates`, values in the order of the choices
              "vertex": click one; right is the index that the value gives, or one as good
              "bucket": click one of low..high, numbered as `head_bucket` counts them
              "curve": drag `points` heights over `x_label`; scored by rank against the
                       sweep's times (`answer.of` names the sweep; the values it has are
                       in `Bench.sweep_plan`), right from `answers.CURVE_RIGHT` on
    """

    kind: QuestionKind
    ask: str
    answer: Value | None = None
    choices: tuple[str, ...] = ()
    candidates: tuple[Value, ...] = ()
    pick: Literal["least", "greatest"] = "least"
    low: float = 0.0
    high: float = 1.0
    tolerance: float = 0.1
    unit: str = ""
    logarithmic: bool = False
    right: str = ""  # said when the answer was right; Markdown with values
    wrong: str = ""  # said when it was not


@dataclass(frozen=True)
class Claim:
    """A sentence of the lesson as a comparison that a test asserts on the engine."""

    left: Value
    relation: Relation
    right: Value | float
    words: str = ""


@dataclass(frozen=True)
class Step:
    """One page of a lesson.

    key : names its section in the Markdown       text : that section, with {values}
    runs, sweeps : made, in this order, when the step's button is pressed (or at once where there
        is no question); compare : names of two runs for A and B
    panels : docks to show and point out          vertices : ids to point out
    colour_by : of the graph view, "" as it is    layout : a named window layout, "" as it is
    microscope : whether to open it at the seek
    """

    key: str
    title: str
    text: str
    graph: str | None = None
    source: str | None = None
    runs: tuple[RunSpec, ...] = ()
    sweeps: tuple[SweepSpec, ...] = ()
    compare: tuple[str, str] | None = None
    show: str = ""  # name of a run of an earlier step to show again
    seek: Seek | None = None
    panels: tuple[str, ...] = ()
    vertices: tuple[str, ...] = ()
    colour_by: str = ""
    layout: str = ""
    microscope: bool = False
    drive: bool = False  # the student holds delta while it runs, at a slow pace
    question: Question | None = None
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True)
class Lesson:
    """One lesson, read and checked.

    key : the file's stem                         figure : of the paper, in words
    minutes : how long it takes                   idea : one sentence
    """

    key: str
    title: str
    idea: str
    minutes: int
    figure: str
    steps: tuple[Step, ...]
    path: str = ""

    def run(self, name: str) -> tuple[Step, RunSpec] | None:
        """Return the run called `name` and the step that makes it."""
        return next(((s, r) for s in self.steps for r in s.runs if r.name == name), None)

    def sweep(self, name: str) -> tuple[Step, SweepSpec] | None:
        """Return the sweep called `name` and the step that makes it."""
        return next(((s, w) for s in self.steps for w in s.sweeps if w.name == name), None)
