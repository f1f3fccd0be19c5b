"""The tables of `gpu/lab/README.md`, made from the files in `results/` and from nothing else.

    python -m gpu.lab.tables            write them where they stand
    python -m gpu.lab.tables --check    exit 1 where they are not what the files say

Each stands between two comments that name it. Of several files of one kind the newest is taken,
by the date in its name; a table says which file it is of.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from gpu.lab.bench_gpu import LONESTAR_MS, PUBLISHED
from gpu.lab.bench_rows import best_other

HERE = Path(__file__).resolve().parent
README = HERE / "README.md"
RESULTS = HERE / "results"
DATED = r"_\d{4}-\d{2}-\d{2}(_\d+)?\.json"
TITLES = {
    "ny": "New York roads",
    "USA-road-d.NY": "New York roads",
    "grid_1024": "grid 1024 x 1024",
    "mesh_100": "3-D mesh 100^3",
    "grid_4096": "grid 4096 x 4096",
    "rmat_20": "R-MAT 2^20",
    "rmat_22": "R-MAT 2^22",
    "mesh8_2048": "8-neighbour grid 2048 x 2048",
    "geometric_20": "random geometric 2^20",
    "small_world_20": "small world 2^20",
    "random_20": "random 2^20, degree 8",
    "band_18": "band 2^18",
}
BENCHMARKS = ("ny", "grid_1024", "mesh_100", "grid_4096", "rmat_20", "rmat_22")
HELD_OUT = ("mesh8_2048", "geometric_20", "small_world_20", "random_20", "band_18")
STUDIED = {
    "edge_apsp": "All pairs, edges",
    "delta_apsp": "All pairs, Δ-stepping",
    "apsp_fast": "All pairs, fast",
    "near_far": "Near-Far",
    "delta_stepping": "Δ-stepping, Δ = 32 W/D",
    "bellman_ford": "Bellman-Ford",
}

SHORT = {
    "adds": "ADDS",
    "near_far": "Near-Far",
    "async_near_far": "Asynchronous Near-Far",
    "delta_stepping": "Δ-stepping",
    "bellman_ford": "Bellman-Ford",
}

Rows = Iterable[Sequence[str]]

NEAR = 1.05  # times the best: as good as it


def newest(kind: str) -> Path:
    """Return the newest file of a kind, such as `bench_gpu`; FileNotFoundError without any."""
    found = dated(kind)
    if not found:
        raise FileNotFoundError(f"no {kind}_<date>.json in {RESULTS}")
    return found[-1]


def dated(kind: str) -> list[Path]:
    """Return all files of a kind, the newest last."""
    return sorted(path for path in RESULTS.iterdir() if re.fullmatch(kind + DATED, path.name))


def table(head: Sequence[str], rows: Rows) -> list[str]:
    """Return the lines of a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(cells)} |" for cells in lines]


