/*
rho_stepping.cu: rho-stepping on the device (Dong et al.): a superstep takes the closest vertices.

Launch, what it reads and writes: as near_far.cu
Ends     FINISHED, STOPPED, TIMED_OUT; never POOL_DRY: there is room for an item an arc

What improves goes to near. While far is empty and near holds no more than rho items
(RUN.chunk_largest), the next superstep takes them all, at the cost of one of Bellman-Ford. Else
a split comes before it: a sample of both piles gives the threshold below which about rho
vertices lie, and both are sorted by it.
*/
constexpr bool FAR_PILE = true;
constexpr bool HEAVY_ARCS = false;
constexpr bool BY_COUNT = true;
#include "superstep.cuh"

extern "C" __global__ void __launch_bounds__(THREADS, 1) rho_stepping() { run_supersteps(); }
