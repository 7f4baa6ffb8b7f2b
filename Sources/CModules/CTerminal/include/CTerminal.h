#pragma once

/* A terminal in quiet mode: bytes come one by one, nothing is echoed, and Ctrl-C, Ctrl-Z and Ctrl-D are bytes. The
   previous mode is restored by latchkey_terminal_end, and also before SIGINT, SIGTERM, SIGHUP, SIGQUIT or SIGTSTP
   has its usual effect on the process. */

/* Sets the quiet mode. Returns a number for the calls below; -1: no terminal, -2: too many at once. */
int latchkey_terminal_begin(int descriptor);

/* Restores the previous mode. */
void latchkey_terminal_end(int number);

/* Stops the process as Ctrl-Z does, in the previous mode, and sets the quiet mode again when it continues. */
void latchkey_terminal_suspend(int number);

/* Gets columns and rows; zeros if the terminal does not say. */
void latchkey_terminal_size(int descriptor, int *columns, int *rows);
