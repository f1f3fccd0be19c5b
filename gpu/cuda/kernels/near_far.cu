/*
near_far.cu: Near-Far on the device: one persistent kernel, as wide as its frontier.

Launch   near_far<<<workers + 1, THREADS, cooperative>>> after `begin`; the last is the courier
Reads    rows, arcs            Writes   dist, per-vertex probes, stats, state, the sample ring
Ends     FINISHED, STOPPED, POOL_DRY (a pile overflowed), TIMED_OUT
Idea     gpu/algorithms/near_far.py
*/
constexpr bool FAR_PILE = true;
constexpr bool HEAVY_ARCS = false;
constexpr bool BY_COUNT = false;
#include "superstep.cuh"

extern "C" __global__ void __launch_bounds__(THREADS, 1) near_far() { run_supersteps(); }
