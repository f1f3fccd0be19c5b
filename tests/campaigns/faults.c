/*
Calls of the C library that fail when they are told to: preloaded into a Python process.

fault_arm(kind, at, error, stays)   the at-th call of a kind from now on fails with this errno;
                                    stays: and every later one too (a full disk stays full)
fault_disarm()                      returns how many calls of the kind there were
Kinds: see `Kind` in faults.py. Only files opened by the process count, not its first three.
*/
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

enum { NONE, WRITE, CREATE, OPEN, RENAME, SPACE, MEMORY, READ };
enum { SMALLEST = 131072 }; /* bytes of an allocation that counts: NumPy 2 itself dies of some smaller */

static volatile int armed_kind, armed_error, armed_stays;
static volatile long armed_at, seen;

static int fails(int kind) {
    if (kind != armed_kind) return 0;
    long now = __sync_add_and_fetch(&seen, 1);
    if (now == armed_at || (armed_stays && now > armed_at)) {
        errno = armed_error;
        return 1;
    }
    return 0;
}

void fault_arm(int kind, long at, int error, int stays) {
    seen = 0;
    armed_at = at;
    armed_error = error;
    armed_stays = stays;
    armed_kind = kind;
}

long fault_disarm(void) {
    armed_kind = NONE;
    return seen;
}

ssize_t write(int fd, const void *data, size_t size) {
    static ssize_t (*real)(int, const void *, size_t);
    if (!real) real = dlsym(RTLD_NEXT, "write");
    return fd > 2 && fails(WRITE) ? -1 : real(fd, data, size);
}

ssize_t read(int fd, void *data, size_t size) {
    static ssize_t (*real)(int, void *, size_t);
    if (!real) real = dlsym(RTLD_NEXT, "read");
    return fd > 2 && fails(READ) ? -1 : real(fd, data, size);
}

#define OPENING(name)                                                              \
    int name(const char *path, int flags, ...) {                                   \
        static int (*real)(const char *, int, ...);                                \
        if (!real) real = dlsym(RTLD_NEXT, #name);                                 \
        va_list rest;                                                              \
        va_start(rest, flags);                                                     \
        mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;                  \
        va_end(rest);                                                              \
        if (flags & (O_CREAT | O_WRONLY | O_RDWR) ? fails(CREATE) : 0) return -1;  \
        return fails(OPEN) ? -1 : real(path, flags, mode);                         \
    }
OPENING(open)
OPENING(open64)

int rename(const char *from, const char *to) {
    static int (*real)(const char *, const char *);
    if (!real) real = dlsym(RTLD_NEXT, "rename");
    return fails(RENAME) ? -1 : real(from, to);
}

int posix_fallocate(int fd, off_t start, off_t size) {
    static int (*real)(int, off_t, off_t);
    if (!real) real = dlsym(RTLD_NEXT, "posix_fallocate");
    return fails(SPACE) ? armed_error : real(fd, start, size);
}

int ftruncate(int fd, off_t size) {
    static int (*real)(int, off_t);
    if (!real) real = dlsym(RTLD_NEXT, "ftruncate");
    return fails(SPACE) ? -1 : real(fd, size);
}

void *mmap(void *where, size_t size, int access, int flags, int fd, off_t start) {
    static void *(*real)(void *, size_t, int, int, int, off_t);
    if (!real) real = dlsym(RTLD_NEXT, "mmap");
    if (size >= SMALLEST * 8 && fails(MEMORY)) return MAP_FAILED;
    return real(where, size, access, flags, fd, start);
}

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size) {
    return size >= SMALLEST && fails(MEMORY) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    return count * size >= SMALLEST && fails(MEMORY) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    return size >= SMALLEST && fails(MEMORY) ? NULL : __libc_realloc(old, size);
}
