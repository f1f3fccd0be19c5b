"""The row of an algorithm: its names, parameters and engines.

The run panel, the command line and the tests are built from rows alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal

from gpu.errors import EngineError, ParameterError
from gpu.words import did_you_mean

Kind = Literal["int", "float", "bool"]


@dataclass(frozen=True)
class Parameter:
    """One parameter: bounds are inclusive; `default` None means the engine chooses."""

    key: str
    title: str
    kind: Kind
    default: int | float | bool | None
    help: str
    low: float = 0
    high: float = 2**31 - 1
    unit: str = ""
    engines: tuple[str, ...] = ()  # that use it, empty for all
    automatic: str = "auto"  # shown in a field where the value is None
    rare: bool = False  # shown apart from the others in a form
    taken: Callable[[Any, int, int], int] | None = None  # of a value, n and m: what is used

    def concerns(self, engine: str) -> bool:
        """Whether that engine uses the parameter."""
        return not self.engines or engine in self.engines

    def checked(self, value: Any) -> int | float | bool | None:
        """Return `value` in this parameter's type, or raise ParameterError."""
        if value is None:
            return self.default
        if self.kind == "bool":
            if isinstance(value, bool) or value in (0, 1):
                return bool(value)
            raise ParameterError(f"{self.key} = {value!r}; allowed: true or false")
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = float("nan")
        whole = self.kind == "float" or number.is_integer()
        if not whole or not self.low <= number <= self.high:
            sort = "a whole number" if self.kind == "int" else "a number"
            raise ParameterError(
                f"{self.key} = {value!r}; allowed: {sort} from {self.low:g} to {self.high:g}"
            )
        return int(number) if self.kind == "int" else number


@dataclass(frozen=True)
class Algorithm:
    """The row of an algorithm."""

    key: str
    title: str
    summary: str
    engines: Mapping[str, str]  # name -> "module:function", imported when it runs
    parameters: tuple[Parameter, ...] = ()
    occupancy: tuple[str, ...] = ()  # names of the first slots; empty: ring buckets, head first
    lists: tuple[str, ...] = ()  # what bucket 0, 1, ... is called in a sentence; empty: "bucket N"
    parallelism: Literal["assigned", "available"] = "available"  # at a superstep: available
    barriers: bool = True  # whether supersteps end in one
    bucketed: bool = True  # whether it uses delta
    dynamic: bool = False  # whether it changes delta itself while it runs
    source: str = ""  # a paper and its section, or somebody's code
    fixed: Mapping[str, Any] = field(default_factory=dict)  # of an ablation
    still: Mapping[str, Any] = field(default_factory=dict)  # what keeps its delta fixed
    result: Literal["row", "matrix"] = "row"  # distances from one source, or from every source
    needs: Mapping[str, str] = field(default_factory=dict)  # modules -> the line that installs them

    @property
    def in_supersteps(self) -> bool:
        """Whether it works in supersteps, each ended by a barrier."""
        return self.parallelism == "available" and self.barriers

    def checked_parameters(self, chosen: Mapping[str, Any]) -> dict[str, Any]:
        """Return every parameter by key, defaults filled in; ParameterError on a wrong one."""
        knobs = {parameter.key: parameter for parameter in self.parameters}
        for key, value in chosen.items():
            if key in self.fixed and value == self.fixed[key]:
                continue
            if key not in knobs:
                allowed = ", ".join(knobs) or "none"
                near = did_you_mean(key, knobs)
                raise ParameterError(
                    f"{self.key} has no parameter {key!r}{near}; it has: {allowed}"
                )
        open_to_all = {key: knob.checked(chosen.get(key)) for key, knob in knobs.items()}
        return {**open_to_all, **self.fixed}

    def problem(self, engine: str) -> str | None:
        """Return why it does not run on that engine, None if no reason is known.

        Modules are looked for without importing them, a GPU only when it runs.
        """
        if engine not in self.engines:
            return f"{self.key} has no engine {engine!r}; it runs on: {', '.join(self.engines)}"
        for module, install in self.needs.items():
            if not _is_installed(module):
                return f"{self.title} needs {module}, which is not installed: {install}"
        return None

    def check_engine(self, name: str) -> None:
        """Raise ParameterError for an unknown engine, EngineError where a module is missing."""
        problem = self.problem(name)
        if problem is not None:
            raise (EngineError if name in self.engines else ParameterError)(problem)

    def engine(self, name: str) -> Any:
        """Import and return the engine function (signature in `gpu.engine`)."""
        self.check_engine(name)
        module, function = self.engines[name].split(":")
        return getattr(import_module(module), function)


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):  # a parent is missing, or a stand-in without a spec
        return False
