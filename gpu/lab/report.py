"""`lab report`: tables 1 to 5, figures 4 and 7 to 15, and the claims of the paper, judged again.

Every table and figure is a function of RESULTS; the paper's numbers are in `published.toml`. A code
counts with the median of its runs on a graph. Intervals are of 95 %, by resampling graphs.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from html import escape
from itertools import pairwise
from pathlib import Path
from statistics import median
from string import Template
from typing import Any

import numpy as np
from msgspec import Struct

from gpu.errors import GpuError
from gpu.files import write_whole
from gpu.lab.draw import Series, chart
from gpu.lab.records import Profile, Results
from gpu.record.export import write_table
from gpu.words import brief_time, percent

RESAMPLES = 2000
RADIUS = 14.0  # of the disc of the longest time, SVG units
LEAST_ERROR = 0.01  # of a logarithmic axis; Dijkstra has 0
FEWEST = 3  # measured runs whose spread says anything
Drawn = Iterator[tuple[str, str]]  # key and SVG of figures
CAP = 5.0  # of figure 10, as in the paper
BASE, OTHER = "adds", "near_far"
SPEEDUP = "speedup of ADDS over Near-Far"
LATEX = str.maketrans({mark: f"\\{mark}" for mark in "&%$#_{}"})
LATEX |= str.maketrans({"Δ": r"$\Delta$", "<": "$<$", ">": "$>$"})
SWEPT = " C="  # in the name of a code that a sweep made


class Table(Struct, frozen=True):
    """A table of text; `key` names its files."""

    key: str
    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: bool = False  # sentences, which wrap

    def html(self) -> str:
        """Return it as HTML."""
        rows = "".join(f"<tr>{_cells('td', row)}</tr>" for row in self.rows)
        kind = ' class="words"' if self.words else ""
        head = f"<caption>{escape(self.title)}</caption><tr>{_cells('th', self.head)}</tr>"
        return f'<div class="wide"><table{kind}>{head}{rows}</table></div>'

    def latex(self) -> str:
        """Return it as a LaTeX tabular."""
        cells = [[cell.translate(LATEX) for cell in row] for row in (self.head, *self.rows)]
        head, *rows = (" & ".join(row) + r" \\" for row in cells)
        form = "l" + "r" * (len(self.head) - 1)
        body = "\n".join([head, r"\hline", *rows])
        return f"\\begin{{tabular}}{{{form}}}\n{body}\n\\end{{tabular}}\n"


def _cells(tag: str, row: Sequence[str]) -> str:
    return "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row)


class Report:
    """What RESULTS say; `tables` and `figures` (by key) are what the page shows."""

    def __init__(self, results: Results) -> None:
        if results.head is None or not results.sessions:
            raise GpuError(f"{results.path}: nothing was run yet")
        self.results, self.head = results, results.head
        self._paper: dict[str, Any] = tomllib.loads(_beside("published.toml"))
        # medians by code and graph: times, ms, and vertices processed, where counted
        self.ms = {pair: median(all) for pair, all in results.known("ms").items()}
        self.processed = {pair: median(all) for pair, all in results.known("processed").items()}
        self._clocks = {run.code: run.clock for run in results.runs}
        ran = [code for code in self.head.codes if code in self._clocks]
        self.codes = [code for code in ran if SWEPT not in code]

    # --- numbers

    def ratios(self, a: str, b: str, work: bool = False) -> tuple[list[str], np.ndarray]:
        """Return graphs, and a's time (or work) over b's on each; none for times of two clocks."""
        table = self.processed if work else self.ms
        if not work and self._clocks.get(a) != self._clocks.get(b):
            return [], np.zeros(0)
        names = self.results.graphs
        both = [name for name in names if (a, name) in table and (b, name) in table]
        return both, np.array([table[a, name] / table[b, name] for name in both])

    def fact(self, graphs: Sequence[str], name: str) -> np.ndarray:
        """Return "degree" or "diameter" of graphs."""
        facts = [self.results.graphs[graph] for graph in graphs]
        return np.array([f.m / f.n if name == "degree" else f.diameter for f in facts], float)

    def _measured(self, codes: list[str]) -> str:
        return next((code for code in codes if code in self._clocks), "")

    # --- tables

    @cached_property
    def tables(self) -> list[Table]:
        """All tables, in the order of the page."""
        sizes = [self._sizes(name, self._paper[name]) for name in ("degree", "diameter")]
        others = [self._distribution(self._paper[name]) for name in ("speedup", "work", "ablation")]
        return [self._claims(), self._hardware(), *sizes, *others, self._graphs(), *self._failed()]

    def _sizes(self, name: str, paper: dict[str, Any]) -> Table:
        values, bins = self.fact(list(self.results.graphs), name), paper["bins"]
        rows = [("this report", *_shares(values, bins)), ("the paper", *_counted(paper["graphs"]))]
        return Table(f"table_{paper['table']}", paper["title"], ("", *_ranges(bins)), rows)

    def _distribution(self, paper: dict[str, Any]) -> Table:
        bins, rows = paper["bins"], []
        for row in paper["rows"]:
            code = self._measured(row["code"])
            a, b = paper.get("a", code), paper.get("b", code)
            graphs, values = self.ratios(a, b, paper.get("work", False))
            if graphs:
                low, high = _interval(np.mean, values)
                mean = f"{values.mean():.2f} [{low:.2f}, {high:.2f}]"
                rows.append((f"{row['name']}: {code}", *_shares(values, bins), mean))
            mean = f"{row['mean']:g}" if "mean" in row else ""
            card = f" on {row['card']}" if "card" in row else ""
            rows.append((f"{row['name']}{card}, the paper", *_counted(row["graphs"]), mean))
        head = ("", *_ranges(bins, "x"), "mean")
        return Table(f"table_{paper['table']}", paper["title"], head, rows)

    def _hardware(self) -> Table:
        last = self.results.sessions[-1]
        more = {"version": f"{last.version} {last.commit}".strip(), "date": last.date}
        ours = [facts.items() for facts in (*last.engines.values(), last.machine, more)]
        rows = [(f"this report, {name}", str(value)) for facts in ours for name, value in facts]
        rows += [(f"the paper, {name}", words) for name, words in self._paper["hardware"].items()]
        return Table("table_1", "Table 1. Hardware", ("", ""), rows, words=True)

    def _claims(self) -> Table:
        rows = [self._claim(claim) for claim in self._paper["claims"]]
        head = ("section", "claim", "the paper", "this report", "graphs", "judgement")
        return Table("claims", "The paper's claims, judged by these results", head, rows, True)

    def _claim(self, claim: dict[str, Any]) -> list[str]:
        a, b = self._measured(claim["a"]), self._measured(claim["b"])
        graphs, values = self.ratios(a, b, claim.get("work", False))
        word: Callable[[float], str] = percent if "share" in claim else "{:.2f}".format
        said = [claim["section"], claim["words"], word(claim["paper"]) if "paper" in claim else ""]
        if len(graphs) < 2:
            return [*said, "not measured", "0", "open"]
        if "share" in claim:
            low, high = claim["share"]
            values = ((values >= low) & (values < high)).astype(float)
        statistic: Callable[..., Any] = np.mean
        columns = [values]
        if "against" in claim:
            from scipy.stats import rankdata

            facts = self.fact(graphs, claim["against"])
            statistic, columns = _correlation, [rankdata(values), rankdata(facts)]
        value, (low, high) = float(statistic(*columns)), _interval(statistic, *columns)
        least, most = claim.get("least", -np.inf), claim.get("most", np.inf)
        judged = "holds" if low >= least and high <= most else "open"
        judged = "does not hold" if high < least or low > most else judged
        ours = f"{word(value)} [{word(low)}, {word(high)}]"
        return [*said, ours, str(len(graphs)), judged]

    def _graphs(self) -> Table:
        times, rows = self.results.known("ms"), []
        for name, facts in self.results.graphs.items():
            sizes = facts.n, facts.m, round(facts.m / facts.n, 1), facts.diameter
            cells = [_spread(times.get((code, name))) for code in self.codes]
            rows.append((name, *map("{:,}".format, sizes), *cells))
        head = ("graph", "vertices", "arcs", "degree", "diameter", *self.codes)
        title = "All graphs: median times, half of the spread in percent"
        return Table("graphs", title, head, rows)

    def _failed(self) -> Iterator[Table]:
        rows = [(f.graph, f.code or "all", f.reason) for f in self.results.failed.values()]
        rows += [("all", code, why) for code, why in self.head.left_out.items()]
        head = ("graph", "code", "reason")
        if rows:
            yield Table("failed", "Failed or left out", head, rows, words=True)

    # --- figures

    @cached_property
    def figures(self) -> dict[str, str]:
        """All figures as SVG, by key."""
        drawn = (self._sweeps(), self._scatters(), self._profiles(), self._orders())
        return {key: svg for figures in drawn for key, svg in figures}

    def _scatters(self) -> Drawn:
        """Figures 8 to 10."""
        graphs, speedups = self.ratios(OTHER, BASE)
        if not graphs:
            return
        titles = list(map("{}: {:.2f}x".format, graphs, speedups))
        means = [1.0, self._paper["speedup"]["rows"][0]["mean"]]
        for number, name in ((8, "degree"), (9, "diameter")):
            facts, words = self.fact(graphs, name), "dashed: 1, and the paper's mean"
            series = [Series(words, facts, speedups, titles=titles)]
            title, axes = f"Figure {number}. Speedup against {name}", (name, SPEEDUP)
            yield f"figure_{number}", chart(title, axes, series, "xy", marks=means)
        counted, saved = self.ratios(OTHER, BASE, work=True)
        if counted != graphs:
            return
        known, end = self._paper["points"], np.array([0.0, CAP])
        work, speedup = (np.array([p[key] for p in known]) for key in ("work", "speedup"))
        series = [
            Series("this report", saved, speedups, titles=titles),
            Series("the paper's five", work, speedup, titles=[p["name"] for p in known]),
            Series("speedup = work saved", end, end, line=True),
        ]
        axes = f"work of Near-Far / work of ADDS, up to {CAP:g}", f"speedup, up to {CAP:g}"
        title = "Figure 10. Speedup against work"
        yield "figure_10", chart(title, axes, series, most=CAP, marks=[1.0])

    def _profiles(self) -> Drawn:
        """Figures 11 to 15."""
        curves: dict[str, list[Series]] = {}
        for (graph, code), profile in self.results.profiles.items():
            if code not in {BASE, OTHER}:
                continue
            curve = Series(code, np.array(profile.us), np.array(profile.edges), line=True)
            curves.setdefault(graph, []).append(curve)
        for number, (graph, series) in enumerate(curves.items(), 11):
            title, axes = f"Figure {number}. {graph}", ("time, µs", "edges in hand")
            yield f"figure_{number}", chart(title, axes, series)

    def _orders(self) -> Drawn:
        """Ours: disorder against work, a disc's area the time; a figure for each profile.

        The slowest is drawn at most 1.5 times as wide as the one before it.
        """
        graphs: dict[str, list[tuple[str, Profile]]] = {}
        for (graph, code), profile in self.results.profiles.items():
            if profile.error is not None and profile.work and "@" not in code:
                graphs.setdefault(graph, []).append((code, profile))
        for number, (graph, rows) in enumerate(graphs.items(), 1):
            *_, usual, _longest = sorted([rows[0][1].ms, *(one.ms for _, one in rows)])
            series = [
                Series(
                    f"{code}: {brief_time(one.ms * 1e6)}",
                    np.array([max(one.error or 0.0, LEAST_ERROR)]),
                    np.array([one.work]),
                    radius=RADIUS * float(np.clip(np.sqrt(one.ms / usual), 0.2, 1.5)),
                )
                for code, one in rows
            ]
            words = f"disorder: distance error, mean weights; left edge: at most {LEAST_ERROR:g}"
            axes = (words, "processed for each vertex reached")
            yield f"disorder_{number}", chart(f"Order against work. {graph}", axes, series, "xy")

    def _sweeps(self) -> Drawn:
        """Figures 4 and 7."""
        for number, name, table in ((4, "Time", self.ms), (7, "Work", self.processed)):
            curves: dict[str, dict[float, float]] = {}
            for (code, graph), value in table.items():
                if SWEPT in code:
                    curves.setdefault(graph, {})[float(code.partition(SWEPT)[2])] = value
            series = []
            for graph, points in curves.items():
                c, values = np.array([*points]), np.array([*points.values()])
                series.append(Series(graph, c, values / values.min(), line=True))
            if series:
                title = f"Figure {number}. {name} against C (Δ = C W / D)"
                yield f"figure_{number}", chart(title, ("C", "x the smallest"), series, "xy")

    # --- the page

    def html(self) -> str:
        """Return one page that needs nothing else."""
        runs, graphs = len(self.results.runs), len(self.results.graphs)
        clocks = " and ".join(sorted(set(self._clocks.values())))
        about = f"{runs:,} runs on {graphs} graphs; times are {clocks}."
        if "modelled" in clocks:
            about += " On graphs with hubs the model is too inaccurate to say which is faster."
        figures = "".join(f"<figure>{svg}</figure>" for svg in self.figures.values())
        claims, *tables = (table.html() for table in self.tables)
        top = f"<p>{escape(about)}</p>{claims}<div class=figures>{figures}</div>"
        return page(self.head.suite, top + "".join(tables))

    def write_parts(self, folder: Path) -> None:
        """Write tables as CSV and LaTeX, figures as SVG."""
        folder.mkdir(parents=True, exist_ok=True)
        for key, svg in self.figures.items():
            write_whole(folder / f"{key}.svg", svg.encode())
        for table in self.tables:
            write_table(table.head, table.rows, folder / f"{table.key}.csv")
            write_whole(folder / f"{table.key}.tex", table.latex().encode())


def page(title: str, body: str) -> str:
    """Return a whole HTML page."""
    return Template(_beside("report.html")).substitute(title=escape(title), body=body)


def _beside(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def _ranges(bins: list[float], unit: str = "") -> list[str]:
    inner = [f"{a:g} to {b:g}{unit}" for a, b in pairwise(bins)]
    return [f"<{bins[0]:g}{unit}", *inner, f">={bins[-1]:g}{unit}"]


def _shares(values: np.ndarray, bins: list[float]) -> list[str]:
    return _counted(np.bincount(np.digitize(values, bins), minlength=len(bins) + 1).tolist())


def _counted(counts: list[int]) -> list[str]:
    total = max(sum(counts), 1)
    return [f"{count} ({count / total:.0%})" for count in counts]


def _spread(times: list[float] | None) -> str:
    if times is None:
        return "–"
    middle = median(times)
    spread = f" ±{(max(times) - min(times)) / 2 / middle:.0%}" if len(times) > 1 else ""
    return f"{brief_time(middle * 1e6)}{spread}"


def _interval(statistic: Callable[..., Any], *columns: np.ndarray) -> tuple[float, float]:
    """Return the 95 % interval of a statistic of columns, one number a graph each."""
    n = len(columns[0])
    chosen = np.random.default_rng(1).integers(0, n, (RESAMPLES, n))
    values = [statistic(*(column[graphs] for column in columns)) for graphs in chosen]
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


def _correlation(first: np.ndarray, second: np.ndarray) -> float:
    a, b = first - first.mean(), second - second.mean()
    return float(a @ b / max(np.sqrt((a @ a) * (b @ b)), 1e-12))


def compared(before: Results, after: Results) -> tuple[Table, list[tuple[str, str, float]]]:
    """Return what changed from one RESULTS to another, and (graph, code, ratio) of what is slower.

    A change is beyond noise where the 95 % interval of the ratio of medians leaves out 1. Fewer
    than FEWEST measured runs say nothing.
    """
    rng, rows, slower = np.random.default_rng(1), [], []
    first, second = before.known("ms"), after.known("ms")
    noisy = {run.code for run in (*before.runs, *after.runs) if run.clock == "measured"}
    for code, graph in (key for key in first if key in second):
        pair = np.array(first[code, graph]), np.array(second[code, graph])
        if code in noisy and min(map(len, pair)) < FEWEST:
            continue
        drawn = [np.median(ms[rng.integers(0, len(ms), (500, len(ms)))], axis=1) for ms in pair]
        low, high = np.percentile(drawn[1] / drawn[0], [2.5, 97.5])
        if low <= 1 <= high:
            continue
        a, b = (float(np.median(ms)) for ms in pair)
        cells = "slower" if low > 1 else "faster", f"{b / a:.3f}", f"{low:.3f} to {high:.3f}"
        rows.append((graph, code, *cells, brief_time(a * 1e6), brief_time(b * 1e6)))
        slower += [(graph, code, b / a)] * int(low > 1)
    rows.sort(key=lambda row: -float(row[3]))
    head = ("graph", "code", "", "ratio", "interval", "before", "after")
    return Table("compared", "Beyond noise", head, rows), slower
