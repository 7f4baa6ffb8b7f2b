#include "CZlib.h"

#include <CLibrary.h>
#include <pthread.h>
#include <stdlib.h>
#include <zlib.h>

#if defined(__APPLE__)
#define LIBRARY "libz.1.dylib"
#else
#define LIBRARY "libz.so.1"
#endif

/* The types are those of the header, so a function that differs does not compile. */
static struct {
  __typeof__(inflateInit2_) *begin;
  __typeof__(inflate) *decode;
  __typeof__(inflateEnd) *end;
} library;

static int is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  const struct latchkey_function functions[] = {
      {"inflateInit2_", &library.begin},
      {"inflate", &library.decode},
      {"inflateEnd", &library.end},
  };
  is_loaded = latchkey_library_load(LIBRARY, functions, sizeof functions / sizeof *functions);
}

enum { FIRST_CAPACITY = 1 << 16, LARGEST_INPUT = 1 << 30 };

enum shim_zlib_result shim_zlib_decode(
    const unsigned char *input, size_t size, int window_bits, size_t limit, unsigned char **output, size_t *written,
    size_t *taken) {
  *output = NULL;
  *written = *taken = 0;
  pthread_once(&once, load);
  if (!is_loaded) return SHIM_ZLIB_MISSING;
  if (size > LARGEST_INPUT || limit > LARGEST_INPUT) return SHIM_ZLIB_TOO_LARGE;

  z_stream stream = {.next_in = (Bytef *)input, .avail_in = (uInt)size};
  if (library.begin(&stream, window_bits, ZLIB_VERSION, (int)sizeof stream) != Z_OK) return SHIM_ZLIB_DAMAGED;
  /* One byte more than the limit tells a stream that ends there from one that goes on. */
  size_t capacity = limit + 1 < FIRST_CAPACITY ? limit + 1 : FIRST_CAPACITY;
  unsigned char *bytes = malloc(capacity);
  enum shim_zlib_result result = SHIM_ZLIB_DAMAGED;
  while (bytes != NULL) {
    stream.next_out = bytes + *written;
    stream.avail_out = (uInt)(capacity - *written);
    int status = library.decode(&stream, Z_NO_FLUSH);
    *written = capacity - stream.avail_out;
    if (*written > limit) {
      result = SHIM_ZLIB_TOO_LARGE;
      break;
    }
    if (status == Z_STREAM_END) {
      result = SHIM_ZLIB_DONE;
      break;
    }
    /* Without an error and with room left, the input ends before the stream does. */
    if (status != Z_OK || stream.avail_out != 0) break;
    capacity = capacity > limit / 2 ? limit + 1 : capacity * 2;
    unsigned char *larger = realloc(bytes, capacity);
    if (larger == NULL) break;
    bytes = larger;
  }
  *taken = size - stream.avail_in;
  library.end(&stream);
  if (result == SHIM_ZLIB_DONE) {
    *output = bytes;
  } else {
    free(bytes);
  }
  return result;
}
