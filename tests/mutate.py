"""Put faults into the program, one at a time, and see which of them its tests notice.

    python tests/mutate.py [--rooms scheduler,delta] [--count 300] [--seed 1] [--json OUT]
    python tests/mutate.py --again OUT          what survived then, with the tests of now

A mutant is the program with one small fault: `<` for `<=`, a constant one more, an argument
swapped, a statement left out. It is *killed* when a test of its room fails, when it hangs
past its time, or when it cannot even be imported; else it *survived*, and is printed with
its place, what stood there and what stands there now. A survivor is a test that is missing,
or a fault that changes nothing anybody can see: then it belongs into
`tests/mutants_explained.toml` with the reason. Constants that only say how much is done at a time,
or about how much memory is needed, are listed there as amounts and are not changed.

Everything happens in a copy under a temporary folder, never in the checkout. The copy runs
its rooms' tests once unchanged, which must pass, fills the caches and gives each room its
time limit. Compiled code is cached beside the copy; each mutant gets that cache as links of
its own, so that what it compiles is gone with it. Faults are spread evenly over rooms, and
inside a room over functions. The same seed gives the same faults.

Python is changed at the places that `ast` names.
"""

import argparse
import ast
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parents[1]
EXPLAINED = Path(__file__).with_name("mutants_explained.toml")
AMOUNTS = {  # "file: NAME" of constants that no result depends on
    name
    for group in tomllib.loads(EXPLAINED.read_text(encoding="utf-8"))["amounts"]
    for name in group["names"]
}
LEAST_TIME_S = 180.0  # a mutant's time limit is at least this
TIMES_SLOWER = 6.0  # and so many times what the room takes unchanged, once it is compiled


@dataclass(frozen=True)
class Room:
    """Where faults go (patterns under the checkout) and which tests should notice.

    tests : arguments of pytest; the quickest that should notice first
    weight : its share of the faults; compiled loops take long, so theirs is smaller
    """

    sources: tuple[str, ...]
    tests: tuple[str, ...]
    weight: int = 2


CALLS, COMMANDS = "tests/kept/test_calls.py", "tests/cli/test_cli_kept.py"
MODEL_CALLS = " and (model or not kept)"  # of CALLS those that run a model
LOOPS = ("adds", "near_far", "bellman_ford", "delta_stepping", "dijkstra", "apsp")


def _loops(*names: str, run_by: tuple[str, ...]) -> Room:
    """Return the room of some of the model's loops; tests of other algorithms are left out."""
    sources = tuple(f"gpu/{name}.py" for name in names)
    tests = ("tests/model/test_modelled_runs.py", "tests/model/test_model.py")
    k = " and ".join(f"not {name}" for name in LOOPS if name not in run_by) + MODEL_CALLS
    events = ("tests/replay/test_sentences.py", "tests/replay/test_replay_states.py")
    return Room(
        sources, (*tests, *events, CALLS, "tests/record/test_disorder.py", "-k", k), weight=1
    )


ROOMS = {
    "scheduler": Room(("gpu/scheduler.py",), ("tests/core/test_vectors.py",)),
    "delta": Room(("gpu/delta.py",), ("tests/core/test_delta.py", "tests/core/test_vectors.py")),
    "graph": Room(
        ("gpu/graph.py", "gpu/numbers.py", "gpu/networks.py", "gpu/files.py", "gpu/words.py"),
        ("tests/core", CALLS, "tests/formats", COMMANDS, "-k", "not cpu and not fuzz"),
        weight=1,
    ),
    "verify": Room(
        ("gpu/proof/*.py",), ("tests/proof", "tests/cli/test_cli_distances.py", CALLS, COMMANDS)
    ),
    "replay": Room(("gpu/replay/*.py",), ("tests/replay", CALLS)),
    "raster": Room(("viewer/raster/*.py",), ("tests/raster", "tests/features/matrix")),
    "readers": Room(("gpu/formats/*.py",), ("tests/formats", CALLS, "-k", "formats or not kept")),
    "record": Room(("gpu/record/*.py",), ("tests/record", CALLS, COMMANDS)),
    "compare": Room(("gpu/study/compare*.py",), ("tests/study/test_compare.py", CALLS, COMMANDS)),
    "study": Room(  # not the cluster: its tests start a scheduler and workers
        ("gpu/study/[!ce]*.py",),
        ("tests/study", CALLS, COMMANDS, "-k", "not elsewhere and not orphans and not compare"),
        weight=1,
    ),
    "page": Room(("gpu/page/*.py",), ("tests/page/test_page.py", "tests/page", CALLS), weight=1),
    "placement": Room(("gpu/placement/*.py",), ("tests/placement", CALLS), weight=1),
    "samples": Room(("sample_graphs/*.py",), ("tests/samples", CALLS), weight=1),
    "command line": Room(
        ("gpu/cli/*.py",),
        ("tests/cli", "tests/lab/test_lab_fetch.py", CALLS, "-k", "not ssh and (cli or not kept)"),
        weight=1,
    ),
    "engine process": Room(
        ("gpu/host/*.py",),
        ("tests/host", CALLS, "-k", "not leak and (host or not kept)"),
        weight=1,
    ),
    "playback": Room(
        ("viewer/models/playback.py",),
        ("tests/models", "tests/plots/test_time_travel.py", "tests/features/measure"),
    ),
    "lessons": Room(
        ("gpu/lessons/*.py",), ("tests/lessons", "tests/schema", CALLS, "-k", "not pictures")
    ),
    "cpu": Room(("gpu/cpu/*.py",), ("tests/cpu", CALLS, "-k", "cpu or not kept"), weight=1),
    "model adds": _loops("model/adds*", "model/machine", run_by=("adds",)),
    "model steps": _loops(
        *("model/near_far*", "model/superstep"), run_by=("near_far", "bellman_ford")
    ),
    "model delta": _loops("model/delta_stepping*", run_by=("delta_stepping",)),
    "model heap": _loops(
        "model/dijkstra*", "model/modelled_run", "loops/*", run_by=("dijkstra", "near_far")
    ),
    "model matrix": _loops("model/apsp*", run_by=("apsp",)),
}


