"""The far end of connections in tests: `sssp-scope engine --stdio` with small engines.

    python far_stage.py FOLDER

FOLDER takes its segments, the graphs that it keeps and the runs that it leaves, which go on for
$FAR_KEEP_S seconds. Not a test itself.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))

from host_engines import __name__ as engines

from gpu.host import Entries, Memory
from gpu.remote import far, graphs, left

NAMES = ("check", "execute", "verify", "load_graph", "open_sample", "provisional", "layout")

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    graphs.graphs_folder = lambda: folder / "graphs"
    left.left_folder = lambda: folder / "left"
    left.left_folder().mkdir(exist_ok=True)
    far.KEEP_S = float(os.environ.get("FAR_KEEP_S", "60"))
    entries = Entries(**{name: f"{engines}:{name}" for name in (*NAMES, "warm_up")})
    (folder / "far").write_text(str(os.getpid()))
    sys.exit(far.serve(entries, Memory(folder=str(folder))))
