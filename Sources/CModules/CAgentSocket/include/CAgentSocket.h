#pragma once
#include <stdint.h>

/* Gets the user at the other end of a connected AF_UNIX socket, as the kernel recorded it when the connection was
   made (SO_PEERCRED of unix(7); getpeereid elsewhere). Returns 0, or -1. */
int latchkey_peer_user(int descriptor, uint32_t *user);

/* Returns the process at the other end of a connected AF_UNIX socket, as the kernel recorded it when the connection was
   made (SO_PEERCRED; LOCAL_PEERPID of unix(4) on macOS); 0 if it cannot be told. */
int32_t latchkey_peer_process(int descriptor);

/* Keeps the user's other processes from reading this one's memory (ptrace, /proc/PID/mem), and the system from
   writing a dump of it, as far as the system can. Returns 0, or -1. */
int latchkey_keep_memory_private(void);
