/*
fibers.cpp: the threads of a CUDA grid, each a fiber of one CPU thread, in a random order by a seed.

Compile  without -fsanitize=thread, and link with a kernel's text that was compiled with it.
Before any access to memory another thread may take over: at times after each access, at times after
a hundred; and threads of one block may sleep for a while, wherever they are. The same seed gives the same order.
Shared memory is one section of the library, copied out and in when another block takes over.
Not seen: stores in another order than the program's. A fence does nothing here.
*/
#include <cstring>
#include <memory>
#include <random>
#include <ucontext.h>
#include <vector>

struct Index {
    unsigned x;
};
Index threadIdx, blockIdx, blockDim, gridDim;
extern char shared_begin[] __asm__("__start_shared_memory") __attribute__((weak, visibility("hidden")));
extern char shared_end[] __asm__("__stop_shared_memory") __attribute__((weak, visibility("hidden")));

namespace {
const int STACK = 64 << 10;       // bytes of a fiber
const long long TICKS = 1 << 14;  // cycles that an access to memory takes, so that waits soon are late

struct Gate {  // a barrier
    int arrived = 0, round = 0;
};

struct Fiber {
    ucontext_t at;
    int block, thread, round;
    Gate *gate;  // waits for it to leave `round`
    long long until;  // sleeps so many accesses
    bool done;
};

struct Warp {
    Gate gate;
    long long words[32];
};

std::vector<Fiber> fibers;
std::vector<std::unique_ptr<char[]>> stacks;
std::vector<Warp> warps;
std::vector<Gate> gates;
std::vector<std::vector<char>> shared;
ucontext_t scheduler;
std::mt19937 chance;
Fiber *now = nullptr;
int sleepy;  // the block whose threads sleep at times
int loaded, left;  // the block whose shared memory is in place; accesses until the next change
long long accesses;
bool trapped;
void (*body)(void *);
void *body_data;

void pause() { swapcontext(&now->at, &scheduler); }

void touch() {
    if (now == nullptr) return;
    accesses += 1;
    if (--left < 0) pause();
}

void begin() {
    body(body_data);
    now->done = true;
    pause();
}

void wait(Gate &gate, int members) {
    if (++gate.arrived == members) {
        gate.arrived = 0;
        gate.round += 1;
        return;
    }
    now->gate = &gate;
    now->round = gate.round;
    pause();
}

bool ready(const Fiber &fiber) { return !fiber.done && (fiber.gate == nullptr || fiber.gate->round != fiber.round); }

// The next fiber: a random one, of those that do not sleep if there are any.
Fiber *choose() {
    int first = (int)(chance() % fibers.size());
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < fibers.size(); i++) {
            Fiber &fiber = fibers[(first + i) % fibers.size()];
            if (pass == 0 && fiber.until > accesses) continue;
            if (ready(fiber)) return &fiber;
        }
    return nullptr;
}

void take_over(Fiber &fiber) {
    size_t size = shared_end - shared_begin;
    if (size > 0 && loaded != fiber.block) {
        memcpy(shared[loaded].data(), shared_begin, size);
        memcpy(shared_begin, shared[fiber.block].data(), size);
    }
    loaded = fiber.block;
    now = &fiber;
    fiber.gate = nullptr;
    blockIdx.x = fiber.block;
    threadIdx.x = fiber.thread;
    left = 1 << chance() % 8;
    swapcontext(&scheduler, &fiber.at);
    if (chance() % 512 == 0) sleepy = chance() % gridDim.x;
    if (fiber.block == sleepy && chance() % 4 == 0) fiber.until = accesses + (1 << chance() % 16);
    now = nullptr;
}
}  // namespace

bool run_grid(int blocks, int threads, unsigned seed, void (*kernel)(void *), void *data) {
    chance.seed(seed);
    body = kernel;
    body_data = data;
    gridDim.x = blocks;
    blockDim.x = threads;
    accesses = loaded = trapped = 0;
    gates.assign(blocks, {});
    warps.assign(blocks * threads / 32, {});
    shared.assign(blocks, std::vector<char>(shared_end - shared_begin));
    fibers.assign(blocks * threads, {});
    while (stacks.size() < fibers.size()) stacks.push_back(std::make_unique<char[]>(STACK));
    for (size_t i = 0; i < fibers.size(); i++) {
        fibers[i].block = i / threads;
        fibers[i].thread = i % threads;
        getcontext(&fibers[i].at);
        fibers[i].at.uc_stack.ss_sp = stacks[i].get();
        fibers[i].at.uc_stack.ss_size = STACK;
        makecontext(&fibers[i].at, begin, 0);
    }
    for (size_t ended = 0; ended < fibers.size();) {
        Fiber *next = choose();
        if (next == nullptr || trapped) return false;
        take_over(*next);
        ended += next->done;
    }
    return true;
}

void __nanosleep(unsigned) { pause(); }
void __trap() { trapped = true, pause(); }
long long clock64() { return accesses * TICKS; }
void __threadfence() { touch(); }
void __syncthreads() { wait(gates[now->block], blockDim.x); }

Warp &warp() { return warps[(now->block * blockDim.x + now->thread) / 32]; }
void __syncwarp() { wait(warp().gate, 32); }

int atomicAdd(int *at, int value) {
    touch();
    int before = *at;
    *at += value;
    return before;
}

int atomicMin(int *at, int value) {
    touch();
    int before = *at;
    if (value < before) *at = value;
    return before;
}

long long shuffled(long long mine, int from) {
    warp().words[now->thread % 32] = mine;
    __syncwarp();
    long long theirs = warp().words[from];
    __syncwarp();
    return theirs;
}

unsigned __ballot_sync(unsigned, bool mine) {
    warp().words[now->thread % 32] = mine;
    __syncwarp();
    unsigned who = 0;
    for (int lane = 0; lane < 32; lane++) who |= (unsigned)warp().words[lane] << lane;
    __syncwarp();
    return who;
}

extern "C" {
#define TOUCHED(name) \
    void __tsan_##name(void *) { touch(); }
#define BOTH(size) TOUCHED(read##size) TOUCHED(write##size)
BOTH(1) BOTH(2) BOTH(4) BOTH(8) BOTH(16) TOUCHED(func_entry)
void __tsan_read_range(void *, long) { touch(); }
void __tsan_write_range(void *, long) { touch(); }
void __tsan_func_exit() {}
void __tsan_init() {}
}
