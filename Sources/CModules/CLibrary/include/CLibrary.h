#pragma once
#include <stddef.h>

/* A function of a library: its name, and the pointer that receives its address. */
struct latchkey_function {
  const char *name;
  void *place;
};

/* Loads the shared library with this soname, as the dynamic loader finds it, and looks up all functions. A program
   that is not linked to the library starts without it, and faster. The library is never unloaded.

   Returns 1, or 0 if the library or one of the functions is missing. Call it once for each library (pthread_once). */
int latchkey_library_load(const char *soname, const struct latchkey_function *functions, size_t count);

/* Returns what the loader said of a library that is there and could not be loaded, or lacks a function; NULL if it is not
   installed, or was not tried. The soname must be that of the call above. The text stays. */
const char *latchkey_library_refusal(const char *soname);
