#pragma once

/* Waits for a lock of flock(2) on a thread of its own that can be told to stop. On Linux only: elsewhere a thread that
   waits for such a lock cannot be told to stop. */

/* Begins to wait until the open file `file` is locked for its opening alone, and then calls `ended` once, on that thread,
   with `context` and 0, or with the errno that ended the wait. Returns 0 and the thread in *thread, or an errno if no
   thread could be made; then `ended` is not called. The file must stay open until `ended` was called. */
int latchkey_lock_wait(int file, void (*ended)(void *context, int problem), void *context, unsigned long *thread);

/* Has the wait end at once, with ECANCELED; the file may be locked all the same if the lock came at that moment. May be
   called once, and not after `ended` has returned. */
void latchkey_lock_wait_stop(unsigned long thread);
