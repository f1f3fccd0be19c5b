"""A suite: which codes run on which graphs, as data (TOML); examples: `suites/` and the README.

The Structs are the declaration: keys, types, ranges, defaults.
"""

from __future__ import annotations

import csv
import hashlib
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, json
from msgspec.structs import replace

from gpu.algorithms import find
from gpu.errors import GpuError
from gpu.files import read_regular
from gpu.schema import Count, Number, Text, checked
from gpu.words import did_you_mean

SHIPPED = Path(__file__).parent / "suites"
MOST_BYTES = 1 << 20
SUFFIXES = (".mtx", ".mtx.gz", ".gr", ".gr.gz", ".npz")  # of the paper's graphs
UNIT_MS = {"s": 1e3, "ms": 1.0, "us": 1e-3, "ns": 1e-6}  # units of a command's time
Engine = Literal["", "model", "cuda", "cpu"]
Positive = Annotated[float, Meta(gt=0, le=1e300)]
Runs = Annotated[int, Meta(ge=1, le=10_000)]


class Graphs(Struct, frozen=True, forbid_unknown_fields=True):
    """Some graphs and what holds for all of them.

    samples : references of `sample_graphs`    files : paths, folders or patterns, beside the suite
    paper : names of the paper's 226 graphs, "*" for all; signs are dropped, as there
    sources : the graph's own ids; empty: the sample's own, the paper's, else the first vertex
    weights, undirected : of files, as in `gpu.load_graph`
    """

    samples: tuple[Text, ...] = ()
    files: tuple[Text, ...] = ()
    paper: tuple[Text, ...] = ()
    sources: tuple[int | Text, ...] = ()
    weights: Literal["file", "unit", "random", "absolute"] = "file"
    undirected: bool | None = None


