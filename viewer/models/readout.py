"""The numbers between the two marks, of one run or of two."""

from __future__ import annotations

from dataclasses import dataclass

from gpu.study.interval import QUANTITIES, Interval, area, area_words, interval, table, words
from gpu.words import TimeUnit, time_unit, time_words
from viewer.models.comparison import ComparisonModel, side_of
from viewer.models.playback import PlaybackModel
from viewer.models.session import SessionModel


@dataclass(frozen=True)
class Readout:
    """What stands between the marks: the two ends, ns of A's clock, and the numbers in words.

    unit : of the run's times, as on the timeline
    """

    ends: tuple[float, float]
    unit: TimeUnit
    a: Interval
    b: Interval | None
    between: float | None  # area between the curves of A and B, edges x ns

    def rows(self) -> list[tuple[str, tuple[str, ...]]]:
        """Return rows (name, values in words in the order of QUANTITIES)."""
        return table(self.a, self.b)

    @property
    def area(self) -> str:
        """The area between the curves in words, "" where one run is shown."""
        return "" if self.between is None else area_words(self.between, self.a.time_ns)

    @property
    def words(self) -> str:
        """All of it as a sentence."""
        first, last = (time_words(end, self.unit) for end in self.ends)
        return f"Between {first} and {last}: {words(self.a, self.b, self.between)}"

    def text(self) -> str:
        """Return the table as text, cells parted by tabs, for a spreadsheet."""
        first, last = (time_words(end, self.unit) for end in self.ends)
        clock = self.a.clock if self.b is None else f"A {self.a.clock}, B {self.b.clock}"
        lines = [f"from {first} to {last} ({clock})"]
        lines.append("\t".join(("", *(one.title for one in QUANTITIES))))
        lines += ["\t".join((name, *values)) for name, values in self.rows()]
        if self.between is not None:
            lines.append(f"area between the curves of work assigned\t{self.area}")
        return "\n".join(lines)


def readout(
    session: SessionModel, playback: PlaybackModel, pair: ComparisonModel | None = None
) -> Readout | None:
    """Return what is measured now; None where no mark is set or there is no run."""
    run, ends = session.current, playback.measure.ends(playback.cursor_ns)
    if run is None or ends is None or not len(run.samples):
        return None
    unit = time_unit(playback.duration_ns)
    sides = pair.sides() if pair is not None else None
    if pair is None or sides is None:
        return Readout(ends, unit, interval(side_of(run), *ends), None, None)
    a, b = sides
    of_b = interval(b, *(max(float(pair.clocks.to_b(end)), 0.0) for end in ends))
    return Readout(ends, unit, interval(a, *ends), of_b, area(a, b, pair.clocks, *ends))
