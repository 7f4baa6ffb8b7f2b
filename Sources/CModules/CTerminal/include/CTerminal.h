#pragma once

/* A terminal in quiet mode: bytes come one by one, nothing is echoed, and Ctrl-C, Ctrl-Z and Ctrl-D are bytes. The mode
   it had before comes back with latchkey_terminal_end, and also before SIGINT, SIGTERM, SIGHUP, SIGQUIT or SIGTSTP does
   what it did to the process before. */

/* Quiets the terminal. Returns a number for the calls below; -1: no terminal, -2: too many at once. */
int latchkey_terminal_begin(int descriptor);

/* Puts the earlier mode back. */
void latchkey_terminal_end(int number);

/* Stops the process as Ctrl-Z does, with the earlier mode, and quiets the terminal again once it goes on. */
void latchkey_terminal_suspend(int number);

/* Columns and rows; zeros when the terminal does not say. */
void latchkey_terminal_size(int descriptor, int *columns, int *rows);