def _read(path: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return read


def _source(path: Path, told: dict[str, Any]) -> list[str]:
    where = told.get("device", "")
    return [
        "",
        f"{where}, {str(told['date'])[:10]}; command and versions in `results/{path.name}`.",
    ]


def _milliseconds(value: float) -> str:
    """Return three digits, as a clock with noise of a percent deserves."""
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def _percent(share: float) -> str:
    return f"{round(100 * share, 1) + 0.0:.1f} %"  # + 0.0: there is no minus nothing


def _medians(told: dict[str, Any]) -> dict[tuple[str, str, int], float]:
    """Return the median kernel time by graph, algorithm and probe level; wrong runs are not."""
    return {
        (row["graph"], row["algorithm"], row["probe"]): row["kernel_ms"]["median"]
        for row in told["rows"]
        if row["fault"] is None
    }


def bench_gpu() -> list[str]:
    """Return ADDS beside Near-Far on the benchmark graphs, and what the probes cost."""
    path, floats = newest("bench_gpu"), newest("bench_gpu_float")
    told, authors = _read(path), _of_peers()[1]
    whole, real = _medians(told), _medians(_read(floats))
    rows = []
    for graph in BENCHMARKS:
        base = whole[graph, "adds", 0]
        near_far = whole[graph, "near_far", 0]
        theirs = authors[graph, "authors_127"]["ms"]
        others = theirs / authors[graph, "adds"]["ms"] if theirs else LONESTAR_MS[graph] / base
        cost = [_percent(whole[graph, "adds", level] / base - 1) for level in (1, 2)]
        both = [_milliseconds(real[graph, name, 0]) for name in ("adds", "near_far")]
        rows.append(
            [
                TITLES[graph],
                _milliseconds(base),
                _milliseconds(near_far),
                f"{near_far / base:.1f}",
                f"{others:.1f}{'' if theirs else ' *'}",
                ", ".join(cost),
                ", ".join(both),
            ]
        )
    head = [
        "graph",
        "ADDS, ms",
        "Near-Far, ms",
        "Near-Far / ADDS",
        "other code / ADDS",
        "levels 1, 2 cost ADDS",
        "float32: ADDS, Near-Far",
    ]
    return [*table(head, rows), *_source(path, told), f"float32: `results/{floats.name}`."]


def ladder() -> list[str]:
    """Return what each step brings from Near-Far's simplest kernel to the one that is measured."""
    path = newest("ladder")
    told = _read(path)
    slowest = told["rows"][0]["ms"]["median"]
    rows = [
        [
            f"`{row['kernel']}`",
            row["adds"],
            _milliseconds(row["ms"]["median"]),
            f"{slowest / row['ms']['median']:.1f}x",
        ]
        for row in told["rows"]
        if row["right"]
    ]
    return [*table(["kernel", "what it adds", "ms", "sooner"], rows), *_source(path, told)]


def held_out() -> list[str]:
    """Return ADDS beside Near-Far on graphs that nothing was tuned on."""
    path = newest("bench_gpu_held_out")
    told = _read(path)
    ms = _medians(told)
    rows = [
        [
            TITLES[graph],
            _milliseconds(ms[graph, "adds", 0]),
            _milliseconds(ms[graph, "near_far", 0]),
            f"{ms[graph, 'near_far', 0] / ms[graph, 'adds', 0]:.2f}",
        ]
        for graph in HELD_OUT
    ]
    head = ["held out", "ADDS, ms", "Near-Far, ms", "Near-Far / ADDS"]
    return [*table(head, rows), *_source(path, told)]


def _of_peers() -> tuple[Path, dict[tuple[str, str], dict[str, Any]]]:
    """Return the newest run beside the authors' code, and its rows by graph and code."""
    path = newest("gpu_peers")
    return path, {(row["graph"], row["code"]): row for row in _read(path)["rows"]}


def published() -> list[str]:
    """Return ADDS, ours and as published, beside the authors' own code in the same run."""
    path, told = _of_peers()
    rows = []
    for graph in dict.fromkeys(graph for graph, _ in told):
        ours, rules, theirs = (told[graph, code] for code in ("adds", PUBLISHED, "authors_127"))
        ended = theirs["ms"] is not None
        counts = [f"{row['processed'] / 1e6:.2f} M" for row in (ours, rules)]
        rows.append(
            [
                TITLES[graph],
                *(_milliseconds(row["ms"]) for row in (ours, rules)),
                _milliseconds(theirs["ms"]) if ended else theirs["fault"],
                f"{theirs['ms'] / ours['ms']:.1f}" if ended else "",
                *counts,
                f"{theirs['processed'] / 1e6:.2f} M" if ended else "",
                f"{rules['processed'] / theirs['processed']:.2f}" if ended else "",
            ]
        )
    head = [
        *("graph", "ADDS, ms", "as published", "authors' code", "authors' / ADDS"),
        *("ADDS, vertices", "as published", "authors' code", "as published / authors'"),
    ]
    return [*table(head, rows), *_source(path, _read(path))]


def supersteps() -> list[str]:
    """Return the kernels of supersteps on the benchmark graphs."""
    path = newest("bench_supersteps")
    told = _read(path)
    ms = _medians(told)
    rows = [
        [STUDIED[name], *(_milliseconds(ms[graph, name, 0]) for graph in BENCHMARKS)]
        for name in ("near_far", "delta_stepping", "bellman_ford")
    ]
    return [*table(["ms", *(TITLES[graph] for graph in BENCHMARKS)], rows), *_source(path, told)]


def all_rows() -> list[str]:
    """Return every row of `cuda` on the benchmark graphs, and over the best other on all others."""
    path, more = newest("bench_rows"), newest("bench_rows_boundaries")
    told = _read(path)
    ms = {row["graph"]: row["ms"] for row in told["rows"] if row["set"] == "tuned"}
    kinds = [_of_rows(row["ms"]) for row in told["rows"] if row["set"] != "tuned"]
    ends = [_of_rows(row["ms"]) for row in _read(more)["rows"]]
    rows = []
    for key, title in SHORT.items():
        times = [_milliseconds(ms[graph][key]) for graph in BENCHMARKS]
        rows.append([title, *times, *_beside_others(kinds, key), *_beside_others(ends, key)])
    graphs = [TITLES[graph].removesuffix(" roads") for graph in BENCHMARKS]
    over = [f"{len(kinds)} graphs: over the best other", "within 1.05", "at worst"]
    over += [f"{len(ends)} more: over the best other", "within 1.05", "at worst"]
    lines = [*table(["ms", *graphs, *over], rows), *_source(path, told)]
    return [*lines, f"The {len(ends)}: `results/{more.name}`."]


def _of_rows(ms: dict[str, Any]) -> dict[str, Any]:
    """Return the entries of the algorithms in SHORT; older files hold a removed one."""
    return {key: value for key, value in ms.items() if key in SHORT}


def _beside_others(graphs: list[dict[str, float]], key: str) -> list[str]:
    """Return a row's time over that of the best other: its mean, how often near it, its worst."""
    ratios = [ms[key] / best_other(ms, key) for ms in graphs]
    near = sum(ratio <= NEAR for ratio in ratios)
    return [f"{geometric_mean(ratios):.2f}", str(near), f"{max(ratios):.2f}"]


def all_pairs() -> list[str]:
    """Return the kernels of all pairs: in themselves, and with the matrix in host memory."""
    path = newest("apsp")
    told = _read(path)
    rows = []
    for row in told["rows"]:
        single, whole = (
            value["median"] if isinstance(value, dict) else value
            for value in (row["kernel_ms"], row["end_to_end_ms"])
        )
        published = row.get("published_s")
        rows.append(
            [
                f"{row['n']:,}",
                f"{row['m']:,}",
                STUDIED[row["algorithm"]],
                f"{_milliseconds(single)} ms",
                f"{_milliseconds(whole)} ms",
                "" if published is None else f"{1000 * published:,.0f} ms",
            ]
        )
    head = ["vertices", "arcs", "algorithm", "kernels", "to host memory", "published"]
    return [*table(head, rows), *_source(path, told)]


def cpu() -> list[str]:
    """Return Δ-stepping on the cores of a computer, at its own Δ, and what the probes cost it.

    Of every graph and number of threads the last that was measured on the last day with its levels
    in turns, each after the other.
    """
    last: dict[tuple[str, int], tuple[Path, dict[int, dict[str, Any]]]] = {}
    for path in _last_day_of_cpu():
        for row in _read(path)["rows"]:
            key = row["graph"], row["threads"]
            if row["algorithm"] == "delta_stepping" and row["own_delta"] and not row["in_turns"]:
                if last.get(key, (None,))[0] != path:
                    last[key] = path, {}
                if row["fault"] is None:
                    last[key][1][row["probe"]] = row
    rows = []
    for (graph, threads), (path, levels) in sorted(last.items()):
        if set(levels) < {0, 1, 2}:
            continue
        times = [levels[level]["ms"]["median"] for level in (0, 1, 2)]
        costs = [f"{100 * (time / times[0] - 1):.0f} %" for time in times[1:]]
        delta = f"{levels[0]['delta']:,.0f}"
        title = TITLES.get(graph, graph)
        rows.append([title, str(threads), delta, _milliseconds(times[0]), *costs, f"`{path.name}`"])
    head = ["graph", "threads", "its own Δ", "ms", "level 1 costs", "level 2 costs", "`results/`"]
    where = _read(newest("cpu"))["device"]
    return [*table(head, rows), "", f"{where}; each line is of one run."]


def _last_day_of_cpu(with_peers: bool = False) -> list[Path]:
    found = [path for path in dated("cpu") if not with_peers or _read(path).get("peers")]
    day = found[-1].name[: len("cpu_2026-01-01")] if found else ""
    return [path for path in found if path.name.startswith(day)]


def cpu_peers() -> list[str]:
    """Return Δ-stepping on cores beside other people's, in turns.

    Of every graph and number of threads the last that was measured on the last day with peers.
    """
    last: dict[tuple[str, int], tuple[Path, dict[str, float]]] = {}
    peers: list[str] = []
    for path in _last_day_of_cpu(with_peers=True):
        told = _read(path)
        peers += [code for code in told["peers"] if code not in peers]
        for row in told["rows"]:
            if row.get("in_turns"):
                key = row["graph"], row["threads"]
                if last.get(key, (None,))[0] != path:
                    last[key] = path, {}
                last[key][1][row["algorithm"]] = row["ms"]["median"]
    if not last:
        return ["None was taken with the last figures: `sssp-scope bench cpu --peers DIR`."]
    codes, rows = [*peers, "delta_stepping"], []
    for (graph, threads), (path, ms) in sorted(last.items()):
        share = ms["delta_stepping"] / min(ms[code] for code in peers if code in ms)
        figures = [_milliseconds(ms[code]) if code in ms else "" for code in codes]
        title = TITLES.get(graph, graph)
        rows.append([title, str(threads), *figures, f"{share:.2f}", f"`{path.name}`"])
    head = ["graph", "threads", *(f"{code}, ms" for code in codes), "ours / best of the others"]
    told = _read(_last_day_of_cpu(with_peers=True)[-1])
    return [
        *table([*head, "`results/`"], rows),
        "",
        f"{told['device']}, {told['date'][:10]}; each line is of one run.",
    ]


def model_error() -> list[str]:
    """Return how far modelled times are from measured ones, over sweeps of delta."""
    path = RESULTS / "model-error-h100.json"
    told = _read(path)
    rows = [
        [
            TITLES[row["graph"]],
            "fitted" if row["fitted"] else "held out",
            STUDIED.get(row["algorithm"], "ADDS"),
            f"{row['ratio_low']:.2f} to {row['ratio_high']:.2f}",
            f"{row['rank_correlation']:.2f}",
            *(_error(row[f"{counter}_error_percent"]) for counter in ("processed", "switches")),
        ]
        for row in sorted(told["rows"], key=lambda row: (row["fitted"], row["algorithm"]))
    ]
    head = ["graph", "", "algorithm", "modelled / measured", "rank correlation"]
    head += ["error of vertices processed", "of bucket switches"]
    measured = f"Measured: `results/{told['measured']}`; compared: `results/{path.name}`."
    return [*table(head, rows), "", measured]


def model_delta() -> list[str]:
    """Return where ADDS takes delta, modelled beside measured, and what it costs."""
    path = RESULTS / "model-delta-h100.json"
    told = _read(path)
    rows = [
        [
            TITLES.get(row["graph"], row["graph"]),
            "as published" if row["rule"] == PUBLISHED else "ours",
            f"{row['first_delta']:,.0f}",
            " or ".join(f"{delta:,.0f}" for delta in row["measured_delta"]),
            f"{row['modelled_delta']:,.0f}",
            " or ".join(map(str, row["measured_changes"]))
            or f"{' or '.join(str(abs(times)) for times in row['measured_doublings'])} at least",
            str(row["modelled_changes"]),
            f"{row['modelled_processed'] / row['measured_processed']:.2f}",
            f"{row['modelled_ms'] / row['measured_ms']:.2f}",
        ]
        for row in sorted(told["rows"], key=lambda row: row["rule"])
    ]
    head = ["graph", "rule", "first Δ", "last Δ, measured", "modelled"]
    head += ["changes of Δ, measured", "modelled"]
    head += ["vertices processed, modelled / measured", "time, modelled / measured"]
    cards = ", ".join(sorted({one["device"] for one in told["measured"]}))
    source = f"Measured on {cards}; files, dates and commands in `results/{path.name}`."
    return [*table(head, rows), "", source]


def _error(percent: float | None) -> str:
    return "under ten" if percent is None else f"{percent:.0f} %"


def model_rows() -> list[str]:
    """Return the model's error on graphs of many kinds, each row at its own delta."""
    rows = []
    for name in ("model-rows-h100.json", "model-rows-h200.json"):
        told = _read(RESULTS / name)
        for kind, whole in told["summary"].items():
            for key, found in _of_rows(whole["rows"]).items():
                low, high = found["time_ratio_low"], found["time_ratio_high"]
                rows.append(
                    [
                        told["card"].removeprefix("NVIDIA ").split()[0],
                        kind,
                        SHORT[key],
                        str(found["runs"]),
                        f"{found['time_error_percent']:.0f} %",
                        f"{low:.2f} to {high:.2f}",
                        f"{found['relaxed_error_percent']:.0f} %",
                    ]
                )
    head = [
        "measured on",
        "graphs",
        "row",
        "runs",
        "error of time",
        "modelled / measured",
        "of arcs",
    ]
    return [
        *table(head, rows),
        "",
        "`results/model-rows-h100.json`, `results/model-rows-h200.json`.",
    ]


def model_report() -> list[str]:
    """Return what the modelled RTX 2080 Ti says of the paper's point."""
    path = RESULTS / "model-rtx-2080-ti.json"
    rows = [
        [
            row["graph"],
            f"{row['near_far']['ms'] / row['adds']['ms']:.1f}x",
            f"{row['adds']['work'] / row['near_far']['work']:.1f}x",
        ]
        for row in _read(path)["rows"]
    ]
    head = ["graph", "time of Near-Far over ADDS", "work of ADDS over Near-Far"]
    return [*table(head, rows), "", f"`python -m gpu.lab.model_report`; `results/{path.name}`."]


TABLES: dict[str, Callable[[], list[str]]] = {
    "bench_gpu": bench_gpu,
    "held_out": held_out,
    "published": published,
    "supersteps": supersteps,
    "all_rows": all_rows,
    "all_pairs": all_pairs,
    "cpu": cpu,
    "cpu_peers": cpu_peers,
    "ladder": ladder,
    "model_error": model_error,
    "model_delta": model_delta,
    "model_rows": model_rows,
    "model_report": model_report,
}


def filled(text: str) -> str:
    """Return a page with every table in it made anew; KeyError for a name that is none."""

    def fill(match: re.Match[str]) -> str:
        lines = TABLES[match["name"]]()
        return "\n".join([f"<!-- table: {match['name']} -->", *lines, "<!-- end -->"])

    return re.sub(r"<!-- table: (?P<name>\w+) -->\n.*?<!-- end -->", fill, text, flags=re.DOTALL)


def main(argv: list[str] | None = None) -> int:
    """Write or check the tables; return the exit code."""
    arguments = sys.argv[1:] if argv is None else argv
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    text = README.read_text(encoding="utf-8")
    new = filled(text)
    if not arguments:
        README.write_text(new, encoding="utf-8")
    elif new != text:
        print(f"{README}: not what {RESULTS} says; run python -m gpu.lab.tables", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
