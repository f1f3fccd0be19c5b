"""How fast text files of 5 million arcs are read, by us and by the readers that users have.

    python -m gpu.lab.io_peers FOLDER OUT.json --peers /path/to/python

FOLDER is where the files are made, once. `--peers` is a Python that has polars, igraph and SciPy,
which are no dependencies of ours. Each reader runs in a process of its own, in turns with ours,
reads once to load what it needs, and then `--tries` times: medians are told (igraph, which takes
half a minute, reads once). polars reads a table and no graph: its time with a graph made of the
table by SciPy, and for names with numbers for the names, stands beside.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

VERTICES, ARCS = 1_000_000, 5_000_000

TIMED = """
import json, sys, time
{imports}
def read(path):
{body}
times = []
for _ in range({tries}):
    begin = time.perf_counter()
    found = read(sys.argv[1])
    times.append(time.perf_counter() - begin)
    del found
print(json.dumps([times[1:] or times, {version}]))
"""
OURS = ("from gpu.formats import load_graph", "load_graph(path)", "''")
POLARS = ("import polars", "polars.read_csv(path)", "polars.__version__")
POLARS_WEL = (
    "import polars",
    "polars.read_csv(path, separator=' ', has_header=False)",
    "polars.__version__",
)
POLARS_GRAPH = (
    "import numpy, polars, scipy.sparse",
    "table = polars.read_csv(path)\n"
    "    u, v, weights = (table[name].to_numpy() for name in ('source', 'target', 'weight'))\n"
    "    n = max(u.max(), v.max()) + 1\n"
    "    return scipy.sparse.coo_array((weights, (u, v)), shape=(n, n)).tocsr()",
    "polars.__version__",
)
POLARS_WEL_GRAPH = (
    POLARS_GRAPH[0],
    POLARS_GRAPH[1]
    .replace("read_csv(path)", "read_csv(path, separator=' ', has_header=False)")
    .replace("('source', 'target', 'weight')", "table.columns"),
    POLARS_GRAPH[2],
)
POLARS_NUMBERED = (
    "import polars",
    "table = polars.read_csv(path)\n"
    "    ends = polars.concat([table['source'], table['target']])\n"
    "    names = polars.Enum(ends.unique().sort())\n"
    "    return ends.cast(names).to_physical()",
    "polars.__version__",
)
SCIPY = ("import scipy; from scipy.io import mmread", "mmread(path).tocsr()", "scipy.__version__")
IGRAPH = (
    "import igraph",
    "igraph.Graph.Read(path, format=path.rpartition('.')[2])",
    "igraph.__version__",
)
PEERS: dict[str, tuple[tuple[str, tuple[str, str, str]], ...]] = {
    "numbers.csv": (("polars, the table", POLARS), ("polars, SciPy's CSR", POLARS_GRAPH)),
    "numbers.wel": (("polars, the table", POLARS_WEL), ("polars, SciPy's CSR", POLARS_WEL_GRAPH)),
    "decimals.csv": (("polars, the table", POLARS), ("polars, SciPy's CSR", POLARS_GRAPH)),
    "quoted_numbers.csv": (("polars, the table", POLARS), ("polars, SciPy's CSR", POLARS_GRAPH)),
    "names.csv": (("polars, the table", POLARS), ("polars, names numbered", POLARS_NUMBERED)),
    "quoted_names.csv": (
        ("polars, the table", POLARS),
        ("polars, names numbered", POLARS_NUMBERED),
    ),
    "numbers.mtx": (("SciPy", SCIPY),),
    "numbers.graphml": (("igraph", IGRAPH),),
    "numbers.gml": (("igraph", IGRAPH),),
}


def timed(python: str, reader: tuple[str, str, str], path: Path, tries: int) -> tuple[float, str]:
    """Return the median seconds of a reader in a process of its own, and its version."""
    imports, body, version = reader
    body = body if "return" in body else f"return {body}"
    tries = 1 if reader is IGRAPH else tries + 1
    code = TIMED.format(imports=imports, body=f"    {body}", version=version, tries=tries)
    done = subprocess.run(
        [python, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    times, found = json.loads(done.stdout)
    return statistics.median(times), found


def make_files(folder: Path) -> None:
    """Write the same random graph in every format, weights 1..10,000."""
    rng = np.random.default_rng(1)
    ends = rng.integers(0, VERTICES, (2, ARCS)).tolist()
    weights = rng.integers(1, 10_001, ARCS).tolist()
    names = [f"v{k * 7919:x}" for k in rng.permutation(VERTICES).tolist()]
    key = '<key id="d0" for="edge" attr.name="weight" attr.type="long"/>'
    vertices = range(VERTICES)
    rows: dict[str, tuple[str, str, str]] = {
        "numbers.csv": ("source,target,weight\n", "{},{},{}\n", ""),
        "numbers.wel": ("", "{} {} {}\n", ""),
        "decimals.csv": ("source,target,weight\n", "{},{},{}.25\n", ""),
        "quoted_numbers.csv": ('"source","target","weight"\n', '"{}","{}","{}"\n', ""),
        "names.csv": ("source,target,weight\n", "{},{},{}\n", ""),
        "quoted_names.csv": ('"source","target","weight"\n', '"{}","{}","{}"\n', ""),
        "numbers.mtx": (
            f"%%MatrixMarket matrix coordinate integer general\n{VERTICES} {VERTICES} {ARCS}\n",
            "{} {} {}\n",
            "",
        ),
        "numbers.graphml": (
            f'<?xml version="1.0" encoding="UTF-8"?>\n<graphml>\n{key}\n'
            '<graph edgedefault="directed">\n' + "".join(f'<node id="{k}"/>\n' for k in vertices),
            '<edge source="{}" target="{}">\n  <data key="d0">{}</data>\n</edge>\n',
            "</graph>\n</graphml>\n",
        ),
        "numbers.gml": (
            "graph [\n  directed 1\n"
            + "".join(f'  node [\n    id {k}\n    label "{k}"\n  ]\n' for k in vertices),
            "  edge [\n    source {}\n    target {}\n    weight {}\n  ]\n",
            "]\n",
        ),
    }
    for name, (head, row, tail) in rows.items():
        if (folder / name).exists():
            continue
        with (folder / name).open("w") as file:
            file.write(head)
            for pair in zip(*ends, weights, strict=True):
                u, v, weight = pair
                if name.endswith(".mtx"):
                    u, v = u + 1, v + 1
                elif "names" in name:
                    u, v = names[u], names[v]
                file.write(row.format(u, v, weight))
            file.write(tail)


def main(argv: list[str] | None = None) -> int:
    """Make the files, time every reader, write a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--peers", default=sys.executable, help="a Python that has them")
    parser.add_argument("--tries", type=int, default=5, help="of each reader [5]")
    args = parser.parse_args(argv)
    make_files(args.folder)
    rows = []
    for name, peers in PEERS.items():
        path = args.folder / name
        row = {"file": name, "arcs": ARCS, "bytes": path.stat().st_size}
        row["ours_s"] = round(timed(sys.executable, OURS, path, args.tries)[0], 3)
        for peer, reader in peers:
            seconds, version = timed(args.peers, reader, path, args.tries)
            row[f"{peer} {version}_s"] = round(seconds, 3)
        row["load"] = os.getloadavg()[0]
        rows.append(row)
        print(row, flush=True)
        made = {
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "machine": f"{platform.machine()}, {os.cpu_count()} cores",
            "tries": args.tries,
            "rows": rows,
        }
        args.out.write_text(json.dumps(made, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
