"""NVIDIA's own: the SSSP of cuGraph, where the user has installed it.

Returns     dist, the shortest distance from the source to every vertex.

The idea    A library's answer to set ours beside: successor of nvGRAPH, the baseline "NV" in
            ADDS' table 3. It is called through `pylibcugraph`, its thin Python layer.

Decisions   Whole weights go in as float64, which holds every int32 distance exactly, and those of
            int64 up to 2^53: a run beyond is refused. Decimals go in as they are. The graph's
            preparation is not timed, the call is, after one call that is thrown away.

Not done    Probes: the library shows nothing of its schedule, so a run has one sample, the last,
            with no counts, and level 2 is refused. Its delta is its own. A call cannot be
            interrupted: Stop waits for it in a script, and ends the engine process in the window.

Plain       There is no plain reference here, and there can be none: the schedule is the
            library's own, not documented, and changes with its versions.

Reference   Wang, Fussell, Lin, PPoPP 2021, table 3; "RAPIDS cuGraph", NVIDIA.
"""

from __future__ import annotations

from gpu.algorithms.registry import Algorithm

INSTALL = "pip install pylibcugraph-cu13 (or pylibcugraph-cu12, as the driver's CUDA is)"

ALGORITHM = Algorithm(
    key="cugraph",
    title="cuGraph",
    summary="NVIDIA's library, as a black box: one time, no schedule to watch",
    engines={"cuda": "gpu.cuda.cugraph:run"},
    occupancy=("waiting",),
    barriers=False,
    bucketed=False,
    source="Wang, Fussell, Lin 2021, table 3, NV",
    needs={"pylibcugraph": INSTALL},
)
