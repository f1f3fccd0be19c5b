/*
near_far.cu: Near-Far on the device: one persistent kernel, as wide as its frontier.

Launch   near_far<<<workers + 1, THREADS, cooperative>>> after `begin`; the last is the courier
Reads    rows, arcs            Writes   dist, per-vertex probes, stats, state, the sample ring
Ends     FINISHED, STOPPED, POOL_DRY (a pile overflowed), TIMED_OUT

Near holds what waits below a threshold, far the rest. A superstep relaxes all arcs of near at
once; what improves goes into the next near or into far. Where near is empty the threshold moves on
by delta and far is split.
*/
constexpr bool FAR_PILE = true;
constexpr bool HEAVY_ARCS = false;
constexpr bool BY_COUNT = false;
#include "superstep.cuh"

extern "C" __global__ void __launch_bounds__(THREADS, 1) near_far() { run_supersteps(); }
