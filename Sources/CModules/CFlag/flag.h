#ifndef LATCHKEY_FLAG_H
#define LATCHKEY_FLAG_H

#include <stdbool.h>

/* A flag that several threads read and set. Swift has atomics of its own only from macOS 15 and iOS 18 on. */
static inline bool latchkey_flag_is_set(const bool *flag) { return __atomic_load_n(flag, __ATOMIC_RELAXED); }

/* Sets the flag. Returns whether it was set already. */
static inline bool latchkey_flag_set(bool *flag) { return __atomic_exchange_n(flag, true, __ATOMIC_RELAXED); }

#endif
