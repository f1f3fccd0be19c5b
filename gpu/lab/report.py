"""`lab report`: tables 1 to 5, figures 4 and 7 to 15, and the claims of the paper, judged again.

Every table and figure is a function of RESULTS; the paper's numbers are in `published.toml`. A code
counts with the median of its runs on a graph. Intervals are of 95 %, by resampling graphs.
"""

from __future__ import annotations

import csv
import io
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from gpu.lab.draw import Axis, Series, chart
from gpu.lab.records import Results, ResultsError
from gpu.words import brief_time, percent

RESAMPLES = 2000
FEWEST = 3  # measured runs whose spread says anything
Statistic = Callable[[np.ndarray], np.ndarray]  # of rows of indices, (k, n) -> (k,)
Drawn = Iterator[tuple[str, str]]  # key and SVG of figures
CAP = 5.0  # of figure 10, as in the paper
BASE, OTHER = "adds", "near_far"
STYLE = """
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;padding:1rem;max-width:72rem}
h1{font-size:1.5rem}h2{margin-top:2.2rem;font-size:1.2rem}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:
tabular-nums}caption{text-align:left;font-weight:600;padding:.5rem 0}
td,th{padding:.15rem .5rem;border-bottom:1px solid #8886;text-align:right;white-space:nowrap}
td:first-child,th:first-child{text-align:left}.words td,.words th
{white-space:normal;text-align:left}
.words td:nth-child(2){min-width:13rem}caption{break-after:avoid}
.figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,26rem),1fr));gap:1rem}
figure{margin:0}svg{width:100%;height:auto}
@media print{body{max-width:none;font-size:11px}svg,tr{break-inside:avoid}.wide{overflow:visible}
table{font-size:7.5px}.figures{grid-template-columns:1fr 1fr}}
"""


@dataclass(frozen=True)
class Table:
    """A table of text; `key` names its files."""

    key: str
    title: str
    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    words: bool = False  # sentences, which wrap

    def html(self) -> str:
        """Return it as HTML."""
        head = "".join(f"<th>{escape(cell)}</th>" for cell in self.head)
        rows = "".join(
            f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in self.rows
        )
        kind = ' class="words"' if self.words else ""
        title = f"<caption>{escape(self.title)}</caption>"
        return f'<div class="wide"><table{kind}>{title}<tr>{head}</tr>{rows}</table></div>'

    def csv(self) -> str:
        """Return it as CSV with a head."""
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([self.head, *self.rows])
        return text.getvalue()

    def latex(self) -> str:
        """Return it as a LaTeX tabular."""
        lines = [" & ".join(map(_latex, row)) + r" \\" for row in (self.head, *self.rows)]
        form = "l" + "r" * (len(self.head) - 1)
        body = "\n".join([lines[0], r"\hline", *lines[1:]])
        return f"\\begin{{tabular}}{{{form}}}\n{body}\n\\end{{tabular}}\n"


def _latex(text: str) -> str:
    for mark in "&%$#_{}":
        text = text.replace(mark, f"\\{mark}")
    return text.replace("Δ", r"$\Delta$").replace("<", "$<$").replace(">", "$>$")


