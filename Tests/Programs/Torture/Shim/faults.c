/*
 * Makes calls of the C library fail, for files below one directory: preloaded into a process of the torture.
 *
 *   TORTURE_UNDER   the directory; TORTURE_SEED what is drawn from; TORTURE_COUNT a file of counters, one a kind
 *
 * Every call that is hit has one of the results that POSIX lets it have: no space, a broken disk, a signal, or a part
 * of what was asked for.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NO_SPACE, BROKEN, SIGNAL, SHORT_WRITE, SHORT_READ, KINDS };

/* Of a thousand calls, so many fail. */
#define RATE 40
#define MOST_FILES 1024

static const char *directory;
static size_t length;
static int64_t *counts;
static uint64_t state;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned char watched[MOST_FILES];

static int (*real_open)(const char *, int, ...);
static int (*real_openat)(int, const char *, int, ...);
static int (*real_close)(int);
static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*real_read)(int, void *, size_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_ftruncate)(int, off_t);
static int (*real_rename)(const char *, const char *);
static int (*real_renameat)(int, const char *, int, const char *);
static int (*real_unlink)(const char *);
static int (*real_unlinkat)(int, const char *, int);
static int (*real_mkdir)(const char *, mode_t);
static int (*real_mkdirat)(int, const char *, mode_t);
static int (*real_flock)(int, int);

#define FIND(name) real_##name = (__typeof__(real_##name))dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void begin(void) {
  FIND(open); FIND(openat); FIND(close); FIND(write); FIND(pwrite); FIND(read); FIND(fsync); FIND(fdatasync);
  FIND(ftruncate); FIND(rename); FIND(renameat); FIND(unlink); FIND(unlinkat); FIND(mkdir); FIND(mkdirat);
  FIND(flock);
  const char *seed = getenv("TORTURE_SEED"), *path = getenv("TORTURE_COUNT"), *under = getenv("TORTURE_UNDER");
  if (!seed || !path || !under) return;
  state = strtoull(seed, NULL, 10);
  int file = real_open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  real_close(file);
  if (memory == MAP_FAILED) return;
  counts = memory;
  length = strlen(under);
  directory = under;
}

/* SplitMix64. */
static uint64_t draw(void) {
  pthread_mutex_lock(&lock);
  uint64_t mixed = state += 0x9E3779B97F4A7C15u;
  pthread_mutex_unlock(&lock);
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
  return mixed ^ (mixed >> 31);
}

static int is_below(const char *path) {
  return directory && path && strncmp(path, directory, length) == 0 && (path[length] == '/' || path[length] == 0);
}

/* Whether `path`, in the opened directory `at`, is below. */
static int is_below_at(int at, const char *path) {
  char link[64], whole[PATH_MAX];
  if (!directory || !path) return 0;
  if (*path == '/') return is_below(path);
  snprintf(link, sizeof link, "/proc/self/fd/%d", at);
  ssize_t size = readlink(link, whole, sizeof whole - 1);
  if (size < 0 || (size_t)size + 1 + strlen(path) >= sizeof whole) return 0;
  whole[size] = 0;
  if (strcmp(path, ".") != 0) strcat(strcat(whole, "/"), path);
  return is_below(whole);
}

static int is_watched(int file) {
  return directory && file >= 0 && file < MOST_FILES && __atomic_load_n(&watched[file], __ATOMIC_RELAXED);
}

static void watch(int file, int yes) {
  if (file >= 0 && file < MOST_FILES) __atomic_store_n(&watched[file], (unsigned char)yes, __ATOMIC_RELAXED);
}

static int hit(void) { return draw() % 1000 < RATE; }

static void count(int kind) { __atomic_fetch_add(&counts[kind], 1, __ATOMIC_RELAXED); }

/* Fails with one of the kinds in `kinds`, a bit each. */
static int fail(unsigned kinds) {
  static const int numbers[] = {ENOSPC, EIO, EINTR};
  int kind;
  do {
    kind = (int)(draw() % 3);
  } while (!(kinds >> kind & 1));
  count(kind);
  errno = numbers[kind];
  return -1;
}

