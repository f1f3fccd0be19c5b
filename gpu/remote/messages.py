"""What passes between two computers: records of JSON, and the arrays that some announce.

*Near* is the computer of the user, *far* the one whose engine runs. Keys that a version does not
know are left alone and new ones have defaults, so that neighbouring versions understand each
other. Nothing here is pickled. Each record is small; `arrays` says which arrays follow it.

`number` counts the requests of a connection, from 1; 0 where an answer is to none of them. It is
no `run_id`: a request that only gave way to another is sent again, under a number of its own.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from gpu.graph import Provenance
from gpu.host.ring import Knobs
from gpu.reader.messages import ArrayNote
from gpu.record.trace import RunSettings, Verification

Number = Annotated[int, Meta(ge=0, le=2**53)]
Hash = Annotated[str, Meta(pattern="^[0-9a-f]{16}$")]
Token = Annotated[str, Meta(pattern="^([0-9a-f]{32})?$")]
Notes = Annotated[tuple[ArrayNote, ...], Meta(max_length=8)]


class Piece(Struct, frozen=True, tag=True):
    """The next bytes of the arrays that were announced last."""


# near to far


class Load(Struct, frozen=True, tag=True):
    """Read a graph that lies on the far computer; options as in `gpu.load_graph`."""

    number: Number
    what: str
    undirected: bool | None = None
    weights: str = "file"
    format: str | None = None
    weight_name: str | None = None


class Run(Struct, frozen=True, tag=True):
    """Run on the graph `hash`; `steps`: steps allowed so far (see `gpu.host.ring`).

    live : distances are wanted while it goes on
    token : by which it can be picked up where the connection breaks, "" where nobody would
    """

    number: Number
    hash: Hash
    settings: RunSettings
    verify: bool
    steps: int
    live: bool = False
    token: Token = ""


class PickUp(Struct, frozen=True, tag=True):
    """Go on with a run whose connection broke; `Started` and the first `samples` have come."""

    number: Number
    token: Token
    started: bool
    samples: Number


class Got(Struct, frozen=True, tag=True):
    """Everything of a run is here: it need not be kept any longer."""

    number: Number


class LayOut(Struct, frozen=True, tag=True):
    """Lay out the graph `hash`; arrays `dist` and `positions` where there are any."""

    number: Number
    hash: Hash
    kind: str
    delta: float | None
    arrays: Notes = ()


class Graph(Struct, frozen=True, tag=True):
    """The graph that was wanted: `indptr`, `indices`, `weights`, and nothing of its file."""

    hash: Hash
    arrays: Notes = ()


class Stop(Struct, frozen=True, tag=True):
    """End every request up to this one."""

    number: Number


class Hold(Struct, frozen=True, tag=True):
    """The knobs, as the user holds them now."""

    knobs: Knobs


class Ask(Struct, frozen=True, tag=True):
    """Say what that computer is."""


class Quit(Struct, frozen=True, tag=True):
    """End the far side."""


# far to near


class Hello(Struct, frozen=True, tag=True):
    """The far side is up; `name` is what that computer calls itself.

    keeps : a run goes on there where the connection breaks
    """

    name: str
    keeps: bool = False


class Ready(Struct, frozen=True, tag=True):
    """Its engine is warm."""


class About(Struct, frozen=True, tag=True):
    """What that computer is.

    gpus : names, in the order of cuda:0, cuda:1, ...; driver : its version, "" where there is none
    problem : why no run of ours would use a GPU there, "" where one can be tried
    """

    version: str
    system: str
    gpus: tuple[str, ...] = ()
    driver: str = ""
    problem: str = ""


class Progress(Struct, frozen=True, tag=True):
    """How far a request is: 0 to 1, -1 where unknown."""

    number: Number
    fraction: float
    words: str


class Want(Struct, frozen=True, tag=True):
    """The far side has no graph of this hash and waits for it."""

    hash: Hash


class Loaded(Struct, frozen=True, tag=True):
    """A graph: arrays of `CSRGraph`, `provisional` beside; ids of words come as their letters."""

    number: Number
    name: str
    id_base: int
    words: bool
    provenance: Provenance
    arrays: Notes = ()


class LaidOut(Struct, frozen=True, tag=True):
    """Positions, float32 (n, 2)."""

    number: Number
    arrays: Notes = ()


class Started(Struct, frozen=True, tag=True):
    """The engine is about to be called, with these settings."""

    number: Number
    settings: RunSettings


class Samples(Struct, frozen=True, tag=True):
    """The next samples of the run."""

    number: Number
    arrays: Notes = ()


class Distances(Struct, frozen=True, tag=True):
    """Distances as they are now, those from place `first` on, while the run goes on: `dist`."""

    number: Number
    first: Number
    arrays: Notes = ()


class Finished(Struct, frozen=True, tag=True):
    """The run ended; arrays are those of a trace but for its samples, which came before."""

    number: Number
    clock: Literal["modelled", "measured"]
    outcome: Literal["finished", "stopped"]
    environment: dict[str, Any]
    arrays: Notes = ()


class Verified(Struct, frozen=True, tag=True):
    """The proofs of a finished run are done."""

    number: Number
    verification: Verification


class Failed(Struct, frozen=True, tag=True):
    """A request ended without its result: the class of an error, and what it holds."""

    number: Number
    error: str
    words: str
    details: str = ""
    path: str | None = None
    line: int | None = None


class Nothing(Struct, frozen=True, tag=True):
    """There is nothing to pick up: the run was never begun there, or is gone."""

    number: Number


class Lost(Struct, frozen=True, tag=True):
    """The far engine process died; `words` says how."""

    words: str


class Done(Struct, frozen=True, tag=True):
    """Nothing of this request goes on any more."""

    number: Number


FromNear = Load | Run | PickUp | Got | LayOut | Graph | Stop | Hold | Ask | Quit
FromFar = (
    Hello | About | Ready | Progress | Want | Loaded | LaidOut
    | Started | Samples | Distances | Finished | Verified | Failed | Nothing | Lost | Done
)  # fmt: skip
