/*
near_far.cu: Near-Far on the device: one persistent kernel, as wide as its frontier.

Launch   near_far<<<workers + 1, THREADS, cooperative>>>; the last block is the courier.
         `begin` of prepare.cu runs before it.
Reads    rows, arcs            Writes   dist, per-vertex probes, stats, state, the sample ring
Piles    near and far (step_piles.cuh); supersteps alone and wide (superstep.cuh)
Ends     FINISHED, STOPPED, POOL_DRY (a pile overflowed), DISTANCE_OVERFLOW, TIMED_OUT

Hypotheses and outcomes, one H100, int32, kernel ms on NY / grid 1024^2 / mesh 100^3 / grid 4096^2
unless said. The first version, with relax.cuh's one way for all lists: 4.76 / 13.5 / 3.5 / 72.6.

- After a grid barrier every warp read the counts, 8,000 loads of one line, and every thread
  fenced. Now one thread of a block does both, for all; all wait for the counter of arrivals itself
  and not for a flag that the last one sets; items of near carry their row. Together with the next
  line: 4.5 / 10.0 / 2.6 / 48. A wide superstep takes 4.6 us on these grids, whatever its size.
- Four lanes a vertex and no prefix sum where lists are short: 4.50 on NY. Expected was 3.3, from the
  instructions saved. Supersteps of 1 to 4 vertices take 1.3 us, of 129 to 256 2.0, of 257 to 384
  2.9, of 513 to 1,024 5: the first part is a chain of trips, the rest goes with the arcs.
- Failed: a look before the atomic, because two of three atomics win nothing and one
  multiprocessor does about 0.6 a nanosecond: 4.64 with the look never taken (longer code), 4.83
  above 512 lanes, 5.07 always. A trip costs more than the atomics that it saves.
- Failed: the row of the far end only for what won: 4.68 / 10.5 instead of 4.54 / 9.8.
- Failed: the long way already above 512 vertices: 4.65; 512 threads a block: 5.3.
- All blocks from 640 vertices on instead of 1,024: NY the same, grid 9.82 to 9.70, mesh 2.57 to 2.47.
- Samples and vertex times read the start's time from device memory, a trip after each barrier
  (which empties the level-1 cache): from shared memory level 2 on NY costs 13 % instead of 16.
- racecheck found a block 0 that wrote a new threshold while its last warps took over the old one:
  without effect (they took it over again), and gone.
*/
#define FAR_PILE 1
#define HEAVY_ARCS 0
#include "superstep.cuh"

extern "C" {
__constant__ Run RUN;  // filled by the launcher
}

extern "C" __global__ void __launch_bounds__(THREADS, 1) near_far() { run_supersteps(RUN); }
