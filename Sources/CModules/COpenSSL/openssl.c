#include "COpenSSL.h"

#include <CLibrary.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* These functions are deprecated, but every libcrypto has them unless it was built without deprecated functions. */
#ifdef OPENSSL_NO_DEPRECATED_3_0
#define PLAIN_FUNCTIONS(X) X(SHA256)
#else
#define PLAIN_FUNCTIONS(X) X(SHA256_Init) X(SHA256_Update) X(SHA256_Final)
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
#endif

static struct latchkey_openssl library;
static struct {
#define X(name) __typeof__(name) *name;
  PLAIN_FUNCTIONS(X)
#undef X
} plain;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int is_ready;

static void load(void) {
  const struct latchkey_function functions[] = {
#define X(name) {#name, &library.name},
      LATCHKEY_OPENSSL_FUNCTIONS(X)
#undef X
#define X(name) {#name, &plain.name},
          PLAIN_FUNCTIONS(X)
#undef X
  };
  is_ready = latchkey_library_load(LATCHKEY_OPENSSL_LIBRARY, functions, sizeof functions / sizeof *functions);
}

int latchkey_openssl_load(void) {
  pthread_once(&once, load);
  return is_ready;
}

const char *latchkey_openssl_library(void) { return LATCHKEY_OPENSSL_LIBRARY; }

const char *latchkey_openssl_package(void) { return LATCHKEY_OPENSSL_PACKAGE; }

const char *latchkey_openssl_refusal(void) { return latchkey_library_refusal(LATCHKEY_OPENSSL_LIBRARY); }

static void need(void) {
  if (latchkey_openssl_load()) return;
  static const char line[] =
      LATCHKEY_OPENSSL_LIBRARY " cannot be loaded: install the Debian package " LATCHKEY_OPENSSL_PACKAGE ".\n";
  ssize_t written = write(STDERR_FILENO, line, sizeof line - 1);
  (void)written;
  abort();
}

const struct latchkey_openssl *latchkey_openssl_functions(void) {
  need();
  return &library;
}

void latchkey_openssl_sha256(const void *bytes, size_t count, unsigned char *digest) {
  need();
#ifdef OPENSSL_NO_DEPRECATED_3_0
  plain.SHA256((const unsigned char *)bytes, count, digest);
#else
  SHA256_CTX context;
  plain.SHA256_Init(&context);
  plain.SHA256_Update(&context, bytes, count);
  plain.SHA256_Final(digest, &context);
#endif
}
