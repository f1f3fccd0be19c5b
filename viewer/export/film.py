"""A replay as a film: GIF by Pillow, MP4 by imageio-ffmpeg (the extra `video`).

The moments of the frames are equally far apart; the last one stands for a second. A GIF has one
palette, found on a few frames, and Pillow stores of each frame only the changed part. A film is
written whole or not at all.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gpu.errors import GpuError
from gpu.files import check_writable, require_memory, temporary_folder, written_whole

RATES = {".gif": 12, ".mp4": 30}  # frames a second
FILMS = tuple(RATES)
SECONDS = (0.2, 60.0)  # least and most
HOLD_S = 1.0  # the last frame stands
SCOUTS = 5  # frames whose colours make a palette
COLOURS = 255
PIXEL_BYTES = 12  # of a frame while it is drawn and encoded
PIP = "pip install 'sssp-scope[video]'"
Draw = Callable[[float], bytes]  # a moment, ns -> height x width x 3 bytes


@dataclass(frozen=True)
class FilmPlan:
    """What a film shows: a run, in so many seconds, at so many pixels."""

    suffix: str = ".gif"
    size: tuple[int, int] = (1280, 720)  # even numbers
    seconds: float = 8.0
    end_ns: float = 1.0
    theme: str = "projector"

    @property
    def moments(self) -> np.ndarray:
        """Return the times of all frames, ns: float64 (k,), the hold at the end included."""
        rate = RATES[self.suffix]
        moving = np.linspace(0.0, self.end_ns, max(2, round(self.seconds * rate)))
        return np.concatenate([moving, np.full(round(HOLD_S * rate), self.end_ns)])

    @property
    def problem(self) -> str:
        """Say what is wrong with the plan and what is allowed, "" where nothing is."""
        if self.suffix not in RATES:
            return f"{self.suffix or 'no suffix'}; allowed: {', '.join(FILMS)}"
        if not SECONDS[0] <= self.seconds <= SECONDS[1]:
            return f"{self.seconds:g} seconds; allowed: {SECONDS[0]:g} to {SECONDS[1]:g}"
        return _missing_encoder(self.suffix)

    def check(self, path: str | Path) -> None:
        """Raise GpuError in one sentence where the film cannot be made here."""
        if self.problem:
            raise GpuError(self.problem)
        check_writable(path)
        kept = len(self.moments) if self.suffix == ".gif" else 0  # Pillow keeps them to the end
        require_memory(self.size[0] * self.size[1] * (kept + 4 * PIXEL_BYTES), "the film")


def _missing_encoder(suffix: str) -> str:
    """Return the line that installs the encoder, "" where it is installed."""
    try:
        if suffix == ".mp4":
            import imageio_ffmpeg

            imageio_ffmpeg.get_ffmpeg_exe()
        else:
            import PIL.Image  # noqa: F401
    except (ImportError, RuntimeError):
        package = "imageio-ffmpeg" if suffix == ".mp4" else "Pillow"
        return f"{suffix[1:].upper()} films need {package}: {PIP}"
    return ""


def write_film(
    draw: Draw,
    plan: FilmPlan,
    path: str | Path,
    progress: Callable[[float], None] = lambda _share: None,
) -> None:
    """Draw and encode a film. GpuError, OSError."""
    plan.check(path)
    write = _write_gif if plan.suffix == ".gif" else _write_mp4
    with temporary_folder() as folder:
        draft = folder / f"film{plan.suffix}"
        write(draft, draw, plan, _frames(draw, plan, progress))
        with draft.open("rb") as film, written_whole(path) as file:
            shutil.copyfileobj(film, file)


def _frames(draw: Draw, plan: FilmPlan, progress: Callable[[float], None]) -> Iterator[bytes]:
    """Yield every frame; equal moments are drawn once."""
    shown, frame = -1.0, b""
    times = plan.moments.tolist()
    for place, time_ns in enumerate(times, 1):
        if time_ns != shown:
            shown, frame = time_ns, draw(time_ns)
        progress(place / len(times))
        yield frame


def _write_gif(draft: Path, draw: Draw, plan: FilmPlan, frames: Iterator[bytes]) -> None:
    from PIL import Image

    width, height = plan.size
    scouts = b"".join(map(draw, np.linspace(0.0, plan.end_ns, SCOUTS).tolist()))
    whole = Image.frombytes("RGB", (width, height * SCOUTS), scouts)
    palette = whole.quantize(COLOURS, Image.Quantize.FASTOCTREE)
    none = Image.Dither.NONE
    pictures: Any = (
        Image.frombytes("RGB", plan.size, frame).quantize(palette=palette, dither=none)
        for frame in frames
    )
    lasts = round(1000 / RATES[".gif"])
    next(pictures).save(
        draft, "GIF", save_all=True, append_images=pictures, duration=lasts, loop=0, optimize=True
    )


def _write_mp4(draft: Path, _draw: Draw, plan: FilmPlan, frames: Iterator[bytes]) -> None:
    import imageio_ffmpeg

    writer = imageio_ffmpeg.write_frames(
        str(draft), plan.size, fps=RATES[".mp4"], quality=7, macro_block_size=2,
        ffmpeg_log_level="error",
    )  # fmt: skip
    writer.send(None)
    with closing(writer):
        for frame in frames:
            writer.send(frame)
