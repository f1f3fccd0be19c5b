// items.cuh: what all steps share. `peek` and `poke` are for memory that other blocks use at the same
// time: as volatile they pass by the level-1 cache, which is a multiprocessor's own.
#pragma once

struct Item {  // waits in a pile or bucket; stale where the vertex has a smaller distance by now
    int vertex, dist;
};

struct Counts {  // of the piles that a launch fills, for the host
    int near, far, nearest;
};

template <class T>
union Words {
    T value;
    int words[sizeof(T) / 4];
};

template <class T>
__device__ T peek(const T *at) {
    Words<T> copy;
    for (unsigned i = 0; i < sizeof(T) / 4; i++) copy.words[i] = ((const volatile int *)at)[i];
    return copy.value;
}

template <class T>
__device__ void poke(T *at, T value) {
    Words<T> copy = {value};
    for (unsigned i = 0; i < sizeof(T) / 4; i++) ((volatile int *)at)[i] = copy.words[i];
}
