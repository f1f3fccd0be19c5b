"""A replay as a film: GIF, WebP, APNG or MP4 of a run's dashboard, from its start to its end.

Frames are drawn one at a time in the GUI thread, as Qt wants it, and encoded in another, a few
frames behind, so that a window goes on between two frames. The frames' moments are equally
far apart on the run's own clock; the last one stands for a while. A GIF wants to see a few frames
of the film before the first one, for its colours (`viewer.export.gif`). GIF, WebP and APNG need
Pillow, MP4 imageio-ffmpeg: `pip install sssp-scope[video]`. A film is written whole or not at all.
"""

from __future__ import annotations

import queue
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from gpu.errors import CancelledByUserError, GpuError
from gpu.wholefile import check_writable, written_whole

FILMS = (".gif", ".webp", ".apng", ".mp4")
FRAMES_A_SECOND = {".gif": 12, ".webp": 12, ".apng": 12, ".mp4": 30}
DEFAULT_SECONDS = 8.0
LEAST_SECONDS, MOST_SECONDS = 0.2, 120.0
HOLD_S = 1.0  # the last frame stands
BEHIND = 4  # frames drawn and not yet encoded
WAIT_S = 0.2
SCOUTS = 4  # frames whose colours make a GIF's palette, given before the first one
PIP = "pip install 'sssp-scope[video]'"


def check_film(path: str | Path, seconds: float) -> None:
    """Raise GpuError in one line where such a film could not be made here."""
    suffix = Path(path).suffix.lower()
    if suffix not in FILMS:
        raise GpuError(f"{path}: allowed: {', '.join(FILMS)}")
    if not LEAST_SECONDS <= seconds <= MOST_SECONDS:
        raise GpuError(f"{seconds:g} seconds; allowed: {LEAST_SECONDS:g} to {MOST_SECONDS:g}")
    check_encoder(suffix)
    check_writable(path)


def check_encoder(suffix: str) -> None:
    """Raise GpuError, with the line that installs it, where what writes such films is missing."""
    try:
        if suffix == ".mp4":
            import imageio_ffmpeg

            imageio_ffmpeg.get_ffmpeg_exe()
        else:
            import PIL.Image  # noqa: F401
    except (ImportError, RuntimeError):
        needed = "imageio-ffmpeg" if suffix == ".mp4" else "Pillow"
        raise GpuError(f"{suffix[1:].upper()} films need {needed}: {PIP}") from None


def moments(duration_ns: float, seconds: float, suffix: str, rate: int = 0) -> np.ndarray:
    """Return the run's times of all frames, ns: float64 (k,), k >= 2, the hold included."""
    rate = rate or FRAMES_A_SECOND[suffix]
    moving = np.linspace(0.0, duration_ns, max(2, round(seconds * rate)))
    return np.concatenate([moving, np.full(round(HOLD_S * rate), duration_ns)])


Frame = bytes | Callable[[], bytes]


