/*
near_far.cu: Near-Far on the device: one persistent kernel, as wide as its frontier.

Launch   near_far<<<workers + 1, THREADS, cooperative>>>; the last block is the courier.
         `begin` of prepare.cu runs before it.
Reads    rows, arcs            Writes   dist, per-vertex probes, stats, state, the sample ring
Piles    near and far (step_piles.cuh); supersteps alone and wide (superstep.cuh)
Ends     FINISHED, STOPPED, POOL_DRY (a pile overflowed), DISTANCE_OVERFLOW, TIMED_OUT
*/
#define FAR_PILE 1
#define HEAVY_ARCS 0
#include "superstep.cuh"

extern "C" {
__constant__ Run RUN;  // filled by the launcher
}

extern "C" __global__ void __launch_bounds__(THREADS, 1) near_far() { run_supersteps(RUN); }
