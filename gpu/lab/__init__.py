"""Benchmarks, the model's error, test vectors and the recorded runs of the first screen."""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parent / "results"


def command_line(*words: str) -> str:
    """Return the command that made a file of results: `words` ("bench", "gpu") and its options."""
    options = sys.argv[1:]
    if tuple(options[: len(words)]) == words:
        options = options[len(words) :]
    return " ".join(("sssp-scope", *words, *options))


def spread(values: Sequence[float]) -> dict[str, Any]:
    """Return median, least and greatest of some times, and all of them."""
    return {
        "median": statistics.median(values),
        "min": min(values),
        "max": max(values),
        "all": [round(value, 4) for value in values],
    }


def write_results(kind: str, rows: list[dict[str, Any]], target: Path | None, **facts: Any) -> Path:
    """Write rows with command, date, versions and `facts`; return the file.

    target : None: `gpu/lab/results/<kind>_<date>.json`
    """
    import numpy as np

    date = datetime.now(UTC).isoformat(timespec="seconds")
    document = {
        "command": command_line("bench", kind),
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
