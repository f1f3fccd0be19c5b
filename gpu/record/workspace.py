"""A workspace: the runs, graph and looks of a window, as one file that opens on another machine.

`NAME.ssspw` is a zip archive of

    workspace.json     format, version, the graph, one entry a run, how the window stood
    runs/1.npz ...     the traces, each as `gpu.record.tracefile` writes it
    graph.npz          the graph, if it has at most SMALL_ARCS arcs and no sample makes it again

Of a larger graph only the path (absolute, and relative to the workspace file), its reader's options
and its hash are kept. A workspace is read as data from a stranger: nothing is written, sizes are
checked before anything is unpacked, and before places outside its folder are opened a person is
asked (`gpu.record.reach`).
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, structs

from gpu.errors import GpuError, TraceError
from gpu.files import open_regular, written_whole
from gpu.formats import npz
from gpu.graph import CSRGraph
from gpu.record.reach import SAMPLE, is_elsewhere, is_within
from gpu.record.trace import GraphReference, Trace
from gpu.record.tracefile import DAMAGED, MEMBERS, plain, read_trace, write_trace
from gpu.schema import SchemaError, checked, fitting
from gpu.words import in_sight

SUFFIX = ".ssspw"
FORMAT = "sssp-scope workspace"
VERSION = 1
TABLE = "workspace.json"
GRAPH = "graph.npz"
RUNS = "runs/"
SMALL_ARCS = 200_000  # a graph of so many is saved with its runs: 2 MB and less
GRAPH_LIMIT = 16 << 20  # bytes of one that is read
TABLE_LIMIT = 4 << 20  # bytes of JSON
UPDATE = "update SSSP Scope"
FIRST_ENTRY = b"PK\x03\x04"  # of a zip archive
NAME_LENGTH_AT, NAME_AT = 26, 30  # bytes, in the header of the first entry
LONGEST = 64  # of a name that we give
PlaceName = Annotated[str, Meta(pattern=r"^[^\u0000]*$")]
RunNumber = Annotated[int, Meta(ge=-(2**53), le=2**53)]


class WorkspaceError(GpuError):
    """A workspace file that is not one, is damaged, or of another version."""


@dataclass(frozen=True)
class SavedGraph:
    """Which graph was open: enough to open it again, or to ask for it in words."""

    name: str
    origin: PlaceName  # path, or "sample:KEY"
    hash: str  # of `CSRGraph.hash`
    relative: PlaceName = ""  # the path from the workspace's folder, or ""
    options: dict[str, Any] = field(default_factory=dict)  # given to the reader or generator

    def __post_init__(self) -> None:
        """Make the name one that can be shown."""
        object.__setattr__(self, "name", in_sight(self.name))

    def found(self, folder: Path) -> str | None:
        """Return what may be opened without asking: a sample, or a file in `folder`; else None."""
        if self.origin.startswith(SAMPLE):
            from sample_graphs import remembered_reference

            return remembered_reference(self.origin, self.options)
        return next((str(name) for name in self.looked(folder) if name.is_file()), None)

    def looked(self, folder: Path) -> list[Path]:
        """Return where `found` looks for a file, best first, each place once."""
        return [place for place in self._places(folder) if is_within(place, folder)]

    def outside(self, folder: Path) -> list[Path]:
        """Return the places outside the folder that a person is asked about; none was touched."""
        return [place for place in self._places(folder) if not is_within(place, folder)]

    def _places(self, folder: Path) -> list[Path]:
        names = [folder / self.relative] if self.relative else []
        names += [folder / self.origin, folder / Path(self.origin).name]
        places = dict.fromkeys(Path(os.path.normpath(name)) for name in names)
        return [place for place in places if not is_elsewhere(place)]


class WorkspaceTable(Struct, frozen=True):
    """The file `workspace.json`; `window` is read by whoever knows it."""

    graph: SavedGraph | None
    runs: Annotated[list[RunNumber], Meta(max_length=1000)]
    current: Any
    b: Any
    source: RunNumber
    window: dict[str, Any]

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


@dataclass(frozen=True)
class Workspace:
    """The content of a workspace."""

    graph: SavedGraph | None
    runs: tuple[tuple[int, Trace], ...] = ()  # (number, trace), oldest first
    current: int | None = None  # a number among them
    b: int | None = None  # another one
    source: int = 0
    window: dict[str, Any] = field(default_factory=dict)  # how the window stood, JSON values
    packed: bytes = b""  # the graph as an .npz file has it, where it is included


def saved_graph(graph: GraphReference, path: str | Path) -> SavedGraph:
    """Return how a workspace at `path` should name a graph."""
    relative = ""
    if not graph.origin.startswith(SAMPLE) and Path(graph.origin).is_absolute():
        try:
            relative = os.path.relpath(graph.origin, Path(path).resolve().parent)
        except ValueError:  # another drive
            relative = ""
    return SavedGraph(graph.name, graph.origin, graph.hash, relative, dict(graph.options))


def save_workspace(workspace: Workspace, path: str | Path, whole: CSRGraph | None = None) -> None:
    """Write a workspace, whole or not at all; GpuError where that is refused.

    whole : the graph that `workspace.graph` names; it is included if it is small and no sample
    """
    graph = workspace.graph
    text = json.dumps(table_of(workspace), indent=1, ensure_ascii=False).encode()
    if len(text) > TABLE_LIMIT:
        raise WorkspaceError(f"cannot write {path}: what the window holds is over {TABLE_LIMIT} B")
    with written_whole(path) as file, zipfile.ZipFile(file, "w") as archive:
        archive.writestr(TABLE, text)
        for number, trace in workspace.runs:
            with archive.open(_member(number), "w", force_zip64=True) as part:
                write_trace(trace, part)
        sample = graph is not None and graph.origin.startswith(SAMPLE)
        if whole is not None and whole.m <= SMALL_ARCS and not sample:
            archive.writestr(GRAPH, npz.packed(whole))


def table_of(workspace: Workspace) -> dict[str, Any]:
    """Return the table of a workspace's file: JSON values."""
    graph = workspace.graph
    table: dict[str, Any] = plain(
        {
            "format": FORMAT,
            "version": VERSION,
            "graph": None if graph is None else vars(graph),
            "runs": [number for number, _ in workspace.runs],
            "current": workspace.current,
            "b": workspace.b,
            "source": workspace.source,
            "window": workspace.window,
        }
    )
    return table


