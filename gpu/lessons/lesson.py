"""What a lesson is made of, and so what its files may say: `gpu.lessons.read` reads them.

The Structs are the declaration of the TOML file: keys, types, ranges, defaults.

A step shows its text, may set an experiment up (a graph, runs, a sweep, a comparison, a moment,
panels and vertices to point out) and may ask a question before it is run. Answers are never typed
in: a `Value` names a quantity of a run or a sweep of this lesson, and `gpu.lessons.answers`
computes it. Numbers in the text are values too: `{near_far.time_ms}` in the Markdown.
"""

from __future__ import annotations

import re
from abc import ABC
from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Meta, Struct, field

from gpu.schema import PLAIN, Number, Text, shown

VALUE = re.compile(r"^([a-z][a-z0-9_]*)\.([a-z_]+)(?:\(([^()]*)\))?$")
LARGEST = 1e300  # number that a lesson may name
QuestionKind = Literal["number", "choice", "vertex", "bucket", "curve", "schedule"]
Relation = Literal["<", "<=", ">", ">=", "=="]

Name = Annotated[str, Meta(min_length=1, pattern=PLAIN)]
FileName = Annotated[
    str, Meta(pattern=r"^(?!\.\.?$)[^/\\:\u0000-\u001f\u007f]+$")  # of a file beside this one
]


class Value:
    """One computed number: run.quantity, run.quantity(vertex), or { value = ..., over = ... }.

    of : name of a run or sweep of the lesson    quantity : a key of `gpu.lessons.quantities`
    at : what the quantity needs beside it: a vertex's id, a bucket, the name of an event
    over : another value to divide by, for ratios
    """

    def __init__(
        self, of: str, quantity: str, at: str | None = None, over: Value | None = None
    ) -> None:
        self.of, self.quantity, self.at, self.over = of, quantity, at, over

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Value) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]  # it is no key

    @classmethod
    def read(cls, written: Any) -> Value:
        """Return the value that a text or a table of two keys names. ValueError."""
        if isinstance(written, dict) and "value" in written and set(written) <= {"value", "over"}:
            below = cls.read(written["over"]) if "over" in written else None
            value = cls.read(written["value"])
            return cls(value.of, value.quantity, value.at, below)
        match = VALUE.match(written) if isinstance(written, str) else None
        if match is None:
            raise ValueError(
                f"{shown(written)} is no value; write run.quantity or run.quantity(vertex)"
            )
        return cls(match[1], match[2], match[3])


class VertexId(str):
    """A vertex's id: text in quotes or a whole number."""

    __slots__ = ()


if TYPE_CHECKING:
    ValueOrNumber = Value | float
else:

    class ValueOrNumber(ABC):  # noqa: B024
        """A value or a number."""

    ValueOrNumber.register(Value)
    ValueOrNumber.register(float)


def own_class(kind: type, written: Any) -> Any:
    """Make a Value, a VertexId or a number from what the file has. ValueError.

    The hook of `gpu.schema.checked`.
    """
    if kind is VertexId:
        if (
            isinstance(written, str | int)
            and not isinstance(written, bool)
            and "\0" not in str(written)
        ):
            return VertexId(written)
        raise ValueError(f"{shown(written)}; allowed: text in quotes or a whole number")
    number = isinstance(written, int | float) and not isinstance(written, bool)
    if not number or kind is Value:
        return Value.read(written)
    if not -LARGEST <= written <= LARGEST:  # nor NaN
        raise ValueError(f"{shown(written)}; allowed: a number")
    return float(written)


class RunSpec(Struct, frozen=True, forbid_unknown_fields=True):
    """One run that the lesson makes; its name is how values, seeks and comparisons call it.

    graph : "sample:..." or a file beside the lesson, None for the step's own
    source : the graph's own id, None: suggested; device : of the modelled GPU
    variant : name of a faulty listing of `gpu.lessons.printed_listings`, else ""
    """

    name: Name
    algorithm: Text
    graph: Text | None = None
    source: VertexId | None = None
    delta: Annotated[float, Meta(gt=0, le=1e300)] | None = None
    device: Text | None = None
    probe: Annotated[int, Meta(ge=0, le=3)] = 2
    parameters: dict[str, Any] = {}
    variant: Text = ""


class SweepSpec(Struct, frozen=True, forbid_unknown_fields=True):
    """One sweep of the lesson; `values` empty: the usual ones."""

    name: Name
    algorithm: Text
    graph: Text | None = None
    knob: Text = "delta"
    values: tuple[Number, ...] = ()
    device: Text | None = None


class Seek(Struct, frozen=True, forbid_unknown_fields=True):
    """A moment of a run to look at: `gpu.lessons.quantities.moment_ns(trace, to)` is its time.

    "start", "end", "peak", "first_change", a share 0..1, or "event:KIND" (the first of that
    kind, probe 3; "event:KIND:3" the third).
    """

    run: Text
    to: Text | Number