class Film:
    """An encoder in a thread: `add` frames, then `finish`; or `give_up`, and nothing is left."""

    def __init__(self, path: str | Path, size: tuple[int, int], rate: int = 0) -> None:
        """size : width and height of every frame, pixels, MP4 wants both even; rate : frames/s.

        A GIF takes its first `scouts` frames for their colours only.
        """
        self.path, self.size = Path(path), size
        self.rate = rate or FRAMES_A_SECOND[self.path.suffix.lower()]
        self.scouts = SCOUTS if self.path.suffix.lower() == ".gif" else 0
        self._frames: queue.Queue[Frame | None] = queue.Queue(BEHIND)
        self._cancelled = threading.Event()
        self.problem: BaseException | None = None
        self._thread = threading.Thread(target=self._work, name="film", daemon=True)
        self._thread.start()

    @property
    def ready(self) -> bool:
        """Whether `add` would not wait."""
        return not self._frames.full() or not self._thread.is_alive()

    @property
    def ended(self) -> bool:
        """Whether the encoder has returned."""
        return not self._thread.is_alive()

    def add(self, frame: Frame) -> None:
        """Hand over one frame: height x width x 3 bytes, or a function that makes them there.

        Raises what the encoder raised.
        """
        self._put(frame)

    def close(self) -> None:
        """Say that there are no more frames; the encoder ends by itself."""
        self._put(None)

    def finish(self) -> None:
        """Wait until the file is there; raise what went wrong."""
        self.close()
        self._thread.join()
        if self.problem is not None:
            raise self.problem

    def give_up(self) -> None:
        """Cancel, and return once the thread has ended."""
        self._cancelled.set()
        self._thread.join()

    def _put(self, frame: Frame | None) -> None:
        while self._thread.is_alive():
            try:
                self._frames.put(frame, timeout=WAIT_S)
            except queue.Full:
                continue
            return
        if self.problem is not None:
            raise self.problem

    def _work(self) -> None:
        try:
            with tempfile.TemporaryDirectory(prefix="sssp-") as folder:
                draft = Path(folder) / f"film{self.path.suffix.lower()}"
                write = {".mp4": _write_mp4, ".gif": _write_gif}.get(draft.suffix, _write_pictures)
                write(draft, self._given(), self.size, self.rate)
                with draft.open("rb") as film, written_whole(self.path) as file:
                    shutil.copyfileobj(film, file)
        except Exception as error:  # told by finish, in the thread that asked
            self.problem = error

    def _given(self) -> Iterator[bytes]:
        while True:
            if self._cancelled.is_set():
                raise CancelledByUserError("The film was given up")
            try:
                frame = self._frames.get(timeout=WAIT_S)
            except queue.Empty:
                continue
            if frame is None:
                return
            yield frame if isinstance(frame, bytes) else frame()


def _write_pictures(draft: Path, frames: Iterator[bytes], size: tuple[int, int], rate: int) -> None:
    from PIL import Image

    pictures = (Image.frombytes("RGB", size, frame) for frame in frames)
    more: dict[str, Any] = {"format": "WEBP", "quality": 80}
    if draft.suffix == ".apng":
        more = {"format": "PNG"}
    first = next(pictures)
    first.save(
        draft, save_all=True, append_images=pictures, duration=round(1000 / rate), loop=0, **more
    )


def _write_gif(draft: Path, frames: Iterator[bytes], size: tuple[int, int], rate: int) -> None:
    from viewer.export.gif import GifWriter, Palette

    arrays = (np.frombuffer(frame, np.uint8).reshape(size[1], size[0], 3) for frame in frames)
    palette = Palette(list(islice(arrays, SCOUTS)))
    with draft.open("wb") as file:
        film = GifWriter(file, palette, size)
        for array in arrays:
            film.add(array, 1000 / rate)
        film.close()


def _write_mp4(draft: Path, frames: Iterator[bytes], size: tuple[int, int], rate: int) -> None:
    import imageio_ffmpeg

    writer = imageio_ffmpeg.write_frames(
        str(draft),
        size,
        fps=rate,
        quality=7,
        macro_block_size=2,
        ffmpeg_log_level="error",
    )
    writer.send(None)
    try:
        for frame in frames:
            writer.send(frame)
    finally:
        writer.close()


def write_film(
    draw: Callable[[float], bytes],
    path: str | Path,
    size: tuple[int, int],
    duration_ns: float,
    seconds: float = DEFAULT_SECONDS,
    progress: Callable[[float], None] = lambda _share: None,
    rate: int = 0,
) -> None:
    """Draw and encode a whole film, here and now.

    draw : a moment, ns -> height x width x 3 bytes of that size
    progress : called with 0..1 after each frame

    Raises GpuError where the film cannot be made or written.
    """
    check_film(path, seconds)
    times = moments(duration_ns, seconds, Path(path).suffix.lower(), rate).tolist()
    film = Film(path, size, rate)
    try:
        for time_ns in np.linspace(0.0, duration_ns, film.scouts):
            film.add(draw(float(time_ns)))
        shown, frame = -1.0, b""
        for place, time_ns in enumerate(times, 1):
            if time_ns != shown:
                shown, frame = time_ns, draw(time_ns)
            film.add(frame)
            progress(place / len(times))
        film.finish()
    except BaseException:
        film.give_up()
        raise
