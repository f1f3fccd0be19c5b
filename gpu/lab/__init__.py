"""Measurements, test vectors and tables: what stands beside the engines, not in them."""

import sys


def command_line(*words: str) -> str:
    """Return the line that made a file of results: `words` ("bench", "gpu") and their options.

    Whether they came through `sssp-scope` or through `python -m gpu.lab...`.
    """
    given = sys.argv[1:]
    if tuple(given[: len(words)]) == words:
        given = given[len(words) :]
    return " ".join(("sssp-scope", *words, *given))
