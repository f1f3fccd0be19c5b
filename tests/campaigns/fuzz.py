"""Files of every kind, drawn from a grammar and broken: each is read, or refused in one line.

    python tests/campaigns/fuzz.py SECONDS [SEED] [KIND ...]

Traces and workspaces are archives with changed headers, arrays and bytes; a trace that is still
read is exported. Lessons are our own with bytes and Markdown changed. Graphs are those of
`test_formats_fuzz`: `graph` takes seeds of all formats, the key of a format (`gml`) those that its
reader reads, and names it. Fails on any exception but GpuError, on an error of two lines, and on a
file that takes more than PATIENCE_S of processor time or adds more than MEMORY_MB.
"""

import copy
import io
import json
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

TESTS = Path(__file__).resolve().parents[1]
for folder in ("helpers", "formats"):
    sys.path.append(str(TESTS / folder))
sys.path.append(str(TESTS.parent))

from hand_made import small_graph, small_trace  # noqa: E402
from test_formats_fuzz import KINDS as BYTE_FAULTS, mutated, seeds  # noqa: E402

from gpu.errors import GpuError  # noqa: E402
from gpu.formats import READERS  # noqa: E402

SEED = 16
PATIENCE_S = 5.0  # of processor time for one file
MEMORY_MB = 400.0  # that one file may add to the most this process ever had
WORDS: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 7, 2**31, 2**53 + 1, 2**63 - 1, 2**63, -(2**63), 10**400, 0.5,
    -0.0, 1e308, 1e-320, float("inf"), float("nan"), "", " ", "a", "NaN", "-1", "0",
    "adds", "model", "cuda", "near_far", "sample:grid", "../../etc/passwd", "//server/share",
    "/dev/zero", "<b>x</b>", "<img src=x>", "a\nb", "\0", "\x1b[31m", "\ud800", "é" * 300,
    "{near_far.time_ms}", "event:RELAX:9", "x" * 5000, [], {}, [1], [[]], {"a": 1}, [None] * 50,
)  # fmt: skip
MARKDOWN = (
    "[" * 3000, "*" * 2000, "`" * 999, "> " * 500, "    " * 200, "![a](b", "[a](javascript:x)",
    '[a](http://x "\'")', "<script>x</script>", "{a.b(c)}", "{near_far.time_ms}", "## other", "\0",
    "|a|b|\n|-|-|\n|1|2|", "1. a\n   - b\n     1. c", "\\" * 999, "&#0;", "&amp;" * 300, "\u202e",
    "[a]: b\n[a][a]" * 50, "***a** b*" * 200, "_" * 1500 + "a", "- " * 400, "#" * 40 + " x",
)  # fmt: skip


Kind = tuple[Callable[[random.Random], Any], Callable[[Any, Path], None]]  # makes, uses a file


class TooSlowError(BaseException):
    """A file took longer than PATIENCE_S; nobody's `except` may swallow it."""


def places(tree: Any) -> list[tuple[Any, Any]]:
    """Return every container of a tree with every key in it."""
    if not isinstance(tree, dict | list):
        return []
    keys = list(tree) if isinstance(tree, dict) else range(len(tree))
    return [(tree, key) for key in keys] + [place for key in keys for place in places(tree[key])]


def changed(tree: Any, chance: random.Random) -> Any:
    """Return a copy of a tree with one to three places changed or removed."""
    tree = copy.deepcopy(tree)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        here, key = chance.choice(places(tree) or [([None], 0)])
        if chance.random() < 0.8:
            here[key] = copy.deepcopy(chance.choice(WORDS))
        else:
            del here[key]
    if chance.random() < 0.01:
        for _ in range(chance.choice((20, 200, 1200))):
            tree = [tree] if chance.random() < 0.5 else {"a": tree}
    return tree


def written(tree: Any) -> bytes:
    """Return a tree as JSON; a surrogate as it is, deep ones as far as JSON can."""
    try:
        return json.dumps(tree).encode("utf-8", "surrogatepass")
    except RecursionError:
        return b'{"a":' * 3000


def broken(content: bytes, chance: random.Random) -> bytes:
    """Return bytes with one to four faults of those that graph files get."""
    made = bytearray(content)
    for _ in range(chance.randint(1, 4)):
        chance.choice(BYTE_FAULTS)(made, chance.randrange(len(made) + 1), chance)
    return bytes(made)


