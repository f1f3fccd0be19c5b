"""Commands for a shell that make again what was clicked, on the clipboard."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtWidgets import QApplication

from gpu.cli.command_line import run_line
from gpu.engine import graph_reference
from gpu.errors import GpuError
from gpu.record.trace import GraphReference
from viewer.models.session import Notice, RunRecord, SessionModel


def copy_command(session: SessionModel, make: Callable[[], str]) -> None:
    """Put a line on the clipboard and say so, or say why there is none."""
    try:
        line = make()
    except GpuError as error:
        session.set_notice(Notice("error", f"Not copied: {error}."))
        return
    clipboard = QApplication.clipboard()
    assert clipboard is not None
    clipboard.setText(line)
    advice = "Save the policy, too, where the command is to run." if "policy " in line else ""
    session.set_notice(Notice("info", f"Copied: {line}", advice))


def copy_run(session: SessionModel, run: RunRecord) -> None:
    """Put the command that repeats a run on the clipboard."""
    copy_command(session, lambda: run_line(run.settings, reference_of(session, run)))


def reference_of(session: SessionModel, run: RunRecord) -> GraphReference:
    """Return what names a run's graph: where it is now, for one that was opened elsewhere."""
    graph = session.graph
    if graph is not None and vars(graph).get("hash") == run.graph_reference.hash:
        return graph_reference(graph, run.settings.source)
    return run.graph_reference
