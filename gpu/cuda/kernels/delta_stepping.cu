/*
delta_stepping.cu: delta-stepping on the device (Meyer and Sanders), light and heavy arcs apart.

Launch, what it reads and writes, how it ends: as near_far.cu

Bucket   The one at hand is near; what its light supersteps process is noted in the settled pile.
Buckets  All other buckets are one far pile, sorted again for each bucket: 16 bytes an item. A
         cyclic array would need weight_max / delta + 1 slots with room for any share of it.
Arcs     A light superstep looks at heavy arcs too and drops them, and the other way round. To
         store them apart would take a copy of the graph for each delta.
Settled  The short way of relaxing notes only vertices that have a heavy arc; the long way notes
         all, because a flag for each vertex would cost more than it saves.
Samples  occupancy[0] is the frontier, occupancy[1] all that waits beyond the bucket.
*/
constexpr bool FAR_PILE = true;
constexpr bool HEAVY_ARCS = true;
constexpr bool BY_COUNT = false;
#include "superstep.cuh"

extern "C" __global__ void __launch_bounds__(THREADS, 1) delta_stepping() { run_supersteps(); }
