"""Results of many small cases, kept in `tests/kept/NAME.json`: a change that nobody meant shows.

    KEEP=1 python -m pytest tests -k kept

writes them again after a change that is meant: the difference of the files is then what to read.
A key of a file is a case, so a new case is a new key with null. The test of a file says what it
does with a key.
"""

import json
import os
import zlib
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).resolve().parents[1] / "kept"
LISTED = 40  # entries of an array that are kept one by one; of a longer one a sum
LONG = 48  # letters of a part that are kept; of a longer one the beginning and a CRC


def cases(name: str) -> dict[str, Any]:
    """Return case -> result."""
    known: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return known


def check(name: str, case: str, now: Any, near: float = 0.0, depth: int = 1) -> None:
    """Compare a case with its kept result; numbers may differ by `near`, or by their last digits.

    depth : of a result, to which its parts are kept; those below only if they are short

    Under KEEP=1 keep it instead.
    """
    known, result = cases(name), json.loads(json.dumps(plain(now)))
    if os.environ.get("KEEP"):
        known[case] = _brief(result, depth)
        lines = [f"{json.dumps(k, ensure_ascii=False)}: {_text(v)}" for k, v in known.items()]
        (FOLDER / f"{name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    else:
        changed = "\n".join(_differences(known[case], result, near, depth))
        assert not changed, f"tests/kept/{name}.json, {case}:\n{changed}\n{__doc__}"


def plain(value: Any) -> Any:
    """Return a result as JSON has it."""
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, np.ndarray) and value.dtype.names:
        return {key: plain(value[key]) for key in value.dtype.names}
    if isinstance(value, np.ndarray) and value.size > LISTED:
        return {"shape": value.shape, "type": value.dtype.str, "sum": total(value)}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, float):
        return float(f"{value:.7g}") if np.isfinite(value) else str(value)
    if isinstance(value, list | tuple | set):
        return [plain(part) for part in value]
    return value if value is None or isinstance(value, str | int) else str(value)


def columns(part: Any) -> list[np.ndarray]:
    """Return the arrays of a record, of a table, or of one array."""
    if isinstance(part, np.ndarray):
        return [part[name] for name in part.dtype.names] if part.dtype.names else [part]
    return [] if part is None else [value for value in vars(part).values() if value is not None]


def total(values: np.ndarray) -> float:
    """Return a number that tells the order as well; of what is no number its CRC."""
    if values.dtype.kind in "OUSV":
        return zlib.crc32("\n".join(map(str, values.ravel())).encode())
    flat = np.where(np.isfinite(values), values, -1).astype(np.float64).ravel()
    return float(f"{flat @ np.arange(1, flat.size + 1) / flat.size:.7g}")


def _text(result: Any) -> str:
    return json.dumps(result, ensure_ascii=False, separators=(",", ":"))


def _brief(result: Any, depth: int) -> Any:
    text = _text(result)
    if len(text) <= LONG or isinstance(result, int | float):
        return result
    if depth and isinstance(result, list):
        return [_brief(part, depth - 1) for part in result]
    if depth and isinstance(result, dict):
        return {key: _brief(part, depth - 1) for key, part in result.items()}
    return f"{text[:12]}... {zlib.crc32(text.encode()) & 0xFFFFFF:06x}"


def _differences(was: Any, now: Any, near: float, depth: int, place: str = "") -> list[str]:
    if isinstance(was, dict) and isinstance(now, dict):
        pairs = {key: (was.get(key), now.get(key)) for key in was | now}
    elif isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        pairs = {str(key): pair for key, pair in enumerate(zip(was, now, strict=True))}
    else:
        same = was == _brief(now, depth) and type(was) is type(_brief(now, depth))
        if isinstance(was, float) or (near and isinstance(was, int)):
            same = isinstance(now, int | float) and abs(was - now) <= near + 1e-5 * abs(was)
        return [] if same else [f"{place} was {was!r}, is {now!r}"]
    inside = [(one, now, f"{place}/{key}") for key, (one, now) in pairs.items()]
    return [
        line
        for one, now, at in inside
        for line in _differences(one, now, near, max(depth - 1, 0), at)
    ]
