#include "CQrencode.h"

#include <CLibrary.h>
#include <pthread.h>

#if defined(__APPLE__)
#define LIBRARY "libqrencode.4.dylib"
#else
#define LIBRARY "libqrencode.so.4"
#endif

/* The types are those of the header, so a function that differs does not compile. */
static struct {
  __typeof__(QRcode_encodeString8bit) *encode;
  __typeof__(QRcode_free) *free;
} library;

static int is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  const struct latchkey_function functions[] = {
      {"QRcode_encodeString8bit", &library.encode},
      {"QRcode_free", &library.free},
  };
  is_loaded = latchkey_library_load(LIBRARY, functions, sizeof functions / sizeof *functions);
}

QRcode *shim_qr_encode(const char *text, int version, QRecLevel level) {
  pthread_once(&once, load);
  return is_loaded ? library.encode(text, version, level) : NULL;
}

void shim_qr_free(QRcode *code) {
  if (code != NULL) library.free(code);
}
