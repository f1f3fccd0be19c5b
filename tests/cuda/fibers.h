/*
fibers.h: CUDA for kernels that run on fibers of the CPU (fibers.cpp); comes before a kernel's text.

Compile the text with -fsanitize=thread, which puts a call before every access to memory: fibers.cpp
has these calls, and any of them may let another thread of the grid go on.
*/
#pragma once
#include <cstddef>
#include <utility>

struct Index {
    unsigned x;
};
extern Index threadIdx, blockIdx, blockDim, gridDim;

#define __global__
#define __device__
#define __forceinline__ inline
#define __shared__ static __attribute__((section("shared_memory")))
#define __launch_bounds__(threads)

template <class A> A min(A a, A b) { return a < b ? a : b; }
template <class A> A max(A a, A b) { return a < b ? b : a; }
inline int __popc(unsigned word) { return __builtin_popcount(word); }

void __nanosleep(unsigned);
void __trap();
long long clock64();
void __threadfence();
void __syncthreads();
void __syncwarp();
int atomicAdd(int *at, int value);
inline unsigned atomicAdd(unsigned *at, unsigned value) { return atomicAdd((int *)at, (int)value); }
inline int atomicSub(int *at, int value) { return atomicAdd(at, -value); }
int atomicMin(int *at, int value);
long long shuffled(long long mine, int from);
unsigned __ballot_sync(unsigned, bool mine);

template <class T> T __shfl_sync(unsigned, T value, int from) { return (T)shuffled((long long)value, from); }
template <class T> T __shfl_up_sync(unsigned, T value, int reach) {
    int lane = threadIdx.x % 32;
    return (T)shuffled((long long)value, lane < reach ? lane : lane - reach);
}

// Run a grid to its end; false where all its threads wait for each other, or one traps.
bool run_grid(int blocks, int threads, unsigned seed, void (*body)(void *), void *data);

template <class... A, std::size_t... I>
bool launch(int blocks, int threads, unsigned seed, void (*kernel)(A...), void **values, std::index_sequence<I...>) {
    auto body = [&] { kernel(*(A *)values[I]...); };
    return run_grid(blocks, threads, seed, [](void *data) { (*(decltype(body) *)data)(); }, &body);
}

template <class... A> bool launch(int blocks, int threads, unsigned seed, void (*kernel)(A...), void **values) {
    return launch(blocks, threads, seed, kernel, values, std::index_sequence_for<A...>());
}

#define LAUNCHER(kernel) \
    extern "C" bool launch_##kernel(int blocks, int threads, unsigned seed, void **values) { \
        return launch(blocks, threads, seed, kernel, values); \
    }
