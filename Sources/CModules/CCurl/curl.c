/* The type-checking macros have the functions' names. */
#define CURL_DISABLE_TYPECHECK 1
#include "CCurl.h"

#include <CLibrary.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

#define FUNCTIONS(X)                                                                                                   \
  X(curl_global_init)                                                                                                  \
  X(curl_version_info)                                                                                                 \
  X(curl_free)                                                                                                         \
  X(curl_slist_append)                                                                                                 \
  X(curl_slist_free_all)                                                                                               \
  X(curl_url)                                                                                                          \
  X(curl_url_cleanup)                                                                                                  \
  X(curl_url_get)                                                                                                      \
  X(curl_url_set)                                                                                                      \
  X(curl_easy_init)                                                                                                    \
  X(curl_easy_cleanup)                                                                                                 \
  X(curl_easy_reset)                                                                                                   \
  X(curl_easy_perform)                                                                                                 \
  X(curl_easy_setopt)                                                                                                  \
  X(curl_easy_getinfo)                                                                                                 \
  X(curl_multi_init)                                                                                                   \
  X(curl_multi_cleanup)                                                                                                \
  X(curl_multi_add_handle)                                                                                             \
  X(curl_multi_remove_handle)                                                                                          \
  X(curl_multi_socket_action)                                                                                          \
  X(curl_multi_info_read)                                                                                              \
  X(curl_multi_poll)                                                                                                   \
  X(curl_multi_wakeup)                                                                                                 \
  X(curl_multi_setopt)

/* The types are those of the header, so a call that does not fit does not compile. */
static struct {
#define X(name) __typeof__(name) *name;
  FUNCTIONS(X)
#undef X
} library;

static int is_ready;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  const struct latchkey_function functions[] = {
#define X(name) {#name, &library.name},
      FUNCTIONS(X)
#undef X
  };
  is_ready = latchkey_library_load(SHIM_CURL_LIBRARY, functions, sizeof functions / sizeof *functions) &&
             library.curl_global_init(CURL_GLOBAL_ALL) == CURLE_OK;
}

int shim_curl_load(void) {
  pthread_once(&once, load);
  return is_ready;
}

const char *shim_curl_refusal(void) { return latchkey_library_refusal(SHIM_CURL_LIBRARY); }

/* A request. */

CURL *shim_curl_easy_init(void) { return library.curl_easy_init(); }

void shim_curl_easy_cleanup(CURL *handle) { library.curl_easy_cleanup(handle); }

void shim_curl_easy_reset(CURL *handle) { library.curl_easy_reset(handle); }

CURLcode shim_curl_easy_perform(CURL *handle) { return library.curl_easy_perform(handle); }

CURLcode shim_curl_set_number(CURL *handle, CURLoption option, long value) {
  return library.curl_easy_setopt(handle, option, value);
}

CURLcode shim_curl_set_text(CURL *handle, CURLoption option, const char *value) {
  return library.curl_easy_setopt(handle, option, value);
}

CURLcode shim_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return library.curl_easy_setopt(handle, option, value);
}

CURLcode shim_curl_set_data_callback(CURL *handle, CURLoption option, shim_curl_data_callback value) {
  return library.curl_easy_setopt(handle, option, value);
}

CURLcode shim_curl_set_issue_callback(CURL *handle, shim_curl_issue_callback value) {
  return library.curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, value);
}

CURLcode shim_curl_set_tls_callback(CURL *handle, curl_ssl_ctx_callback value) {
  return library.curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, value);
}

CURLcode shim_curl_set_debug(CURL *handle, curl_debug_callback value) {
  return library.curl_easy_setopt(handle, CURLOPT_DEBUGFUNCTION, value);
}

static void note(unsigned char *opened, curl_socket_t number, unsigned char is_open) {
  if (number >= 0 && number < shim_curl_opened_limit) opened[number] = is_open;
}

static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
  (void)purpose;
#ifdef SOCK_CLOEXEC
  curl_socket_t number = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
#else
  curl_socket_t number = socket(address->family, address->socktype, address->protocol);
  if (number >= 0) fcntl(number, F_SETFD, FD_CLOEXEC);
#endif
  note(context, number, 1);
  return number;
}

static int close_socket(void *context, curl_socket_t number) {
  note(context, number, 0);
  return close(number);
}

void shim_curl_set_opening(CURL *handle, unsigned char *opened) {
  library.curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, open_socket);
  library.curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, opened);
  library.curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, close_socket);
  library.curl_easy_setopt(handle, CURLOPT_CLOSESOCKETDATA, opened);
}

