"""A policy: a scheduler of one's own, a function in a small part of Python that steers delta.

    def decide(c, processing, waiting, produced, produced_far, produced_tail, switched):
        if processing < c.low_processing:
            c.delta = 2 * c.delta

It takes the place of `gpu.delta.decide`. It is asked at the end of each window of WINDOW_SWEEPS
sweeps of the manager, and may set `c.delta`, `c.open_heads` and its memory, `c.m1` to `c.m8`, which
is 0 at first. It reads those, the fields GIVEN, and the readings of the window:

processing : vertices handed out and not finished, mean
waiting : vertices in the open heads that nobody has yet, mean
produced : new items; produced_far : of those, the most in any one bucket more than FAR_BUCKETS past
    the head; produced_tail : of those, in the last bucket
switched : sweeps in which the head moved on

The subset: numbers, + - * /, comparisons, and, or, not, if, min(a, b), max(a, b), assignments, a
bare return, and above the function constants such as `GAIN = 0.3`. All numbers are float64. A
variable that was not set is 0. There are no loops, so no policy is endless.

Both engines run the same expressions: `translated` writes them as checked Python
(`gpu.model.policy`) and as C++ (`cuda/kernels/policy.cuh`). What a policy sets that cannot be ends
the run; `c.line` is the line of it.

A policy that came with a saved run is text and is never run: `own` is set by `own_policy` alone,
for what a person named on the command line or wrote in the window.
"""

from __future__ import annotations

import ast
import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, NoReturn

from msgspec import Meta

from gpu.errors import GpuError, ParameterError
from gpu.files import read_regular
from gpu.words import in_sight