class Report:
    """What RESULTS say; `tables` and `figures` (by key) are what the page shows."""

    def __init__(self, results: Results) -> None:
        if results.head is None or not results.sessions:
            raise ResultsError(f"{results.path}: nothing was run yet")
        self.results, self.head = results, results.head
        text = (Path(__file__).parent / "published.toml").read_text(encoding="utf-8")
        self._paper: dict[str, Any] = tomllib.loads(text)
        self._rng = np.random.default_rng(1)
        # medians by code, then graph: times, ms, and vertices processed, where counted
        self.ms = _medians([(run.code, run.graph, run.ms) for run in results.runs])
        counted = [(r.code, r.graph, float(r.processed)) for r in results.runs if r.processed]
        self.processed = _medians(counted)
        self._clocks = {run.code: run.clock for run in results.runs}

    # --- numbers

    def ratios(self, a: str, b: str, work: bool = False) -> tuple[list[str], np.ndarray]:
        """Return graphs, and a's time (or work) over b's on each; none for times of two clocks."""
        table = self.processed if work else self.ms
        if not work and self._clocks.get(a) != self._clocks.get(b):
            return [], np.zeros(0)
        first, second = table.get(a, {}), table.get(b, {})
        graphs = [graph for graph in self.results.graphs if graph in first and graph in second]
        values = [first[graph] / max(second[graph], 1e-12) for graph in graphs]
        return graphs, np.array(values)

    def fact(self, graphs: list[str], name: str) -> np.ndarray:
        """Return "degree" or "diameter" of graphs."""
        facts = [self.results.graphs[graph] for graph in graphs]
        return np.array([f.m / f.n if name == "degree" else f.diameter for f in facts], float)

    def interval(self, statistic: Statistic, n: int) -> tuple[float, float]:
        """Return the 95 % interval of a statistic over n graphs."""
        values = statistic(self._rng.integers(0, n, (RESAMPLES, n)))
        low, high = np.percentile(values, [2.5, 97.5])
        return float(low), float(high)

    def _measured(self, codes: list[str]) -> str:
        return next((code for code in codes if code in self.ms), "")

    # --- tables

    @cached_property
    def tables(self) -> list[Table]:
        """All tables, in the order of the page."""
        paper = self._paper
        graphs = list(self.results.graphs)
        found = [self._claims(), self._hardware()]
        for key in ("degree", "diameter"):
            rows = [("this report", *_shares(self.fact(graphs, key), paper[key]["bins"]))]
            rows.append(("the paper", *_counted(paper[key]["graphs"])))
            title = f"Table 2. Graphs by {key}"
            found.append(Table(f"table_2_{key}", title, _head("", paper[key]["bins"]), rows))
        titles = {
            "speedup": "Table 3. Speedup of ADDS over others: graphs",
            "work": "Table 4. Vertices processed by ADDS over those of others: graphs",
            "ablation": "Table 5. Speedup of ADDS and of its ablations over Near-Far: graphs",
        }
        for number, key in enumerate(titles, 3):
            found.append(self._distribution(f"table_{number}", titles[key], key))
        return [*found, self._graphs(), *self._failed()]

    def _distribution(self, key: str, title: str, name: str) -> Table:
        table, rows = self._paper[name], []
        for row in table["rows"]:
            code = self._measured(row["code"])
            over = (OTHER, code) if name == "ablation" else (code, BASE)
            graphs, values = self.ratios(*over)
            if name == "work":
                graphs, values = self.ratios(BASE, code, work=True)
            if len(graphs):
                low, high = self.interval(_mean_of(values), len(values))
                mean = f"{values.mean():.2f} [{low:.2f}, {high:.2f}]"
                rows.append((f"{row['name']}: {code}", *_shares(values, table["bins"]), mean))
            mean = f"{row['mean']:g}" if "mean" in row else ""
            rows.append((f"{row['name']}, the paper", *_counted(row["graphs"]), mean))
        return Table(key, title, (*_head("", table["bins"], "x"), "mean"), rows)

    def _hardware(self) -> Table:
        paper, last = self._paper["hardware"], self.results.sessions[-1]
        engines = [facts for each in last.engines.values() for facts in each.items()]
        rows = [(f"this report, {name}", str(value)) for name, value in engines]
        rows += [(f"this report, {name}", str(value)) for name, value in last.machine.items()]
        rows += [("this report, version", f"{last.version} {last.commit}".strip())]
        rows += [("this report, date", last.date)]
        rows += [
            (f"the paper, {name}", f"{paper['columns'][0]}: {a}; {paper['columns'][1]}: {b}")
            for name, (a, b) in list(paper.items())[1:]
        ]
        return Table("table_1", "Table 1. Hardware", ("", ""), rows, words=True)

    def _claims(self) -> Table:
        rows = [self._claim(claim) for claim in self._paper["claims"]]
        head = ("section", "claim", "the paper", "this report", "graphs", "judgement")
        return Table("claims", "The paper's claims, judged by these results", head, rows, True)

    def _claim(self, claim: dict[str, Any]) -> tuple[str, ...]:
        a, b = self._measured(claim["a"]), self._measured(claim["b"])
        graphs, values = self.ratios(a, b, claim.get("work", False))
        share = "share" in claim
        word: Callable[[float], str] = percent if share else lambda number: f"{number:.2f}"
        paper = word(claim["paper"]) if "paper" in claim else ""
        if len(graphs) < 2:
            return (claim["section"], claim["words"], paper, "not measured", "0", "open")
        if share:
            low, high = claim["share"]
            values = ((values >= low) & (values < high)).astype(float)
        statistic = _mean_of(values)
        if "against" in claim:
            ranks = _ranks(values), _ranks(self.fact(graphs, claim["against"]))
            statistic = _correlation_of(*ranks)
        value = float(statistic(np.arange(len(graphs))[None])[0])
        low, high = self.interval(statistic, len(graphs))
        least, most = claim.get("least", -np.inf), claim.get("most", np.inf)
        judged = "holds" if low >= least and high <= most else "open"
        judged = "does not hold" if high < least or low > most else judged
        ours = f"{word(value)} [{word(low)}, {word(high)}]"
        return (claim["section"], claim["words"], paper, ours, str(len(graphs)), judged)

    def _graphs(self) -> Table:
        codes = [code for code in self.head.codes if code in self.ms and "C=" not in code]
        times, rows = self.results.times, []
        for name, facts in self.results.graphs.items():
            cells = [f"{facts.n:,}", f"{facts.m:,}", f"{facts.m / facts.n:.1f}"]
            cells.append(f"{facts.diameter:,}")
            for code in codes:
                ms = times[code].get(name, np.zeros(0))
                spread = f" ±{(ms.max() - ms.min()) / 2 / np.median(ms):.0%}" if len(ms) > 1 else ""
                cells.append(f"{brief_time(np.median(ms) * 1e6)}{spread}" if len(ms) else "–")
            rows.append((name, *cells))
        head = ("graph", "vertices", "arcs", "degree", "diameter", *codes)
        title = "All graphs: median times, half of the spread in percent"
        return Table("graphs", title, head, rows)

    def _failed(self) -> Iterator[Table]:
        rows = [(f.graph, f.code or "all", f.reason) for f in self.results.failed.values()]
        rows += [("all", code, why) for code, why in self.head.left_out.items()]
        if rows:
            head = ("graph", "code", "reason")
            yield Table("failed", "Failed or left out", head, rows, words=True)

    # --- figures

    @cached_property
    def figures(self) -> dict[str, str]:
        """All figures as SVG, by key."""
        graphs, speedups = self.ratios(OTHER, BASE)
        found = dict(self._sweeps())
        if not graphs:
            return found
        titles = tuple(
            f"{name}: {value:.2f}x" for name, value in zip(graphs, speedups, strict=True)
        )
        y = Axis("speedup of ADDS over Near-Far", log=True)
        means = [1.0, self._paper["speedup"]["rows"][0]["mean"]]
        for number, name in ((8, "degree"), (9, "diameter")):
            points = Series(
                "dashed: 1, and the paper's mean", self.fact(graphs, name), speedups, titles=titles
            )
            title = f"Figure {number}. Speedup against {name}"
            found[f"figure_{number}"] = chart(title, Axis(name, log=True), y, [points], means)
        found |= dict(self._figure_10(speedups, titles))
        return found | dict(self._profiles())

    def _figure_10(
        self, speedups: np.ndarray, titles: tuple[str, ...]
    ) -> Iterator[tuple[str, str]]:
        graphs, saved = self.ratios(OTHER, BASE, work=True)
        if len(graphs) != len(speedups):
            return
        known = self._paper["points"]
        work, speedup = (np.array([p[key] for p in known]) for key in ("work", "speedup"))
        names = tuple(point["name"] for point in known)
        end = np.array([0.0, CAP])
        series = [
            Series("this report", saved, speedups, titles=titles),
            Series("the paper's five", work, speedup, titles=names),
            Series("speedup = work saved", end, end, line=True),
        ]
        axes = (
            Axis(f"work of Near-Far / work of ADDS, up to {CAP:g}", most=CAP),
            Axis(f"speedup, up to {CAP:g}", most=CAP),
        )
        yield "figure_10", chart("Figure 10. Speedup against work", *axes, series, [1.0])

    def _profiles(self) -> Drawn:
        profiles = self.results.profiles
        for number, graph in enumerate(dict.fromkeys(graph for graph, _ in profiles), 11):
            series = [
                Series(code, np.array(p.us), np.array(p.edges), line=True)
                for (name, code), p in profiles.items()
                if name == graph
            ]
            axes = Axis("time, µs"), Axis("edges in hand")
            yield f"figure_{number}", chart(f"Figure {number}. {graph}", *axes, series, [])

    def _sweeps(self) -> Drawn:
        swept = {code: float(code.partition(" C=")[2]) for code in self.ms if " C=" in code}
        graphs = dict.fromkeys(graph for code in swept for graph in self.ms[code])
        found: dict[str, list[Series]] = {"time": [], "work": []}
        for graph in graphs:
            for key, table in (("time", self.ms), ("work", self.processed)):
                codes = [code for code in swept if graph in table.get(code, {})]
                c = np.array([swept[code] for code in codes])
                values = np.array([table[code][graph] for code in codes])
                if len(values):
                    found[key].append(Series(graph, c, values / values.min(), line=True))
        for name, key in (("figure_4", "time"), ("figure_7", "work")):
            if found[key]:
                title = f"Figure {name[-1]}. {key.capitalize()} against C (Δ = C W / D)"
                axes = Axis("C", log=True), Axis("x the smallest", log=True)
                yield name, chart(title, *axes, found[key], [])

    # --- the page

    def html(self) -> str:
        """Return one page that needs nothing else."""
        runs, graphs = len(self.results.runs), len(self.results.graphs)
        clocks = " and ".join(sorted({run.clock for run in self.results.runs}))
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
        for table in self.tables:
            (folder / f"{table.key}.csv").write_text(table.csv(), encoding="utf-8")
            (folder / f"{table.key}.tex").write_text(table.latex(), encoding="utf-8")
        for key, svg in self.figures.items():
            (folder / f"{key}.svg").write_text(svg, encoding="utf-8")


