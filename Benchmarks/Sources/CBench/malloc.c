#include "cbench.h"
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <time.h>

/* glibc lets a program put its own malloc in place of the library's, and keeps the library's under these names. */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

/* One counter for each thread, or for a few. A single one would move from core to core at each allocation, which
   would slow down a program of many threads. */
enum { counters = 64 };
static struct {
  _Alignas(128) _Atomic uint64_t allocations;
} counter[counters];
static _Atomic unsigned threads;
static _Thread_local unsigned own;
/* The bytes in use since counting began. mallinfo2 is not used, because it walks arenas while others change them.
   */
static _Atomic int64_t held;
static _Atomic int counting;

static void *count(void *memory) {
  if (!own) own = 1 + atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) % counters;
  atomic_fetch_add_explicit(&counter[own - 1].allocations, 1, memory_order_relaxed);
  if (memory && atomic_load_explicit(&counting, memory_order_relaxed))
    atomic_fetch_add_explicit(&held, (int64_t)(malloc_usable_size(memory) + sizeof(size_t)), memory_order_relaxed);
  return memory;
}

static void uncount(void *memory) {
  if (memory && atomic_load_explicit(&counting, memory_order_relaxed))
    atomic_fetch_sub_explicit(&held, (int64_t)(malloc_usable_size(memory) + sizeof(size_t)), memory_order_relaxed);
}

void *malloc(size_t size) {
  return count(__libc_malloc(size));
}

void *calloc(size_t number, size_t size) {
  return count(__libc_calloc(number, size));
}

void *realloc(void *old, size_t size) {
  uncount(old);
  return count(__libc_realloc(old, size));
}

void *memalign(size_t alignment, size_t size) {
  return count(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **made, size_t alignment, size_t size) {
  void *memory = memalign(alignment, size);
  if (!memory) return ENOMEM;
  *made = memory;
  return 0;
}

void free(void *memory) {
  uncount(memory);
  __libc_free(memory);
}

uint64_t cb_allocations(void) {
  uint64_t sum = 0;
  for (unsigned index = 0; index < counters; index++)
    sum += atomic_load_explicit(&counter[index].allocations, memory_order_relaxed);
  return sum;
}

int64_t cb_heap_bytes(void) {
  atomic_store_explicit(&counting, 1, memory_order_relaxed);
  return atomic_load_explicit(&held, memory_order_relaxed);
}

uint64_t cb_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
