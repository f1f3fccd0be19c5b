/*
numbers.cuh: what weights and distances are counted in: one source for four types.

Compile with  -DWEIGHT_FLOAT=0|1   whole numbers, or decimals
              -DWEIGHT_WIDE=0|1    32 bits (int32, float32), or 64 (int64, float64)

Distances are kept as unsigned bits: whole numbers >= 0 and IEEE numbers >= 0 both order as their
bits do, so that one atomicMin serves all. "Unreached" is the largest whole number, or infinity: a
sum that passes the range is never below it, and so never wins.
*/
#pragma once
#include "lanes.cuh"

#if WEIGHT_WIDE
typedef u64 Dist;
typedef ulonglong2 ArcWords;
#define UNREACHED (WEIGHT_FLOAT ? 0x7ff0000000000000ull : 0x7fffffffffffffffull)
#else
typedef u32 Dist;
typedef uint2 ArcWords;
#define UNREACHED (WEIGHT_FLOAT ? 0x7f800000u : 0x7fffffffu)
#endif

#define NO_DIST ((Dist)-1)  // no distance at all: greater than any, and than UNREACHED

struct Arc {
    u32 head;
    Dist weight;  // bits
};

struct alignas(2 * sizeof(Dist)) Item {  // queued without its row
    u32 vertex;
    Dist dist;
};

struct alignas(WEIGHT_WIDE ? 8 : 16) Vertex {  // queued with a distance
    u32 id;
    Dist dist;
    u32 first, end;  // its arcs; first == end where there is none
    __device__ u32 degree() const { return end - first; }
};

DEVICE Arc arc_at(const ArcWords *at) {
    ArcWords words = __ldg(at);
    return {(u32)words.x, words.y};
}

// CuPy compiles with -ftz=true, which makes denormal floats 0: distances would be wrong, and bits
// and numbers would not rise together. These instructions are without it.
enum Rounding { NEAREST, UP, DOWN };

template <Rounding MODE = NEAREST> DEVICE u32 float_bits(double number) {
    float f;
    if (MODE == NEAREST) asm("cvt.rn.f32.f64 %0, %1;" : "=f"(f) : "d"(number));
    if (MODE == UP) asm("cvt.rp.f32.f64 %0, %1;" : "=f"(f) : "d"(number));
    if (MODE == DOWN) asm("cvt.rm.f32.f64 %0, %1;" : "=f"(f) : "d"(number));
    return __float_as_uint(f);
}
DEVICE double float_number(u32 bits) {
    double number;
    asm("cvt.f64.f32 %0, %1;" : "=d"(number) : "f"(__uint_as_float(bits)));
    return number;
}
DEVICE u32 float_sum(u32 a, u32 b) {
    float sum;
    asm("add.rn.f32 %0, %1, %2;" : "=f"(sum) : "f"(__uint_as_float(a)), "f"(__uint_as_float(b)));
    return __float_as_uint(sum);
}

DEVICE double as_double(u64 bits) { return __longlong_as_double((long long)bits); }
DEVICE u64 double_bits(double number) { return (u64)__double_as_longlong(number); }

// Decimals alone, as wide as distances.
DEVICE double as_number(Dist bits) {
    return WEIGHT_WIDE ? as_double(bits) : float_number((u32)bits);
}
template <Rounding MODE = NEAREST> DEVICE Dist as_bits(double number) {
    return WEIGHT_WIDE ? (Dist)double_bits(number) : (Dist)float_bits<MODE>(number);
}

DEVICE Dist plus(Dist dist, Dist weight) {
    if (!WEIGHT_FLOAT) return dist + weight;
    if (!WEIGHT_WIDE) return float_sum((u32)dist, (u32)weight);
    return as_bits(as_number(dist) + as_number(weight));
}

// As a double, which whole numbers are to 2^53; beyond, the nearest.
DEVICE double value_of(Dist bits) { return WEIGHT_FLOAT ? as_number(bits) : (double)bits; }

// The next distance after `bits` as a double, or one that lies further.
DEVICE double value_after(Dist bits) {
    if (WEIGHT_WIDE && !WEIGHT_FLOAT) return __ull2double_ru(bits + 1);
    return value_of(bits + 1);
}

// A double in one word, for samples: a float, or the upper half of it where floats do not reach.
DEVICE u32 in_one_word(double value) {
    return WEIGHT_WIDE ? (u32)(double_bits(value) >> 32) : float_bits(value);
}
DEVICE double from_one_word(u32 word) {
    return WEIGHT_WIDE ? as_double((u64)word << 32) : float_number(word);
}

// From a double >= 0 that is less than value_of(UNREACHED): the nearest distance, the lowest that
// is not less, the highest that is not more.
DEVICE Dist dist_near(double value) { return WEIGHT_FLOAT ? as_bits(value) : (Dist)value; }
DEVICE Dist dist_up(double value) { return WEIGHT_FLOAT ? as_bits<UP>(value) : (Dist)ceil(value); }
DEVICE Dist dist_down(double value) { return WEIGHT_FLOAT ? as_bits<DOWN>(value) : (Dist)value; }
