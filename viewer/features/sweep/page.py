"""A sweep as a web page: every run made again, recorded, by the command in a process of its own."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from gpu.cli.command_line import sweep_words
from gpu.errors import GpuError
from gpu.graph import CSRGraph
from gpu.interpreter import module_command
from gpu.study.sweep import SweepPlan
from gpu.words import SENTENCE, in_sight

LOOK_S = 0.1  # between two looks at whether it has ended


def write_page(graph: CSRGraph, plan: SweepPlan, path: str) -> None:
    """Write the page; any thread, which may be given up. Raises GpuError."""
    from gpu.formats import save_graph

    with TemporaryDirectory(prefix="sssp-scope-") as folder:
        file = Path(folder, "graph.npz")
        save_graph(graph, file)
        words = sweep_words(plan.settings, plan.knob, plan.values)
        given = ["sweep", str(file), *words, "--page", path, "--quiet"]
        _run(module_command("gpu.cli", *given), Path(folder, "said"))


def _run(command: list[str], said: Path) -> None:
    """Run a command to its end; it is killed where this thread is given up."""
    with said.open("wb") as errors:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
        try:
            while process.poll() is None:
                time.sleep(LOOK_S)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
    if process.returncode:
        words = said.read_text(encoding="utf-8", errors="replace").strip()
        raise GpuError(in_sight(words.splitlines()[-1] if words else "it ended early", SENTENCE))
