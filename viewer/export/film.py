"""What a film of a replay shall be: size, length, part of the run, panels; what it will cost.

A film is drawn part by part in the GUI thread (`viewer.export.film_stage`) and encoded in another
(`viewer.export.animate`). What it takes is said before: `bytes_needed` is an upper bound of the
memory for frames under way, `bytes_expected` an estimate of the file from films that were measured
(two runs, 8 s, 1280 x 720: see FILE_SHARE), within a factor of about three, since it depends on
how much of the picture moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gpu.errors import GpuError
from viewer.export.animate import (
    BEHIND,
    FILMS,
    HOLD_S,
    LEAST_SECONDS,
    MOST_SECONDS,
    SCOUTS,
)

PANELS = {  # key -> title; the graph stands left, the others below each other
    "graph": "Graph",
    "buckets": "Buckets",
    "delta": "Δ",
    "parallelism": "Parallelism",
    "work": "Work",
}
SIZES = ((854, 480), (960, 540), (1280, 720), (1920, 1080), (1024, 768), (720, 720))
USUAL_RATE = {".gif": 12, ".webp": 12, ".apng": 12, ".mp4": 30}
LEAST_SIDE, MOST_SIDE = 320, 4096  # pixels
LEAST_ROOM = 118  # pixels that a panel needs below the next one
FILE_SHARE = {".gif": 0.006, ".webp": 0.035, ".apng": 0.03, ".mp4": 0.004}  # bytes a pixel a frame
FIRST_FRAME = {".gif": 0.09, ".webp": 0.06, ".apng": 0.2, ".mp4": 0.08}  # bytes a pixel
PIXEL_BYTES = 4 + 3 + 1  # of a frame: as Qt draws it, as RGB, as numbers of a palette
HELD = {".apng": 4}  # bytes a pixel of every frame, where the encoder keeps all until the end


@dataclass(frozen=True)
class FilmPlan:
    """One film.

    size : width and height, pixels, both even    seconds : of the moving part
    rate : frames a second                        first_ns, last_ns : of the run
    panels : keys of PANELS, at least one         theme : key of THEMES
    """

    suffix: str = ".gif"
    size: tuple[int, int] = (1280, 720)
    seconds: float = 8.0
    rate: int = 12
    first_ns: float = 0.0
    last_ns: float = 0.0
    panels: tuple[str, ...] = ("graph", "buckets", "delta", "parallelism")
    theme: str = "light"

    @property
    def problem(self) -> str:
        """Say what is wrong with it, and what is allowed; empty where it can be made."""
        width, height = self.size
        beside = len([key for key in self.panels if key != "graph"])
        checks = (
            (self.suffix in FILMS, f"{self.suffix or 'no suffix'}; allowed: {', '.join(FILMS)}"),
            (
                all(LEAST_SIDE <= side <= MOST_SIDE and side % 2 == 0 for side in self.size),
                f"{width} x {height} pixels; allowed: even, {LEAST_SIDE} to {MOST_SIDE} a side",
            ),
            (
                LEAST_SECONDS <= self.seconds <= MOST_SECONDS,
                f"{self.seconds:g} seconds; allowed: {LEAST_SECONDS:g} to {MOST_SECONDS:g}",
            ),
            (1 <= self.rate <= 60, f"{self.rate} frames a second; allowed: 1 to 60"),
            (
                bool(self.panels) and set(self.panels) <= set(PANELS),
                f"no panel is chosen; allowed: {', '.join(PANELS)}",
            ),
            (
                0 <= self.first_ns < self.last_ns,
                "the part of the run is empty; its end must come after its start",
            ),
            (
                self.room_for_plots >= LEAST_ROOM * beside,
                f"{beside} plots below each other need {LEAST_ROOM * beside} pixels of height, "
                f"and {height} leave {self.room_for_plots}; choose fewer, or a larger picture",
            ),
        )
        return next((words for good, words in checks if not good), "")

    @property
    def room_for_plots(self) -> int:
        """Return the height for all plots together, pixels."""
        return self.size[1] - 2 * 44  # title above, totals below

    @property
    def moments(self) -> np.ndarray:
        """Return the run's times of all frames, ns: float64 (k,), the hold at the end included."""
        moving = np.linspace(self.first_ns, self.last_ns, max(2, round(self.seconds * self.rate)))
        return np.concatenate([moving, np.full(round(HOLD_S * self.rate), self.last_ns)])

    @property
    def scouts(self) -> np.ndarray:
        """Return the times of frames whose colours are counted first: float64 (SCOUTS,)."""
        if self.suffix != ".gif":
            return np.zeros(0)
        return np.linspace(self.first_ns, self.last_ns, SCOUTS)

    @property
    def bytes_expected(self) -> int:
        """Return about how large the file will be."""
        pixels, frames = self.size[0] * self.size[1], max(2, round(self.seconds * self.rate))
        still, moving = FIRST_FRAME[self.suffix], FILE_SHARE[self.suffix]
        return round(pixels * (still + moving * frames))

    @property
    def bytes_needed(self) -> int:
        """Return the most memory that frames under way take."""
        pixels, frames = self.size[0] * self.size[1], len(self.moments)
        under_way = (BEHIND + 3 + len(self.scouts)) * PIXEL_BYTES * pixels
        return under_way + HELD.get(self.suffix, 0) * pixels * frames

    def check(self, path: str | Path) -> None:
        """Raise GpuError in one sentence where it cannot be made here."""
        from gpu.memory import require_memory
        from viewer.export.animate import check_film

        if self.problem:
            raise GpuError(self.problem)
        check_film(path, self.seconds)
        require_memory(self.bytes_needed, "the film")
