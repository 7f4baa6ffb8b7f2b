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

/* glibc's own, under the names that it keeps for programs that bring their own free. */
extern void __libc_free(void *block);
extern void *__libc_malloc(size_t size);
extern void *__libc_realloc(void *block, size_t size);

/* The whole block, which may be larger than what was asked for. */
static void wipe(void *block) {
  size_t size = malloc_usable_size(block);
  memset(block, 0, size);
  /* So that the compiler does not take it for a writing that nobody reads. */
  __asm__ __volatile__("" : : "r"(block) : "memory");
}

void free(void *block) {
  if (block == NULL) return;
  int saved = errno;
  wipe(block);
  __libc_free(block);
  errno = saved;
}

/* One that grows may move, and glibc's would leave what was there behind. */
void *realloc(void *block, size_t size) {
  if (block == NULL) return __libc_malloc(size);
  size_t before = malloc_usable_size(block);
  if (size == 0) {
    free(block);
    return NULL;
  }
  if (size <= before) {
    /* The end of what stays in place is not needed any more; the rest is glibc's to keep. */
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