def load_workspace(path: str | Path) -> Workspace:
    """Read a workspace written by `save_workspace`. WorkspaceError, MemoryNeededError."""
    try:
        with open_regular(path) as file, zipfile.ZipFile(file) as archive:
            return _read(archive, os.fstat(file.fileno()).st_size)
    except WorkspaceError as error:
        raise WorkspaceError(f"{path}: {error}") from error
    except TraceError as error:
        raise WorkspaceError(f"{path}: damaged: one of its runs: {error}") from error
    except OSError as error:
        raise WorkspaceError(f"{path}: {error.strerror or error}") from error
    except DAMAGED as error:
        words = " ".join(str(error).split()) or type(error).__name__
        raise WorkspaceError(
            f"{path}: not a workspace of SSSP Scope, or damaged ({words})"
        ) from error


def recognised(path: str | Path) -> Literal["workspace", "trace"] | None:
    """Return what a file is, by its suffix or the first entry of its archive."""
    if Path(path).suffix.lower() == SUFFIX:
        return "workspace"
    try:
        with open_regular(path) as file:
            head = file.read(NAME_AT + LONGEST)
    except OSError:
        return None
    if not head.startswith(FIRST_ENTRY):
        return None
    length = int.from_bytes(head[NAME_LENGTH_AT : NAME_AT - 2], "little")
    name = head[NAME_AT : NAME_AT + length].decode("utf-8", "replace")
    if name in {TABLE, GRAPH} or name.startswith(RUNS):
        return "workspace"
    return "trace" if name in {f"{member}.npy" for member in ("header", *MEMBERS)} else None


def _read(archive: zipfile.ZipFile, size: int) -> Workspace:
    table = _table(archive, size)
    traces = _runs(archive, table.runs, size)
    current, b = (one if one in table.runs else None for one in (table.current, table.b))
    runs = tuple(zip(table.runs, traces, strict=True))
    saved = GRAPH in archive.namelist()
    packed = _bytes(archive, GRAPH, min(GRAPH_LIMIT, size)) if saved else b""
    return Workspace(table.graph, runs, current, b, table.source, table.window, packed)


def _table(archive: zipfile.ZipFile, size: int) -> WorkspaceTable:
    members = {info.filename: info for info in archive.infolist()}
    if TABLE not in members:
        raise WorkspaceError(f"not a workspace of SSSP Scope: it has no {TABLE}")
    if members[TABLE].file_size > min(TABLE_LIMIT, size):
        raise WorkspaceError(f"damaged: its {TABLE} is over {min(TABLE_LIMIT, size)} bytes")
    table = json.loads(archive.read(TABLE).decode("utf-8"))
    if not isinstance(table, dict) or table.get("format") != FORMAT:
        raise WorkspaceError("not a workspace of SSSP Scope: another kind of file")
    if table.get("version") != VERSION:
        version = table.get("version")
        raise WorkspaceError(
            f"workspace version {version!r}; this program reads version {VERSION}: {UPDATE}"
        )
    try:
        return checked(WorkspaceTable, table)
    except SchemaError as error:
        raise WorkspaceError(f"damaged: {error}") from error


def _runs(archive: zipfile.ZipFile, numbers: Sequence[int], size: int) -> list[Trace]:
    """Return the traces, each an archive within the archive; nothing is written anywhere."""
    runs = [_bytes(archive, _member(number), size) for number in numbers]
    named = zip(numbers, runs, strict=True)
    return [read_trace(BytesIO(run), len(run), f"run {number}") for number, run in named]


def _bytes(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """Return a member that is not packed."""
    info = archive.getinfo(name)
    if info.compress_type != zipfile.ZIP_STORED or info.file_size > most:
        raise WorkspaceError(f"damaged: its {name} claims {info.file_size} bytes")
    return archive.read(info)


def _member(number: int) -> str:
    return f"{RUNS}{number}.npz"
