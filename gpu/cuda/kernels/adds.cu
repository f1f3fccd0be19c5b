/*
adds.cu: ADDS on the device: one manager block, W worker blocks, all resident, one launch.

Launch   adds<<<1 + workers, THREADS, cooperative>>>; block 0 is the manager (its last warp
         the courier), block 1 + w is worker w. `begin` of prepare.cu runs before it.
Reads    rows, arcs            Writes   dist, per-vertex probes, stats, state, the sample ring
Needs    every block resident (the launcher computes and checks it): workers wait for the
         manager, the manager for nobody
Ends     FINISHED, STOPPED (the host asked), POOL_DRY, DISTANCE_OVERFLOW, TIMED_OUT; each in
         state.status. Whatever waits looks at that status.

The parts   scheduler.cuh decisions     queue.cuh   the bucket queue     relax.cuh  arcs
            worker.cuh    a worker      manager.cuh the manager          courier.cuh the host
*/
#include "manager.cuh"

extern "C" {
__constant__ Run RUN;  // filled by the launcher
}

extern "C" __global__ void __launch_bounds__(THREADS) adds() {
    __shared__ union Shared {
        ManagerShared manager;
        WorkerShared worker;
    } shared;
    if (blockIdx.x > 0) {
        Worker worker(RUN, shared.worker);
        worker.work();
        return;
    }
    Manager manager(RUN, shared.manager);
    manager.start();
    if (warp_id() == MANAGER_WARPS) manager.carry();
    else manager.manage();
}
