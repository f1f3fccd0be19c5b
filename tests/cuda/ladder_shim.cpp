/*
ladder_shim.cpp: the ladder's kernels on threads of the CPU, a CUDA thread each.

Compile  c++ -std=c++20 -pthread -shared -fPIC -DKERNEL_FILE="..." [-DPERSISTENT]
All blocks of a launch are under way together; __syncthreads and the operations of a warp are barriers.
Shared memory is one for the grid: of these kernels only block 0 uses any.
*/
#include <atomic>
#include <barrier>
#include <memory>
#include <sched.h>
#include <thread>
#include <vector>

struct Index {
    unsigned x;
};

struct Warp {
    std::barrier<> gate{32};
    long long words[32];
};

struct Block {
    std::barrier<> gate;
    std::vector<std::unique_ptr<Warp>> warps;
    explicit Block(int threads) : gate(threads) {
        for (int i = 0; i < threads / 32; i++) warps.push_back(std::make_unique<Warp>());
    }
};

static thread_local Index threadIdx, blockIdx;
static thread_local Block *block;
static Index blockDim, gridDim;

#define __global__
#define __device__
#define __shared__ static
#define __launch_bounds__(threads)

static int min(int a, int b) { return a < b ? a : b; }
static int __popc(unsigned word) { return __builtin_popcount(word); }
static void __nanosleep(unsigned) { sched_yield(); }
static long long clock64() { return 0; }
static void __trap() { std::abort(); }
static void __threadfence() { std::atomic_thread_fence(std::memory_order_seq_cst); }
static void __syncthreads() { block->gate.arrive_and_wait(); }

template <class T> static T atomicAdd(T *at, T value) { return __atomic_fetch_add(at, value, __ATOMIC_SEQ_CST); }
static int atomicMin(int *at, int value) {
    int known = __atomic_load_n(at, __ATOMIC_SEQ_CST);
    while (value < known && !__atomic_compare_exchange_n(at, &known, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {}
    return known;
}

template <class T> static T exchange(T mine, int from) {
    Warp &warp = *block->warps[threadIdx.x / 32];
    warp.words[threadIdx.x % 32] = (long long)mine;
    warp.gate.arrive_and_wait();
    T theirs = (T)warp.words[from];
    warp.gate.arrive_and_wait();
    return theirs;
}
template <class T> static T __shfl_sync(unsigned, T value, int from) { return exchange(value, from); }
template <class T> static T __shfl_up_sync(unsigned, T value, int reach) {
    int lane = threadIdx.x % 32;
    return exchange(value, lane < reach ? lane : lane - reach);
}
static unsigned __ballot_sync(unsigned, bool mine) {
    Warp &warp = *block->warps[threadIdx.x / 32];
    warp.words[threadIdx.x % 32] = mine;
    warp.gate.arrive_and_wait();
    unsigned who = 0;
    for (int lane = 0; lane < 32; lane++) who |= (unsigned)warp.words[lane] << lane;
    warp.gate.arrive_and_wait();
    return who;
}

#include KERNEL_FILE

template <class... A> static void launch(int blocks, int threads, void (*kernel)(A...), A... arguments) {
    gridDim.x = blocks;
    blockDim.x = threads;
    std::vector<std::unique_ptr<Block>> all;
    std::vector<std::thread> running;
    for (int b = 0; b < blocks; b++) all.push_back(std::make_unique<Block>(threads));
    for (int i = 0; i < blocks * threads; i++)
        running.emplace_back([&, i] {
            blockIdx.x = i / threads;
            threadIdx.x = i % threads;
            block = all[blockIdx.x].get();
            kernel(arguments...);
        });
    for (std::thread &one : running) one.join();
}

extern "C" {
#ifdef PERSISTENT
void launch_near_far(int blocks, int threads, const long long *indptr, const int *indices, const int *weights,
                     int *dist, Item *near, Item *far, int room, State *state, long long delta) {
    launch(blocks, threads, near_far, indptr, indices, weights, dist, near, far, room, state, delta);
}
#else
void launch_relax_near(int blocks, int threads, const long long *indptr, const int *indices, const int *weights,
                       int *dist, const Item *near, int near_count, Item *next, Item *far, int room,
                       Counts *counts, long long threshold) {
    launch(blocks, threads, relax_near, indptr, indices, weights, dist, near, near_count, next, far, room, counts,
           threshold);
}
void launch_split_far(int blocks, int threads, const int *dist, const Item *far, int far_count, Item *near,
                      Item *left, int room, Counts *counts, long long threshold) {
    launch(blocks, threads, split_far, dist, far, far_count, near, left, room, counts, threshold);
}
#endif
}
