#ifndef CHEAP_H
#define CHEAP_H

/* What malloc has given out in all its arenas and mappings, in bytes; 0 where the C library does not say. */
long heap_given(void);

#endif
