"""`sssp-scope render run.npz -o run.png|.svg|.gif|.mp4`: a saved run's dashboard, no screen needed.

The graph is not in a trace: it is found again where the trace says that it came from
(a file in the trace's own folder, with --anywhere any, or a sample) and compared by hash. Where it
is gone or another one, the panels are drawn without it and a sentence says so.

The same picture is what `sssp-scope` makes where there is no display.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from gpu.cli.inputs import open_trace, output_of
from gpu.cli.outcome import FAILED
from gpu.cli.parser import Parser
from gpu.cli.terminal import is_quiet, note
from gpu.graph import CSRGraph
from gpu.page.graph import find_graph, open_again
from gpu.record.trace import Probe, Trace
from gpu.wholefile import written_whole

if TYPE_CHECKING:
    from PyQt6.QtCore import QSize
    from PyQt6.QtWidgets import QApplication

    from viewer.export.dashboard import Dashboard

NAME = "sssp-scope"
PICTURE = "sssp-scope-dashboard.png"
DEFAULT_SIZE, FILM_SIZE = (1600, 1000), (1280, 720)
SMALLEST, LARGEST = 200, 8000  # pixels a side
LIGHT = "light"
EXAMPLES = """\
examples:
  sssp-scope run roads.gr.gz --source 1 --trace run.npz
  sssp-scope render run.npz -o run.png
  sssp-scope render run.npz -o half.png --time 1.5e6 --theme dark --size 800x500
  sssp-scope render run.npz -o part.png --measure 4e5 9e5
  sssp-scope render run.npz -o run.mp4 --seconds 12 --size 1280x720"""


def add_render(parser: Parser) -> None:
    """Fill the parser of `sssp-scope render`."""
    parser.description = "Draw the dashboard of a saved run: graph, buckets, Δ, parallelism, work."
    parser.epilog = EXAMPLES
    parser.add_argument(
        "trace", metavar="RUN.npz", help="a run saved by --trace or File > Save trace (.npz)"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        help=".png, .svg; .gif, .webp, .apng, .mp4; - (PNG to stdout) [.png]",
    )
    parser.add_argument(
        "--size", type=_size, metavar="WxH", help="pixels [1600x1000; of a film 1280x720]"
    )
    parser.add_argument(
        "--theme", choices=("light", "dark", "projector"), default=LIGHT, help="[light]"
    )
    parser.add_argument(
        "--time", type=float, metavar="NS", help="moment to show, ns of the run [its end]"
    )
    parser.add_argument(
        "--measure",
        type=float,
        nargs=2,
        metavar=("FROM", "TO"),
        help="of a picture: mark these two moments, ns, and say what lies between",
    )
    parser.add_argument(
        "--seconds", type=float, default=8.0, metavar="S", help="length of a film [8]"
    )
    parser.add_argument(
        "--fps", type=int, metavar="N", help="frames a second of a film [12; of an MP4 30]"
    )
    parser.add_argument(
        "--anywhere",
        action="store_true",
        help="open the graph that the run names also outside the run's folder",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")
    parser.set_defaults(handle=_render, usage_error=parser.error)


def _render(args: argparse.Namespace) -> int:
    from viewer.qt_libraries import say_if_missing

    output = output_of(args.output or str(Path(args.trace).with_suffix(".png")))
    if args.json and output == "-":
        args.usage_error("--json and -o -: only one of them can have standard output")
    if say_if_missing(NAME):
        return FAILED
    trace = open_trace(args.trace)
    near = None if args.anywhere else Path(args.trace).resolve().parent
    graph, missing = find_graph(trace, near)
    with TemporaryDirectory(prefix="sssp-scope-") as folder:
        target = Path(folder, "picture.png") if output == "-" else Path(output)
        write_picture(
            trace,
            graph,
            target,
            missing,
            size=args.size,
            theme=args.theme,
            time_ns=args.time,
            measured=args.measure,
            seconds=args.seconds,
            rate=args.fps,
        )
        if output == "-":
            with target.open("rb") as drawn, written_whole(output) as out:
                copyfileobj(drawn, out)
    if missing:
        note(missing)
    if args.json:
        print(json.dumps({"file": output, "notes": [missing] if missing else []}))
    elif output != "-" and not is_quiet():
        print(output)
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
    write_picture(trace, graph, output)
    print(output)
    return 0


def write_picture(
    trace: Trace,
    graph: CSRGraph | None,
    output: Path,
    missing: str = "",
    *,
    size: tuple[int, int] | None = None,
    theme: str = LIGHT,
    time_ns: float | None = None,
    measured: Sequence[float] | None = None,
    seconds: float = 8.0,
    rate: int | None = None,
) -> None:
    """Draw a run as its suffix says: a picture (PNG, SVG) at a moment, or a film of all of it.

    Raises OSError or GpuError where it cannot be written.
    """
    app = _application()
    from PyQt6.QtCore import QSize

    from viewer.common.theme import apply_theme
    from viewer.export.animate import FILMS
    from viewer.export.dashboard import Dashboard

    colours = apply_theme(app, theme)
    if graph is not None and graph.positions is None and graph.n:
        from gpu.placement.placements import layout

        graph = graph.with_positions(layout(graph))
    if output.suffix.lower() in FILMS:
        _write_film(trace, graph, output, size or FILM_SIZE, theme, seconds, rate)
        return
    dashboard = Dashboard()
    dashboard.apply_theme(colours)
    dashboard.fill(trace, graph, missing)
    if measured is not None:
        dashboard.measure(*measured)
    try:
        _write(dashboard, output, QSize(*(size or DEFAULT_SIZE)), time_ns)
    finally:
        dashboard.close()
        dashboard.deleteLater()


def _write(dashboard: Dashboard, output: Path, size: QSize, time_ns: float | None) -> None:
    """Write a picture of exactly that size, pixels."""
    from viewer.export.pictures import drawing, png_bytes

    with written_whole(output) as file:
        if output.suffix.lower() == ".svg":
            dashboard.stand_at(size, time_ns)
            file.write(drawing(dashboard, dashboard.title.text(), size=size)())
        else:
            file.write(png_bytes(dashboard.grab_picture(size, time_ns)))


def _write_film(
    trace: Trace,
    graph: CSRGraph | None,
    output: Path,
    size: tuple[int, int],
    theme: str,
    seconds: float,
    rate: int | None,
) -> None:
    from viewer.export.animate import write_film
    from viewer.export.film import USUAL_RATE, FilmPlan
    from viewer.export.film_stage import FilmStage
    from viewer.export.pictures import frame_bytes

    suffix = output.suffix.lower()
    even = size[0] // 2 * 2, size[1] // 2 * 2
    end = max(float(trace.time_ns), 1.0)
    frames = USUAL_RATE[suffix] if rate is None else rate
    plan = FilmPlan(suffix, even, seconds, frames, 0.0, end, theme=theme)
    plan.check(output)
    stage = FilmStage(trace, graph, graph.positions if graph is not None else None, plan)

    def draw(moment_ns: float) -> bytes:
        frame = next(drawn for drawn in stage.draw(moment_ns) if drawn is not None)
        return frame_bytes(frame, even)

    try:
        for _ in stage.build():
            pass
        write_film(draw, output, even, end, seconds, rate=frames)
    finally:
        stage.close()


def _application() -> QApplication:
    """Return the QApplication, offscreen unless there is one already."""
    from PyQt6.QtWidgets import QApplication

    from viewer.common.application import kept_for_good

    app = QApplication.instance()
    if isinstance(app, QApplication):
        return app
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    return kept_for_good(QApplication([NAME]))


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