@dataclass(frozen=True)
class Mutant:
    """One fault: the bytes [begin, end) of a file become `after`.

    place : function (with its class) that it is in, "" outside; line : 1-based
    """

    file: str
    line: int
    place: str
    begin: int
    end: int
    before: str
    after: str

    @property
    def words(self) -> str:
        """Where it is and what it changes, one line."""
        return f"{self.file}:{self.line}  {_one_line(self.before)}  ->  {_one_line(self.after)}"

    def applied(self, text: bytes) -> bytes:
        """Return the file's bytes with the fault in."""
        return text[: self.begin] + self.after.encode() + text[self.end :]


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant: "killed", "survived" or "explained", and by what."""

    room: str
    mutant: Mutant
    outcome: str
    why: str
    seconds: float


def _one_line(text: str) -> str:
    return " ".join(text.split())


OPERATORS: dict[type[ast.AST], tuple[str, ...]] = {  # how it is written, and what replaces it
    ast.Lt: ("<", "<=", ">"),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">=", "<"),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "+"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "//"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
    ast.BitXor: ("^", "&"),
}
NAMES = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum"}
NAMES |= {"any": "all", "all": "any", "floor": "ceil", "ceil": "floor"}
EITHER_WAY = {*NAMES, "suppress", "state_dtype", "step_dtype", "isclose", "array_equal"}
# functions whose arguments may change places
NAMES |= {"argmin": "argmax", "argmax": "argmin", "left": "right", "right": "left"}


class PythonFaults(ast.NodeVisitor):
    """Collect the faults that can be put into one Python file."""

    def __init__(self, file: str, text: str) -> None:
        self.file, self.text = file, text.encode()
        self.found: list[Mutant] = []
        self._lines = [0]
        for line in self.text.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))
        self._places: list[str] = []
        self.visit(ast.parse(text))

    def _at(self, node: Any) -> tuple[int, int]:
        """Return the bytes [begin, end) of a node; columns of `ast` are bytes already."""
        begin = self._lines[node.lineno - 1] + node.col_offset
        return begin, self._lines[node.end_lineno - 1] + node.end_col_offset

    def _source(self, node: ast.AST) -> str:
        begin, end = self._at(node)
        return self.text[begin:end].decode()

    def _add(self, begin: int, end: int, after: str) -> None:
        line = self.text.count(b"\n", 0, begin) + 1
        before = self.text[begin:end].decode()
        place = ".".join(self._places)
        self.found.append(Mutant(self.file, line, place, begin, end, before, after))

    def _between(self, left: ast.AST, right: ast.AST, sign: str, after: str) -> None:
        """Change the operator `sign` that stands between two operands."""
        begin, end = self._at(left)[1], self._at(right)[0]
        pattern = r"\s+".join(re.escape(word) for word in sign.split())
        if found := re.search(pattern.encode(), self.text[begin:end]):
            self._add(begin + found.start(), begin + found.end(), after)

    def _inside(self, node: Any) -> None:
        self._places.append(node.name)
        for part in node.body:
            self.visit(part)
        arguments = getattr(node, "args", None)
        for default in [*arguments.defaults, *arguments.kw_defaults] if arguments else []:
            if default is not None:
                self.visit(default)
        self._places.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """A place of its own."""
        self._inside(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """A place of its own."""
        self._inside(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Types are no code: only the value is entered."""
        if node.value is not None:
            self.visit(node.value)

    def visit_Raise(self, node: ast.Raise) -> None:
        """Errors: left out as a whole; what they say is no fault of logic."""
        self._add(*self._at(node), "pass")

    def _nothing(self, node: ast.AST) -> None:
        """Left out: imports, text put together, asserts for the type checker."""

    visit_Import = visit_ImportFrom = visit_Assert = visit_JoinedStr = _nothing  # noqa: N815

    def visit_keyword(self, node: ast.keyword) -> None:
        """`strict=` of a zip is an assert: left out."""
        if node.arg != "strict":
            self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        """`<` for `<=` and the like."""
        left = node.left
        for operator, right in zip(node.ops, node.comparators, strict=True):
            sign, *others = OPERATORS[type(operator)]
            for after in others:
                self._between(left, right, sign, after)
            left = right
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        """`-` for `+` and the like; not where text is put together."""
        strings = any(_is_text(side) for side in (node.left, node.right))
        if type(node.op) in OPERATORS and not strings:
            self._between(node.left, node.right, *OPERATORS[type(node.op)])
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        """`or` for `and`, one place at a time."""
        sign, after = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in zip(node.values, node.values[1:], strict=False):
            self._between(left, right, sign, after)
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        """`not x` and `-x` become `x`."""
        if isinstance(node.op, ast.Not | ast.USub):
            self._add(*self._at(node), self._source(node.operand))
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        """Numbers are one more or one less, or 9 % more; true is false."""
        value = node.value
        if isinstance(value, bool):
            self._add(*self._at(node), str(not value))
        elif isinstance(value, int):
            self._add(*self._at(node), str(value + 1))
            if value > 0:
                self._add(*self._at(node), str(value - 1))
        elif isinstance(value, float):
            self._add(*self._at(node), repr(value * 1.09 if value else 1.0))
        elif value in ("left", "right"):
            self._add(*self._at(node), repr(NAMES[value]))

    def visit_Call(self, node: ast.Call) -> None:
        """First two arguments swapped; min for max."""
        either = self._source(node.func).split(".")[-1] in EITHER_WAY
        starred = any(isinstance(argument, ast.Starred) for argument in node.args[:2])
        if len(node.args) >= 2 and not starred and not either:
            first, second = node.args[:2]
            if (said := self._source(first)) != (other := self._source(second)):
                between = self.text[self._at(first)[1] : self._at(second)[0]].decode()
                self._add(self._at(first)[0], self._at(second)[1], f"{other}{between}{said}")
        name = node.func
        if isinstance(name, ast.Name) and name.id in NAMES:
            self._add(*self._at(name), NAMES[name.id])
        if isinstance(name, ast.Attribute) and name.attr in NAMES:
            end = self._at(name)[1]
            self._add(end - len(name.attr), end, NAMES[name.attr])
        self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        """The other branch."""
        if "TYPE_CHECKING" not in self._source(node.test):
            self._add(*self._at(node.test), f"not ({self._source(node.test)})")
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        """The other branch."""
        self._add(*self._at(node.test), f"(not ({self._source(node.test)}))")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        """Left out, or with another operator."""
        self._add(*self._at(node), "pass")
        if type(node.op) in OPERATORS:
            sign, after = OPERATORS[type(node.op)]
            self._between(node.target, node.value, f"{sign}=", f"{after}=")
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        """Left out where it changes what is already there: a field or an entry."""
        if all(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets):
            self._add(*self._at(node), "pass")
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        """A call is left out; a docstring is none."""
        if isinstance(node.value, ast.Call):
            self._add(*self._at(node), "pass")
        if not isinstance(node.value, ast.Constant):
            self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> None:
        """A function that goes on where it should have returned; a loop that does not end."""
        self._add(*self._at(node), "pass")
        self.generic_visit(node)

    visit_Break = visit_Continue = visit_Return  # noqa: N815