static long number(CURL *handle, CURLINFO what) {
  long value = 0;
  return library.curl_easy_getinfo(handle, what, &value) == CURLE_OK ? value : 0;
}

long shim_curl_status(CURL *handle) { return number(handle, CURLINFO_RESPONSE_CODE); }

long shim_curl_http_version(CURL *handle) { return number(handle, CURLINFO_HTTP_VERSION); }

long shim_curl_system_error(CURL *handle) { return number(handle, CURLINFO_OS_ERRNO); }

long shim_curl_certificate_error(CURL *handle) { return number(handle, CURLINFO_SSL_VERIFYRESULT); }

long shim_curl_proxy_certificate_error(CURL *handle) { return number(handle, CURLINFO_PROXY_SSL_VERIFYRESULT); }

long shim_curl_proxy_status(CURL *handle) { return number(handle, CURLINFO_HTTP_CONNECTCODE); }

int shim_curl_proxy_has_other_methods(CURL *handle) {
  long known = CURLAUTH_BASIC, named = number(handle, CURLINFO_PROXYAUTH_AVAIL);
  return named != 0 && (named & known) == 0;
}

const char *shim_curl_certificate(CURL *handle) {
  struct curl_certinfo *info = NULL;
  if (library.curl_easy_getinfo(handle, CURLINFO_CERTINFO, &info) != CURLE_OK || !info || info->num_of_certs < 1)
    return NULL;
  for (const struct curl_slist *line = info->certinfo[0]; line; line = line->next) {
    if (strncmp(line->data, "Cert:", 5) == 0) return line->data + 5;
  }
  return NULL;
}

void *shim_curl_private(CURL *handle) {
  char *context = NULL;
  library.curl_easy_getinfo(handle, CURLINFO_PRIVATE, &context);
  return context;
}

/* Many requests. */

CURLM *shim_curl_multi_init(void) { return library.curl_multi_init(); }

void shim_curl_multi_cleanup(CURLM *multi) { library.curl_multi_cleanup(multi); }

CURLMcode shim_curl_multi_add_handle(CURLM *multi, CURL *handle) {
  return library.curl_multi_add_handle(multi, handle);
}

CURLMcode shim_curl_multi_remove_handle(CURLM *multi, CURL *handle) {
  return library.curl_multi_remove_handle(multi, handle);
}

CURLMcode shim_curl_multi_socket_action(CURLM *multi, curl_socket_t socket, int events, int *running) {
  return library.curl_multi_socket_action(multi, socket, events, running);
}

CURLMsg *shim_curl_multi_info_read(CURLM *multi, int *left) { return library.curl_multi_info_read(multi, left); }

CURLMcode shim_curl_multi_wakeup(CURLM *multi) { return library.curl_multi_wakeup(multi); }

CURLMcode shim_curl_multi_look(CURLM *multi) { return library.curl_multi_poll(multi, NULL, 0, 0, NULL); }

CURLMcode shim_curl_multi_set_number(CURLM *multi, CURLMoption option, long value) {
  return library.curl_multi_setopt(multi, option, value);
}

void shim_curl_multi_set_callbacks(CURLM *multi, shim_curl_socket_callback socket, shim_curl_timer_callback timer,
                                   void *context) {
  library.curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket);
  library.curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
  library.curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
  library.curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
}

CURLcode shim_curl_result(const CURLMsg *message) { return message->data.result; }

/* Lines and addresses. */

struct curl_slist *shim_curl_slist_append(struct curl_slist *list, const char *line) {
  return library.curl_slist_append(list, line);
}

void shim_curl_slist_free_all(struct curl_slist *list) { library.curl_slist_free_all(list); }

CURLU *shim_curl_url(void) { return library.curl_url(); }

void shim_curl_url_cleanup(CURLU *address) { library.curl_url_cleanup(address); }

CURLUcode shim_curl_url_set(CURLU *address, CURLUPart part, const char *text, unsigned int flags) {
  return library.curl_url_set(address, part, text, flags);
}

CURLUcode shim_curl_url_get(CURLU *address, CURLUPart part, char **text, unsigned int flags) {
  return library.curl_url_get(address, part, text, flags);
}

void shim_curl_free(void *memory) { library.curl_free(memory); }

curl_version_info_data *shim_curl_version_info(CURLversion age) { return library.curl_version_info(age); }
