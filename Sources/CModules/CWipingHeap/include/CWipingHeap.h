#pragma once

/* A program that links this overwrites each heap block when it is freed, whether it belonged to this program's
   code, to Swift's strings and arrays, or to the C libraries. Only with glibc; elsewhere, and under sanitizers,
   nothing changes. */

/* Returns whether blocks are overwritten: 1 or 0. The program must call this, so that the linker includes it. */
int latchkey_heap_is_wiped(void);
