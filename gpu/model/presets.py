"""Modelled devices: a row of data each, fixed before any comparison was made with them.

Three sources, named at each figure:

table 1   of the paper: multiprocessors, threads, clock, bandwidth, L2, memory.
measured  on an H100 (DESIGN section 5, FACTS): one dependent hop (row bounds, arc, atomic
          min) 0.40 us inside a block; a flag from block to block 0.55 us; atomic mins 84 G/s
          within L2, 22 G/s over 64 MB; copy 2.9 TB/s of a nominal 3.35; Near-Far of
          LonestarGPU 15.8 ms for 2,107 supersteps on NY = 7.5 us a superstep.
derived   for the other cards: latencies by the ratio of clocks, rates by the ratio of
          nominal bandwidths. That scaling is an assumption and not a measurement.

A sweep of the manager is four dependent trips through global memory (reserved pointers,
write counters, re-read after a fence, flags); a push is three (reserve, write and fence,
count). Both follow from the measured trips, they were not fitted to any run time.

`Classroom GPU` is no real card: 4 workers of 8 lanes, every trip a thousand times slower,
so that one can watch.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from gpu.errors import ParameterError

H100_CLOCK_GHZ = 1.98
H100_BANDWIDTH = 3.35e12  # bytes/s, nominal
COPY_SHARE = 2.9 / 3.35  # measured copy over nominal bandwidth


@dataclass(frozen=True)
class Preset:
    """One modelled device; times in ns, rates per second.

    workers x worker_threads are resident together with the manager block.
    chunk_* : vertices that the manager hands to one worker at a time
    """

    name: str
    sentence: str
    sms: int
    threads_per_sm: int
    clock_ghz: float
    bandwidth: float
    l2_bytes: int
    memory_bytes: int
    workers: int
    worker_threads: int
    hop_ns: float  # row bounds, arc, atomic min: one dependent trip inside a block
    flag_ns: float  # a flag from block to block
    sweep_ns: float  # one sweep of the manager
    push_ns: float  # reserve, write, fence, count
    superstep_ns: float  # barrier and trips of one superstep, whatever its size
    atomics_in_l2: float
    atomics_in_dram: float
    sample_period_ns: int
    chunk_smallest: int = 32
    chunk_largest: int = 128

    @property
    def resident_threads(self) -> int:
        """Worker threads resident at once, T of the controller."""
        return self.workers * self.worker_threads

    def arc_ns(self, n: int, m: int) -> float:
        """Return the device's time per arc, ns, when all of it relaxes arcs.

        The slower of two: atomic mins on the distance array (within L2 or not), and
        bytes (head and weight, a share of the row bounds, and a 32-byte sector of
        distances where those do not fit L2).
        """
        fits = 4 * n <= self.l2_bytes
        atomic = 1e9 / (self.atomics_in_l2 if fits else self.atomics_in_dram)
        moved = 8.0 + 8.0 * n / max(m, 1) + (0.0 if fits else 32.0)
        return max(atomic, 1e9 * moved / (self.bandwidth * COPY_SHARE))


_H100 = Preset(
    name="H100",
    sentence="data-centre GPU of 2022; its latencies are measured, the other cards' derived",
    sms=132,
    threads_per_sm=2048,
    clock_ghz=H100_CLOCK_GHZ,
    bandwidth=H100_BANDWIDTH,
    l2_bytes=50 * 10**6,
    memory_bytes=80 * 10**9,
    workers=127,  # measured: faster than 262 with the authors' code
    worker_threads=768,
    hop_ns=400.0,
    flag_ns=550.0,
    sweep_ns=4 * 550.0,
    push_ns=3 * 400.0,
    superstep_ns=7500.0,
    atomics_in_l2=84e9,
    atomics_in_dram=22e9,
    sample_period_ns=10_000,
)


def _derived(base: Preset, **given: object) -> Preset:
    """Scale latencies by the clock and rates by the bandwidth, from the H100."""
    card: Preset = replace(base, **given)  # type: ignore[arg-type]
    slower, rate = H100_CLOCK_GHZ / card.clock_ghz, card.bandwidth / H100_BANDWIDTH
    return replace(
        card,
        hop_ns=base.hop_ns * slower,
        flag_ns=base.flag_ns * slower,
        sweep_ns=base.sweep_ns * slower,
        push_ns=base.push_ns * slower,
        superstep_ns=base.superstep_ns * slower,
        atomics_in_l2=base.atomics_in_l2 * rate,
        atomics_in_dram=base.atomics_in_dram * rate,
    )


_RTX_2080_TI = _derived(
    _H100,
    name="RTX 2080 Ti",
    sentence="the paper's main card (table 1): 68 multiprocessors, 616 GB/s",
    sms=68,
    threads_per_sm=1024,
    clock_ghz=1.75,
    bandwidth=616e9,
    l2_bytes=5_500_000,
    memory_bytes=11 * 10**9,
    workers=271,
    worker_threads=256,
)

_RTX_3090 = _derived(
    _H100,
    name="RTX 3090",
    sentence="the paper's second card (table 1): 82 multiprocessors, 936 GB/s",
    sms=82,
    threads_per_sm=1536,
    clock_ghz=1.8,
    bandwidth=936e9,
    l2_bytes=6_000_000,
    memory_bytes=24 * 10**9,
    workers=491,
    worker_threads=256,
)

_CLASSROOM = Preset(
    name="Classroom GPU",
    sentence="4 workers of 8 lanes, a thousand times slower: small enough to watch",
    sms=4,
    threads_per_sm=8,
    clock_ghz=0.001,
    bandwidth=1e9,
    l2_bytes=100_000,
    memory_bytes=10**9,
    workers=4,
    worker_threads=8,
    hop_ns=400e3,
    flag_ns=550e3,
    sweep_ns=4 * 550e3,
    push_ns=3 * 400e3,
    superstep_ns=7500e3,
    atomics_in_l2=84e6,
    atomics_in_dram=22e6,
    sample_period_ns=2_000_000,
    chunk_smallest=1,
    chunk_largest=8,
)

PRESETS: dict[str, Preset] = {
    preset.name: preset for preset in (_RTX_2080_TI, _RTX_3090, _H100, _CLASSROOM)
}
DEFAULT_PRESET = "RTX 2080 Ti"


def find_preset(name: str) -> Preset:
    """Return the preset of that name, or raise ParameterError naming those that exist."""
    if name not in PRESETS:
        raise ParameterError(f"no modelled device {name!r}; there are: {', '.join(PRESETS)}")
    return PRESETS[name]