def page(title: str, body: str) -> str:
    """Return a whole HTML page."""
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>"
        f"<body><h1>{escape(title)}</h1>{body}</body></html>\n"
    )


def _medians(rows: list[tuple[str, str, float]]) -> dict[str, dict[str, float]]:
    lists: dict[str, dict[str, list[float]]] = {}
    for code, graph, value in rows:
        lists.setdefault(code, {}).setdefault(graph, []).append(value)
    return {
        code: {graph: median(values) for graph, values in each.items()}
        for code, each in lists.items()
    }


def _head(first: str, bins: list[float], unit: str = "") -> tuple[str, ...]:
    inner = [f"{a:g} to {b:g}{unit}" for a, b in pairwise(bins)]
    return (first, f"<{bins[0]:g}{unit}", *inner, f">={bins[-1]:g}{unit}")


def _shares(values: np.ndarray, bins: list[float]) -> tuple[str, ...]:
    return _counted(np.bincount(np.digitize(values, bins), minlength=len(bins) + 1).tolist())


def _counted(counts: list[int]) -> tuple[str, ...]:
    total = max(sum(counts), 1)
    return tuple(f"{count} ({count / total:.0%})" for count in counts)


def _ranks(values: np.ndarray) -> np.ndarray:
    from scipy.stats import rankdata

    ranks: np.ndarray = rankdata(values)
    return ranks


