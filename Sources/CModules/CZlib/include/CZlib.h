#pragma once
#include <stddef.h>

/* How a stream of zlib was decoded. */
enum shim_zlib_result { SHIM_ZLIB_DONE = 0, SHIM_ZLIB_DAMAGED = 1, SHIM_ZLIB_TOO_LARGE = 2, SHIM_ZLIB_MISSING = 3 };

/* Decodes one stream with inflate of zlib, which is loaded by the first call.

   window_bits  the format, as for inflateInit2: 15 zlib's own, -15 without a frame, 31 gzip
   limit        the most bytes to decode
   output       receives the decoded bytes, which the caller frees; NULL after a failure
   written      receives their number
   taken        receives how many bytes of the input the stream has */
enum shim_zlib_result shim_zlib_decode(
    const unsigned char *input, size_t size, int window_bits, size_t limit, unsigned char **output, size_t *written,
    size_t *taken);
