/*
numbers.cuh: what weights and distances are counted in: one source for four types.

Compile with  -DWEIGHT_FLOAT=0|1   whole numbers, or decimals
              -DWEIGHT_WIDE=0|1    32 bits (int32, float32), or 64 (int64, float64)

Distances are kept as unsigned bits: whole numbers >= 0 and IEEE numbers >= 0 both order as their
bits do, so that one atomicMin serves all. "Unreached" is the largest whole number, or infinity: a
sum that passes the range is never below it, and so never wins.

            32 bits                           64 bits
Arc         head, weight: 8 bytes             16 bytes
Item        distance << 32 | vertex: 8 bytes  vertex, distance: 16 bytes
QueueEntry  vertex, distance, row: 16 bytes   distance, vertex, row: 24 bytes
*/
#pragma once

typedef unsigned int u32;
typedef unsigned long long u64;

#if WEIGHT_WIDE
typedef u64 Dist;
typedef ulonglong2 ArcWords;
typedef ulonglong2 Item;
struct QueueEntry {
    u64 dist;
    u32 vertex, first, end, unused;
};
#define UNREACHED (WEIGHT_FLOAT ? 0x7ff0000000000000ull : 0x7fffffffffffffffull)
#else
typedef u32 Dist;
typedef uint2 ArcWords;
typedef u64 Item;
typedef uint4 QueueEntry;
#define UNREACHED (WEIGHT_FLOAT ? 0x7f800000u : 0x7fffffffu)
#endif

#define NO_DIST ((Dist)-1)  // no distance at all: greater than any, and than UNREACHED

struct Arc {
    u32 head;
    Dist weight;  // bits
};

struct Vertex {  // queued with a distance; first == end where there is none
    u32 id;
    Dist dist;
    u32 first, end;  // its arcs
    __device__ u32 degree() const { return end - first; }
};

__device__ __forceinline__ Arc arc_at(const ArcWords *at) {
    ArcWords words = __ldg(at);
    return {(u32)words.x, words.y};
}

// ---- items and entries of queues --------------------------------------------------------

#if WEIGHT_WIDE
__device__ __forceinline__ Item packed(u32 vertex, Dist dist) { return {vertex, dist}; }
__device__ __forceinline__ u32 vertex_of(Item item) { return (u32)item.x; }
__device__ __forceinline__ Dist dist_of(Item item) { return item.y; }
__device__ __forceinline__ QueueEntry entry_of(u32 vertex, Dist dist, u32 first, u32 end) {
    return {dist, vertex, first, end, 0};
}
__device__ __forceinline__ Vertex vertex_of(QueueEntry entry) {
    return {entry.vertex, entry.dist, entry.first, entry.end};
}
#else
__device__ __forceinline__ Item packed(u32 vertex, Dist dist) { return (u64)dist << 32 | vertex; }
__device__ __forceinline__ u32 vertex_of(Item item) { return (u32)item; }
__device__ __forceinline__ Dist dist_of(Item item) { return (u32)(item >> 32); }
__device__ __forceinline__ QueueEntry entry_of(u32 vertex, Dist dist, u32 first, u32 end) {
    return make_uint4(vertex, dist, first, end);
}
__device__ __forceinline__ Vertex vertex_of(QueueEntry entry) {
    return {entry.x, entry.y, entry.z, entry.w};
}
#endif

// ---- arithmetic -------------------------------------------------------------------------

// CuPy compiles with -ftz=true, which makes denormal floats 0: distances would be wrong, and bits
// and numbers would not rise together. These instructions are without it.
__device__ __forceinline__ u32 float_bits(double number) {
    float f;
    asm("cvt.rn.f32.f64 %0, %1;" : "=f"(f) : "d"(number));
    return __float_as_uint(f);
}
__device__ __forceinline__ u32 float_bits_up(double number) {
    float f;
    asm("cvt.rp.f32.f64 %0, %1;" : "=f"(f) : "d"(number));
    return __float_as_uint(f);
}
__device__ __forceinline__ u32 float_bits_down(double number) {
    float f;
    asm("cvt.rm.f32.f64 %0, %1;" : "=f"(f) : "d"(number));
    return __float_as_uint(f);
}
__device__ __forceinline__ double float_number(u32 bits) {
    double number;
    asm("cvt.f64.f32 %0, %1;" : "=d"(number) : "f"(__uint_as_float(bits)));
    return number;
}
__device__ __forceinline__ u32 float_sum(u32 a, u32 b) {
    float sum;
    asm("add.rn.f32 %0, %1, %2;" : "=f"(sum) : "f"(__uint_as_float(a)), "f"(__uint_as_float(b)));
    return __float_as_uint(sum);
}


#if WEIGHT_WIDE
__device__ __forceinline__ double as_number(u64 bits) { return __longlong_as_double((long long)bits); }
__device__ __forceinline__ u64 as_bits(double number) { return (u64)__double_as_longlong(number); }
__device__ __forceinline__ u64 as_bits_up(double number) { return as_bits(number); }
__device__ __forceinline__ u64 as_bits_down(double number) { return as_bits(number); }
#else
__device__ __forceinline__ double as_number(u32 bits) { return float_number(bits); }
__device__ __forceinline__ u32 as_bits(double number) { return float_bits(number); }
__device__ __forceinline__ u32 as_bits_up(double number) { return float_bits_up(number); }
__device__ __forceinline__ u32 as_bits_down(double number) { return float_bits_down(number); }
#endif

__device__ __forceinline__ Dist plus(Dist dist, Dist weight) {
    if (!WEIGHT_FLOAT) return dist + weight;
    return WEIGHT_WIDE ? as_bits(as_number(dist) + as_number(weight)) : float_sum(dist, weight);
}

// As a double, which whole numbers are to 2^53; beyond, the nearest.
__device__ __forceinline__ double value_of(Dist bits) {
    return WEIGHT_FLOAT ? as_number(bits) : (double)bits;
}

// How far distances around `bits` that differ as doubles lie apart: a power of two.
__device__ __forceinline__ Dist spacing(Dist bits) {
    if (!WEIGHT_WIDE || WEIGHT_FLOAT) return 1;
    int zeros = __clzll(bits);
    return zeros < 11 ? (Dist)1 << (11 - zeros) : 1;
}

// The next distance after `bits` as a double, or one that lies further.
__device__ __forceinline__ double value_after(Dist bits) {
    if (WEIGHT_WIDE && !WEIGHT_FLOAT) return __ull2double_ru(bits + 1);
    return value_of(bits + 1);
}

// A double in one word, for samples: a float, or the upper half of it where floats do not reach.
__device__ __forceinline__ u32 in_one_word(double value) {
    return WEIGHT_WIDE ? (u32)((u64)__double_as_longlong(value) >> 32) : float_bits(value);
}
__device__ __forceinline__ double from_one_word(u32 word) {
    return WEIGHT_WIDE ? __longlong_as_double((long long)((u64)word << 32)) : float_number(word);
}

// From a double >= 0 that is less than value_of(UNREACHED): the nearest distance, the lowest that
// is not less, the highest that is not more.
__device__ __forceinline__ Dist dist_near(double value) {
    return WEIGHT_FLOAT ? as_bits(value) : (Dist)value;
}
__device__ __forceinline__ Dist dist_up(double value) {
    return WEIGHT_FLOAT ? as_bits_up(value) : (Dist)ceil(value);
}
__device__ __forceinline__ Dist dist_down(double value) {
    return WEIGHT_FLOAT ? as_bits_down(value) : (Dist)value;
}