class Row(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What every code has.

    runs : in place of the suite's    only : the graphs that it runs on; empty: all
    """

    name: Text = ""
    runs: Runs | None = None
    only: tuple[Text, ...] = ()


class Code(Row, frozen=True, forbid_unknown_fields=True):
    """An algorithm of ours with its settings; `set` are its parameters.

    c : in place of `delta`: delta = c x mean weight / mean degree; each number is a code
    """

    algorithm: Text
    engine: Engine = ""
    device: Text = ""
    delta: Positive | None = None
    c: tuple[Positive, ...] = ()
    probe: Annotated[int, Meta(ge=0, le=2)] = 0
    set: dict[str, bool | Number] = {}

    def __post_init__(self) -> None:
        """Check algorithm and parameters. ValueError."""
        try:
            find(self.algorithm).checked_parameters(self.set)
        except GpuError as error:
            raise ValueError(str(error)) from error


class Command(Row, frozen=True, forbid_unknown_fields=True):
    """A program that is no part of us, started once for each run.

    line : a template with {graph}, {source} (0-based), {source_id}, {distances} (a file that it
        writes, one line a vertex: id and distance) and {python}; it is not read by a shell
    time : a pattern with one group, the time in `unit`; of several matches the median counts
    processed : likewise, vertices processed      format : of the graph file, its suffix
    """

    line: Annotated[Text, Meta(min_length=1)]
    time: Text
    unit: Literal["s", "ms", "us", "ns"] = "s"
    processed: Text = ""
    format: Text = ".gr"

    def __post_init__(self) -> None:
        """Check patterns and template. ValueError."""
        try:
            groups = re.compile(self.time).groups, re.compile(self.processed or "()").groups
            self.line.format(graph="", source=0, source_id=0, distances="", python="")
        except (re.error, LookupError) as error:
            raise ValueError(f"not understood: {error}") from error
        if groups != (1, 1) or not self.name:
            raise ValueError("a command needs a name; time and processed need one group each")


class Suite(Struct, frozen=True, forbid_unknown_fields=True):
    """A whole suite, as its file says it.

    warm_ups : of each code of ours; a command starts anew in every run
    profiles : graphs whose parallelism over time is kept too, of ADDS and Near-Far
    limit_s : of one run; one that takes longer is stopped and counts as failed
    least_vertices, least_arcs, least_reached : other graphs are left out; the paper's own rule is
        100,000, 1,000,000 and 0.75
    """

    graphs: Annotated[tuple[Graphs, ...], Meta(min_length=1, max_length=10_000)]
    codes: Annotated[tuple[Code, ...], Meta(max_length=1000)] = ()
    commands: tuple[Command, ...] = ()
    profiles: tuple[Text, ...] = ()
    title: Text = ""
    engine: Engine = "model"
    numbers: Text = "auto"
    warm_ups: Annotated[int, Meta(ge=0, le=1000)] = 1
    runs: Runs = 5
    limit_s: Positive = 60.0
    least_vertices: Count = 0
    least_arcs: Count = 0
    least_reached: Annotated[float, Meta(ge=0, le=1)] = 0.0

    @property
    def rows(self) -> list[Code | Command]:
        """All codes with their names and runs, in the order in which they take turns."""
        rows: list[Code | Command] = []
        for code in self.codes:
            usual = code.algorithm + (f"@{code.engine}" if code.engine else "")
            whole = replace(code, name=code.name or usual, engine=code.engine or self.engine)
            swept = [replace(whole, name=f"{whole.name} C={c:g}", c=(c,)) for c in code.c]
            rows += swept or [whole]
        return [replace(row, runs=row.runs or self.runs) for row in (*rows, *self.commands)]

    @property
    def digest(self) -> str:
        """What tells this suite from others: equal for equal work."""
        return hashlib.sha256(json.encode(replace(self, title=""))).hexdigest()[:16]


class Entry(Struct, frozen=True):
    """One graph from one source, not opened yet; `place`: a sample's reference, or a path.

    options : of `gpu.load_graph`, where they are not the usual ones
    source : an id of the graph's own; None: by index; both None: the usual one
    """

    name: str
    place: str
    options: dict[str, Any] = {}
    source: int | str | None = None
    index: int | None = None


def read_suite(name: str, engine: Engine = "") -> tuple[Suite, Path]:
    """Return a suite, by its file or as shipped, and its folder. Raises GpuError.

    engine : in place of the suite's, for codes that name none
    """
    shipped = {file.stem: file for file in SHIPPED.glob("*.toml")}
    if name not in shipped and not name.endswith(".toml"):
        near, listed = did_you_mean(name, shipped), ", ".join(sorted(shipped))
        raise GpuError(f"no suite {name!r}{near}; there are: {listed}; or name a .toml file")
    path = shipped.get(name, Path(name))
    try:
        suite = checked(Suite, tomllib.loads(read_regular(path, MOST_BYTES).decode("utf-8")))
    except OSError as error:
        raise GpuError(f"{path}: {error.strerror or error}") from error
    except (GpuError, ValueError, RecursionError) as error:
        raise GpuError(f"{path}: {error}") from error
    suite = replace(suite, title=suite.title or path.stem, engine=engine or suite.engine)
    names = [row.name for row in suite.rows]
    if not names:
        raise GpuError(f"{path}: no codes; add [[codes]] with an algorithm")
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise GpuError(f"{path}: two codes are called {twice!r}; give one another `name`")
    return suite, path.resolve().parent


def entries_of(suite: Suite, folder: Path, paper: Path) -> list[Entry]:
    """Return all graphs in order. Raises GpuError.

    folder : of the suite       paper : of the paper's graphs
    """
    entries: dict[str, Entry] = {}
    for graphs in suite.graphs:
        for entry in _entries(graphs, folder, paper):
            for source in graphs.sources or (None,):
                name = entry.name if len(graphs.sources) < 2 else f"{entry.name} from {source}"
                if name in entries:
                    raise GpuError(f"two graphs are called {name!r}: leave one of them out")
                entries[name] = replace(entry, name=name, source=source)
    named = {*suite.profiles, *(name for row in suite.rows for name in row.only)}
    for name in named - entries.keys():
        raise GpuError(f"no graph {name!r} in this suite{did_you_mean(name, entries)}")
    return list(entries.values())


def _entries(graphs: Graphs, folder: Path, paper: Path) -> Iterator[Entry]:
    for sample in graphs.samples:
        name = sample.removeprefix("sample:")
        yield Entry(name, f"sample:{name}")
    options: dict[str, Any] = {} if graphs.weights == "file" else {"weights": graphs.weights}
    if graphs.undirected is not None:
        options["undirected"] = graphs.undirected
    for pattern in graphs.files:
        whole = Path(folder, pattern)
        inside = f"{pattern}/*" if whole.is_dir() else pattern
        paths = [whole] if Path(inside).is_absolute() else sorted(folder.glob(inside)) or [whole]
        for path in paths:  # one that is missing is reported when it is its turn
            yield Entry(path.name.split(".")[0], str(path), options)
    for fact in paper_facts(graphs.paper):
        paths = [paper / f"{fact['name']}{suffix}" for suffix in SUFFIXES]
        place = next((path for path in paths if path.exists()), paths[0])
        signless = {"weights": "absolute"}
        yield Entry(fact["name"], str(place), signless, index=int(fact["source_index"]))


def paper_facts(names: tuple[str, ...] = ("*",)) -> list[dict[str, str]]:
    """Return name, group, n, nnz and more of graphs of the paper. Raises GpuError."""
    with (SHIPPED / "paper_226.csv").open(encoding="utf-8", newline="") as file:
        facts = {row["name"]: row for row in csv.DictReader(file)}
    for name in names:
        if name != "*" and name not in facts:
            near = did_you_mean(name, facts)
            raise GpuError(f"{name!r} is none of the paper's 226 graphs{near}")
    return list(facts.values()) if "*" in names else [facts[name] for name in names]
