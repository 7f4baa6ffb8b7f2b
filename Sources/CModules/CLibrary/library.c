#include "CLibrary.h"

#include <dlfcn.h>
#include <string.h>

int latchkey_library_load(const char *soname, const struct latchkey_function *functions, size_t count) {
  void *library = dlopen(soname, RTLD_LAZY | RTLD_LOCAL);
  if (library == NULL) return 0;
  for (size_t index = 0; index < count; index++) {
    void *address = dlsym(library, functions[index].name);
    if (address == NULL) return 0;
    /* C has no conversion from an object's address to a function's. */
    memcpy(functions[index].place, &address, sizeof address);
  }
  return 1;
}
