#pragma once

/* The words that this process was started with, its program's name first, and their number: as the C library gave them to
   it, so they need no /proc, where Swift looks them up. The number is 0 where the C library gives none to constructors
   (musl). */
char *const *latchkey_arguments(int *count);

/* Runs a program as a child in the same process group, and waits for its end on the calling thread.

   Until then, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH, SIGTSTP and SIGCONT that are sent to
   this process are passed on to the child; those from a terminal reach the child directly. Signals that this
   process ignores stay ignored in both. While the child is stopped, this process is stopped too. On Linux the child
   gets SIGTERM when the calling thread or its process ends in any way. The child inherits the descriptors 0 to 2,
   those in `foreign`, in rising order, and `inherited`, close-on-exec or not, as the number `shown`; -1 names none. If `foreign_count` is
   negative, the child inherits all descriptors that are not close-on-exec.

   Returns the exit status, or 128 plus the number of the signal that ended the child; -1 if the program could not
   be run, with the reason in *problem, an errno. */
int latchkey_run_child(const char *file, char *const *arguments, char *const *variables, const int *foreign,
                       int foreign_count, int inherited, int shown, int *problem);

/* Gives the calling thread the nice value of `process`'s first thread: libdispatch gives its threads others where it may, as
   root, and a program that one of them starts would inherit it. May be called between fork and exec. */
void latchkey_take_priority(int process);

/* Makes every descriptor from 3 on close-on-exec, except those in `foreign`, in rising order, because a library may
   have opened some without. May be called between fork and exec. */
void latchkey_close_at_exec(const int *foreign, int foreign_count);