#define SPACE (1u << NO_SPACE)
#define DISK (1u << BROKEN)
#define CALL (1u << SIGNAL)

static int opened(int file, int yes) {
  if (file >= 0) watch(file, yes);
  return file;
}

static mode_t mode_of(int flags, va_list rest) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; }

#define OPEN(name, real)                                                              \
  int name(const char *path, int flags, ...) {                                        \
    va_list rest;                                                                     \
    va_start(rest, flags);                                                            \
    mode_t mode = mode_of(flags, rest);                                               \
    va_end(rest);                                                                     \
    int yes = is_below(path);                                                         \
    if (yes && hit()) return fail((flags & O_CREAT ? SPACE : 0) | DISK | CALL);       \
    return opened(real(path, flags, mode), yes);                                      \
  }
OPEN(open, real_open)
OPEN(open64, real_open)

#define OPENAT(name)                                                                  \
  int name(int at, const char *path, int flags, ...) {                                \
    va_list rest;                                                                     \
    va_start(rest, flags);                                                            \
    mode_t mode = mode_of(flags, rest);                                               \
    va_end(rest);                                                                     \
    int yes = is_below_at(at, path);                                                  \
    if (yes && hit()) return fail((flags & O_CREAT ? SPACE : 0) | DISK | CALL);       \
    return opened(real_openat(at, path, flags, mode), yes);                           \
  }
OPENAT(openat)
OPENAT(openat64)

int close(int file) {
  watch(file, 0);
  return real_close(file);
}

ssize_t write(int file, const void *bytes, size_t size) {
  if (!is_watched(file) || !hit()) return real_write(file, bytes, size);
  if (size < 2 || draw() % 2) return fail(SPACE | DISK | CALL);
  count(SHORT_WRITE);
  return real_write(file, bytes, 1 + draw() % (size - 1));
}

#define PWRITE(name)                                                                  \
  ssize_t name(int file, const void *bytes, size_t size, off_t at) {                  \
    if (!is_watched(file) || !hit()) return real_pwrite(file, bytes, size, at);       \
    if (size < 2 || draw() % 2) return fail(SPACE | DISK | CALL);                     \
    count(SHORT_WRITE);                                                               \
    return real_pwrite(file, bytes, 1 + draw() % (size - 1), at);                     \
  }
PWRITE(pwrite)
PWRITE(pwrite64)

ssize_t read(int file, void *bytes, size_t size) {
  if (!is_watched(file) || !hit()) return real_read(file, bytes, size);
  if (size < 2 || draw() % 2) return fail(DISK | CALL);
  count(SHORT_READ);
  return real_read(file, bytes, 1 + draw() % (size - 1));
}

int fsync(int file) { return is_watched(file) && hit() ? fail(SPACE | DISK | CALL) : real_fsync(file); }

int fdatasync(int file) { return is_watched(file) && hit() ? fail(SPACE | DISK | CALL) : real_fdatasync(file); }

int ftruncate(int file, off_t size) {
  return is_watched(file) && hit() ? fail(DISK | CALL) : real_ftruncate(file, size);
}

int rename(const char *from, const char *to) {
  return is_below(to) && hit() ? fail(SPACE | DISK) : real_rename(from, to);
}

int renameat(int at, const char *from, int there, const char *to) {
  return is_below_at(there, to) && hit() ? fail(SPACE | DISK) : real_renameat(at, from, there, to);
}

int unlink(const char *path) { return is_below(path) && hit() ? fail(DISK) : real_unlink(path); }

int unlinkat(int at, const char *path, int flags) {
  return is_below_at(at, path) && hit() ? fail(DISK) : real_unlinkat(at, path, flags);
}

int mkdir(const char *path, mode_t mode) {
  return is_below(path) && hit() ? fail(SPACE | DISK) : real_mkdir(path, mode);
}

int mkdirat(int at, const char *path, mode_t mode) {
  return is_below_at(at, path) && hit() ? fail(SPACE | DISK) : real_mkdirat(at, path, mode);
}

int flock(int file, int operation) {
  return is_watched(file) && operation != LOCK_UN && hit() ? fail(CALL) : real_flock(file, operation);
}
