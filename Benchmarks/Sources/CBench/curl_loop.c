#include "cbench.h"
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  char *bytes;
  size_t used, room;
} buffer;

/* An answer is its status, its head and its body, and it belongs to the caller. Every user of libcurl has to keep
   them, and not in a block that the next answer overwrites, so both have blocks of their own. */
typedef struct {
  CURL *easy;
  buffer head, body;
} transfer;

struct cb_curl {
  CURLM *multi;
  struct curl_slist *lines;
  int width;
  transfer transfers[];
};

static size_t append(buffer *self, const char *bytes, size_t length) {
  if (self->used + length > self->room) {
    self->room = (self->used + length) * 2;
    self->bytes = realloc(self->bytes, self->room);
  }
  memcpy(self->bytes + self->used, bytes, length);
  self->used += length;
  return length;
}

static size_t take(char *bytes, size_t size, size_t count, void *context) {
  return append(&((transfer *)context)->body, bytes, size * count);
}

static size_t take_line(char *bytes, size_t size, size_t count, void *context) {
  return append(&((transfer *)context)->head, bytes, size * count);
}

/* Called when the caller has read the answer. */
static void drop_answer(transfer *self) {
  free(self->head.bytes);
  free(self->body.bytes);
  self->head = self->body = (buffer){0};
}

cb_curl *cb_curl_open(const char *url, int width) {
  curl_global_init(CURL_GLOBAL_ALL);
  cb_curl *self = calloc(1, sizeof *self + (size_t)width * sizeof(transfer));
  self->multi = curl_multi_init();
  self->width = width;
  for (int index = 0; index < width; index++) {
    transfer *one = &self->transfers[index];
    CURL *easy = one->easy = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(easy, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, 10000L);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, one);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_line);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, one);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, one);
  }
  return self;
}

cb_curl *cb_curl_open_post(
    const char *url, const char *const lines[], const uint8_t *body, size_t length, const char *ca_file, bool keeps
) {
  cb_curl *self = cb_curl_open(url, 1);
  CURL *easy = self->transfers->easy;
  for (; *lines; lines++) self->lines = curl_slist_append(self->lines, *lines);
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, self->lines);
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, (long)length);
  curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, body);
  if (!keeps) curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
  if (ca_file) {
    curl_easy_setopt(easy, CURLOPT_CAINFO, ca_file);
    curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
    curl_easy_setopt(easy, CURLOPT_CA_CACHE_TIMEOUT, 0L);
  }
  return self;
}

static int is_good(CURL *easy, CURLcode result) {
  long status = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  return result == CURLE_OK && status == 200;
}

static int run_alone(cb_curl *self, int count) {
  transfer *one = self->transfers;
  while (count--) {
    int good = is_good(one->easy, curl_easy_perform(one->easy));
    drop_answer(one);
    if (!good) return 1;
  }
  return 0;
}

int cb_curl_run(cb_curl *self, int count) {
  if (self->width == 1) return run_alone(self, count);
  int begun = 0, done = 0, failed = 0, running = 0, left = 0;
  for (; begun < self->width && begun < count; begun++)
    curl_multi_add_handle(self->multi, self->transfers[begun].easy);
  while (done < count) {
    curl_multi_perform(self->multi, &running);
    for (CURLMsg *message; (message = curl_multi_info_read(self->multi, &left));) {
      if (message->msg != CURLMSG_DONE) continue;
      CURL *easy = message->easy_handle;
      transfer *one;
      curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&one);
      if (!is_good(easy, message->data.result)) failed = 1;
      done++;
      curl_multi_remove_handle(self->multi, easy);
      drop_answer(one);
      if (begun < count) {
        begun++;
        curl_multi_add_handle(self->multi, easy);
        running++;
      }
    }
    if (done < count) curl_multi_poll(self->multi, NULL, 0, 1000, NULL);
  }
  return failed;
}

void cb_curl_close(cb_curl *self) {
  for (int index = 0; index < self->width; index++) {
    curl_easy_cleanup(self->transfers[index].easy);
    drop_answer(&self->transfers[index]);
  }
  curl_multi_cleanup(self->multi);
  curl_slist_free_all(self->lines);
  free(self);
}
