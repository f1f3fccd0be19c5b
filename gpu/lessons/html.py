"""A lesson as one page that needs nothing else: for reading offline, printing, handing out.

    page(Bench(lesson))                  text, questions, curves
    page(Bench(lesson), pictures)        and what the window would show

Questions are <details>: think first, then open. No script, nothing is loaded from
anywhere, pictures are data URIs. The pictures come from a callable, since drawing them needs Qt
and this package does not know Qt (`viewer.features.lessons.page` has one); sweeps are drawn here,
as SVG.

A step with `drive` can only be done in the window: the page says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from gpu.algorithms import find
from gpu.lessons.answers import Bench, formatted
from gpu.lessons.lesson import Question, Step, SweepSpec
from gpu.lessons.markdown import inline, to_html

WIDTH, HEIGHT, MARGIN = 640, 260, 52  # of a curve, SVG units
KNOBS = {"delta": "Δ", "c": "C"}  # how an axis names them

STYLE = """
:root { color-scheme: light dark; --ink: #1d2433; --paper: #ffffff; --quiet: #5b6475;
  --line: #d5dae3; --accent: #0b6bcb; --time: #4a31a1; --soft: #f2f5fa; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --paper: #14181f; --quiet: #9aa4b5;
  --line: #343c4a; --accent: #6ab0f3; --time: #a483e6; --soft: #1d232d; } }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 1.05rem/1.6 system-ui, "Segoe UI", "Noto Sans", sans-serif; }
main { max-width: 46rem; margin: 0 auto; padding: 2rem 1.2rem 4rem; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .3rem; }
h2 { font-size: 1.35rem; margin: 3rem 0 .6rem; padding-top: 1rem;
  border-top: 1px solid var(--line); }
.idea { font-size: 1.15rem; } .quiet, figcaption { color: var(--quiet); font-size: .92rem; }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }
th, td { text-align: left; padding: .3rem .9rem .3rem 0; border-bottom: 1px solid var(--line); }
blockquote { margin: 1rem 0; padding: .3rem 1rem; border-left: 3px solid var(--accent); }
code, pre { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .92em; }
.ask { background: var(--soft); border-left: 3px solid var(--accent); border-radius: 4px;
  padding: .9rem 1.1rem; margin: 1.2rem 0; }
.ask > p:first-child { margin-top: 0; }
summary { cursor: pointer; color: var(--accent); font-weight: 600; }
figure { margin: 1.2rem 0; }
figure img, figure svg { max-width: 100%; height: auto; display: block; }
.curve { stroke: var(--time); fill: none; stroke-width: 2.5; } .dot { fill: var(--time); }
.axis { stroke: var(--line); } svg text { fill: var(--quiet); font-size: 12px; }
@media print { details > *:not(summary) { display: block; } h2 { break-after: avoid; } }
"""


@dataclass(frozen=True)
class Picture:
    """One picture of a step: `uri` is a data URI, `alt` says in words what it shows."""

    uri: str
    alt: str


Pictures = Callable[[Bench, Step], Sequence[Picture]]


def page(
    bench: Bench, pictures: Pictures | None = None, progress: Callable[[float], None] | None = None
) -> str:
    """Return the lesson of a bench as HTML; its runs are made where needed. ParameterError."""
    lesson = bench.lesson
    parts = []
    for place, step in enumerate(lesson.steps, 1):
        parts.append(_section(bench, place, step, pictures))
        if progress is not None:
            progress(place / len(lesson.steps))
    title = escape(lesson.title)
    paper = " of the ADDS paper" if lesson.figure.startswith(("figure", "section")) else ""
    about = f"About {lesson.minutes} minutes · {escape(lesson.figure)}{paper}"
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; \
style-src 'unsafe-inline'">
<title>{title}</title>
<style>{STYLE}</style>
</head>
<body>
<main>
<h1>{title}</h1>
<p class="idea">{inline(lesson.idea)}</p>
<p class="quiet">{about}. Every number on this page was computed by a run on the modelled GPU.</p>
{"".join(parts)}
</main>
</body>
</html>
"""


def _section(bench: Bench, place: int, step: Step, pictures: Pictures | None) -> str:
    shown = [
        _figure(f'<img src="{p.uri}" alt="{escape(p.alt)}">', p.alt)
        for p in _drawn(bench, step, pictures)
    ]
    curves = [
        _figure(
            curve_svg(bench.sweep(spec.name), spec.name, _knob(spec)), _curve_words(bench, spec)
        )
        for spec in step.sweeps
    ]
    seen = "\n".join([*shown, *curves])
    asked = step.question
    body = to_html(bench.filled(step.text))
    rest = _question(bench, step, asked, seen) if asked is not None else seen
    if step.drive:
        rest += '<p class="quiet">This step is driven by hand: open the lesson in SSSP Scope.</p>'
    return f"<h2>{place}. {inline(step.title)}</h2>\n{body}\n{rest}\n"