def _mean_of(values: np.ndarray) -> Statistic:
    return lambda at: values[at].mean(axis=1)


def _correlation_of(first: np.ndarray, second: np.ndarray) -> Statistic:
    def statistic(at: np.ndarray) -> np.ndarray:
        a, b = (x[at] - x[at].mean(axis=1, keepdims=True) for x in (first, second))
        size = np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1))
        correlations: np.ndarray = (a * b).sum(axis=1) / np.maximum(size, 1e-12)
        return correlations

    return statistic


def compared(before: Results, after: Results) -> tuple[Table, list[tuple[str, str, float]]]:
    """Return what changed from one RESULTS to another, and (graph, code, ratio) of what is slower.

    A change is beyond noise where the 95 % interval of the ratio of medians leaves out 1. Fewer
    than FEWEST measured runs say nothing.
    """
    rng, rows, slower = np.random.default_rng(1), [], []
    first, second = before.times, after.times
    noisy = {run.code for run in (*before.runs, *after.runs) if run.clock == "measured"}
    for code, graph in ((c, g) for c in first for g in first[c] if g in second.get(c, {})):
        a, b = first[code][graph], second[code][graph]
        if code in noisy and min(len(a), len(b)) < FEWEST:
            continue
        drawn = [np.median(ms[rng.integers(0, len(ms), (500, len(ms)))], axis=1) for ms in (a, b)]
        ratio = float(np.median(b) / np.median(a))
        low, high = np.percentile(drawn[1] / drawn[0], [2.5, 97.5])
        if low > 1 or high < 1:
            word = "slower" if low > 1 else "faster"
            times = brief_time(np.median(a) * 1e6), brief_time(np.median(b) * 1e6)
            rows.append((graph, code, word, f"{ratio:.3f}", f"{low:.3f} to {high:.3f}", *times))
            slower += [(graph, code, ratio)] * int(low > 1)
    rows.sort(key=lambda row: -float(row[3]))
    head = ("graph", "code", "", "ratio", "interval", "before", "after")
    return Table("compared", "Beyond noise", head, rows), slower
