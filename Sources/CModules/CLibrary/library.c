#include "CLibrary.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* What the loader said of the libraries that it refused. There are more places than libraries. */
static struct {
  char soname[128];
  char words[256];
} refused[16];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Keeps the loader's words, unless they say that there is no such library. Only the words tell that; the file that a
   library of the library lacks begins with that one's name. */
static void keep(const char *soname, const char *words) {
  static const char absent[] = "cannot open shared object file: No such file or directory";
  size_t length = strlen(soname);
  if (words == NULL) return;
  if (strncmp(words, soname, length) == 0 && words[length] == ':' && strstr(words, absent) != NULL) return;
  pthread_mutex_lock(&lock);
  for (size_t index = 0; index < sizeof refused / sizeof *refused; index++) {
    if (refused[index].soname[0] != 0 && strcmp(refused[index].soname, soname) != 0) continue;
    snprintf(refused[index].words, sizeof refused[index].words, "%s", words);
    snprintf(refused[index].soname, sizeof refused[index].soname, "%s", soname);
    break;
  }
  pthread_mutex_unlock(&lock);
}

int latchkey_library_load(const char *soname, const struct latchkey_function *functions, size_t count) {
  void *library = dlopen(soname, RTLD_LAZY | RTLD_LOCAL);
  if (library == NULL) {
    keep(soname, dlerror());
    return 0;
  }
  for (size_t index = 0; index < count; index++) {
    void *address = dlsym(library, functions[index].name);
    if (address == NULL) {
      keep(soname, dlerror());
      return 0;
    }
    /* C has no conversion from an object's address to a function's. */
    memcpy(functions[index].place, &address, sizeof address);
  }
  return 1;
}

const char *latchkey_library_refusal(const char *soname) {
  const char *words = NULL;
  pthread_mutex_lock(&lock);
  for (size_t index = 0; index < sizeof refused / sizeof *refused; index++) {
    if (strcmp(refused[index].soname, soname) == 0) words = refused[index].words;
  }
  pthread_mutex_unlock(&lock);
  return words;
}
