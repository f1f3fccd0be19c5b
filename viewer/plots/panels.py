"""The panels that draw over time, by the key of their dock.

Importing this module imports pyqtgraph, a fifth of a start: the window does so after
its first paint.
"""

from __future__ import annotations

from viewer.plots.buckets import BucketPanel
from viewer.plots.delta import DeltaPanel
from viewer.plots.live import LivePanel
from viewer.plots.parallelism import ParallelismPanel
from viewer.plots.timeline import Timeline
from viewer.plots.work import WorkPanel

PANELS: dict[str, type[LivePanel]] = {
    "timeline": Timeline,
    "buckets": BucketPanel,
    "delta": DeltaPanel,
    "parallelism": ParallelismPanel,
    "work": WorkPanel,
}
