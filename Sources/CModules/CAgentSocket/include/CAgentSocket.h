#pragma once
#include <stdint.h>

/* The user at the other end of a connected socket of the family AF_UNIX, as the kernel noted it when the connection was
   made (SO_PEERCRED of unix(7); getpeereid elsewhere). Returns 0, or -1. */
int latchkey_peer_user(int descriptor, uint32_t *user);

/* No other process of the user may read this one's memory (ptrace, /proc/PID/mem) and no dump of it is written, as far as
   the system can. Returns 0, or -1. */
int latchkey_keep_memory_private(void);