@cache
def traces() -> list[tuple[dict[str, Any], dict[str, np.ndarray]]]:
    """Return headers and arrays of runs of every kind."""
    import gpu
    from gpu.record.tracefile import parts
    from sample_graphs import make

    graph = make("grid", n=16, seed=1)
    runs = [gpu.run(graph, name, probe=3) for name in ("adds", "near_far", "dijkstra")]
    runs.append(gpu.run(graph, "edge_apsp"))
    return [parts(run) for run in (small_trace(), small_trace(whole=False, probe=1), *runs)]


def changed_arrays(arrays: dict[str, np.ndarray], chance: random.Random) -> dict[str, np.ndarray]:
    """Return arrays, one of them with a bit turned, or of another length, type or shape."""
    arrays = {name: array.copy() for name, array in arrays.items()}
    name = chance.choice(sorted(arrays))
    array, how = arrays[name], chance.random()
    if how < 0.7 and array.size:
        raw = array.reshape(-1).view(np.uint8)
        raw[chance.randrange(len(raw))] ^= 1 << chance.randrange(8)
    elif how < 0.8:
        arrays[name] = array[: chance.randrange(len(array) + 1)]
    elif how < 0.85:
        arrays[name] = np.concatenate([array, array])
    elif how < 0.9:
        kind = chance.choice(("int64", "float32", "float64", "int32", "uint8", "U3", "bool"))
        arrays[name] = np.zeros(array.shape, kind)
    elif how < 0.95:
        arrays[name] = array[np.newaxis]
    else:
        del arrays[name]
    return arrays


def packed(header: bytes, arrays: dict[str, np.ndarray], chance: random.Random) -> bytes:
    """Return an archive as `save_trace` writes it."""
    file = io.BytesIO()
    way = chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
    with zipfile.ZipFile(file, "w", way) as archive:
        for name, array in {"header": np.frombuffer(header, np.uint8), **arrays}.items():
            with archive.open(f"{name}.npy", "w") as member:
                np.lib.format.write_array(member, array, allow_pickle=False)
    return file.getvalue()


def drawn_trace(chance: random.Random) -> bytes:
    """Return a trace with something wrong, most likely."""
    header, arrays = chance.choice(traces())
    how = chance.random()
    if how < 0.5:
        header = changed(header, chance)
    if how > 0.4:
        arrays = changed_arrays(arrays, chance)
    found = packed(written(header), arrays, chance)
    return broken(found, chance) if chance.random() < 0.15 else found


def used_trace(content: bytes, folder: Path) -> None:
    """Read a trace; export it in every form."""
    from gpu.record.export import sample_rows, summary
    from gpu.record.tracefile import load_trace, parts

    path = folder / "a.npz"
    path.write_bytes(content)
    trace = load_trace(path)
    json.dumps(summary(trace), allow_nan=False)
    list(sample_rows(trace))
    parts(trace)


def drawn_workspace(chance: random.Random) -> bytes:
    """Return a workspace with something wrong, most likely."""
    graph = {
        "name": "five", "origin": "five.gr", "hash": small_graph().hash, "relative": "five.gr",
        "options": {"weights": "file"},
    }  # fmt: skip
    table: Any = {
        "format": "sssp-scope workspace", "version": 1, "graph": graph, "runs": [1, 2],
        "current": 1, "b": 2, "source": 0, "window": {"theme": "dark", "cursor_ns": 5.0},
    }  # fmt: skip
    if chance.random() < 0.7:
        table = changed(table, chance)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("workspace.json", written(table))
        for number in (1, 2):
            good = packed(*(written(chance.choice(traces())[0]), traces()[0][1]), chance)
            run = drawn_trace(chance) if chance.random() < 0.3 else good
            name = chance.choice(("runs/3.npz", "../x")) if chance.random() < 0.03 else ""
            archive.writestr(name or f"runs/{number}.npz", run)
        if chance.random() < 0.3:
            archive.writestr("graph.npz", chance.randbytes(99))
    found = file.getvalue()
    return broken(found, chance) if chance.random() < 0.15 else found


def used_workspace(content: bytes, folder: Path) -> None:
    """Read a workspace; look where its graph may be; write its table again."""
    from gpu.record.workspace import load_workspace, recognised, table_of

    path = folder / "a.scope"
    path.write_bytes(content)
    recognised(path)
    found = load_workspace(path)
    if found.graph is not None:
        found.graph.looked(folder)
        found.graph.outside(folder)
    json.dumps(table_of(found))


