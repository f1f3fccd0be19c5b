"""Lines of an SVG in the coordinates of its picture, as every reader of SVG draws them.

Qt writes a line of a plot as its numbers (nanoseconds, edges) under a matrix that puts them on the
picture, and `vector-effect="non-scaling-stroke"` so that it is not as thin as the matrix is small.
Browsers know that attribute; librsvg, CairoSVG and others draw a line 1e-8 pixels wide. So such
shapes are written anew here, at their places on the picture, in a group without a matrix.
"""

from __future__ import annotations

import re

Matrix = tuple[float, float, float, float, float, float]  # SVG's order: x' = a x + c y + e

THIN = ' vector-effect="non-scaling-stroke"'
STILL = "matrix(1,0,0,1,0,0)"
SHARP = b'<image style="image-rendering:pixelated" '  # cells of a heat map are not blurred
FAR = 1e6  # pixels: a shape ends here, where no picture is any more
_GROUP = re.compile(rb'<g [^>]*transform="matrix\(([^)]*)\)"[^>]*>(.*?)</g>', re.DOTALL)
# Qt puts the clipping of a rich label at the corner of the page; it would hide the label.
_OF_A_LABEL = re.compile(rb'<clipPath id="(\w+)">\s*<path[^>]*d="M0,0 ')
_SHAPE = re.compile(r"<(?:path|polyline|polygon|rect)\b[^>]*/>", re.DOTALL)
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_PAIR = re.compile(rf"({_NUMBER}),({_NUMBER})")
_RECT = re.compile(
    rf'<rect ([^>]*?)x="({_NUMBER})" y="({_NUMBER})" width="({_NUMBER})" height="({_NUMBER})"/>'
)


def on_the_picture(svg: bytes) -> bytes:
    """Return Qt's SVG with every thin line at its place on the picture."""
    for clip in _OF_A_LABEL.findall(svg):
        svg = svg.replace(b'clip-path="url(#%s)"' % clip, b"")
    flat = _GROUP.sub(_flattened, svg).replace(THIN.encode(), b"")
    return flat.replace(b"<image ", SHARP)


def _flattened(found: re.Match[bytes]) -> bytes:
    """Return a group with each thin shape in a group of its own, which has no matrix."""
    whole, inside = found[0].decode(), found[2].decode()
    a, b, c, d, e, f = (float(part) for part in found[1].decode().split(","))
    if (a, b, c, d) == (1.0, 0.0, 0.0, 1.0) or THIN not in inside:
        return found[0]
    head = whole[: whole.index(">") + 1]
    still = head.replace(f"matrix({found[1].decode()})", STILL)

    def placed(shape: re.Match[str]) -> str:
        if THIN not in shape[0]:
            return shape[0]
        return f"</g>\n{still}\n{_moved(shape[0], (a, b, c, d, e, f))}\n</g>\n{head}"

    return f"{head}{_SHAPE.sub(placed, inside)}</g>".encode()


def _moved(shape: str, matrix: Matrix) -> str:
    """Return a shape with every point (x, y) of it where the matrix puts it."""
    a, b, c, d, e, f = matrix

    def point(pair: re.Match[str]) -> str:
        x, y = float(pair[1]), float(pair[2])
        return f"{_number(a * x + c * y + e)},{_number(b * x + d * y + f)}"

    return _PAIR.sub(point, _RECT.sub(_as_path, shape))


def _as_path(rect: re.Match[str]) -> str:
    x, y, width, height = (float(rect[place]) for place in range(2, 6))
    corners = [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]
    way = " L".join(f"{x!r},{y!r}" for x, y in corners)
    return f'<path {rect[1]}d="M{way} Z"/>'


def _number(value: float) -> str:
    return f"{min(max(value, -FAR), FAR):.3f}".rstrip("0").rstrip(".")