class Question(Struct, frozen=True, forbid_unknown_fields=True):
    """Asked before the experiment runs; `answer` says what counts as right.

    kind      "number": a slider from low to high, right within `tolerance` (relative)
              "choice": one of `choices`; right is the place of the least (or greatest) of
                        `candidates`, values in the order of the choices
              "vertex": click one; right is the index that the value gives, or one as good
              "bucket": click one of low..high, numbered as `head_bucket` counts them
              "schedule": play the step's graph (`gpu.study.play`); right where the score's `goal`
                        is at most the answer, and `tolerance` (relative) more
              "curve": drag heights; scored by rank against the times of the sweep
                       `answer.of`, right from `answers.CURVE_RIGHT` on
    """

    kind: QuestionKind
    ask: Text
    answer: Value | None = None
    choices: tuple[Text, ...] = ()
    candidates: tuple[Value, ...] = ()
    pick: Literal["least", "greatest"] = "least"
    low: Number = 0.0
    high: Number = 1.0
    tolerance: Number = 0.1
    unit: Text = ""
    goal: Literal["processed", "relaxed", "rank_error", "distance_error", "time_ms"] = "processed"
    logarithmic: bool = False
    right: Text = ""  # said when the answer was right; Markdown with values
    wrong: Text = ""  # said when it was not

    def __post_init__(self) -> None:
        if self.kind == "choice":
            if len(self.choices) < 2 or len(self.choices) != len(self.candidates):
                raise ValueError("as many candidates as choices, two at least")
        elif self.answer is None:
            raise ValueError("no answer; it is a value, computed by running")
        if self.kind in ("number", "bucket") and not self.low < self.high:
            raise ValueError(f"low = {self.low:g}, high = {self.high:g}; allowed: low under high")


class Claim(Struct, frozen=True, forbid_unknown_fields=True):
    """A sentence of the lesson as a comparison that a test asserts on the engine."""

    left: Value
    relation: Relation = field(name="is")
    right: ValueOrNumber
    words: Text = ""


class WrittenStep(Struct, frozen=True, forbid_unknown_fields=True):
    """One page of a lesson, as the TOML has it.

    key : names its section in the Markdown
    runs, sweeps : made, in this order, when the step's button is pressed (or at once where there
        is no question); compare : names of two runs for A and B
    panels : docks to show and point out          vertices : ids to point out
    colour_by : of the graph view, "" as it is    layout : a named window layout, "" as it is
    microscope : whether to open it at the seek
    """

    key: Name
    title: Text = ""
    graph: Text | None = None
    source: VertexId | None = None
    runs: tuple[RunSpec, ...] = field(default=(), name="run")
    sweeps: tuple[SweepSpec, ...] = field(default=(), name="sweep")
    compare: tuple[Text, Text] | None = None
    show: Text = ""  # name of a run of an earlier step to show again
    seek: Seek | None = None
    panels: tuple[Text, ...] = ()
    vertices: tuple[VertexId, ...] = ()
    colour_by: Text = ""
    layout: Text = ""
    microscope: bool = False
    drive: bool = False  # the student holds delta while it runs, at a slow pace
    question: Question | None = None
    claims: tuple[Claim, ...] = field(default=(), name="claim")


class Step(WrittenStep, frozen=True, kw_only=True):
    """One page of a lesson with its text, the Markdown's section, {values} not filled in."""

    text: str


class LessonHead(Struct, frozen=True, forbid_unknown_fields=True):
    """What a lesson says of itself; `text` names the Markdown, "" the one of the same name.

    dots : in the plane of work and time: name -> the run, and the run that it is measured against
    """

    format: Literal[1]
    minutes: Annotated[int, Meta(ge=1, le=60)]
    title: Text = ""
    idea: Text = ""
    figure: Text = ""
    text: FileName | None = None
    dots: dict[str, tuple[Text, Text]] = {}


class LessonFile(Struct, frozen=True, forbid_unknown_fields=True):
    """The TOML file of a lesson."""

    lesson: LessonHead
    steps: Annotated[tuple[WrittenStep, ...], Meta(min_length=1)] = field(name="step")

    def __post_init__(self) -> None:
        keys = [step.key for step in self.steps]
        twice = next((key for key in keys if keys.count(key) > 1), None)
        if twice is not None:
            raise ValueError(f"two steps have the key = {twice!r}; allowed: a name of its own")


class Lesson(Struct, frozen=True):
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
    dots: dict[str, tuple[str, str]] = {}

    def run(self, name: str) -> tuple[Step, RunSpec] | None:
        """Return the run called `name` and the step that makes it."""
        return next(((s, r) for s in self.steps for r in s.runs if r.name == name), None)

    def sweep(self, name: str) -> tuple[Step, SweepSpec] | None:
        """Return the sweep called `name` and the step that makes it."""
        return next(((s, w) for s in self.steps for w in s.sweeps if w.name == name), None)


def shown_runs(step: Step) -> tuple[str, ...]:
    """Return the names of the runs whose picture belongs to a step, at most two."""
    if step.compare:
        return step.compare
    if step.show:
        return (step.show,)
    return tuple(run.name for run in step.runs if not run.variant)[-1:]
