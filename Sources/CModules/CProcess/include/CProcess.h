#pragma once

/* Runs a program as a child in the same process group, and waits for its end on the calling thread.

   Until the end, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH, SIGTSTP and SIGCONT that are sent to this
   process are sent on to the child; those that a terminal sends reach the child by themselves. What this process
   ignores, it and the child go on ignoring. While the child is stopped, so is this process. On Linux the child gets
   SIGTERM when the calling thread or its process ends in any way. The child inherits the descriptors 0 to 2,
   those that `foreign` lists, in rising order, and `inherited`, close-on-exec or not; -1 names none. A negative
   `foreign_count` leaves it at what is not close-on-exec.

   Returns the exit status, or 128 and the number of the signal that ended the child; -1 when the program could not be
   run, with the reason in *problem, an errno. */
int latchkey_run_child(const char *file, char *const *arguments, char *const *variables, const int *foreign,
                       int foreign_count, int inherited, int *problem);

/* Makes every descriptor from 3 on close-on-exec, except those that `foreign` lists, in rising order: a library may
   have opened some without. May be called between fork and exec. */
void latchkey_close_at_exec(const int *foreign, int foreign_count);
