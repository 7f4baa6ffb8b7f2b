#define _GNU_SOURCE
#include "CWipingHeap.h"

#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

#if defined(__linux__) && defined(__GLIBC__) && !defined(HAS_SANITIZER) && !defined(__SANITIZE_ADDRESS__)
#include <errno.h>
#include <malloc.h>
#include <string.h>

/* glibc's own functions, under the names that it provides for programs with their own free. */
extern void __libc_free(void *block);
extern void *__libc_malloc(size_t size);
extern void *__libc_realloc(void *block, size_t size);

/* Overwrites the whole block, which may be larger than was requested. */
static void wipe(void *block) {
  size_t size = malloc_usable_size(block);
  memset(block, 0, size);
  /* Keeps the compiler from removing the write as one that nobody reads. */
  __asm__ __volatile__("" : : "r"(block) : "memory");
}

void free(void *block) {
  if (block == NULL) return;
  int saved = errno;
  wipe(block);
  __libc_free(block);
  errno = saved;
}

/* A block that grows may move, and glibc would leave its old content behind. */
void *realloc(void *block, size_t size) {
  if (block == NULL) return __libc_malloc(size);
  size_t before = malloc_usable_size(block);
  if (size == 0) {
    free(block);
    return NULL;
  }
  if (size <= before) {
    /* The end of the block is no longer needed. glibc keeps the rest. */
    memset((char *)block + size, 0, before - size);
    return block;
  }
  void *moved = __libc_malloc(size);
  if (moved == NULL) return NULL;
  memcpy(moved, block, before);
  free(block);
  return moved;
}

int latchkey_heap_is_wiped(void) { return 1; }
#else
int latchkey_heap_is_wiped(void) { return 0; }
#endif
