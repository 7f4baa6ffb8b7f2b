#pragma once

/* A program that links this overwrites each block of the heap when it is let go, whoever had it: this program's code,
   Swift's strings and arrays, the C libraries. With glibc alone; elsewhere, and under sanitizers, nothing changes. */

/* Whether it does: 1 or 0. To be called by the program, so that the linker takes it. */
int latchkey_heap_is_wiped(void);
