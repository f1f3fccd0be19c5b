/*
adds.cu: ADDS on the device: one manager block, W worker blocks, all resident, one launch.

Launch   adds<<<1 + workers, THREADS, cooperative>>>; block 0 is the manager (its last warp
         the courier), block 1 + w is worker w. `begin` of prepare.cu runs before it.
Reads    rows, arcs            Writes   dist, per-vertex probes, stats, state, the sample ring
Needs    every block resident (the launcher computes and checks it): workers wait for the
         manager, the manager for nobody
Ends     FINISHED, STOPPED (the host asked), POOL_DRY, DISTANCE_OVERFLOW, TIMED_OUT; each in
         state.status. Whatever waits looks at that status.

Hypotheses and outcomes, one H100, int32, kernel ms on NY / grid 1024^2 / mesh 100^3 / R-MAT
2^20 unless said; each was tried on top of the ones before it:

- Work that stays in its bucket stays with its worker, in shared memory, without the manager;
  items carry their distance and stale ones are dropped. First version: 3.9 / 10.7 / 5.0 / 12.2,
  where the authors' code needs 9.3 / 14.0 / 5.2 (and does not finish the R-MAT).
- Row bounds come along with the atomic, staleness with the arcs: two trips less a hop. A hop of a
  chain went from 2.1 to 1.5 us; a clock in the kernel then showed 1,070 of 2,700 cycles before
  the arcs had arrived, far more than one trip.
- A fence on every poll is dear where stores are under way: acquire loads instead. Bucket
  retirement by one 8-byte load instead of load, fence, load. Together: 2.7 / 5.0 / - / -.
- A short path for at most one arc a lane, cold code out of line: 116 kB of cubin became 95, a hop
  0.97 us: 2.4 / 4.3 / 2.8 (delta fixed) / 2.4. We read that as fewer instructions to fetch; no
  hardware counter was read, and there was also less work a hop.
- Small pieces (8 vertices) and little kept (64) spread a narrow frontier: 2.1 / 4.0.
- Failed: the controller on a warp of its own, one sweep late, to shorten the sweep: the sweep
  became longer (2.7 to 3.1 us), 3 % slower. Failed: 512 threads a worker, 128 threads a worker,
  2 arcs in flight instead of 4 (mesh and R-MAT 10 to 20 % slower).
- Delta: the start at mean weight / degree / 32 costs a climb that these runs are too short for, and
  a ceiling of 1,024 x floods (grid: 53 times the work). Sweeps of fixed deltas are flat from 32 to
  128 x on roads and grids, 8 to 16 x on the mesh, 32 x up on R-MATs; hence the start rule.
- A third worker a multiprocessor pays from 20 M arcs on (mesh 2.7 to 2.3, grid 4096^2 22 to 20).
- R-MATs varied 1.4x between runs. Times did not go with arcs relaxed (correlation 0.1 to 0.4) nor
  with the clock; the samples showed it: one worker with up to 512 vertices, many of them hubs of
  512 arcs and more, worked alone for the last 0.1 to 0.5 ms. Rows of 4,096 arcs and more queued
  in pieces: always, it failed on 2^22 (5.18 to 5.26: pieces wait behind all else, and what the
  hub improves waits with them); only while others are idle, 5.26 to 4.45. Hubs not begun given
  back then: 2^20 1.46 to 1.41, and the spread is 5 %. The rest of the queue given back too: 1.35
  (and 2 % slower on roads where the test for it stood in every round; it stands after hubs).
- Three workers a multiprocessor and pieces of 4 vertices where there are hubs: 1.35 to 1.05 on
  2^20, 4.4 to 3.8 on 2^22. Failed: largest pieces of 64 or 128 vertices (10 to 17 % slower), of
  1,024 (7 %), 8 arcs in flight (13 to 18 %), delta 8 x (17 to 34 %).
- A fence by the last warp after the barrier instead of one by every thread before it: 2 to 3 %.
- atomicAdd whose answer nobody reads as `red` by hand: roads and grids 4 to 7 % faster.
- Failed or nothing: arcs loaded evict-first or past L1 (R-MAT 3 % faster, grid 4096^2 3 % slower),
  distances evict-last, 32-byte fetches from memory (128-byte ones 1.5 % on grids: not worth a
  setting of the whole device).
- Probe level 2 with a clock read and 64-bit times at each improvement cost 19 to 58 %; 32-bit
  ticks of the round's start and plain stores 7 to 16 % (R-MAT 2^22: 23 %, measured in turns with
  level 0). Counting by `red`: roads 10 to 3 %. Nothing gained: one record of 16 or 8 bytes a
  vertex, 16-bit times or counts, eviction hints, the clock read by one thread or a round ahead;
  but reading half of the timer: grids 16 and 18 to 11 %, R-MAT 2^20 20 to 12, 2^22 29 to 24.
  Neither counts nor times: 1 %; counts alone on R-MAT 2^22: 10 %, times alone 14 %: there each
  is a sector more from memory (4.9 to 5.9 GB read, 0.26 to 0.85 GB written).
- Failed: the same in the order of time instead of by vertex, 8 bytes a note into chunks of a worker's
  own, sorted out by vertex after the run. Noted in the loop over the arcs it spilled registers (17
  to 26 % everywhere, 60 to 90 % where the worker's address was taken); copied at the end of a round
  from the queue, a variant of its own: R-MAT 2^22 24.5 to 20 %, 2^20 11 to 12, mesh 5 to 9, roads
  and grids 6 to 8 to 24 %. It is not the sectors alone, then; not known what else.

The parts   scheduler.cuh decisions     queue.cuh   the bucket queue     relax.cuh   arcs
            worker.cuh    a worker      manager.cuh the manager          reader.cuh  its queue
            sampler.cuh   samples       courier.cuh the host
*/
#include "manager.cuh"
#include "sampler.cuh"

extern "C" {
__constant__ Run RUN;  // filled by the launcher
}

extern "C" __global__ void __launch_bounds__(THREADS, 768 / THREADS) adds() {
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
    if (warp_id() == MANAGER_WARPS) Sampler(RUN, shared.manager).carry();
    else manager.manage();
}