MOST_BYTES = 1 << 16
MEMORY = ("c.m1", "c.m2", "c.m3", "c.m4", "c.m5", "c.m6", "c.m7", "c.m8")
MAY_SET = ("c.delta", "c.open_heads", *MEMORY)
OWN = (*MAY_SET, "c.unit", "c.windows")  # mean weight / mean degree; windows that have ended before
GIVEN = (  # of gpu.delta.CONTROLLER
    *("c.min_open", "c.max_open", "c.floor", "c.ceiling", "c.clip_ceiling", "c.clip_far_share"),
    *("c.low_processing", "c.low_total", "c.high_processing", "c.high_total"),
)
READINGS = ("processing", "waiting", "produced", "produced_far", "produced_tail", "switched")
HEAD = f"def decide(c, {', '.join(READINGS)}):"
CHANGED = 9  # gpu.record.trace.Reason.POLICY
BAD_DELTA, BAD_HEADS = 5, 6  # set, and cannot be; as in the kernel's Status
ALLOWED = "this is not allowed in a policy; allowed: + - * /, if, min, max, x = ...; no loops"
SIGNS: dict[type, str] = {
    **{ast.Add: "+", ast.Sub: "-", ast.UAdd: "+", ast.USub: "-"},
    **{ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="},
    **{ast.And: " and ", ast.Or: " or "},  # C++ has these words too
}
CALLS: dict[type, str] = {ast.Mult: "times", ast.Div: "over"}  # else Python and C++ differ


class PolicyError(GpuError):
    """A policy that cannot be translated, or that set what cannot be; `line` where known."""

    code = "policy"

    @classmethod
    def at(cls, name: str, line: int, words: str) -> PolicyError:
        """Return the error about a line of a policy; 0 for none."""
        error = cls(f"{name}, line {line}: {words}" if line else f"{name}: {words}")
        error.path, error.line = name, line or None
        return error


@dataclass(frozen=True)
class Policy:
    """A policy's text; `name`: of its file, without folder; `own`: see above."""

    name: str
    source: Annotated[str, Meta(max_length=MOST_BYTES)]
    own: bool = field(default=False, init=False, compare=False)

    def __post_init__(self) -> None:
        """Make the name one line; a file cannot say that it is own."""
        object.__setattr__(self, "name", in_sight(self.name))
        object.__setattr__(self, "own", False)

    @property
    def digest(self) -> str:
        """What tells this text from others."""
        return hashlib.sha256(self.source.encode()).hexdigest()[:16]


def own_policy(name: str, source: str) -> Policy:
    """Return a policy that a person wrote or named."""
    policy = Policy(name, source)
    object.__setattr__(policy, "own", True)
    return policy


def load_policy(path: str | Path) -> Policy:
    """Read a policy that a person named. GpuError."""
    try:
        return own_policy(Path(path).name, read_regular(path, MOST_BYTES).decode("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise GpuError(f"{path}: {getattr(error, 'strerror', 'no text in UTF-8')}") from error


def check_runs(policy: Policy, algorithm: str, dynamic: bool) -> None:
    """Refuse a policy that cannot be run so. ParameterError; PolicyError."""
    if not policy.own:
        raise ParameterError(
            f"{policy.name} came with a saved run: its policy is shown and not run; "
            "name the file yourself, as in run --policy mine.py"
        )
    if not dynamic:
        raise ParameterError(f"{algorithm} has no controller to replace by a policy; adds has one")
    translated(policy)


def fault(policy: Policy, kind: int, value: float, line: int, max_open: int) -> PolicyError:
    """Return the error of a run whose policy set what cannot be."""
    words = f"Δ = {value:g}; allowed: a finite number above 0"
    if kind == BAD_HEADS:
        words = f"open_heads = {value:g}; allowed: a whole number from 1 to {max_open}"
    return PolicyError.at(policy.name, line, f"{words}. The run ended there")


def translated(policy: Policy) -> tuple[str, str]:
    """Check a policy; return it as Python and as C++. PolicyError with the line."""
    try:
        return _Translator(policy.name).module(ast.parse(policy.source))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        words = getattr(error, "msg", "it nests too deeply, or holds a null byte")
        raise PolicyError.at(policy.name, getattr(error, "lineno", None) or 0, words) from error


class _Translator:
    """Checks a policy and writes it in both languages; an expression is the same text in both."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._python: list[str] = []
        self._cuda: list[str] = []
        self._names = set(READINGS)

    def _refuse(self, node: ast.AST | None, words: str = ALLOWED) -> NoReturn:
        raise PolicyError.at(self._name, getattr(node, "lineno", 0), words)

    def module(self, tree: ast.Module) -> tuple[str, str]:
        """Translate constants and the one function."""
        above = [node for node in tree.body if not _is_text(node)]
        function = above.pop() if above else None
        given = ast.unparse(function.args) if isinstance(function, ast.FunctionDef) else ""
        if not isinstance(function, ast.FunctionDef) or f"def {function.name}({given}):" != HEAD:
            self._refuse(function, f"a policy ends with one function, which begins {HEAD[:-1]}")
        for node in above:
            if not isinstance(node, ast.Assign):
                self._refuse(node, "above the function stand constants alone, as in GAIN = 0.3")
        named = [part for part in ast.walk(tree) if isinstance(part, ast.Name)]
        names = {part.id for part in named if isinstance(part.ctx, ast.Store)}
        if wrong := [name for name in names if name == "c" or not name.isascii()]:
            self._refuse(function, f"{wrong[0]} cannot be set; names are of the letters a to z")
        self._names |= names
        self._block([*above, *function.body], " ")
        start = [f"v_{name} = 0.0" for name in sorted(names.difference(READINGS))]
        takes = [f"v_{name}" for name in READINGS]
        python = [f"def rule(c, k, {', '.join(takes)}):\n", *(f" {one}\n" for one in start)]
        cuda = [f"TWIN void rule(Seen &c, Controller &k, double {', double '.join(takes)}) {{\n"]
        cuda += [f"double {one};\n" for one in start]
        return "".join([*python, *self._python]), "".join([*cuda, *self._cuda, "}\n"])

    def _block(self, nodes: list[ast.stmt], indent: str) -> None:
        self._python.append(f"{indent}pass\n")
        for node in nodes:
            if not _is_text(node):
                self._statement(node, indent)

    def _write(self, indent: str, *statements: str) -> None:
        self._python += [f"{indent}{text}\n" for text in statements]
        self._cuda += [f"{text};\n" for text in statements]

    def _statement(self, node: ast.stmt, indent: str) -> None:
        if isinstance(node, ast.If):
            test = self._condition(node.test)
            self._python.append(f"{indent}if {test}:\n")
            self._cuda.append(f"if ({test}) {{\n")
            self._block(node.body, indent + " ")
            self._python.append(f"{indent}else:\n")
            self._cuda.append("} else {\n")
            self._block(node.orelse, indent + " ")
            self._cuda.append("}\n")
        elif isinstance(node, ast.Return) and node.value is None:
            self._write(indent, "return")
        elif isinstance(node, ast.AugAssign):
            value = ast.BinOp(node.target, node.op, node.value)
            self._assign(node.target, self._number(ast.copy_location(value, node)), indent)
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            self._assign(node.targets[0], self._number(node.value), indent)
        elif not isinstance(node, ast.Pass):
            self._refuse(node)

    def _assign(self, target: ast.expr, value: str, indent: str) -> None:
        words = ast.unparse(target)
        if isinstance(target, ast.Name):
            self._write(indent, f"v_{words} = {value}")
            return
        if words not in MAY_SET:
            self._refuse(target, f"{words} cannot be set; {', '.join(MAY_SET)} can")
        self._write(indent, f"{words} = {value}")
        if words not in MEMORY:
            self._write(indent, f"c.line = {target.lineno}.0")

    def _number(self, node: ast.expr) -> str:
        """Return an expression that is a number."""
        kind = type(getattr(node, "op", None))
        words = ast.unparse(node)
        if isinstance(node, ast.Constant):
            value: Any = node.value
            if type(value) not in {int, float} or not abs(value) < 1e300:
                self._refuse(node, f"{words} is no number that a policy can have")
            return repr(float(value))
        if isinstance(node, ast.Name):
            if node.id not in self._names:
                self._refuse(node, f"{words} has no value")
            return f"v_{words}"
        if isinstance(node, ast.Attribute):
            if words in GIVEN:
                return f"real({words.replace('c.', 'k.')})"
            if words not in OWN:
                self._refuse(node, f"{words} is not known; known: {', '.join(OWN + GIVEN)}")
            return words
        if isinstance(node, ast.BinOp) and kind in SIGNS:
            return f"({self._number(node.left)} {SIGNS[kind]} {self._number(node.right)})"
        if isinstance(node, ast.BinOp) and kind in CALLS:
            return f"{CALLS[kind]}({self._number(node.left)}, {self._number(node.right)})"
        if isinstance(node, ast.UnaryOp) and kind in SIGNS:
            return f"({SIGNS[kind]}{self._number(node.operand)})"
        if isinstance(node, ast.Call):
            name = {"min": "smaller", "max": "larger"}.get(ast.unparse(node.func))
            if name is None or node.keywords or len(node.args) != 2:
                self._refuse(node, f"{words} is not known; min(a, b) and max(a, b) are")
            return f"{name}({', '.join(map(self._number, node.args))})"
        return self._refuse(node)

    def _condition(self, node: ast.expr) -> str:
        """Return an expression that is a condition."""
        if isinstance(node, ast.Compare) and all(type(sign) in SIGNS for sign in node.ops):
            parts = list(map(self._number, (node.left, *node.comparators)))
            pairs = zip(parts, node.ops, parts[1:], strict=False)
            return f"({' and '.join(f'{a} {SIGNS[type(sign)]} {b}' for a, sign, b in pairs)})"
        if isinstance(node, ast.BoolOp):
            return f"({SIGNS[type(node.op)].join(map(self._condition, node.values))})"
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return f"(not {self._condition(node.operand)})"
        return self._refuse(node, "a condition compares numbers, as in waiting < c.low_total")


def _is_text(node: ast.stmt) -> bool:
    """Whether a statement is a docstring."""
    return isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str)
