"""`sssp-scope render`: a saved run, or two, as a picture or a film; no screen is needed.

A trace holds no graph. It is opened where the trace says that it came from (a file in the trace's
own folder, a sample, or with --anywhere any file) and compared by its hash. Where that fails, the
plots are drawn without the map and a sentence says why.

Where there is no display, `sssp-scope` draws the same picture.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from gpu.cli.inputs import open_trace, output_of
from gpu.cli.parser import Parser
from gpu.cli.terminal import FAILED, note, progress_line, report
from gpu.files import written_whole
from gpu.graph import CSRGraph
from gpu.page.graph import find_graph, open_again, placed
from gpu.record.trace import Probe, Trace

if TYPE_CHECKING:
    from PyQt6.QtWidgets import QApplication

    from viewer.export.dashboard import Dashboard

NAME = "sssp-scope"
PICTURE = "sssp-scope-dashboard.png"
DEFAULT_SIZE, FILM_SIZE = (1600, 1000), (1280, 720)
SMALLEST, LARGEST = 200, 8000  # pixels a side
MOST_RUNS = 2
EXAMPLES = """\
examples:
  sssp-scope run roads.gr.gz --source 1 --trace run.npz
  sssp-scope render run.npz -o run.png
  sssp-scope render run.npz -o half.png --time 1.5e6 --theme dark --size 800x500
  sssp-scope render adds.npz near_far.npz -o both.gif --seconds 10"""


def add_render(parser: Parser) -> None:
    """Fill the parser of `sssp-scope render`."""
    parser.description = "Draw a saved run, or two on one clock: maps, buckets, Δ, work."
    parser.epilog = EXAMPLES
    words = "one run saved by --trace, or two"
    parser.add_argument("traces", metavar="RUN.npz", nargs="+", help=words)
    words = ".png, .pdf; .gif, .mp4; - (PNG to stdout) [.png]"
    parser.add_argument("-o", "--output", metavar="OUT", help=words)
    words = "pixels [1600x1000; of a film 1280x720]"
    parser.add_argument("--size", type=_size, metavar="WxH", help=words)
    words = "[light; of a film projector]"
    parser.add_argument("--theme", choices=("light", "dark", "projector"), help=words)
    words = "moment to show, ns of the run [its end]"
    parser.add_argument("--time", type=float, metavar="NS", help=words)
    words = "length of a film [8]"
    parser.add_argument("--seconds", type=float, default=8.0, metavar="S", help=words)
    words = "open the graph that the run names also outside the run's folder"
    parser.add_argument("--anywhere", action="store_true", help=words)
    parser.set_defaults(handle=_render, usage_error=parser.error)


def _render(args: argparse.Namespace) -> int:
    from viewer.qt_libraries import say_if_missing

    if len(args.traces) > MOST_RUNS:
        args.usage_error(f"{len(args.traces)} runs; allowed: one, or two on one clock")
    output = output_of(args.output or str(Path(args.traces[0]).with_suffix(".png")))
    if say_if_missing(NAME):
        return FAILED
    traces = [open_trace(name) for name in args.traces]
    near = None if args.anywhere else Path(args.traces[0]).resolve().parent
    graph, missing = find_graph(traces[0], near)
    if Path(output).suffix.lower() in (".gif", ".mp4"):
        _write_film(traces, graph, output, args, missing)
    else:
        moment = {"size": args.size, "theme": args.theme, "time_ns": args.time}
        write_picture(traces, graph, output, missing, **moment)
    if missing:
        note(missing)
    if output != "-":
        report(output)
    return 0


def dashboard_without_display(file: str | None, reason: str) -> int:
    """Run the first sample, or `file`, here, and write its dashboard; print its path last."""
    from dataclasses import replace

    import gpu
    import sample_graphs
    from gpu.proof.verify import verify

    note(f"{reason}: running without a window; --help shows the commands")
    output = Path.cwd() / PICTURE
    graph = open_again(file or f"sample:{sample_graphs.FIRST_SAMPLE}", {})
    source = sample_graphs.suggested_source(graph)
    trace = gpu.run(graph, source=source, probe=Probe.VERTICES)
    trace = replace(trace, verification=verify(graph, source, trace.dist))
    write_picture([trace], graph, output)
    report(str(output))
    return 0


def write_picture(
    traces: Sequence[Trace],
    graph: CSRGraph | None,
    output: str | Path,
    missing: str = "",
    *,
    size: tuple[int, int] | None = None,
    theme: str | None = None,
    time_ns: float | None = None,
) -> None:
    """Draw runs as PNG or PDF at a moment; `output` "-" is standard output. GpuError, OSError."""
    from PyQt6.QtCore import QSize

    from viewer.export.pictures import drawing, png_bytes

    dashboard = _dashboard(traces, graph, missing, theme or "light")
    shape = QSize(*(size or DEFAULT_SIZE))
    with closing(dashboard), written_whole(output) as file:
        if Path(output).suffix.lower() == ".pdf":
            dashboard.stand_at(shape, time_ns)
            file.write(drawing([dashboard], dashboard.title.text(), size=shape)())
        else:
            file.write(png_bytes(dashboard.grab_picture(shape, time_ns)))


def _write_film(
    traces: Sequence[Trace],
    graph: CSRGraph | None,
    output: str,
    args: argparse.Namespace,
    missing: str,
) -> None:
    """Draw runs as a film, to the end of the longer one. GpuError, OSError."""
    from PyQt6.QtCore import QSize

    from viewer.common.theme import THEMES
    from viewer.export.film import FilmPlan, write_film
    from viewer.export.pictures import frame_bytes

    wide, high = args.size or FILM_SIZE
    size = wide // 2 * 2, high // 2 * 2
    end = max(1.0, *(float(trace.time_ns) for trace in traces))
    theme = args.theme or "projector"
    plan = FilmPlan(Path(output).suffix.lower(), size, args.seconds, end, theme)
    plan.check(output)
    with closing(_dashboard(traces, graph, missing, theme)) as dashboard:
        dashboard.grow(THEMES[theme])
        dashboard.stand_at(QSize(*size), 0.0)

        def draw(moment_ns: float) -> bytes:
            dashboard.go(moment_ns)
            return frame_bytes(dashboard.picture(QSize(*size)))

        with progress_line() as line:
            write_film(draw, plan, output, lambda share: line.show(share, "drawing"))


def _dashboard(
    traces: Sequence[Trace], graph: CSRGraph | None, missing: str, theme: str
) -> Dashboard:
    from viewer.common.theme import THEMES
    from viewer.export.dashboard import Dashboard

    application(theme)
    dashboard = Dashboard(pair=len(traces) > 1)
    dashboard.apply_theme(THEMES[theme])
    dashboard.fill(traces, graph if graph is None else placed(graph), missing)
    return dashboard


def application(theme: str) -> QApplication:
    """Return the QApplication in a theme, offscreen unless there is one already."""
    from PyQt6.QtWidgets import QApplication

    from viewer.common.application import kept_for_good
    from viewer.common.theme import apply_theme

    app = QApplication.instance()
    if not isinstance(app, QApplication):
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        app = kept_for_good(QApplication([NAME]))
    apply_theme(app, theme)
    return app


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    try:
        size = int(width), int(height)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}; allowed: WIDTHxHEIGHT in pixels") from None
    if not all(SMALLEST <= side <= LARGEST for side in size):
        allowed = f"{SMALLEST} to {LARGEST} pixels a side"
        raise argparse.ArgumentTypeError(f"{text!r}; allowed: {allowed}")
    return size
