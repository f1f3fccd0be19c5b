"""Modelled devices: a row of data each.

Four sources, named at each figure:

table 1   of the paper: multiprocessors, threads, clock, bandwidth, L2, memory.
measured  on an H100, by kernels made for it: one dependent hop (row bounds, arc, atomic
          min) 0.40 us inside a block; a flag from block to block 0.55 us; atomic mins 84 G/s
          within L2, 22 G/s over 64 MB; copy 2.9 TB/s of a nominal 3.35. Of our own kernel: a
          sweep of the manager, 2.3 to 3.4 us, the more the busier (run time over sweeps).
fitted    on half of the benchmark graphs and 28 others: the eight times
          that the H100's preset marks so. They are longer than the trips alone, since they hold
          what a round does besides. `gpu.model.accuracy` states the error on other graphs.
derived   for the other cards: latencies by the ratio of clocks, rates by the ratio of nominal
          bandwidths. That scaling is an assumption.

`Classroom GPU` is no real card: 4 workers of 8 lanes, every trip a thousand times slower.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from gpu.errors import ParameterError
from gpu.words import did_you_mean

H100_CLOCK_GHZ = 1.98
H100_BANDWIDTH = 3.35e12  # bytes/s, nominal
COPY_SHARE = 2.9 / 3.35  # measured copy over nominal bandwidth
LATENCIES = (  # fields that the clock scales
    *("hop_ns", "flag_ns", "sweep_ns", "push_ns", "superstep_ns", "begin_ns"),
    *("narrow_ns", "round_ns", "trip_ns", "miss_ns", "alone_ns"),
)
TOUCHES = 1.75  # of L2 by an arc: a look; where it improves, an atomic min and row bounds


@dataclass(frozen=True)
class Preset:
    """One modelled device; times in ns, rates per second."""

    name: str
    sentence: str
    sms: int
    threads_per_sm: int
    clock_ghz: float
    bandwidth: float
    l2_bytes: int
    memory_bytes: int
    workers: int  # resident together with the manager block
    worker_threads: int  # of each
    hop_ns: float  # row bounds, arc, atomic min: one dependent trip inside a block
    flag_ns: float  # a flag from block to block
    sweep_ns: float  # one sweep of the manager
    push_ns: float  # a worker writes to the buckets what it collected
    superstep_ns: float  # barrier and trips of one superstep of all blocks
    begin_ns: float  # launching and clearing, before a run's clock begins: in no trace, as there
    narrow_ns: float  # a round of at most one arc a lane inside a block
    round_ns: float  # a round inside a block: trips and barrier, up to WARP x IN_FLIGHT arcs a warp
    trip_ns: float  # each further WARP x IN_FLIGHT arcs of its fullest warp
    miss_ns: float  # what a round and a trip take longer where their arcs come from DRAM
    alone_ns: float  # a superstep that one block does alone
    atomics_in_l2: float
    atomics_in_dram: float
    sample_period_ns: int
    chunk_smallest: int = 8  # vertices that the manager hands to one worker at a time
    chunk_largest: int = 512
    start_factor: float = 1.0  # first delta of ADDS, x mean weight / mean degree
    skewed_factor: float = 1.0  # the same on graphs with hubs

    @property
    def most_workers(self) -> int:
        """Return the workers that fit beside the manager."""
        return self.sms * (self.threads_per_sm // self.worker_threads) - 1

    @property
    def order_ns(self) -> float:
        """Time until a worker has an order and its items with their row bounds, ns."""
        return self.flag_ns + 2.0 * self.hop_ns

    def arc_ns(self, n: int, m: int, distant: float = 1.0, sectors: float = 1.0 / TOUCHES) -> float:
        """Return the device's time per arc, ns, when all of it relaxes arcs.

        The slower of two: the TOUCHES of an arc (within L2 or not), and bytes (head and
        weight, a share of the row bounds, and a 32-byte sector of distances where those do
        not fit L2).
        distant : share of arcs, 0..1, that miss L2 where the distances do not fit it; the
        others find what a neighbour has fetched
        sectors : sectors of distances that an arc opens, 0..1; where the heads of a vertex
        lie side by side, one trip serves several
        """
        missing = 0.0 if 4 * n <= self.l2_bytes else distant
        touches = max(1.0, TOUCHES * sectors)
        atomic = (1.0 - missing) * touches / self.atomics_in_l2 + missing / self.atomics_in_dram
        moved = 8.0 + 8.0 * n / max(m, 1) + missing * 32.0
        return 1e9 * max(atomic, moved / (self.bandwidth * COPY_SHARE))

    def start_ns(self, n: int, m: int) -> float:
        """Return what comes before the first vertex, ns: weights summed, distances set."""
        return 1e9 * (8.0 * m + 4.0 * n) / (self.bandwidth * COPY_SHARE)


_H100 = Preset(
    name="H100",
    sentence="data-centre GPU of 2022; its latencies are measured, the other cards' derived",
    sms=132,
    threads_per_sm=2048,
    clock_ghz=H100_CLOCK_GHZ,
    bandwidth=H100_BANDWIDTH,
    l2_bytes=50 * 10**6,
    memory_bytes=80 * 10**9,
    workers=263,
    worker_threads=256,
    hop_ns=400.0,
    flag_ns=550.0,
    sweep_ns=2600.0,
    push_ns=4000.0,  # fitted
    superstep_ns=2900.0,  # fitted
    begin_ns=55e3,  # fitted, less what launching lost since
    narrow_ns=1000.0,  # fitted
    round_ns=1800.0,  # fitted
    trip_ns=2000.0,  # fitted
    miss_ns=700.0,  # fitted
    alone_ns=1100.0,  # fitted
    atomics_in_l2=84e9,
    atomics_in_dram=22e9,
    sample_period_ns=10_000,
    start_factor=8.0,
    skewed_factor=32.0,
)


def _derived(**fields: object) -> Preset:
    """Scale latencies by the clock and rates by the bandwidth, from the H100."""
    card = replace(_H100, start_factor=1.0, skewed_factor=1.0, **fields)  # type: ignore[arg-type]
    slower, rate = H100_CLOCK_GHZ / card.clock_ghz, card.bandwidth / H100_BANDWIDTH
    scaled = {name: getattr(_H100, name) * slower for name in LATENCIES}
    scaled |= {name: getattr(_H100, name) * rate for name in ("atomics_in_l2", "atomics_in_dram")}
    return replace(card, **scaled)


_RTX_2080_TI = _derived(
    name="RTX 2080 Ti",
    sentence="the paper's main card (table 1): 68 multiprocessors, 616 GB/s",
    sms=68,
    threads_per_sm=1024,
    clock_ghz=1.75,
    bandwidth=616e9,
    l2_bytes=5_500_000,
    memory_bytes=11 * 10**9,
    workers=271,
)

_RTX_3090 = _derived(
    name="RTX 3090",
    sentence="the paper's second card (table 1): 82 multiprocessors, 936 GB/s",
    sms=82,
    threads_per_sm=1536,
    clock_ghz=1.8,
    bandwidth=936e9,
    l2_bytes=6_000_000,
    memory_bytes=24 * 10**9,
    workers=491,
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
    sweep_ns=2600e3,
    push_ns=3300e3,
    superstep_ns=3200e3,
    begin_ns=0.0,
    narrow_ns=1350e3,
    round_ns=1350e3,
    trip_ns=3000e3,
    miss_ns=700e3,
    alone_ns=900e3,
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
        near = did_you_mean(name, PRESETS)
        raise ParameterError(f"no modelled device {name!r}{near}; there are: {', '.join(PRESETS)}")
    return PRESETS[name]