def _drawn(bench: Bench, step: Step, pictures: Pictures | None) -> Sequence[Picture]:
    return pictures(bench, step) if pictures is not None else ()


def _question(bench: Bench, step: Step, asked: Question, seen: str) -> str:
    choices = "".join(f"<li>{inline(choice)}</li>" for choice in asked.choices)
    listed = f"<ul>{choices}</ul>" if choices else ""
    answer = answer_words(bench, step, asked)
    return f"""<div class="ask">
<p>{inline(bench.filled(asked.ask))}</p>
{listed}
<details><summary>Think first, then open</summary>
<p><strong>{inline(answer)}</strong></p>
{to_html(bench.filled(asked.wrong or asked.right))}
{seen}
</details>
</div>"""


def answer_words(bench: Bench, step: Step, asked: Question) -> str:
    """Return the right answer as a person would give it."""
    if asked.kind == "curve":
        return "Lower is faster:"
    right = bench.right_answer(asked)
    if asked.kind == "choice":
        return asked.choices[int(right)]
    if asked.kind == "vertex":
        return str(bench.graph(step).id_of(int(right)))
    if asked.kind == "bucket":
        return f"Bucket {int(right)}"
    space = "" if asked.unit in ("x", "%") else " "
    return f"{formatted(right)}{space}{asked.unit}".strip()


def curve_svg(points: Sequence[Any], name: str, knob: str) -> str:
    """Return time against the values of a knob as SVG, both axes logarithmic."""
    curve = [(p.value, p.time_ns / 1e6) for p in points if p.value is not None and not p.failure]
    if len(curve) < 2:
        return ""
    xs, ys = ([math.log(value) for value in axis] for axis in zip(*curve, strict=True))
    right, low = WIDTH - MARGIN / 2, HEIGHT - MARGIN
    across = [_between(x, min(xs), max(xs), MARGIN, right) for x in xs]
    down = [_between(y, min(ys), max(ys), low, MARGIN / 2) for y in ys]
    places = list(zip(across, down, strict=True))
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    dots = "".join(
        f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="4"><title>{value:g}: {time:.4g} ms'
        f"</title></circle>"
        for (x, y), (value, time) in zip(places, curve, strict=True)
    )
    ticks = "".join(
        f'<text x="{x:.1f}" y="{low + 18}" text-anchor="middle">{value:g}</text>'
        for x, (value, _) in zip(across, curve, strict=True)
    )
    times = [time for _, time in curve]
    sides = "".join(
        f'<text x="{MARGIN - 8}" y="{y + 4:.1f}" text-anchor="end">{formatted(time)}</text>'
        for y, time in ((low, min(times)), (MARGIN / 2, max(times)))
    )
    axes = f'<path class="axis" d="M{MARGIN} {MARGIN / 2} V{low} H{right}" fill="none"/>'
    middle = (MARGIN + right) / 2
    names = (
        f'<text x="{middle}" y="{low + 38}" text-anchor="middle">{escape(knob)}</text>'
        f'<text x="{MARGIN}" y="14">time, ms (modelled)</text>'
    )
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(name)}: time against '
        f'the swept value">{axes}<polyline class="curve" points="{line}"/>{dots}{ticks}{sides}'
        f"{names}</svg>"
    )


def _knob(spec: SweepSpec) -> str:
    return KNOBS.get(spec.knob, spec.knob)


def _curve_words(bench: Bench, spec: SweepSpec) -> str:
    title, graph = find(spec.algorithm).title, bench.graph(*_found(bench, spec)).name
    best = f"{{{spec.name}.best_time_ms}} ms, at {_knob(spec)} = {{{spec.name}.best_time}}"
    return bench.filled(f"{title} on {graph}: the least time is {best}")


def _found(bench: Bench, spec: SweepSpec) -> tuple[Step, SweepSpec]:
    found = bench.lesson.sweep(spec.name)
    assert found is not None
    return found


def _figure(inside: str, words: str) -> str:
    return f"<figure>{inside}<figcaption>{escape(words)}</figcaption></figure>"


def _between(value: float, low: float, high: float, first: float, last: float) -> float:
    return first + (value - low) / ((high - low) or 1.0) * (last - first)
