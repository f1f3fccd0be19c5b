"""The events of a run as a table, for both panels of the microscope."""

from __future__ import annotations

from gpu.errors import GpuError
from gpu.record.events import EventKind
from viewer.feature import Table
from viewer.models.session import SessionModel

HEADER = ("event", "t_ns", "kind", "worker", "a", "b", "c", "clock", "probe")


def events_table(session: SessionModel) -> Table:
    """Return header and a row for each event; raise GpuError where none were recorded."""
    trace = session.finished_trace()
    if trace.events is None:
        raise GpuError("this run recorded no events: choose Record, Every event, then Run")
    names = {int(kind): kind.name.lower() for kind in EventKind}
    rows = (
        (place, t_ns, names.get(kind, str(kind)), worker, a, b, c, trace.clock, 3)
        for place, (t_ns, kind, worker, a, b, c) in enumerate(trace.events.tolist())
    )
    return HEADER, rows