def _is_text(node: ast.AST) -> bool:
    constant = isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    return constant or isinstance(node, ast.JoinedStr)


def room_faults(room: Room, checkout: Path) -> list[Mutant]:
    """Return every fault of a room but those of amounts."""
    paths = sorted({path for pattern in room.sources for path in checkout.glob(pattern)})
    found = []
    for path in paths:
        file, text = path.relative_to(checkout).as_posix(), path.read_text(encoding="utf-8")
        lines = [line.partition(" = ")[0] for line in text.splitlines()]
        known = [{f"{file}: {name}" for name in line.split(", ")} <= AMOUNTS for line in lines]
        faults = PythonFaults(file, text).found
        found += [fault for fault in faults if fault.place or not known[fault.line - 1]]
    return found


def spread(mutants: list[Mutant], count: int, rng: random.Random) -> list[Mutant]:
    """Return `count` of them, as evenly over functions as can be."""
    groups: dict[tuple[str, str], list[Mutant]] = {}
    for mutant in mutants:
        groups.setdefault((mutant.file, mutant.place), []).append(mutant)
    queues = list(groups.values())
    rng.shuffle(queues)
    for queue in queues:
        rng.shuffle(queue)
    taken: list[Mutant] = []
    while len(taken) < count and any(queues):
        for queue in queues:
            if queue and len(taken) < count:
                taken.append(queue.pop())
    return taken


