/*
delta_stepping.cu: delta-stepping on the device (Meyer and Sanders), light and heavy arcs apart.

Launch, what it reads and writes, how it ends: as near_far.cu
Piles    near, far and settled (step_piles.cuh)

The bucket at hand is near. Its supersteps relax light arcs (weight <= delta) until it stays
empty; everything processed meanwhile is noted in the settled pile, and one more superstep
relaxes the heavy arcs of what is not stale there, each vertex once. Their ends lie beyond the
bucket. Where no arc is heavier than delta, nothing is noted and this is Near-Far.

Buckets  A cyclic array of buckets would have the next one at hand, where this kernel sorts all
         that waits again. But it needs weight_max / delta + 1 slots, each with room for any share
         of what waits, and an atomic for each slot that a block pushes to. The pass over one far
         pile costs 16 bytes an item, little beside a bucket's supersteps unless delta is tiny.
Arcs     A light superstep looks at heavy arcs too and drops them (and the other way round). To
         store them apart would take a copy of the graph for each delta.
Settled  Only vertices that have a heavy arc need noting. The short way of relaxing notes those;
         the long way, where a flag for each vertex would cost more than it saves, notes all.
Samples  occupancy[0] is the frontier (in the heavy superstep what was settled), occupancy[1] all
         that waits beyond the bucket; a heavy superstep processes no vertex again.
*/
constexpr bool FAR_PILE = true;
constexpr bool HEAVY_ARCS = true;
constexpr bool BY_COUNT = false;
#include "superstep.cuh"

extern "C" __global__ void __launch_bounds__(THREADS, 1) delta_stepping() { run_supersteps(); }