def drawn_lesson(chance: random.Random) -> tuple[bytes, bytes]:
    """Return the TOML and the Markdown of one of our lessons, one of them with faults."""
    from gpu.lessons.read import find_lessons

    path = chance.choice(find_lessons("/nowhere"))
    toml, text = path.read_bytes(), path.with_suffix(".md").read_bytes()
    if chance.random() < 0.5:
        return broken(toml, chance), text
    for _ in range(chance.choice((1, 2, 4))):
        at = chance.randrange(len(text) + 1)
        text = text[:at] + b"\n\n" + chance.choice(MARKDOWN).encode() + text[at:]
    return toml, text


def used_lesson(content: tuple[bytes, bytes], folder: Path) -> None:
    """Read a lesson; make HTML of its words."""
    from gpu.lessons.markdown import inline, to_html
    from gpu.lessons.read import find_lessons, read_lesson

    names = [path.stem for path in find_lessons("/nowhere")]
    toml, text = content
    (folder / "a.toml").write_bytes(toml)
    for name in ("a", *names):
        (folder / f"{name}.md").write_bytes(text)
    lesson = read_lesson(folder / "a.toml")
    for step in lesson.steps:
        assert "<script" not in to_html(step.text)
        inline(step.title)


@cache
def files_of(key: str | None) -> list[bytes]:
    """Return the valid files that a reader reads; None: all."""
    from gpu.formats import load_graph

    with tempfile.NamedTemporaryFile() as file:
        path = Path(file.name)

        def format_of(content: bytes) -> str:
            path.write_bytes(content)
            return load_graph(path).provenance.format

        return [content for content in seeds().values() if key in {None, format_of(content)}]


def graph_kind(key: str | None) -> Kind:
    """Return the kind of damaged graph files; `key` names the one reader that reads them."""

    def drawn(chance: random.Random) -> bytes:
        return mutated(files_of(key), chance)

    def used(content: bytes, folder: Path) -> None:
        from gpu.formats import load_graph

        path = folder / "a"
        path.write_bytes(content)
        how = ("file", "absolute", "unit")[len(content) % 3]
        load_graph(path, weights=how, format=key).checked()

    return drawn, used


ALL: dict[str, Kind] = {
    "trace": (drawn_trace, used_trace),
    "workspace": (drawn_workspace, used_workspace),
    "lesson": (drawn_lesson, used_lesson),
    "graph": graph_kind(None),
}
READER_KINDS = {key: graph_kind(key) for key in READERS}  # only if they are named


def _give_up(_signal: int, _frame: object) -> None:
    raise TooSlowError


@contextmanager
def patience() -> Iterator[None]:
    """Raise TooSlowError after PATIENCE_S of processor time."""
    before = signal.signal(signal.SIGVTALRM, _give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def tried(used: Callable[[Any, Path], None], content: Any, folder: Path) -> bool:
    """Return whether a file was read; AssertionError where it was neither read nor refused."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        with patience():
            used(content, folder)
    except GpuError as error:
        if "\n" in str(error):
            raise AssertionError(str(error)) from error
        return False
    finally:
        grown_mb = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        assert grown_mb < MEMORY_MB, f"{grown_mb:.0f} MB"
    return True


def campaign(
    name: str, seed: int, folder: Path, *, files: int = sys.maxsize, seconds: float = 1e9
) -> tuple[int, int, dict[str, str]]:
    """Draw and use files of a kind.

    Returns how many, how many of them were read, and the faults: where, and what with.
    """
    warnings.simplefilter("error", RuntimeWarning)  # of NumPy: a number went wrong unseen
    (drawn, used), chance = (ALL | READER_KINDS)[name], random.Random(f"{seed} {name}")
    done, read, until = 0, 0, time.monotonic() + seconds
    faults: dict[str, str] = {}
    while done < files and time.monotonic() < until:
        content = drawn(chance)
        try:
            read += tried(used, content, folder)
        except (Exception, TooSlowError) as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{type(error).__name__} in {last.filename}:{last.lineno}"
            words = f"{name} {done} of seed {seed}: {where}: {error!s:.300}\n{content!r:.3000}"
            faults.setdefault(where, words)
        done += 1
    return done, read, faults


def main(argv: list[str]) -> int:
    """Try all kinds for an equal time each; return how many faults there are."""
    seconds, seed = float(argv[0]), int(argv[1]) if len(argv) > 1 else SEED
    kinds, faults = argv[2:] or list(ALL), dict[str, str]()
    for name in kinds:
        with tempfile.TemporaryDirectory() as folder:
            share = seconds / len(kinds)
            done, read, found = campaign(name, seed, Path(folder), seconds=share)
        faults |= found
        print(
            f"{name}: {done:,} files, {read:,} read, seed {seed}, {len(found)} faults", flush=True
        )
        for words in found.values():
            print(words, flush=True)
    return len(faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