def chosen(
    rooms: dict[str, Room], checkout: Path, count: int, seed: int
) -> dict[str, list[Mutant]]:
    """Return the faults of a campaign, room by room; rooms share `count` by their weights."""
    left, weights, picked = count, sum(room.weight for room in rooms.values()), {}
    for name, room in rooms.items():
        share = -(-left * room.weight // weights)
        rng = random.Random(f"{seed} {name}")
        picked[name] = spread(room_faults(room, checkout), share, rng)
        left, weights = left - len(picked[name]), weights - room.weight
    return picked


def survivors(path: Path, rooms: dict[str, Room], checkout: Path) -> dict[str, list[Mutant]]:
    """Return what survived an earlier campaign, room by room, where the file is as it was."""
    picked: dict[str, list[Mutant]] = {}
    for row in json.loads(path.read_text(encoding="utf-8")):
        mutant = Mutant(**row["mutant"])
        text = (checkout / mutant.file).read_bytes()[mutant.begin : mutant.end]
        wanted = row["outcome"] == "survived" and row["room"] in rooms
        if wanted and text == mutant.before.encode():
            picked.setdefault(row["room"], []).append(mutant)
    return picked


def explained(mutant: Mutant, line: str, known: list[dict[str, str]]) -> str:
    """Return why a mutant that survived is none, "" where nobody said; `line` : its source."""
    for row in known:
        same = row["file"] == mutant.file and row["line"].strip() == line.strip()
        if same and (row["before"], row["after"]) == (mutant.before, mutant.after):
            return row["reason"]
    return ""


class RoomError(Exception):
    """The tests of a room fail without any fault, so nothing can be said of it."""


class Bench:
    """A copy of the checkout in which faults are put, tried and taken out again."""

    def __init__(self, checkout: Path, folder: Path) -> None:
        self.tree, self.cache = folder / "tree", folder / "cache"
        self._mutants = folder / "mutant_cache"
        names = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard"],
            cwd=checkout,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        for name in names:
            if (checkout / name).is_file():
                (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(checkout / name, self.tree / name)
        self.limit_s: dict[str, float] = {}

    def _run(self, room: Room, cache: Path, limit_s: float, writes: bool) -> tuple[int | None, str]:
        """Run a room's tests; return pytest's code, None past the limit, and its last words."""
        temporary = self._mutants.with_name("temp")  # beside others that clean up theirs
        options = ["-x", "-q", "--no-header", "--tb=no", f"--basetemp={temporary}"]
        command = [sys.executable, "-m", "pytest", *options, *room.tests]
        hidden = {"PYTHONPATH": str(self.tree), "SSSP_SCOPE_CACHE": str(cache), "CI": "1"}
        hidden |= {"QT_QPA_PLATFORM": "offscreen", "NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        hidden |= {} if writes else {"PYTHONDONTWRITEBYTECODE": "1"}
        with subprocess.Popen(
            command,
            cwd=self.tree,
            env=os.environ | hidden,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as tests:
            try:
                said, _ = tests.communicate(timeout=limit_s)
            except subprocess.TimeoutExpired:
                os.killpg(tests.pid, signal.SIGKILL)
                tests.communicate()
                return None, f"no end after {limit_s:.0f} s"
        text = said.decode(errors="replace")
        lines = [line for line in text.splitlines() if line.startswith(("FAILED", "ERROR"))]
        return tests.returncode, lines[0] if lines else text.strip()[-300:]

    def warm_up(self, name: str, room: Room) -> float:
        """Run a room's tests unchanged; raise where they do not pass; return seconds.

        Twice: the first compiles, as a mutant of compiled code does again.
        """
        taken = []
        for _ in range(2):
            start = time.monotonic()
            code, said = self._run(room, self.cache, 3600.0, writes=True)
            if code != 0:
                raise RoomError(f"the tests of {name} do not pass unchanged: {said}")
            taken.append(time.monotonic() - start)
        self.limit_s[name] = max(LEAST_TIME_S, 2.0 * taken[0], TIMES_SLOWER * taken[1])
        return taken[1]

    def tried(self, name: str, room: Room, mutant: Mutant, known: list[dict[str, str]]) -> Verdict:
        """Put a fault in, run the room's tests, take it out."""
        path = self.tree / mutant.file
        text, state = path.read_bytes(), path.stat()
        line = text.splitlines()[mutant.line - 1].decode()
        start = time.monotonic()
        shutil.rmtree(self._mutants, ignore_errors=True)
        if self.cache.is_dir():
            shutil.copytree(self.cache, self._mutants, copy_function=os.link)
        try:
            path.write_bytes(mutant.applied(text))
            code, said = self._run(room, self._mutants, self.limit_s[name], writes=False)
        finally:
            path.write_bytes(text)
            os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
        outcome = "survived" if code == 0 else "killed"
        if code == 0 and (reason := explained(mutant, line, known)):
            outcome, said = "explained", reason
        return Verdict(name, mutant, outcome, said, time.monotonic() - start)


def campaign(
    picked: dict[str, list[Mutant]], rooms: dict[str, Room], checkout: Path
) -> Iterator[Verdict]:
    """Yield a verdict for each mutant, room by room."""
    listed = checkout / "tests" / EXPLAINED.name
    known = tomllib.loads(listed.read_text(encoding="utf-8"))["mutant"] if listed.is_file() else []
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        bench = Bench(checkout, Path(folder))
        for name, mutants in picked.items():
            try:
                bench.warm_up(name, rooms[name])
            except RoomError as error:
                print(f"mutate: {error}", flush=True)
                continue
            for mutant in mutants:
                yield bench.tried(name, rooms[name], mutant, known)


def table(verdicts: list[Verdict]) -> str:
    """Return killed, survived and explained, room by room, as a Markdown table."""
    lines = ["| room | faults | killed | explained | survived |", "|---|--:|--:|--:|--:|"]
    rooms = list(dict.fromkeys(verdict.room for verdict in verdicts))
    for name in [*rooms, "all"]:
        ours = [verdict.outcome for verdict in verdicts if name in (verdict.room, "all")]
        counts = [ours.count(outcome) for outcome in ("killed", "explained", "survived")]
        lines.append(f"| {name} | {len(ours)} | {counts[0]} | {counts[1]} | {counts[2]} |")
    return "\n".join(lines)


def main(argv: list[str] | None = None) -> int:
    """Return 0: all killed or explained, 2: one survived, 1: a room could not be tried."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rooms", default=",".join(ROOMS), help="of: %(default)s")
    parser.add_argument("--count", type=int, default=300, help="faults, over all rooms [300]")
    parser.add_argument("--seed", type=int, default=1, help="which of them [1]")
    parser.add_argument("--json", type=Path, help="write every verdict there")
    parser.add_argument("--again", type=Path, help="only what survived in such a JSON file")
    args = parser.parse_args(argv)
    rooms = {name: ROOMS[name] for name in args.rooms.split(",")}
    if args.again:
        picked = survivors(args.again, rooms, CHECKOUT)
    else:
        picked = chosen(rooms, CHECKOUT, args.count, args.seed)
    verdicts: list[Verdict] = []
    for verdict in campaign(picked, rooms, CHECKOUT):
        verdicts.append(verdict)
        told = f"{verdict.outcome:9}  {verdict.seconds:5.1f} s  {verdict.room:9}  "
        print(told + verdict.mutant.words, flush=True)
        if args.json:
            rows = [asdict(one) for one in verdicts]
            args.json.write_text(json.dumps(rows, indent=1, ensure_ascii=False), encoding="utf-8")
    print(f"\n{table(verdicts)}\n")
    survived = [verdict for verdict in verdicts if verdict.outcome == "survived"]
    for verdict in survived:
        print(f"survived  {verdict.room:9}  {verdict.mutant.words}")
    left_out = sum(len(mutants) for mutants in picked.values()) - len(verdicts)
    if left_out:
        print(f"not tried, because the tests of their room fail without any fault: {left_out}")
    return 1 if left_out else 2 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
