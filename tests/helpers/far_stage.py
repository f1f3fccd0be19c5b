"""The far end of connections in tests: `sssp-scope engine --stdio` with small engines.

    python far_stage.py FOLDER

FOLDER takes its segments and the graphs that it keeps. Not a test itself.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))

from host_engines import __name__ as engines

from gpu.host import Entries, Memory
from gpu.remote import far, graphs

NAMES = ("check", "execute", "verify", "load_graph", "open_sample", "provisional", "layout")

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    graphs.graphs_folder = lambda: folder / "graphs"
    entries = Entries(**{name: f"{engines}:{name}" for name in (*NAMES, "warm_up")})
    (folder / "far").write_text(str(os.getpid()))
    sys.exit(far.serve(entries, Memory(folder=str(folder))))
