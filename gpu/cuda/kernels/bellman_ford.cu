/*
bellman_ford.cu: frontier Bellman-Ford on the device, the skeleton of Near-Far without an order.

Launch, what it reads and writes: as near_far.cu
Ends     FINISHED, STOPPED, TIMED_OUT; never POOL_DRY: a superstep processes a vertex at most
         once, so it queues at most m items, and there is room for them
*/
constexpr bool FAR_PILE = false;
constexpr bool HEAVY_ARCS = false;
constexpr bool BY_COUNT = false;
#include "superstep.cuh"

extern "C" __global__ void __launch_bounds__(THREADS, 1) bellman_ford() { run_supersteps(); }
