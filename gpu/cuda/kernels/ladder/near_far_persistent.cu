/*
near_far_persistent.cu: Near-Far in one launch. Step 3 of 4; before it: near_far_lanes.cu.

What is new, in persistent.cuh
One      In step 2 a superstep is a launch, and the host reads the counts before it knows whether there
launch   is another: about ten microseconds, where the work of a narrow frontier is two. Now the
         blocks stay on the device to the end and decide for themselves, all the same, because all
         look at the same counts after the same barrier.
Barrier  `wait_for_all`: each block adds one to a counter and waits until all have. So every block must
         be resident: the launch is cooperative, and the host asks how many fit.
Turns    A count cannot be set to zero while others still read it. So near has three, by turns: one is
         read, one is added to, one is cleared; far and `nearest` have two, one a pile, and a
         barrier after one is cleared.

Launch   near_far<<<at most as many blocks as are resident, 1,024 threads, cooperative>>>; `state` zero but
         near[0] = 1; the first item of near is the source, at 0; dist[source] = 0, others 2^31 - 1
*/
#include "ladder/persistent.cuh"

extern "C" __global__ void __launch_bounds__(1024)
near_far(const long long *indptr, const int *indices, const int *weights, int *dist, Item *near, Item *far,
         int room, State *state, long long delta) {
    Search s = {{indptr, indices, weights, dist}, state, near, far, room, delta, delta, 0, near, room, state->near};
    while (count(s)) superstep(s);
}
