#pragma once
#if defined(__linux__)
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* add_key(2) and keyctl(2) through syscall(2), which Swift cannot call because it is variadic. This avoids
   libkeyutils. Both return as the system calls do: -1 and errno on failure. */
static inline int32_t shim_add_key(const char *type, const char *name, const void *bytes, size_t count, int32_t ring) {
  return (int32_t)syscall(SYS_add_key, type, name, bytes, count, ring);
}

static inline long shim_keyctl(int operation, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d) {
  return syscall(SYS_keyctl, operation, a, b, c, d);
}
#endif
