/* Hears what became of a request's stream of HTTP/2, because libcurl has the same code for a stream that was refused and
   for a connection that broke, and no code at all for what it repeats by itself. */
#define CURL_DISABLE_TYPECHECK 1
#include "CCurl.h"

#include <stdio.h>
#include <string.h>

static void hear(struct shim_curl_stream *stream, const char *line) {
  unsigned int number = 0, error = 0, last = 0;
  /* Some versions write the number in base 16: read in base 10, it is smaller, or the same. */
  if (sscanf(line, "Using Stream ID: %u", &number) == 1 || sscanf(line, "[HTTP/2] [%u] OPENED", &number) == 1) {
    stream->number = number;
  } else if (strncmp(line, "REFUSED_STREAM, retrying", 24) == 0) {
    stream->is_refused = 1;
  } else if (sscanf(line, "HTTP/2 stream %u was not closed cleanly: ", &number) == 1) {
    if (strstr(line, ": HTTP_1_1_REQUIRED") != NULL) stream->is_refused = stream->wants_old = 1;
  } else if (sscanf(line, "recveived GOAWAY, error=%u, last_stream=%u", &error, &last) == 2 ||
             sscanf(line, "received GOAWAY, error=%u, last_stream=%u", &error, &last) == 2) {
    /* 1 is the first number that a client may use. */
    if (last >= (stream->number == 0 ? 1 : stream->number)) return;
    stream->is_refused = 1;
    if (error == 13) stream->wants_old = 1;
  }
}

static int take(CURL *handle, curl_infotype type, char *text, size_t size, void *context) {
  char line[160];
  (void)handle;
  /* Everything else is what is sent and received. */
  if (type != CURLINFO_TEXT || size == 0 || strchr("UR[Hr", text[0]) == NULL) return 0;
  size_t count = size < sizeof line ? size : sizeof line - 1;
  memcpy(line, text, count);
  line[count] = 0;
  hear(context, line);
  return 0;
}

void shim_curl_set_stream(CURL *handle, struct shim_curl_stream *stream) {
  shim_curl_set_pointer(handle, CURLOPT_DEBUGDATA, stream);
  shim_curl_set_debug(handle, take);
  shim_curl_set_number(handle, CURLOPT_VERBOSE, 1);
}
