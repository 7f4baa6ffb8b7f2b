#pragma once

/* A terminal in quiet mode: bytes come one by one, nothing is echoed, and Ctrl-C, Ctrl-Z and Ctrl-D are bytes. The
   previous mode is restored by latchkey_terminal_end, and also before SIGINT, SIGTERM, SIGHUP, SIGQUIT or SIGTSTP
   has its usual effect on the process. The mode of a terminal is never changed from the background: there it is that of
   the shell, or of whatever runs in front. */

/* Whether the process may ask at the terminal: it is in the foreground, or the terminal controls no process here. */
int latchkey_terminal_is_front(int descriptor);

/* Sets the quiet mode. Returns a number for the calls below; -1: no terminal, or not in front of it; -2: too many at
   once. */
int latchkey_terminal_begin(int descriptor);

/* Restores the previous mode. */
void latchkey_terminal_end(int number);

/* Stops the process as Ctrl-Z does, in the previous mode, and sets the quiet mode again when it continues. Returns
   whether it continues in the foreground. */
int latchkey_terminal_suspend(int number);

/* Gets columns and rows; zeros if the terminal does not say. */
void latchkey_terminal_size(int descriptor, int *columns, int *rows);
