"""Benchmarks, the model's error, test vectors and the recorded runs of the first screen."""

from __future__ import annotations

import argparse
import json
import shlex
import statistics
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parent / "results"
Rows = list[dict[str, Any]]
Measure = Callable[[argparse.Namespace], tuple[Rows, dict[str, Any]]]


def load(path: str | Path) -> Any:
    """Return the runs of RESULTS as a NumPy record array: `gpu.lab.records.load`. GpuError."""
    from gpu.lab import records

    return records.load(path)


def laboratory(
    name: str,
    about: str | None,
    argv: Sequence[str],
    add_options: Callable[[argparse.ArgumentParser], object],
    measure: Measure,
) -> int:
    """Run `sssp-scope bench NAME`: measure, print, write the results; 3 on a wrong answer.

    measure : of the options; returns rows, whose `fault` says why an answer is wrong, and facts
    Raises GpuError.
    """
    parser = argparse.ArgumentParser(prog=f"sssp-scope bench {name}", description=about)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add_options(parser)
    words = "[gpu/lab/results/<date>.json]"
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help=words)
    args = parser.parse_args(argv)
    rows, facts = measure(args)
    facts = {"command": shlex.join(["sssp-scope", "bench", name, *argv])} | facts
    write_results(facts.pop("kind", name), rows, args.output, **facts)
    return 3 if any(row["fault"] for row in rows) else 0


def spread(values: Sequence[float]) -> dict[str, Any]:
    """Return median, least and greatest of some times, and all of them."""
    return {
        "median": statistics.median(values),
        "min": min(values),
        "max": max(values),
        "all": [round(value, 4) for value in values],
    }


def write_results(kind: str, rows: Rows, target: Path | None, **facts: Any) -> Path:
    """Write rows with date, versions and `facts`; return the file.

    target : None: `gpu/lab/results/<kind>_<date>.json`
    """
    import numpy as np

    date = datetime.now(UTC).isoformat(timespec="seconds")
    document = {
        "date": date,
        "versions": {"numpy": np.__version__, "python": sys.version.split()[0]},
        **facts,
        "rows": rows,
    }
    target = target or RESULTS / f"{kind}_{date[:10]}.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    print(f"written to {target}")
    return target
