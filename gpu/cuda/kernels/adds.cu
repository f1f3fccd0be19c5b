/*
adds.cu: ADDS on the device: one manager block, W worker blocks, all resident, one launch.

Launch   adds<<<1 + workers, THREADS, cooperative>>>; block 0 is the manager (its last warp
         the courier), block 1 + w is worker w. `begin` of prepare.cu runs before it.
Reads    rows, arcs            Writes   dist, per-vertex probes, stats, state, the sample ring
Needs    every block resident: workers wait for the manager, the manager for nobody
Ends     FINISHED, STOPPED (the host asked), POOL_DRY, TIMED_OUT: state.status, which all watch

The idea    Only the manager reads the bucket queue; it hands pieces of the first buckets to idle
            workers, moves the head on and steers delta. Workers relax arcs and only write to the
            buckets. What improves into a worker's own bucket stays with it, in shared memory,
            and is processed in its next round. There is no barrier between blocks.
The parts   scheduler.cuh decisions     queue.cuh   the bucket queue     relax.cuh   arcs
            worker.cuh    a worker      manager.cuh the manager          reader.cuh  its queue
            sampler.cuh   samples       courier.cuh the host
The ladder  ladder/adds_simple.cu is the algorithm alone, in one file.
*/
#ifndef TURNS
#define TURNS 5   // of a warp in a round, where it goes on by itself
#define UNROLL 1  // there, code that is short is worth more than loads in flight
#endif
#include "manager.cuh"
#include "sampler.cuh"

extern "C" __global__ void __launch_bounds__(THREADS, 1024 / THREADS) adds() {
    if (blockIdx.x > 0) {
        Worker{}.work();
        return;
    }
    Manager manager;
    manager.start();
    if (warp_id() == MANAGER_WARPS) carry_samples(M);
    else manager.manage();
}
